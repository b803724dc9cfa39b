"""schemathesis sends what /openapi.json describes, and what it does not, and checks every answer."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from gateway_world import Sotto, free_port

CONFIG = """
profiles:
  mail: {mechanism: diffractor-geometric, epsilon: 1, key_file: secret.key}
  charged:
    mechanism: diffractor-geometric
    epsilon: 1
    key_file: secret.key
    repeat: refuse
    ledger: {file: spent.ledger, limit: 500}
  entities: {mechanism: diffractor-geometric, epsilon: 1, key_file: secret.key, outside: keep}
"""


# A schema does not say that lengths must match, which profiles exist or what they allow, or that numbers have at most
# 64 bits: requests that it allows may also be refused with these.
SETTINGS = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 400, 401, 403, 404, 409, 422, 429, 503]
"""


@pytest.mark.parametrize("profile", ["mail", "charged"])
def test_answers_are_as_documented(tmp_path, profile):
    """SOTTO_OPENAPI_EXAMPLES: per operation and phase; 1,000 make more than 20,000 cases."""
    blocks = re.split(r"(?m)^  (?=\w)", CONFIG)  # the first profile is the default
    first = [block for block in blocks[1:] if block.startswith(profile)]
    config = blocks[0] + "".join("  " + block for block in first + [block for block in blocks[1:] if block not in first])
    (tmp_path / "schemathesis.toml").write_text(SETTINGS)
    sotto = Sotto(tmp_path, free_port(), config)
    try:
        run = subprocess.run(
            [pathlib.Path(sys.executable).parent / "schemathesis", "run", f"{sotto.url}/openapi.json", "--checks", "all",
             "--max-examples", os.environ.get("SOTTO_OPENAPI_EXAMPLES", "50"), "--seed", "1", "--continue-on-failure",
             "--request-timeout", "60", "--suppress-health-check", "all", "--no-color"],
            cwd=tmp_path, capture_output=True, text=True)
        print(run.stdout)
        assert run.returncode == 0, run.stdout[-8000:]
        assert sotto.process.poll() is None
        assert int(re.search(r"(\d+) generated", run.stdout).group(1)) > 1000
    finally:
        sotto.stop()
