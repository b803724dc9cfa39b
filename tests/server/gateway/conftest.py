import sys

sys.dont_write_bytecode = True


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes minutes")
