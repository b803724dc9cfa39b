"""Documents, an independent ledger reader, and runs that are killed; for the tests and bench/ledger.py."""

import hashlib
import json
import random
import shutil
import sqlite3
import struct
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

WORDS = ("the a and of was to my we it in soup cold waiter dessert hotel station night phone battery screen dog cat doctor "
         "result order parcel answer train city river music garden winter summer bread coffee letter window").split()
KEY = bytes(range(32))


def make_records(count, subjects, seed=1, longest=30):
    draw = random.Random(seed)
    return [{"id": str(i), "who": f"user{draw.randrange(subjects)}",
             "text": " ".join(draw.choices(WORDS, k=draw.randint(1, longest)))} for i in range(count)]


def as_jsonl(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def part(data):
    return struct.pack("<Q", len(data)) + data


def stream_of(record, dataset, configuration, key=KEY, field="text"):
    """The stream key of a record's document, as described in src/random/document_stream.hpp."""
    return hashlib.blake2b(b"sotto-stream-3" + part(dataset.encode()) + part(b"s" + record["id"].encode())
                           + part(field.encode()) + part(record[field].encode()) + part(bytes.fromhex(configuration)),
                           key=key, digest_size=32).digest()


def tag_of(record, dataset, configuration, key=KEY, field="text"):
    """The tag of a record's document, from the same description."""
    stream = stream_of(record, dataset, configuration, key, field)
    return hashlib.blake2b(record["who"].encode(), key=stream, digest_size=16, person=b"sotto-tag-1").digest()


def mac_of(output, record, dataset, configuration, key=KEY, field="text"):
    """The MAC of the output text for a record's document, from the same description."""
    subkey = hashlib.blake2b(key=stream_of(record, dataset, configuration, key, field), digest_size=32, person=b"sotto-output-1").digest()
    return hashlib.blake2b(output.encode(), key=subkey, digest_size=16, person=b"sotto-mac-1").digest()


@dataclass
class Snapshot:
    """The content of a ledger, read without Sotto."""
    entries: list  # (tag, subject, amount)
    accounts: dict  # subject: spent; for one unit

    @staticmethod
    def of(path):
        """Reads a copy, so that the next run finds the log of a killed one untouched."""
        copy = path.with_name(path.name + ".copy")
        copy.mkdir()
        try:
            for suffix in ("", "-wal"):
                if Path(f"{path}{suffix}").exists():
                    shutil.copyfile(f"{path}{suffix}", copy / f"ledger{suffix}")
            database = sqlite3.connect(copy / "ledger")
            if not database.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]:
                return Snapshot([], {})  # killed before the ledger was created
            entries = database.execute("SELECT tag, subject, amount FROM entries JOIN accounts USING(account) "
                                       "ORDER BY entry").fetchall()
            accounts = dict(database.execute("SELECT subject, spent FROM accounts"))
            database.close()
            return Snapshot(entries, accounts)
        finally:
            shutil.rmtree(copy)

    def check(self, limit=None):
        """No document twice, accounts are the sums of their entries, nobody is over the limit."""
        tags = [tag for tag, _, _ in self.entries]
        assert len(set(tags)) == len(tags), "charged twice"
        sums = Counter()
        for _, subject, amount in self.entries:
            sums[subject] += amount
        assert dict(sums) == self.accounts
        assert limit is None or all(spent <= limit * 10**9 for spent in self.accounts.values())
        return self


class KilledRuns:
    """A run over records that is killed and restarted until it completes; each kill is followed by all
    checks.

    `start(arguments, **popen)` starts the program. Documents arrive through a pipe, so that there are many
    small transactions and the output appears piece by piece; or, with `resume`, go from a file to a file."""

    def __init__(self, start, folder, records, options, limit, resume):
        self.start, self.folder, self.records, self.limit, self.resume = start, folder, records, limit, resume
        self.ledger = folder / "spent.ledger"
        self.source = folder / "in.jsonl"
        self.source.write_bytes(as_jsonl(records))
        self.key = folder / "key"
        self.key.write_bytes(KEY)
        self.key.chmod(0o600)
        self.command = ["privatize", "--field", "text", "--id-field", "id", "--dataset", "d", "--format", "jsonl",
                        "--key-file", self.key, "--ledger", self.ledger, "--subject", "who", "--limit", str(limit), "--quiet",
                        *options]
        begin = time.monotonic()
        assert self.attempt() == 0
        self.seconds = time.monotonic() - begin
        self.whole = self.output().read_bytes()
        configuration = json.loads((folder / "receipt.json").read_text())["configuration_sha256"]
        self.tags = {record["id"]: tag_of(record, "d", configuration) for record in records}
        self.released = [json.loads(line)["id"] for line in self.whole.splitlines()]
        self.charges = sorted(Snapshot.of(self.ledger).check(limit).entries)
        assert {tag for tag, _, _ in self.charges} == {self.tags[name] for name in self.released}
        assert 0 < len(self.released) < len(records), "some records must be withheld"

    def output(self):
        return self.folder / "out.jsonl"

    def attempt(self, kill_after=None):
        """Runs the program, possibly killing it midway; returns its exit code."""
        if self.resume:
            process = self.start([*self.command, self.source, "-o", self.output(), "--resume", "--report", self.folder / "receipt.json"])
        else:
            source = subprocess.Popen(["cat", self.source], stdout=subprocess.PIPE)
            with open(self.output(), "wb") as out:
                process = self.start([*self.command, "--report", self.folder / "receipt.json"], stdin=source.stdout, stdout=out)
            source.stdout.close()
        try:
            process.wait(kill_after if kill_after is not None else 600)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        if not self.resume:
            source.wait()
        return process.returncode

    def check_after_a_kill(self):
        if not self.ledger.exists():
            assert not self.output().exists() or self.output().stat().st_size == 0
            return
        snapshot = Snapshot.of(self.ledger).check(self.limit)
        out = self.folder / "out.jsonl.partial" if self.resume else self.output()
        if self.resume and self.output().exists():  # killed after the last step
            out = self.output()
        seen = out.read_bytes() if out.exists() else b""
        assert self.whole.startswith(seen), "released something else"
        touched = seen.count(b"\n") + (not seen.endswith(b"\n") and seen != b"")
        charged = {tag for tag, _, _ in snapshot.entries}
        for name in self.released[:touched]:
            assert self.tags[name] in charged, f"record {name} was released and not charged"

    def clear(self):
        for path in self.folder.iterdir():
            if path not in (self.source, self.key):
                path.unlink()

    def run_through(self, moments, kills):
        """Kills at most `kills` times before the end; returns how many times."""
        self.clear()
        killed = 0
        while killed < kills:
            code = self.attempt(moments.uniform(0, 1.1 * self.seconds))
            if code == 0:
                break
            assert code == -9, code
            killed += 1
            self.check_after_a_kill()
        else:
            assert self.attempt() == 0
        assert self.output().read_bytes() == self.whole
        assert sorted(Snapshot.of(self.ledger).check(self.limit).entries) == self.charges
        return killed
