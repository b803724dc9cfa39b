#!/usr/bin/env python3
"""The ledger under repeated kills, and its speed; prints a table.

    bench/ledger.py [--sotto build/release/sotto] [--kills 1000] [--documents 100000] [--folder DIR]

Kills: runs are killed with SIGKILL at random moments and restarted until they complete; after each kill the output so
far is compared with the ledger, which is read without Sotto. Half of the kills hit runs from pipe to pipe, half runs
with --resume. Eight processes: each takes one shard of the documents, all charge one ledger, once with a limit that
nobody reaches and once with one that many reach. Throughput: one process, two threads, with a new ledger, with the
same documents again, and without a ledger. DIR should be on a disk, since a ledger waits for it.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "e2e"))
from ledger_world import KEY, KilledRuns, Snapshot, as_jsonl, make_records  # noqa: E402


def row(what, figure, note=""):
    print(f"| {what} | {figure} | {note} |", flush=True)


def kill(sotto, folder, kills):
    moments = random.Random(1)
    for resume in (False, True):
        world = folder / f"kills{resume}"
        world.mkdir()
        records = make_records(40_000 if resume else 6_000, 300)
        runs = KilledRuns(lambda command, **o: subprocess.Popen([sotto, *map(str, command)], stderr=subprocess.DEVNULL, **o),
                          world, records, ["--epsilon", "1"], 1500 if resume else 250, resume)
        done, ends = 0, 0
        while done < kills // 2:
            done += runs.run_through(moments, kills // 2 - done)
            ends += 1
        row(f"kills of a run {'with --resume' if resume else 'from pipe to pipe'}, {len(records)} documents", done,
            f"{ends} runs completed; undisturbed {runs.seconds:.2f} s, {len(records) - len(runs.released)} records withheld")


def command(sotto, source, ledger, limit, *options):
    return [sotto, "privatize", source, "--field", "text", "--id-field", "id", "--epsilon", "1", "--key-file",
            source.with_name("key"), "--ledger", ledger, "--subject", "who", "--limit", str(limit), "--quiet", *options]


def eight_processes(sotto, folder, documents):
    records = make_records(documents, 1000, longest=40)
    source = folder / "in.jsonl"
    source.write_bytes(as_jsonl(records))
    expected = sum(len(record["text"].split()) for record in records) * 10**9
    for limit in (9e9, 1000):
        ledger = folder / f"eight{limit:.0f}.ledger"
        begin = time.perf_counter()
        processes = [subprocess.Popen(command(sotto, source, ledger, limit, "--shard", f"{i}/8", "--threads", "1", "-o",
                                              folder / f"part{i}")) for i in range(1, 9)]
        assert all(process.wait() == 0 for process in processes)
        seconds = time.perf_counter() - begin
        released = sum((folder / f"part{i}").read_bytes().count(b"\n") for i in range(1, 9))
        snapshot = Snapshot.of(ledger).check(limit)
        assert len(snapshot.entries) == released
        spent = sum(snapshot.accounts.values())
        assert limit < 9e9 or (released == documents and spent == expected)
        subprocess.run([sotto, "ledger", "verify", ledger], check=True, stdout=subprocess.DEVNULL)
        row(f"eight processes, {documents} documents, {'no limit reached' if limit == 9e9 else f'limit {limit}'}",
            f"{len(snapshot.entries)} charged, {released} released",
            f"{seconds:.2f} s, {documents / seconds:,.0f} documents per second, largest account {max(snapshot.accounts.values()) / 1e9:g}")


def timed(words):
    """Seconds of wall time, and of processor time of all threads."""
    begin = time.perf_counter()
    process = subprocess.Popen(words)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime


def throughput(sotto, folder, documents, runs=5):
    source = folder / "in.jsonl"
    records = make_records(documents, max(1, documents // 20), longest=40)
    source.write_bytes(as_jsonl(records))
    best = {name: (1e9, 1e9) for name in ("new", "again", "without")}
    for _ in range(runs):
        ledger = folder / "speed.ledger"
        for suffix in ("", "-wal", "-shm"):
            pathlib.Path(f"{ledger}{suffix}").unlink(missing_ok=True)
        with_ledger = command(sotto, source, ledger, 9e9, "--threads", "2", "-o", "/dev/null")
        without = [word for word in with_ledger if word not in ("--ledger", ledger, "--subject", "who", "--limit", str(9e9))]
        for name, words in (("new", with_ledger), ("again", with_ledger), ("without", without)):
            best[name] = tuple(map(min, best[name], timed(words)))
    for name, what in (("new", "a new ledger"), ("again", "the same documents again"), ("without", "no ledger")):
        row(f"one process, two threads, {documents} documents of 20 words, {what}", f"{documents / best[name][0]:,.0f} documents per second",
            f"{best[name][0]:.2f} s, {best[name][1]:.2f} s of processor time")
    size = os.path.getsize(folder / "speed.ledger")
    begin = time.perf_counter()
    subprocess.run([sotto, "ledger", "verify", folder / "speed.ledger"], check=True, stdout=subprocess.DEVNULL)
    row(f"verify, {documents} entries", f"{time.perf_counter() - begin:.2f} s", f"{size / documents:.0f} bytes per entry on disk")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sotto", type=pathlib.Path, default=pathlib.Path("build/release/sotto"))
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--folder", type=pathlib.Path)
    arguments = parser.parse_args()
    sotto = arguments.sotto.resolve()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = pathlib.Path(name)
        (folder / "key").write_bytes(KEY)
        (folder / "key").chmod(0o600)
        print("| what | figure | note |\n|---|---|---|")
        throughput(sotto, folder, arguments.documents)
        throughput(sotto, folder, 10 * arguments.documents, 1)
        eight_processes(sotto, folder, arguments.documents)
        if arguments.kills:
            kill(sotto, folder, arguments.kills)


if __name__ == "__main__":
    main()
