"""A running `sotto serve`, and a client that knows no more than HTTP."""

import contextlib
import http.client
import json
import re
import signal
import threading
import time


class Server:
    """A running server; its log is read all the time, as a supervisor does."""

    def __init__(self, program, *arguments):
        self.process = program.start("serve", "--listen", "127.0.0.1:0", *arguments)
        self.lines, self.ready = [], threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        assert self.ready.wait(60), "".join(self.lines)
        if self.process.poll() is None:
            self.port = int(re.search(r"serving on 127\.0\.0\.1:(\d+)", self.log).group(1))

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line.decode(errors="replace"))
            if "serving on" in self.lines[-1]:
                self.ready.set()
        self.ready.set()

    @property
    def log(self):
        return "".join(self.lines)

    def entries(self):
        return [json.loads(line) for line in self.lines if line.startswith("{")]

    def wait_for_log(self, text):
        deadline = time.monotonic() + 10
        while text not in self.log:
            assert time.monotonic() < deadline, f"{text} is not in the log:\n{self.log}"
            time.sleep(0.02)

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(body, dict):
            body, headers["Content-Type"] = json.dumps(body), "application/json"
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers

    def privatize(self, text, **headers):
        status, body, _ = self.ask("POST", "/v1/privatize", {"text": text}, **headers)
        return status, json.loads(body)

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(60)
        self.reader.join(10)
        return code
