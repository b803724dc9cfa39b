"""Signals, threads, forks, and the end of the interpreter."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import pytest
from conftest import KEY, TEXTS

import sotto

MANY = TEXTS * 2000
PROMPTLY = 1.0  # seconds that Ctrl-C may take


class CtrlC:
    """Presses it after a while. Says afterwards how long the call went on."""

    def __init__(self, after: float = 0.3) -> None:
        self.after = after

    def __enter__(self) -> "CtrlC":
        self.thread = threading.Thread(target=self._press)
        self.thread.start()
        return self

    def _press(self) -> None:
        time.sleep(self.after)
        self.pressed = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    def __exit__(self, *_: object) -> None:
        self.took = time.monotonic() - self.pressed
        self.thread.join()


CALLS = {
    "dp-mlm": lambda: sotto.Privatizer("dp-mlm", 20).privatize(MANY),
    "dp-mlm-plus": lambda: sotto.Privatizer("dp-mlm-plus", 20).privatize(MANY),
    "dp-mlm, one text": lambda: sotto.Privatizer("dp-mlm", 20).privatize(" ".join(TEXTS * 150)),
    "dp-paraphrase": lambda: sotto.Privatizer("dp-paraphrase", 20).privatize(MANY),
    "cmp": lambda: sotto.Privatizer("cmp", 5).privatize(MANY * 10),
    "attack": lambda: sotto.attack("cmp", 5, words=4000),
    "attack_texts": lambda: sotto.attack_texts(MANY, MANY),
    "audit": lambda: sotto.audit("cmp", 5, method="black-box"),
    "opening": lambda: sotto.Privatizer("gumbel", 5),
    "opening for an attack": lambda: sotto.attack("gumbel", 5),
    "explain": lambda: sotto.explain("pizza", "cmp", 5, draws=1_000_000),
    "similarity": lambda: sotto.similarity(MANY, MANY),
    "perplexity": lambda: sotto.perplexity(MANY),
}


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_a_call_promptly(name):
    with CtrlC() as ctrl_c, pytest.raises(KeyboardInterrupt):
        CALLS[name]()
    assert ctrl_c.took < PROMPTLY
    assert sotto.Privatizer("tem", 12, key=KEY).privatize("It still works.", id="1")


def test_an_exact_audit_is_interrupted(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with CtrlC() as ctrl_c, pytest.raises(KeyboardInterrupt):
        sotto.audit("santext", 5)
    assert ctrl_c.took < PROMPTLY


@pytest.mark.parametrize("mechanism", ["dp-mlm", "cmp"])
def test_a_privatizer_works_after_ctrl_c(mechanism):
    p = sotto.Privatizer(mechanism, 10, key=KEY)
    expected = p.privatize(TEXTS, ids=range(len(TEXTS)))
    before = p.statistics["words"]["in"]
    for _ in range(2):
        with CtrlC(0.2) as ctrl_c, pytest.raises(KeyboardInterrupt):
            p.privatize(MANY * 5)
        assert ctrl_c.took < PROMPTLY
    assert p.statistics["words"]["in"] == before
    assert p.privatize(TEXTS, ids=range(len(TEXTS))) == expected


def test_a_progress_callback_that_raises_ends_the_call():
    p = sotto.Privatizer("dp-mlm", 10, key=KEY)

    def refuse(done, total):
        raise ZeroDivisionError("enough")

    begin = time.monotonic()
    with pytest.raises(ZeroDivisionError, match="enough"):
        p.privatize(MANY, progress=refuse)
    assert time.monotonic() - begin < PROMPTLY
    assert p.privatize(TEXTS[0], id="1") == sotto.Privatizer("dp-mlm", 10, key=KEY).privatize(TEXTS[0], id="1")
    with pytest.raises(ZeroDivisionError):
        sotto.attack("tem", 5, attack="bayes", words=300, progress=refuse)


@pytest.mark.parametrize("texts", [TEXTS, TEXTS * 40_000, [None, *TEXTS]], ids=["few", "several slices", "null"])
def test_progress_never_goes_back_and_ends_at_the_total(texts):
    calls = []
    sotto.Privatizer("diffractor-geometric", 5).privatize(texts, progress=lambda *call: calls.append(call))
    total = sum(len(text.encode()) for text in texts if text is not None)
    assert calls == sorted(calls) and calls[-1] == (total, total)
    assert all(call[1] == total for call in calls)


def test_progress_of_analyses_ends_at_the_total():
    calls = []
    sotto.attack("tem", 12, attack="bayes", words=200, progress=lambda *call: calls.append(call))
    assert calls and calls[-1][0] == calls[-1][1] > 0
    assert all(done <= total for done, total in calls)


def test_threads_share_a_privatizer():
    p = sotto.Privatizer("cmp", 10, key=KEY, threads=2)
    expected = p.privatize(TEXTS, ids=range(len(TEXTS)))

    def work(number):
        if number % 3 == 0:
            return p.privatize(TEXTS, ids=range(len(TEXTS)))
        return [p.privatize(text, id=row) for row, text in enumerate(TEXTS)]

    before = p.statistics["words"]["in"]
    with ThreadPoolExecutor(8) as pool:
        assert all(output == expected for output in pool.map(work, range(48)))
    assert p.statistics["words"]["in"] == before * 49


def test_numbers_of_texts_do_not_repeat_between_threads():
    p = sotto.Privatizer("tem", 5, seed=1)
    with ThreadPoolExecutor(8) as pool:
        outputs = list(pool.map(lambda _: p.privatize(TEXTS[0]), range(200)))
    assert sorted(outputs) == sorted(sotto.Privatizer("tem", 5, seed=1).privatize([TEXTS[0]] * 200))


def test_a_stopped_call_does_not_stop_another():
    p = sotto.Privatizer("dp-mlm", 10, key=KEY)
    texts, ids = TEXTS * 12, range(len(TEXTS) * 12)
    expected = p.privatize(texts, ids=ids)

    def refuse(done, total):
        raise ZeroDivisionError

    with ThreadPoolExecutor(2) as pool:
        other = pool.submit(p.privatize, texts, ids)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                p.privatize(MANY, progress=refuse)
        assert other.result() == expected


@pytest.mark.parametrize("mechanism", ["dp-mlm", "diffractor-geometric"])
def test_other_threads_go_on_meanwhile(mechanism):
    p = sotto.Privatizer(mechanism, 10, threads=1)
    texts = MANY if mechanism == "dp-mlm" else MANY * 5
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    def stop_later(done_bytes, total):
        if len(ticks) > 300:
            raise InterruptedError

    ticker = threading.Thread(target=tick)
    ticker.start()
    begin = time.monotonic()
    try:
        p.privatize(texts, progress=stop_later)
    except InterruptedError:
        pass
    end = time.monotonic()
    done.set()
    ticker.join()
    meanwhile = [moment for moment in ticks if begin < moment < end]
    assert len(meanwhile) > 30


def child_output(p, text, pipe):
    pipe.send(p.privatize(text))
    pipe.close()


def outputs_of_children(method, p, count=2):
    context = get_context(method)
    outputs = []
    for _ in range(count):
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=child_output, args=(p, TEXTS[0], sender))
        child.start()
        assert receiver.poll(60)
        outputs.append(receiver.recv())
        child.join(60)
        assert child.exitcode == 0
    return outputs


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("mechanism", ["tem", "dp-mlm"])
def test_children_have_noise_of_their_own(method, mechanism):
    p = sotto.Privatizer(mechanism, 5)
    p.privatize(TEXTS)
    outputs = [*outputs_of_children(method, p), p.privatize(TEXTS[0])]
    assert len(set(outputs)) == 3


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("mechanism", ["tem", "dp-mlm"])
def test_children_with_a_key_repeat_what_it_determines(method, mechanism):
    p = sotto.Privatizer(mechanism, 5, key=KEY)
    expected = p.privatize(TEXTS[0])
    assert outputs_of_children(method, sotto.Privatizer(mechanism, 5, key=KEY)) == [expected] * 2


def test_grandchildren_have_noise_of_their_own(run_python):
    done = run_python(
        """
        import os, sotto, sys
        p = sotto.Privatizer("tem", 5)
        for _ in range(2):
            os.fork()
        sys.stdout.write(p.privatize("The soup was cold and nobody came to help us all evening.") + "\\n")
        sys.stdout.flush()
        while True:
            try:
                os.wait()
            except ChildProcessError:
                break
        """
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 4 and len(set(lines)) == 4


@pytest.mark.parametrize("mechanism", ["diffractor-geometric", "dp-mlm", "gumbel"])
def test_the_interpreter_may_end_while_a_thread_works(mechanism, run_python):
    done = run_python(
        """
        import sotto, sys, threading, time
        def work():
            p = sotto.Privatizer(sys.argv[1], 5)
            while True:
                p.privatize(["The soup was cold. "] * 20_000)
                for _ in range(100):
                    p.privatize("The soup was cold.")
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.7)
        sys.exit(7)
        """,
        mechanism,
        check=False,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (7, "")


def test_an_abandoned_opening_does_not_delay_the_end(run_python):
    begin = time.monotonic()
    done = run_python(
        """
        import os, signal, sotto, sys, threading
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            sotto.Privatizer("gumbel", 5)
        except KeyboardInterrupt:
            print("interrupted")
            sys.exit(3)
        """,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "interrupted\n", "")
    assert time.monotonic() - begin < 4


def test_sub_interpreters_are_refused(run_python):
    interpreters = pytest.importorskip("_xxsubinterpreters")
    assert interpreters
    done = run_python(
        """
        import _xxsubinterpreters, sotto
        p = sotto.Privatizer("tem", 12, seed=1)
        expected = p.privatize("The soup was cold.", id="1")
        try:
            _xxsubinterpreters.run_string(_xxsubinterpreters.create(), "import sotto")
        except _xxsubinterpreters.RunFailedError as error:
            print(error)
        assert p.privatize("The soup was cold.", id="1") == expected
        """
    )
    assert "ImportError" in done.stdout and "main interpreter" in done.stdout and done.stderr == ""


def test_a_ledger_that_another_process_holds(tmp_path):
    def open_ledger():
        return sotto.Privatizer("tem", 12, key=KEY, ledger=tmp_path / "ledger", limit=5000)

    p = open_ledger()
    first = p.privatize("one two", id="1", subject="ann")
    with open(tmp_path / "ledger-lock") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for call in (open_ledger, lambda: p.privatize(["three"], ids=["2"], subjects=["ann"]),
                     lambda: p.privatize("three", id="2", subject="ann")):  # fmt: skip
            with CtrlC() as ctrl_c, pytest.raises(KeyboardInterrupt):
                call()
            assert ctrl_c.took < PROMPTLY
    assert p.privatize("one two", id="1", subject="ann") == first
    assert p.privatize(["three"], ids=["2"], subjects=["ann"]) != [None]
