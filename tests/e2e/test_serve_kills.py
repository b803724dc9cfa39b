"""A server that is killed under load: no text was answered without its entry in the ledger, and none is charged twice."""

import http.client
import itertools
import json
import random
import signal
import subprocess
import threading
import time

import pytest
from conftest import SOTTO, sentences
from serve_world import Server

CLIENTS = 8
LIMIT = 1000


def privatized(server, name, text):
    status, body, _ = server.ask("POST", "/v1/privatize", {"text": text, "id": name, "subject": name})
    assert status == 200, body
    return json.loads(body)["texts"][0]


class Clients:
    """Threads that send texts, each with an id of its own which is also its subject, until the server is gone."""

    def __init__(self, texts):
        self.texts = texts
        self.numbers = itertools.count()
        self.sent = {}
        self.answered = {}
        self.lock = threading.Lock()

    def one(self, server):
        with self.lock:
            number = next(self.numbers)
            name, text = f"d{number}", self.texts[number % len(self.texts)]
            self.sent[name] = text
        output = privatized(server, name, text)
        with self.lock:
            self.answered[name] = output

    def work(self, server):
        try:
            while True:
                self.one(server)
        except (OSError, http.client.HTTPException):
            pass

    def run_until_killed(self, server, seconds):
        threads = [threading.Thread(target=self.work, args=[server]) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        server.stop(signal.SIGKILL)
        for thread in threads:
            thread.join(timeout=60)
            assert not thread.is_alive()


def accounts(ledger, environment):
    command = [SOTTO, "ledger", "export", str(ledger), "--what", "accounts", "--format", "jsonl"]
    out = subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120).stdout
    return {account["subject"]: account for account in map(json.loads, out.splitlines())}


def kill_again_and_again(program, key, kills):
    environment, ledger = program.environment, program.folder / "spent.ledger"
    config = program.write("serve.yaml", f"""profiles:
  default:
    model: {program.model}
    epsilon: 1
    key_file: {key}
    ledger: {{file: {ledger}, limit: {LIMIT}}}
    repeat: same
""")
    chance = random.Random(7)
    clients = Clients(sentences(50).splitlines())
    for _ in range(kills):
        clients.run_until_killed(Server(program, "--quiet", "--config", config), chance.uniform(0.02, 0.3))
        charged = accounts(ledger, environment)
        assert clients.answered.keys() <= charged.keys()
    before = accounts(ledger, environment)
    assert len(clients.answered) > 10 * kills
    server = Server(program, "--quiet", "--config", config)
    try:
        # What was lost is sent again: the same texts as before, and nothing that was charged is charged again.
        for name, text in clients.sent.items():
            output = privatized(server, name, text)
            assert clients.answered.setdefault(name, output) == output
    finally:
        server.stop()
    after = accounts(ledger, environment)
    assert after.keys() == clients.sent.keys()
    assert all(account["documents"] == 1 for account in after.values())
    assert all(after[subject]["spent"] == account["spent"] for subject, account in before.items())
    verified = subprocess.run([SOTTO, "ledger", "verify", str(ledger)], env=environment, capture_output=True, timeout=120)
    assert verified.returncode == 0, verified.stdout


def test_killed_five_times(program, key):
    kill_again_and_again(program, key, 5)


@pytest.mark.long
def test_killed_two_hundred_times(program, key):
    kill_again_and_again(program, key, 200)
