"""`sotto serve` as its users run it: starts, answers, rotates keys, drains, and says nothing that it should not."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time

import pytest
from serve_world import Server

USAGE = 2
MARK = "zyxmarked"


@pytest.fixture
def serve(program):
    servers = []

    def start(*arguments):
        servers.append(Server(program, *arguments))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
        server.process.wait(60)


def make_key(program, name, *options):
    return program.ok("serve", "key", name, "--keys-file", "keys.yaml", "--secret-file", "secret", *options).text.strip()


def keyed(program):
    return ["--keys-file", program.folder / "keys.yaml", "--secret-file", program.folder / "secret"]


def test_health_and_words(serve):
    server = serve()
    assert server.ask("GET", "/healthz")[0] == 200
    assert server.ask("GET", "/readyz")[0] == 200
    text = "The soup was cold and the waiter was rude."
    status, answer = server.privatize(text)
    assert status == 200 and answer["texts"][0] != text and answer["receipt"]["guarantee"]
    status, body, headers = server.ask("GET", "/nothing")
    assert status == 404 and json.loads(body)["error"]["code"] == "not_found"
    assert headers["X-Request-Id"] and headers["X-Content-Type-Options"] == "nosniff"
    assert "without API keys" in server.log
    assert server.stop() == 0


def test_a_keyless_server_answers_no_web_page(serve):
    server = serve()
    assert server.ask("POST", "/v1/privatize", {"text": "a"}, Origin="http://evil.example")[0] == 403
    assert server.ask("GET", "/v1/mechanisms", Host="evil.example")[0] == 403


def test_keys_rotate_without_a_restart(program, serve):
    old = make_key(program, "web")
    server = serve(*keyed(program))
    assert server.privatize("cold soup")[0] == 401
    assert server.privatize("cold soup", X_API_Key=old)[0] == 200
    fresh = make_key(program, "web", "--rotate")
    assert server.privatize("cold soup", X_API_Key=fresh)[0] == 401
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log("the keys were read again")
    assert server.privatize("cold soup", Authorization=f"Bearer {fresh}")[0] == 200
    assert server.privatize("cold soup", X_API_Key=old)[0] == 200
    program.ok("serve", "key", "web", "--keys-file", "keys.yaml", "--secret-file", "secret", "--retire")
    server.lines.clear()
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log("the keys were read again")
    assert server.privatize("cold soup", X_API_Key=old)[0] == 401
    (program.folder / "keys.yaml").write_text("- {broken")
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log("the keys stay as they were")
    assert server.privatize("cold soup", X_API_Key=fresh)[0] == 200
    assert server.stop() == 0
    assert old not in server.log and fresh not in server.log


def test_the_log_holds_nothing_of_a_request(program, serve):
    key = make_key(program, "web")
    server = serve(*keyed(program))
    marked = {"text": f"{MARK} soup", "id": MARK, "subject": MARK}
    for method, path, body in [("POST", "/v1/privatize", marked), ("POST", f"/v1/privatize?subject={MARK}", {"text": MARK}),
                               ("GET", f"/{MARK}", None), ("POST", "/v1/privatize", {"text": MARK, MARK: 1}),
                               ("POST", "/v1/privatize", {"texts": [MARK], "profile": MARK}),
                               ("POST", "/v1/privatize", f'{{"text": "{MARK}'), ("POST", "/v1/explain", {"word": MARK, "epsilon": 1}),
                               (MARK.upper(), "/v1/privatize", None)]:
        headers = {"X_API_Key": key, "X_Request_Id": MARK, "User_Agent": MARK, "Cookie": MARK, "traceparent": MARK}
        server.ask(method, path, body, **headers)
    server.ask("POST", "/v1/privatize", marked, X_API_Key=MARK)
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(f"{MARK} {MARK}\r\n{MARK}\r\n\r\n".encode())
        assert b" 400 " in raw.recv(4096)
    assert server.stop() == 0
    assert len(server.entries()) == 10
    assert MARK not in server.log.lower() and key not in server.log and key[6:] not in server.log
    assert server.process.stdout.read() == b""


def test_quiet_logs_no_requests(serve):
    server = serve("--quiet")
    assert server.ask("GET", "/healthz")[0] == 200
    assert server.stop() == 0 and not server.entries()


def open_stream(server):
    """A stream that has begun and is not finished."""
    stream = socket.create_connection(("127.0.0.1", server.port))
    stream.sendall(b"POST /v1/privatize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
                   b"Transfer-Encoding: chunked\r\n\r\n16\r\n{\"text\": \"cold soup\"}\n\r\n")
    return stream


def received(stream):
    data = b""
    with contextlib.suppress(ConnectionError):
        while part := stream.recv(65536):
            data += part
    return data


def test_sigterm_ends_after_what_is_under_way(serve):
    server = serve()
    with open_stream(server) as stream:
        time.sleep(0.5)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert server.process.poll() is None, "it waits for the stream"
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", server.port)).close()
        stream.sendall(b"0\r\n\r\n")
        answer = received(stream)
    assert server.stop(signal.SIGCONT) == 0
    assert b'"text":' in answer
    assert answer.endswith(b"0\r\n\r\n") == (b'"done":true' in answer), "an end only where all was answered"


def test_a_second_signal_ends_at_once(serve):
    server = serve()
    with open_stream(server) as stream:
        time.sleep(0.5)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(5) == 1
        assert not received(stream).endswith(b"0\r\n\r\n")


def test_a_socket_that_a_kill_left_behind_is_replaced(program, serve):
    listen = ["--listen", "unix:" + str(program.folder / "s")]
    serve(*listen).stop(signal.SIGKILL)
    assert (program.folder / "s").exists()
    server = serve(*listen)
    with socket.socket(socket.AF_UNIX) as raw:
        raw.connect(str(program.folder / "s"))
        raw.sendall(b"GET /healthz HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n")
        assert b" 200 OK" in raw.recv(4096)
    assert server.stop() == 0 and not (program.folder / "s").exists()


def test_keys_are_shown_once_and_kept_from_others(program):
    key = make_key(program, "web")
    assert re.fullmatch(r"sotto_[A-Za-z0-9_-]{43}", key)
    for name in ("keys.yaml", "secret"):
        assert (program.folder / name).stat().st_mode & 0o777 == 0o600
        assert key.encode() not in (program.folder / name).read_bytes()
    again = program.run("serve", "key", "web", "--keys-file", "keys.yaml", "--secret-file", "secret")
    assert again.code == USAGE and "there is a key called web" in again.err and not again.out
    os.chmod(program.folder / "secret", 0o644)
    refused = program.run("serve", *keyed(program))
    assert refused.code == USAGE and "is open to other users (mode 0644)" in refused.err


@pytest.mark.parametrize("arguments, parts", [
    (["--listen", "0.0.0.0:0"], ["listen: 0.0.0.0:0", "tls", "behind_proxy"]),
    (["--listen", "0.0.0.0:0", "--behind-proxy"], ["needs keys", "sotto serve key"]),
    (["--listen", "example.org:80"], ["listen: 'example.org:80' is not allowed"]),
    (["--threads", "many"], ["threads: 'many' is not allowed"]),
    (["--config", "serve.yaml"], ["serve.yaml: line 2: there is no 'listn' (did you mean 'listen'?)"]),
    (["--config", "nowhere.yaml"], ["cannot read nowhere.yaml"]),
    (["--tls-key", "k.pem"], ["tls: needs both certificate and key"]),
    (["--keys-file", "k"], ["secret_file: missing"]),
])
def test_what_cannot_be_served_is_refused(program, arguments, parts):
    program.write("serve.yaml", "threads: 1\nlistn: x\n")
    outcome = program.run("serve", *arguments)
    assert outcome.code != 0 and outcome.err.count("\n") == 1, outcome.err
    for part in parts:
        assert part in outcome.err


def test_settings_come_from_file_environment_and_command_line(program, serve):
    program.write("serve.yaml", "limits: {body: 100, texts: 5}\nthreads: 1\n")
    program.environment["SOTTO_SERVE_LIMITS_BODY"] = "200"
    server = serve("--config", program.folder / "serve.yaml")
    assert server.ask("POST", "/v1/privatize", {"text": "x" * 120})[0] == 200
    assert server.ask("POST", "/v1/privatize", {"text": "x" * 220})[0] == 413
    assert server.stop() == 0


def test_without_descriptors_it_lives(program, serve):
    server = serve()
    subprocess.run(["prlimit", "--pid", str(server.process.pid), "--nofile=40"], check=True)
    held = []
    with contextlib.ExitStack() as stack:
        for _ in range(80):
            held.append(stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=5)))
        server.wait_for_log("no connection can be accepted")
    assert server.ask("GET", "/healthz")[0] == 200
    assert server.stop() == 0
