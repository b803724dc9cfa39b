"""A LiteLLM proxy in front of a fake model server lets through what Sotto rewrote, and nothing else."""

import concurrent.futures
import os
import pathlib
import re
import signal
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import threading

import pytest

from gateway_world import FakeModel, LiteLLM, Sotto, free_port, post, TIMEOUT

PAGE = pathlib.Path(__file__).parents[3] / "docs/gateway.md"
TIMES = int(os.environ.get("SOTTO_GATEWAY_TIMES", "100"))
SECRET = "my doctor in London prescribed lithium"


def block_of(name):
    """A file as docs/gateway.md prints it."""
    return re.search(rf"cat > {re.escape(name)} <<'END'\n(.*?)\nEND\n", PAGE.read_text(), re.DOTALL).group(1)


class World:
    """Configured as the page says, except for ports and the time to wait."""

    def __init__(self, folder):
        self.folder = folder
        self.model = FakeModel()
        self.port = free_port()
        self.sotto = None
        self.start_sotto()
        config = block_of("litellm.yaml").replace("http://127.0.0.1:9000", self.model.url)
        config = config.replace("http://127.0.0.1:8080", f"http://127.0.0.1:{self.port}")
        config, changed = re.subn(r"timeout: \d+", f"timeout: {TIMEOUT}", config)
        assert changed == 1
        self.litellm = LiteLLM(folder, free_port(), config)

    def start_sotto(self):
        self.sotto = Sotto(self.folder, self.port, block_of("serve.yaml"))

    def refuses(self, times=TIMES, at_once=10):
        """Whatever is asked fails, and the model learns nothing of it, now or later."""
        before = len(self.model.received)
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            answers = list(pool.map(lambda i: self.litellm.ask(f"{SECRET}, number {i}"), range(times)))
        assert len(answers) == times
        for status, answer in answers:
            assert status >= 400, answer
            assert "choices" not in answer, answer
        assert self.model.received[before:] == []

    def works(self):
        before = len(self.model.received)
        status, answer = self.litellm.ask("the soup was cold")
        assert status == 200, answer
        assert len(self.model.received) == before + 1

    def stop(self):
        self.litellm.stop()
        self.sotto.stop()
        self.model.stop()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    made = World(tmp_path_factory.mktemp("gateway"))
    yield made
    made.stop()


def test_the_model_sees_what_sotto_rewrote(world):
    messages = [
        {"role": "system", "content": "you talk to patients"},
        {"role": "user", "content": SECRET},
        {"role": "assistant", "content": "how does lithium agree with you"},
        {"role": "user", "content": [{"type": "text", "text": SECRET}, {"type": "text", "text": "what now"}]},
    ]
    before = len(world.model.received)
    for _ in range(3):  # the turns of a conversation
        status, answer = world.litellm.ask(messages, user="carol")
        assert status == 200, answer
    received = world.model.received[before:]
    assert len(received) == 3
    texts = ["you talk to patients", SECRET, "how does lithium agree with you", SECRET, "what now"]
    status, same = post(world.sotto.url + "/v1/privatize", {"texts": texts, "ids": ["carol"] * 5, "subject": "carol"})
    assert status == 200, same
    rewritten = same["texts"]
    assert len([1 for before, after in zip(texts, rewritten) if before != after]) >= 4
    for body in received:
        assert [message["role"] for message in body["messages"]] == [message["role"] for message in messages]
        assert [message["content"] for message in body["messages"][:3]] == rewritten[:3]
        assert [part["text"] for part in body["messages"][3]["content"]] == rewritten[3:]
    # What a user sends again is the same to the model, and to the ledger.
    assert received[0]["messages"] == received[1]["messages"] == received[2]["messages"]
    assert rewritten[1] == rewritten[3]
    account = same["spent"]
    assert post(world.sotto.url + "/v1/privatize", {"text": SECRET, "id": "carol", "subject": "carol"})[1]["spent"] == account


def test_an_end_user_over_the_limit_is_blocked(world):
    status, answer = world.litellm.ask("soup " * 900, user="dave")
    assert status == 200, answer
    before = len(world.model.received)
    for _ in range(3):
        status, answer = world.litellm.ask("bread " * 900, user="dave")
        assert status >= 400, answer
        assert "budget" in repr(answer)
    assert world.litellm.ask("bread", user=None)[0] >= 400
    assert world.model.received[before:] == []
    assert world.litellm.ask("bread " * 900, user="erin")[0] == 200


def test_what_cannot_be_rewritten_is_blocked(world):
    before = len(world.model.received)
    image = [{"type": "text", "text": "soup"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]
    assert world.litellm.ask([{"role": "user", "content": image}])[0] >= 400
    tools = [{"type": "function", "function": {"name": "find", "description": SECRET, "parameters": {}}}]
    assert world.litellm.ask("soup", tools=tools)[0] >= 400
    assert world.model.received[before:] == []


def test_clients_cannot_switch_it_off(world):
    before = len(world.model.received)
    status, same = post(world.sotto.url + "/v1/privatize", {"text": SECRET, "id": "alice", "subject": "alice"})
    assert same["texts"] != [SECRET]
    for more in ({"guardrails": []}, {"metadata": {"guardrails": []}}, {"disable_global_guardrails": True},
                 {"metadata": {"disable_global_guardrails": True}},
                 {"guardrails": [{"sotto": {"extra_body": {"epsilon": 1000}}}]}):
        world.litellm.ask(SECRET, **more)
    for body in world.model.received[before:]:
        assert [message["content"] for message in body["messages"]] == same["texts"]


def test_with_sotto_stopped_the_gateway_fails(world):
    world.works()
    world.sotto.stop()
    world.refuses()
    world.start_sotto()
    world.works()


def test_with_sotto_hanging_the_gateway_fails(world):
    world.works()
    world.sotto.signal(signal.SIGSTOP)
    try:
        world.refuses(at_once=25)
    finally:
        before = len(world.model.received)
        world.sotto.signal(signal.SIGCONT)
    time.sleep(3)  # late answers find nobody
    assert world.model.received[before:] == []
    world.works()


def test_with_a_ledger_that_is_gone_the_gateway_fails(world):
    """Sotto itself answers 503."""
    world.works()
    ledger = world.folder / "spent.ledger"
    ledger.rename(world.folder / "moved.ledger")
    status, answer = post(world.sotto.url + "/v1/privatize", {"text": "soup", "subject": "alice"})
    assert status == 503, answer
    world.refuses()
    (world.folder / "moved.ledger").rename(ledger)
    world.sotto.stop()
    world.start_sotto()
    world.works()


@pytest.mark.parametrize("status", [500, 502, 503, 504, 429, 404])
def test_with_an_error_in_its_place_the_gateway_fails(world, status):
    world.sotto.stop()

    class Refusing(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", world.port), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        world.refuses(times=TIMES if status == 503 else 5)
    finally:
        server.shutdown()
        server.server_close()
        world.start_sotto()
