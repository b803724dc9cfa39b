"""Runs of the program in which one system call or allocation fails or falls short, and what must hold after
each: no crash, no hang, one line on standard error, nothing half-written under its name, no release without
its charge. tests/support/fault_shim.cpp injects the faults."""

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Optional

from conftest import BUILD, SOTTO, clean_environment, sentences
from ledger_world import KEY, Snapshot, as_jsonl, make_records

SHIM = BUILD / "tests" / "libsotto_fault_shim.so"
PAUSE = 0.02  # seconds
SECONDS = 60  # a run takes a tenth of one; anything this long hangs

# How each call fails: errno by number, "short" does part of the work, "always" fails from then on.
FILE_FAULTS = {
    "open": [errno.EMFILE, errno.EIO],
    "read": [errno.EIO, errno.EINTR, "short"],
    "pread": [errno.EIO, "short"],
    "write": [errno.ENOSPC, errno.EINTR, "short", f"always{errno.ENOSPC}"],
    "pwrite": [errno.ENOSPC, "short", f"always{errno.ENOSPC}"],
    "fsync": [errno.EIO],
    "rename": [errno.EIO],
    "link": [errno.EIO, errno.EEXIST],
    "ftruncate": [errno.EIO],
    "mmap": [errno.ENOMEM],
    "getrandom": [errno.ENOSYS, errno.EINTR, "short", f"always{errno.ENOSYS}"],
}
MALLOC_FAULTS = [errno.ENOMEM, f"always{errno.ENOMEM}"]
MALLOC_EVERY, MALLOC_RANDOM = 2000, 500


@dataclass
class Result:
    code: int
    out: bytes
    err: str


class Broken(AssertionError):
    """A promise that was broken by a fault."""


@dataclass
class Case:
    """A command in a folder, and what its undisturbed run leaves there."""
    name: str
    prepare: Callable[[Path], None]
    command: List[str]
    outputs: List[str] = field(default_factory=list)  # files that the command creates
    scratch: List[str] = field(default_factory=list)  # other files that may be left
    volatile: Optional[Callable[[str, bytes], object]] = None  # the part of an output that is reproducible
    ledger: Optional[str] = None  # charged by the command
    keeps: Optional[str] = None  # only read by the command
    resumes: bool = False
    pieces: List[bytes] = field(default_factory=list)  # of standard input, written one by one
    check: Optional[Callable[[Path], None]] = None  # instead of comparing files with the undisturbed run's
    before: Dict[str, bytes] = field(default_factory=dict)
    whole: Dict[str, object] = field(default_factory=dict)
    stdout: bytes = b""
    counts: Dict[str, int] = field(default_factory=dict)

    def content(self, name, data):
        return self.volatile(name, data) if self.volatile else data


