"""Sotto, a LiteLLM proxy and a fake model server on loopback."""

import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SOTTO = os.environ["SOTTO_PROGRAM"]
MASTER_KEY = "sk-" + secrets.token_hex(32)
TIMEOUT = 1  # seconds that LiteLLM waits for Sotto


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_until(ready, what, seconds=180):
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, f"{what} is not there after {seconds} s"
        time.sleep(0.1)


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def post(url, body, timeout=60, headers=()):
    """The status and the parsed answer."""
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json", **dict(headers)}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


class FakeModel:
    """An OpenAI-compatible server that remembers what it receives."""

    def __init__(self, port=0):
        self.received = []
        received = self.received

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                answer = json.dumps({
                    "id": "1", "object": "chat.completion", "created": 1, "model": "fake",
                    "choices": [{"index": 0, "finish_reason": "stop",
                                 "message": {"role": "assistant", "content": "I see."}}],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def texts(self):
        """Of all messages received."""
        return [message["content"] for body in self.received for message in body["messages"]]

    def stop(self):
        self.server.shutdown()


class Program:
    """A program that runs until it is stopped."""

    def __init__(self, command, log, ready, what, environment=None):
        self.log = pathlib.Path(log)
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT,
                                            env={**os.environ, **(environment or {})}, cwd=self.log.parent)
        try:
            wait_until(lambda: self.is_ready(ready), what)
        except AssertionError:
            self.stop()
            raise AssertionError(f"{what}: {self.log.read_text()[-3000:]}") from None

    def is_ready(self, ready):
        assert self.process.poll() is None, self.log.read_text()[-3000:]
        return ready()

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Sotto(Program):
    def __init__(self, folder, port, config):
        (folder / "serve.yaml").write_text(config)
        key = folder / "secret.key"
        if not key.exists():
            key.write_bytes(bytes(range(32)))
            key.chmod(0o600)
        self.url = f"http://127.0.0.1:{port}"
        super().__init__([SOTTO, "serve", "--listen", f"127.0.0.1:{port}", "--config", "serve.yaml"],
                         folder / "sotto.log", lambda: answers(self.url + "/readyz"), "sotto serve")


class LiteLLM(Program):
    def __init__(self, folder, port, config):
        (folder / "litellm.yaml").write_text(config)
        self.url = f"http://127.0.0.1:{port}"
        program = pathlib.Path(sys.executable).parent / "litellm"
        super().__init__([program, "--host", "127.0.0.1", "--port", str(port), "--config", "litellm.yaml"],
                         folder / "litellm.log", lambda: answers(self.url + "/health/liveliness"), "litellm",
                         {"LITELLM_MASTER_KEY": MASTER_KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False", "NO_PROXY": "*"})

    def ask(self, messages, user="alice", **more):
        """The status and the answer for a chat of these messages, or for one text."""
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        body = {"model": "any", "messages": messages, **more}
        if user is not None:
            body["user"] = user
        return post(self.url + "/v1/chat/completions", body, headers=[("Authorization", f"Bearer {MASTER_KEY}")])
