"""Importing is fast and needs nothing else."""

from __future__ import annotations

import sys


def test_importing_takes_less_than_150_ms(run_python):
    code = """
        import time
        begin = time.perf_counter()
        import sotto
        print(time.perf_counter() - begin)
        """
    assert min(float(run_python(code).stdout) for _ in range(7)) < 0.150


def test_no_other_package_is_needed_or_loaded(run_python):
    done = run_python(
        """
        import sys
        blocked = ["numpy", "pandas", "pyarrow", "polars", "torch", "tqdm", "matplotlib", "sklearn"]
        for name in blocked:
            sys.modules[name] = None
        import sotto
        p = sotto.Privatizer("dp-mlm", 20, seed=1)
        assert isinstance(p.privatize("The soup was cold."), str)
        assert len(p.privatize(["The soup was cold.", None], progress=True)) == 2
        assert sotto.explain("pizza", "tem", 12)["word"] == "pizza"
        try:
            sotto.explain("pizza", "tem", 12).plot()
        except ImportError as error:
            print(error)
        """
    )
    assert done.stdout == "plots need matplotlib: pip install matplotlib\n"


def test_only_the_standard_library_is_imported(run_python):
    done = run_python("import sotto, sys; print(*sys.modules, sep='\\n')")
    packages = {name.partition(".")[0] for name in done.stdout.split()}
    bare = set(run_python("import sys; print(*sys.modules, sep='\\n')").stdout.split())
    allowed = sys.stdlib_module_names | {name.partition(".")[0] for name in bare} | {"sotto", "__main__"}
    assert not {name for name in packages - allowed if not name.startswith("_")}


def test_the_version_is_that_of_the_program(run_program, run_python):
    version = run_python("import sotto; print(sotto.__version__)").stdout.strip()
    assert version in run_program("--version")


def test_names_are_public_on_purpose(run_python):
    done = run_python(
        """
        import sotto
        assert all(hasattr(sotto, name) for name in sotto.__all__)
        public = {name for name in dir(sotto) if not name.startswith("_")}
        print(sorted(public - set(sotto.__all__)))
        """
    )
    assert done.stdout == "[]\n"
