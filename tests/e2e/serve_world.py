"""A running `sotto serve`, and a client that knows no more than HTTP."""

import http.client
import json
import signal
import socket
import subprocess
import time
from contextlib import contextmanager

from conftest import SOTTO


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def write_config(folder, port, profile):
    """A server with one profile, whose members are given as YAML lines."""
    file = folder / "serve.yaml"
    members = "".join(f"    {line}\n" for line in profile)
    file.write_text(f"listen: 127.0.0.1:{port}\nprofiles:\n  default:\n{members}")
    return file


def start(config, environment, port, **more):
    """Returns once the server answers."""
    process = subprocess.Popen([SOTTO, "serve", "--quiet", "--config", str(config)], env=environment,
                               stdout=subprocess.DEVNULL, **{"stderr": subprocess.PIPE, **more})
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(process.communicate()[1])
        try:
            if ask(port, "GET", "/readyz")[0] == 200:
                return process
        except OSError:
            time.sleep(0.01)
    process.kill()
    raise AssertionError("the server does not get ready")


@contextmanager
def serving(config, environment, port, **more):
    process = start(config, environment, port, **more)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)


def ask(port, method, path, body=None, headers=None, timeout=60):
    """Status and body; the body is JSON where the answer says so."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, {"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        content = answer.read()
        is_json = (answer.getheader("Content-Type") or "").startswith("application/json")
        return answer.status, json.loads(content) if is_json else content
    finally:
        connection.close()
