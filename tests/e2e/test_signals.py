"""Ctrl-C, SIGTERM and closed pipes: every command ends soon, with one line or none, and says how to resume."""

import os
import pty
import re
import signal
import subprocess
import time

import pytest
from conftest import SANITIZERS, SOTTO, SOURCE, WORDS, sentences, vectors, wait_until_signals_are_caught
from experiment_world import command as evaluate
from experiment_world import make_world
from test_language_models import make_model, plugin  # noqa: F401 (a fixture)
from test_schemas import make_causal_model

FAILED = 1
# A command ends within one second from when it gets a processor. Other tests run at the same time, so the clock on the
# wall is given this factor; instrumented programs get ten times as long (cli/interruption.cpp).
BUSY_MACHINE = float(os.environ.get("SOTTO_TIME_FACTOR", "4"))
LIMIT = (10 if SANITIZERS else 1) * BUSY_MACHINE


@pytest.fixture(scope="module")
def large(models):
    """A model with which exact computations take long."""
    path = models / "large.safetensors"
    if not path.exists():
        (models / "large.txt").write_text(vectors(3, [f"w{i}" for i in range(12_000)], 30))
        subprocess.run([SOTTO, "model", "import", "large.txt", "-o", path], cwd=models, check=True, timeout=120,
                       stdout=subprocess.DEVNULL)
    return path


def ended(process, timeout=60):
    """What a process leaves on its standard streams; one that does not end is killed."""
    try:
        return process.communicate(timeout=timeout)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def endless(program, line):
    """A process that writes a line again and again."""
    return subprocess.Popen(["yes", line], stdout=subprocess.PIPE, cwd=program.folder)


# Each command has work for minutes. {small}, {large}, {lists}, {shipped} are models; "<" means that an endless text is piped in,
# "fifo" is a named pipe that receives endlessly many vectors.
LONG = [
    "privatize --model {lists} -e 1 -o out <",
    "privatize -m santext --model {large} -e 1 -o out <",
    "privatize -m dp-mlm --model ./bounded -e 10 -o out <",
    "privatize -m dp-mlm --model ./bounded --set mode=sequential -e 10 -o out <",
    "privatize -m dp-mlm --model {shipped} -e 10 -o out <",
    "privatize -m dp-paraphrase --model ./causal -e 10 -o out in-letters.txt",
    "explain soup -m cmp --model {small} -e 1 --draws 100000000",
    "audit -m santext --model {large} -e 1",
    "audit --method black-box -m cmp --model {small} -e 1 --draws 20000000",
    "attack -m cmp --model {small} -e 1 --draws 20000000 --words all",
    "attack --attack mask --original in.txt --privatized in.txt --model ./bounded",
    "tune --words words.tsv -m cmp --model {small} -e 1:100:1 --draws 10000000 --max-loss 0.5",
    "bench --model {large} --words 100000000",
    "evaluate run.yaml --data data -o out",
    "train vectors corpus.txt -o m.safetensors --epochs 100000 --dim 20 --min-count 1",
    "collocations count -o out <",
    "collocations tokenize --phrases p.safetensors --method gst -o out <",
    "model import fifo -o out",
    "lists build --model {large} --lists-per-model 1000 -o out",
    "lm similarity in.txt in.txt --model ./bounded",
    "lm calibrate --model ./free in.txt",
]


@pytest.fixture
def world(program, plugin, models, large):  # noqa: F811
    """Everything that the commands above need."""
    make_world(program)
    make_model(program.folder / "bounded", range=10)
    make_model(program.folder / "free")
    make_causal_model(program.folder / "causal")
    program.write("letters.txt", "ab ab ba\n" * 10)
    program.ok("lm", "calibrate", "--model", "./causal", "letters.txt")
    program.write("in-letters.txt", "abba baab ab ab ba\n" * 1000)
    program.environment["SOTTO_FAKE_MILLISECONDS"] = "20"  # for each text that a model reads
    program.write("in.txt", sentences(3000))
    program.write("corpus.txt", sentences(3000))
    program.write("words.tsv", "".join(f"{word}\t{i % 2}\n" for i, word in enumerate(WORDS)))
    program.ok("collocations", "count", "corpus.txt", "-o", "p.safetensors", "--quiet")
    os.mkfifo(program.folder / "fifo")
    return program


def start(world, models, large, command):
    """The process of a command, and those that feed it."""
    paths = {"small": models / "first.safetensors", "large": large, "lists": models / "lists.safetensors",
             "shipped": SOURCE / "models" / "sotto-en-mlm"}
    words = [word.format(**paths) for word in command.split()]
    feeders = []
    options = {}
    if words[-1] == "<":
        feeders.append(endless(world, "The soup was cold."))
        options["stdin"] = feeders[0].stdout
        words.pop()
    if "fifo" in words:
        feeders.append(subprocess.Popen(["sh", "-c", "seq -f 'w%.0f 0.1 0.2 0.3' 1 100000000 > fifo"], cwd=world.folder,
                                        stderr=subprocess.DEVNULL, start_new_session=True))
    return world.start(*words, **options), feeders


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)],
                         ids=lambda number: number.name)