def start(command, folder, pieces=(), **faults):
    """Runs the program with the shim; faults are its variables without their prefix, in lower case. Pieces of
    the input arrive with pauses, so that the program works on them one by one."""
    environment = clean_environment(folder / "no-home")
    environment["LD_PRELOAD"] = str(SHIM)
    environment.update({f"SOTTO_FAULT_{name.upper()}": str(value) for name, value in faults.items()})
    process = subprocess.Popen([SOTTO, *command], cwd=folder, env=environment,
                               stdin=subprocess.PIPE if pieces else subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        for piece in pieces:
            os.write(process.stdin.fileno(), piece)
            time.sleep(PAUSE)
    except BrokenPipeError:  # it has failed, as it should
        pass
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Broken("hangs")
    return Result(process.returncode, out, err.decode(errors="replace"))


def plain(command, folder, pieces=()):
    return start(command, folder, pieces)


def files_in(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class FaultWorld:
    def __init__(self, folder: Path):
        self.folder = folder
        self.outcomes = Counter()  # (case, call, kind of outcome)
        self.failures = []
        self.snapshots = {}
        self.fresh = 0

    def learn(self, case: Case):
        """The undisturbed run: what it writes and how many calls it makes."""
        folder = self.new_folder(case)
        case.before = files_in(folder)
        result = start(case.command, folder, case.pieces, counts=self.folder / "counts")
        assert result.code == 0 and result.err == "", result
        case.stdout = result.out
        case.whole = {name: case.content(name, (folder / name).read_bytes()) for name in case.outputs}
        if case.keeps:
            self.snapshots[case.name] = Snapshot.of(folder / case.keeps)
        left = set(files_in(folder)) - set(case.before) - set(case.outputs) - set(case.scratch)
        assert case.check or not left, left
        lines = (self.folder / "counts").read_text().splitlines()
        case.counts = {name: int(count) for name, count in map(str.split, lines)}
        shutil.rmtree(folder)
        return case

    def new_folder(self, case):
        self.fresh += 1
        folder = self.folder / f"run{self.fresh}"
        folder.mkdir()
        case.prepare(folder)
        return folder

    def run_all(self, case: Case, faults):
        """faults: a list of (call, n, how)."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda fault: self.run_one(case, *fault), faults))

    def run_one(self, case, call, number, how):
        folder = self.new_folder(case)
        try:
            result = start(case.command, folder, case.pieces, call=call, at=number, errno=how)
            self.outcomes[case.name, call, self.judge(case, folder, result)] += 1
        except Broken as broken:
            self.outcomes[case.name, call, f"BROKEN: {str(broken).splitlines()[0][:60]}"] += 1
            self.failures.append(f"{case.name}: {call} {number} {how}: {broken}")
        finally:
            shutil.rmtree(folder)

    def judge(self, case, folder, result):
        """Classifies the outcome of a run; raises Broken if a promise was broken."""
        if result.code < 0:
            raise Broken(f"ended by {signal.Signals(-result.code).name}: {result.err}")
        if result.code not in (0, 1):
            raise Broken(f"exit code {result.code}: {result.err}")
        if result.code == 0 and result.err != "":
            raise Broken(f"exit code 0 with a message: {result.err}")
        if result.code == 1 and not (result.err.startswith("sotto: ") and result.err.count("\n") == 1
                                     and result.err.endswith("\n")):
            raise Broken(f"not one line: {result.err!r}")
        if case.check:
            case.check(folder)
        else:
            self.check_files(case, folder, result)
        if case.ledger:
            self.check_ledger(case, folder, result)
        if case.keeps and Snapshot.of(folder / case.keeps) != self.snapshots[case.name]:
            raise Broken("reading has changed the ledger")
        if result.code == 0:
            return "done"
        if case.ledger or case.resumes:
            self.check_second_run(case, folder)
        return "out of memory" if "memory" in result.err else "one line, exit 1"

    def check_files(self, case, folder, result):
        """Outputs are complete or unchanged; nothing else has changed; standard output is a correct
        prefix."""
        after = files_in(folder)
        for name in case.outputs:
            if name in after and after[name] != case.before.get(name):
                if not same(case, name, after[name]):
                    raise Broken(f"{name} is not whole: {after[name][:200]!r}; {result.err}")
            elif result.code == 0 and case.content(name, after.get(name, b"")) != case.whole[name]:
                raise Broken(f"{name} is not there")
        for name in set(after) | set(case.before):
            if name in case.outputs or name in case.scratch:
                continue
            if after.get(name) != case.before.get(name):
                raise Broken(f"{name} was left, removed or changed: {result.err}")
        if not case.stdout.startswith(result.out) or result.code == 0 and result.out != case.stdout:
            raise Broken(f"standard output differs: {result.out[:200]!r}")

    def check_ledger(self, case, folder, result):
        """Everything that got out, to any file or to standard output, is charged, and the ledger is sound."""
        texts = [result.out] + [(folder / name).read_bytes() for name in ("out.jsonl", "out.jsonl.partial")
                                if (folder / name).exists()]
        released = {json.loads(line)["id"] for text in texts for line in text.splitlines() if line.endswith(b"}")}
        ledger = folder / case.ledger
        snapshot = Snapshot.of(ledger) if ledger.exists() else Snapshot([], {})
        snapshot.check()
        charged = {subject for _, subject, _ in snapshot.entries}
        if not {f"subject{name}" for name in released} <= charged:
            raise Broken(f"released without a charge: {sorted(released)[:5]}...")
        if snapshot.entries:
            verified = plain(["ledger", "verify", case.ledger], folder)
            if verified.code != 0:
                raise Broken(f"the ledger is damaged: {verified.err}{verified.out}")

    def check_second_run(self, case, folder):
        """Repeated without a fault, it ends as an undisturbed run would, and nothing is charged twice."""
        again = plain(case.command, folder, case.pieces)
        if again.code != 0:
            raise Broken(f"cannot be done again: {again.err}")
        for name in case.outputs:
            if not same(case, name, (folder / name).read_bytes()):
                raise Broken(f"{name} differs when it is done again")
        if case.ledger:
            documents = Snapshot.of(folder / case.ledger).check().entries
            if len(documents) != RECORDS:
                raise Broken(f"{len(documents)} documents charged instead of {RECORDS}")

    def report(self):
        lines = [f"{name:28} {call:10} {kind:40} {count:6}" for (name, call, kind), count in sorted(self.outcomes.items())]
        kinds = Counter()
        for (_, _, kind), count in self.outcomes.items():
            kinds[kind] += count
        total = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        return "\n".join(lines + [f"{sum(self.outcomes.values())} faults: {total}"])


def same(case, name, data):
    try:
        return case.content(name, data) == case.whole[name]
    except ValueError:  # half a JSON file, for example
        return False


def file_faults(case, calls=tuple(FILE_FAULTS)):
    return [(call, number, how) for call in calls for how in FILE_FAULTS[call] for number in range(1, case.counts[call] + 1)]


def malloc_faults(case, seed, every=MALLOC_EVERY, drawn=MALLOC_RANDOM):
    """Each of the first allocations, then some of the others."""
    total = case.counts["malloc"]
    later = range(every + 1, total + 1)
    chosen = list(range(1, min(every, total) + 1)) + sorted(random.Random(seed).sample(later, min(drawn, len(later))))
    return [("malloc", number, MALLOC_FAULTS[number % 2]) for number in chosen]


RECORDS = 40


def receipt_without_times(name, data):
    """A receipt without what differs between any two runs."""
    if not name.endswith("receipt.json"):
        return data
    return {key: value for key, value in json.loads(data).items() if "second" not in key and key != "ledger"}


def without_key(name, data):
    return receipt_without_times(name, data) if name.endswith(".json") else data.count(b"\n")


def cases(models: Path) -> Dict[str, Case]:
    model = models / "lists.safetensors"
    records = [{**record, "who": f"subject{record['id']}"} for record in make_records(RECORDS, 1)]

    def prepare(folder, older=False):
        key = folder / "key"
        key.write_bytes(KEY)
        key.chmod(0o600)
        (folder / "in.txt").write_text(sentences(60))
        (folder / "in.jsonl").write_bytes(as_jsonl(records))
        if older:
            (folder / "out").write_text("older\n")
            (folder / "receipt.json").write_text("{}\n")

    def prepare_large(folder):
        """Several chunks, so that one is being written when another fails."""
        prepare(folder)
        (folder / "in.txt").write_text(large)

    def prepare_ledger(folder):
        """The same one each time, since its id is random and its entries have times."""
        (folder / "spent").write_bytes(spent)

    def prepare_corpus(folder):
        (folder / "corpus.txt").write_text(sentences(300))

    large = sentences(500) * 30  # about 900 kB
    text = ["privatize", "in.txt", "--model", str(model), "--epsilon", "1", "--quiet", "--threads"]
    keyed = ["--key-file", "key"]
    ledger_command = ["privatize", "in.jsonl", "--field", "text", "--id-field", "id", "--model", str(model), "--epsilon", "1",
                      "--quiet", "--threads", "1", *keyed, "--ledger", "spent", "--subject", "who", "--limit", "1000"]
    making = models / "ledger"
    making.mkdir()
    prepare(making)
    assert plain([*ledger_command, "-o", "out.jsonl"], making).code == 0
    spent = (making / "spent").read_bytes()
    assert not (making / "spent-wal").exists()
    ledger_pieces = [as_jsonl(records[i:i + 10]) for i in range(0, RECORDS, 10)]
    piped_ledger = [argument for argument in ledger_command if argument != "in.jsonl"] + ["--format", "jsonl"]
    ledger_files = ["spent", "spent-wal", "spent-shm", "spent-lock"]
    partial = ["out.jsonl.partial", "out.jsonl.checkpoint"]
    all_cases = [
        Case("privatize to a file", lambda f: prepare(f), [*text, "1", *keyed, "-o", "out", "--report", "receipt.json"],
             ["out", "receipt.json"], volatile=receipt_without_times),
        Case("privatize over a file", lambda f: prepare(f, older=True),
             [*text, "2", *keyed, "-o", "out", "--report", "receipt.json"], ["out", "receipt.json"], volatile=receipt_without_times),
        Case("privatize to standard output", lambda f: prepare(f), [*text, "1", *keyed]),
        Case("privatize large, two threads", prepare_large, [*text, "2", *keyed]),
        Case("privatize large, resume", prepare_large, [*text, "2", *keyed, "-o", "out", "--resume"], ["out"],
             ["out.partial", "out.checkpoint"], resumes=True),
        Case("privatize without a key", lambda f: prepare(f), [*text, "1", "-o", "out"], ["out"], volatile=without_key),
        Case("privatize, ledger", lambda f: prepare(f), [*ledger_command, "-o", "out.jsonl", "--report", "receipt.json"],
             ["out.jsonl", "receipt.json"], ledger_files, receipt_without_times, "spent"),
        Case("privatize, ledger, output", lambda f: prepare(f), ledger_command, [], ledger_files, None, "spent"),
        Case("privatize, ledger, in pieces", lambda f: prepare(f), piped_ledger, [], ledger_files, None, "spent", pieces=ledger_pieces),
        Case("privatize, ledger, resume", lambda f: prepare(f),
             [*ledger_command, "-o", "out.jsonl", "--report", "receipt.json", "--resume"],
             ["out.jsonl", "receipt.json"], ledger_files + partial, receipt_without_times, "spent", resumes=True),
        *[Case("ledger " + " ".join(command), prepare_ledger, ["ledger", command[0], "spent", *command[1:]],
               scratch=ledger_files, keeps="spent") for command in (["verify"], ["show"], ["show", "subject3"], ["export"])],
        Case("collocations count", prepare_corpus, ["collocations", "count", "corpus.txt", "-o", "phrases", "--quiet",
                                                    "--threads", "2"], ["phrases"]),
        Case("collocations count, spilled", prepare_corpus,
             ["collocations", "count", "corpus.txt", "-o", "phrases", "--counts", "counts.tsv", "--memory", "1M", "--quiet",
              "--threads", "2"], ["phrases", "counts.tsv"]),
    ]
    return {case.name: case for case in all_cases}
