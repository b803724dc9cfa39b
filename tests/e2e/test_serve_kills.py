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
from serve_world import ask, free_port, start, write_config

CLIENTS = 8
LIMIT = 1000


class Clients:
    """Threads that send texts, each with an id of its own which is also its subject, until the server is gone."""

    def __init__(self, port, texts):
        self.port = port
        self.texts = texts
        self.numbers = itertools.count()
        self.sent = {}
        self.answered = {}
        self.lock = threading.Lock()

    def one(self):
        with self.lock:
            number = next(self.numbers)
            name, text = f"d{number}", self.texts[number % len(self.texts)]
            self.sent[name] = text
        status, answer = ask(self.port, "POST", "/v1/privatize", {"text": text, "id": name, "subject": name})
        assert status == 200, answer
        with self.lock:
            self.answered[name] = answer["texts"][0]

    def work(self):
        try:
            while True:
                self.one()
        except (OSError, http.client.HTTPException):
            pass

    def run_until_killed(self, process, seconds):
        threads = [threading.Thread(target=self.work) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        for thread in threads:
            thread.join(timeout=60)
            assert not thread.is_alive()


def accounts(ledger, environment):
    command = [SOTTO, "ledger", "export", str(ledger), "--what", "accounts", "--format", "jsonl"]
    out = subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120).stdout
    return {account["subject"]: account for account in map(json.loads, out.splitlines())}


def kill_again_and_again(program, key, kills):
    port, environment = free_port(), program.environment
    ledger = program.folder / "spent.ledger"
    config = write_config(program.folder, port, [
        f"model: {program.model}", "epsilon: 1", f"key_file: {key}",
        f"ledger: {{file: {ledger}, limit: {LIMIT}}}", "repeat: same"])  # fmt: skip
    chance = random.Random(7)
    clients = Clients(port, sentences(50).splitlines())
    for _ in range(kills):
        process = start(config, environment, port)
        clients.run_until_killed(process, chance.uniform(0.02, 0.3))
        process.stderr.close()
        charged = accounts(ledger, environment)
        assert clients.answered.keys() <= charged.keys()
    before = accounts(ledger, environment)
    assert len(clients.answered) > 10 * kills
    process = start(config, environment, port)
    try:
        # What was lost is sent again: the same texts as before, and nothing that was charged is charged again.
        for name, text in clients.sent.items():
            status, answer = ask(port, "POST", "/v1/privatize", {"text": text, "id": name, "subject": name})
            assert status == 200
            assert clients.answered.setdefault(name, answer["texts"][0]) == answer["texts"][0]
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
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