@pytest.mark.parametrize("command", LONG, ids=lambda command: re.sub(r"[{}]|--model \S+ ", "", command)[:60])
def test_every_command_ends_within_a_second(world, models, large, command, number):
    process, feeders = start(world, models, large, command)
    try:
        wait_until_signals_are_caught(process)
        time.sleep(0.7)  # well into its work
        assert process.poll() is None, ended(process)
        begin = time.monotonic()
        process.send_signal(number)
        _, error = ended(process)
        seconds = time.monotonic() - begin
    finally:
        process.kill()
        for feeder in feeders:
            feeder.kill()
            feeder.wait()
            if feeder.stdout:
                feeder.stdout.close()
    print(f"{command}: {seconds:.2f} s")
    assert process.returncode == FAILED, error
    assert re.match(rb"sotto: (interrupted|.* was stopped$)", error) and error.count(b"\n") == 1, error
    assert seconds < LIMIT
    assert "out" not in world.files() or command.startswith("evaluate")


def test_a_second_signal_ends_at_once(world, models, large):
    process, _ = start(world, models, large, "explain soup -m cmp --model {small} -e 1 --draws 100000000")
    wait_until_signals_are_caught(process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)  # two signals that wait count as one
    process.send_signal(signal.SIGINT)
    ended(process)
    assert process.returncode in (-signal.SIGINT, FAILED)


def resuming_command(error):
    """The command after 'to resume, run:'."""
    line = error.decode() if isinstance(error, bytes) else error
    assert line.count("\n") == 1 and "; to resume, run: " in line, line
    return line.split("; to resume, run: ")[1].rstrip("\n")


def run_line(program, line):
    return subprocess.run(["sh", "-c", line], cwd=program.folder, env=program.environment, timeout=120, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_the_line_resumes_privatize(world, key):
    world.environment["SOTTO_FAKE_MILLISECONDS"] = "1"
    world.write("my notes.txt", sentences(400))
    command = ["privatize", "my notes.txt", "-m", "dp-mlm", "--model", "./bounded", "-e", "10", "--key-file", key, "--resume",
               "-o", "it's out.txt", "--threads", "1"]
    process = world.start(*command)
    while process.poll() is None and not (world.folder / "it's out.txt.checkpoint").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, error = ended(process)
    assert process.returncode == FAILED, error
    assert "it's out.txt" not in world.files()
    run_line(world, resuming_command(error))
    resumed = (world.folder / "it's out.txt").read_bytes()
    (world.folder / "it's out.txt").unlink()
    world.ok(*command)
    assert resumed == (world.folder / "it's out.txt").read_bytes()


@pytest.mark.parametrize("command", [evaluate("out"), "train vectors corpus.txt -o m.safetensors --epochs 30 --dim 20 "
                                     "--min-count 1 --threads 1".split()], ids=["evaluate", "train"])
def test_the_line_resumes_others(world, command):
    process = world.start(*command)
    wait_until_signals_are_caught(process)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, error = ended(process)
    if process.returncode == 0:
        pytest.skip("faster than the signal")
    run_line(world, resuming_command(error))


def test_nothing_to_resume_is_not_promised(world):
    process = world.start("privatize", "-m", "dp-mlm", "--model", "./bounded", "-e", "10", "in.txt", "-o", "out")
    wait_until_signals_are_caught(process)
    process.send_signal(signal.SIGINT)
    assert ended(process)[1] == b"sotto: interrupted\n"


# Commands with much to say; the reader of standard output goes away at once.
TALKATIVE = [
    "privatize --model {lists} -e 1 <",
    "privatize in.txt --model {lists} -e 1",
    "privatize in.txt --model {lists} -e 1 -o out --report -",
    "mechanisms",
    "explain soup --model {lists} -e 1 --top 1000",
    "model list",
    "model info {small}",
    "model neighbours {small} soup",
    "collocations tokenize in.txt --phrases p.safetensors --method gst",
    "collocations info p.safetensors",
    "completion bash",
]


@pytest.mark.parametrize("command", TALKATIVE)
def test_a_closed_pipe_ends_quietly(world, models, large, command):
    world.environment["SOTTO_MODELS"] = str(models)
    paths = {"small": models / "first.safetensors", "lists": models / "lists.safetensors"}
    words = [word.format(**paths) for word in command.split()]
    feeder = endless(world, "The soup was cold.") if words[-1] == "<" else None
    reading, writing = os.pipe()
    os.close(reading)
    process = world.start(*(words[:-1] if feeder else words), stdout=writing,
                          stdin=feeder.stdout if feeder else subprocess.DEVNULL)
    os.close(writing)
    _, error = ended(process)
    if feeder:
        feeder.kill()
        feeder.wait()
        feeder.stdout.close()
    assert (process.returncode, error) == (-signal.SIGPIPE, b"")
    assert "out" not in world.files()  # not without its receipt


def test_a_closed_pipe_as_the_output_file_is_an_error(world, models):
    """Whoever names a file wants to know that it was not written."""
    os.mkfifo(world.folder / "to")
    reader = subprocess.Popen(["sh", "-c", "head -c 10 < to > /dev/null"], cwd=world.folder)
    world.write("many.txt", sentences(20_000))
    outcome = world.run("privatize", "many.txt", "--model", models / "lists.safetensors", "-e", "1", "-o", "to")
    reader.wait()
    assert outcome.code == FAILED
    assert outcome.err == "sotto: cannot write to: Broken pipe\n"


def screen(program, columns, arguments, narrower=None, seconds=4.0):
    """What a command shows on a terminal of this width, in pieces as they are drawn; after half of the time the
    terminal becomes narrower."""
    import fcntl
    import struct
    import termios

    def resize(width):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))

    terminal, stderr = pty.openpty()
    resize(columns)
    process = program.start(*arguments, stdout=subprocess.DEVNULL, stderr=stderr)
    os.close(stderr)
    begin = time.monotonic()
    widths = [columns]
    shown = [b""]
    os.set_blocking(terminal, False)
    while time.monotonic() < begin + seconds and process.poll() is None:
        try:
            shown[-1] += os.read(terminal, 65536)
        except (BlockingIOError, OSError):
            time.sleep(0.02)
        if narrower and len(widths) == 1 and time.monotonic() > begin + seconds / 2:
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.1)
            try:
                shown[-1] += os.read(terminal, 65536)
            except (BlockingIOError, OSError):
                pass
            resize(narrower)
            widths.append(narrower)
            shown.append(b"")
            process.send_signal(signal.SIGCONT)
    process.kill()
    process.wait()
    os.close(terminal)
    return [(width, [text for text in piece.decode().split("\r\x1b[K") if text]) for width, piece in zip(widths, shown)]


@pytest.mark.parametrize("columns", [80, 20, *(pytest.param(width, marks=pytest.mark.long) for width in (200, 40, 8, 3))])
def test_a_bar_is_never_wider_than_the_terminal(world, columns):
    command = ["privatize", "in.txt", "-m", "dp-mlm", "--model", "./bounded", "-e", "10", "-o", "out"]
    world.environment["SOTTO_FAKE_MILLISECONDS"] = "1"
    pieces = screen(world, columns, command, narrower=max(2, columns // 2))
    for width, texts in pieces:
        assert all(len(text) < width for text in texts), (width, texts)
    assert any(texts for _, texts in pieces)
    if columns >= 40:
        assert any("%" in text for _, texts in pieces for text in texts)


def test_silent_work_shows_the_time(world, models):
    for command in (["explain", "soup", "-m", "cmp", "--model", models / "first.safetensors", "-e", "1", "--draws",
                     "100000000"],
                    ["privatize", "in.txt", "-m", "dp-mlm", "--model", "./bounded", "-e", "10", "-o", "out"]):
        (_, texts), = screen(world, 80, command)
        assert any("working for 0:0" in text for text in texts), texts


def test_the_bar_starts_where_the_run_resumes(world, key):
    world.environment["SOTTO_FAKE_MILLISECONDS"] = "1"
    world.write("half.txt", sentences(1000))
    command = ["privatize", "half.txt", "-m", "dp-mlm", "--model", "./bounded", "-e", "10", "--key-file", key, "--resume", "-o",
               "out"]
    process = world.start(*command)
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline and not (world.folder / "out.checkpoint").exists():
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    ended(process)
    assert (world.folder / "out.checkpoint").exists(), world.files()
    (_, texts), = screen(world, 80, command)
    shares = [int(share) for text in texts for share in re.findall(r"(\d+)%", text)]
    assert shares and shares[0] > 0, texts


def test_no_bar_among_typed_or_shown_lines(program):
    """A person at a terminal who types the input, or reads the output there."""
    terminal, side = pty.openpty()
    process = program.start("privatize", "--model", program.model, "-e", "1", stdin=side, stdout=side, stderr=side)
    os.write(terminal, b"The soup was cold.\n")
    time.sleep(2.5)
    os.set_blocking(terminal, False)
    shown = os.read(terminal, 65536).decode()
    process.kill()
    process.wait()
    os.close(terminal)
    os.close(side)
    assert "\x1b" not in shown and "working" not in shown
