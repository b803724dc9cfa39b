"""The ledger as users see it: nothing is released that is not charged, whatever happens to the process."""

import csv
import io
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import time

import pytest
from conftest import SANITIZERS, refused
from ledger_world import KEY, KilledRuns, Snapshot, as_jsonl, mac_of, make_records, tag_of
from schemas import schema

FAILED, WRONG_COMMAND_LINE = 1, 2
KILLS = 6 if SANITIZERS else 16  # of each kind
RECORDS = make_records(3000, 40)


@pytest.fixture
def world(program, key):
    """A folder with documents, and the options of a run over them."""
    program.write("in.jsonl", as_jsonl(RECORDS))

    def options(limit, *more):
        return ["in.jsonl", "--field", "text", "--id-field", "id", "--epsilon", "1", "--key-file", key, "--ledger", "spent.ledger",
                "--subject", "who", "--limit", str(limit), *more]
    program.options = options
    return program


def read(program, *arguments):
    return json.loads(program.ok("ledger", *arguments, "--json").text)


@pytest.mark.parametrize("resume", [False, True], ids=["pipe", "resume"])
def test_kills(program, tmp_path, resume):
    folder = tmp_path / "killed"
    folder.mkdir()
    records = make_records(4000 if resume else 1500, 30)
    runs = KilledRuns(lambda command, **options: program.start(*command, **options), folder, records,
                      ["--epsilon", "1", "--model", program.model], 1500 if resume else 600, resume)
    moments = random.Random()
    killed = 0
    while killed < KILLS:
        killed += runs.run_through(moments, KILLS - killed)


def test_processes_lose_no_spend(world):
    limit = 700  # many subjects reach it, and none may exceed it, whichever process comes first
    for given, expected in ((9e9, len(RECORDS)), (limit, None)):
        (world.folder / "spent.ledger").unlink(missing_ok=True)
        processes = [world.start("privatize", "--model", world.model, *world.options(given, "--shard", f"{i}/8", "-o", f"part{i}"))
                     for i in range(1, 9)]
        for process in processes:
            assert process.communicate(timeout=120)[1].startswith(b"sotto: ") and process.returncode == 0
        released = [json.loads(line)["id"] for i in range(1, 9) for line in (world.folder / f"part{i}").read_text().splitlines()]
        snapshot = Snapshot.of(world.folder / "spent.ledger").check(given)
        assert len(snapshot.entries) == len(released) and expected in (None, len(released))
        words = {record["id"]: len(record["text"].split()) for record in RECORDS}
        assert sum(snapshot.accounts.values()) == sum(words[name] for name in released) * 10**9
        assert read(world, "verify", "spent.ledger")["sound"]
    assert 0 < len(released) < len(RECORDS)


def test_tags_are_keyed(world):
    """They match the description, so they require the key; and the ledger contains no text."""
    world.privatize(*world.options(9e9, "--report", "receipt.json", "--statistics", "statistics.json"))
    receipt = json.loads((world.folder / "receipt.json").read_text())
    snapshot = Snapshot.of(world.folder / "spent.ledger")
    tags = [tag_of(record, "in.jsonl", receipt["configuration_sha256"], KEY) for record in RECORDS]
    assert [tag for tag, _, _ in snapshot.entries] == tags
    content = (world.folder / "spent.ledger").read_bytes()
    assert not any(record["text"].encode() in content for record in RECORDS if len(record["text"]) > 20)
    schema("receipt").validate(receipt)
    charged = json.loads((world.folder / "statistics.json").read_text())["ledger"]
    assert charged["charged_documents"] == charged["entries"] == len(RECORDS)


def test_macs_are_keyed(world):
    """Each entry identifies the released text to whoever has the key."""
    out = world.privatize(*world.options(9e9, "--report", "receipt.json"))
    configuration = json.loads((world.folder / "receipt.json").read_text())["configuration_sha256"]
    database = sqlite3.connect(world.folder / "spent.ledger")
    macs = [mac for mac, in database.execute("SELECT mac FROM entries ORDER BY entry")]
    database.close()
    texts = [json.loads(line)["text"] for line in out.splitlines()]
    assert macs == [mac_of(text, record, "in.jsonl", configuration) for text, record in zip(texts, RECORDS)]
    exported = world.ok("ledger", "export", "spent.ledger", "--format", "jsonl").text.splitlines()
    assert [json.loads(line)["mac"] for line in exported] == [mac.hex() for mac in macs]


def test_a_repeat_spends_nothing(world):
    first = world.privatize(*world.options(600))
    spent = Snapshot.of(world.folder / "spent.ledger")
    assert world.privatize(*world.options(600, "--threads", "1")) == first
    assert Snapshot.of(world.folder / "spent.ledger") == spent
    assert 0 < first.count(b"\n") < len(RECORDS)


def test_withheld_records_are_listed(world):
    outcome = world.ok("privatize", "--model", world.model, *world.options(600, "-o", "out", "--report", "receipt.json"))
    released = {json.loads(line)["id"] for line in (world.folder / "out").read_text().splitlines()}
    withheld = read(world, "show", "spent.ledger", "--withheld")
    assert {record["id"] for record in withheld} == {record["id"] for record in RECORDS} - released
    assert json.loads((world.folder / "receipt.json").read_text())["counts"]["withheld"] == len(withheld)
    assert f"{len(withheld)} records withheld" in outcome.err
    who = {record["id"]: record["who"] for record in RECORDS}
    for record in withheld:
        assert record["subject"] == who[record["id"]] and record["spent"] + record["wanted"] > record["limit"] == 600
    assert f"id {withheld[0]['id']} of {withheld[0]['subject']}" in world.ok("ledger", "show", "spent.ledger", "--withheld").text


def test_show_top_and_export(world):
    world.privatize(*world.options(600))
    accounts = Snapshot.of(world.folder / "spent.ledger").accounts
    summary = read(world, "show", "spent.ledger")
    assert summary["units"][0]["subjects"] == len(accounts)
    assert summary["units"][0]["largest"] == max(accounts.values()) / 1e9
    top = read(world, "top", "spent.ledger", "5")
    assert [row["spent_nano"] for row in top] == sorted(accounts.values(), reverse=True)[:5]
    subject = top[0]["subject"]
    assert read(world, "show", "spent.ledger", subject) == top[:1]
    assert subject in world.ok("ledger", "top", "spent.ledger").text
    assert "has spent nothing" in world.ok("ledger", "show", "spent.ledger", "nobody").text
    for what, key in (("entries", "amount_nano"), ("accounts", "spent_nano"), ("withheld", "wanted")):
        table = list(csv.DictReader(io.StringIO(world.ok("ledger", "export", "spent.ledger", "--what", what).text)))
        lines = world.ok("ledger", "export", "spent.ledger", "--what", what, "--format", "jsonl").text.splitlines()
        rows = [json.loads(line) for line in lines]
        assert [str(row[key]) for row in rows] == [row[key] for row in table] and rows
    assert sum(int(row["spent_nano"]) for row in csv.DictReader(io.StringIO(
        world.ok("ledger", "export", "spent.ledger", "--what", "accounts").text))) == sum(accounts.values())


def test_tampering_shows(world):
    world.privatize(*world.options(600, "--report", "receipt.json"))
    head = json.loads((world.folder / "receipt.json").read_text())["ledger"]["head"]
    sound = read(world, "verify", "spent.ledger", "--head", head)
    assert sound == {"sound": True, "entries": sound["entries"], "head": head, "pinned_at": sound["entries"]}
    database = sqlite3.connect(world.folder / "spent.ledger")
    database.execute("UPDATE entries SET amount = amount - 1 WHERE entry = 77")
    database.commit()
    database.close()
    outcome = world.run("ledger", "verify", "spent.ledger", "--json")
    assert outcome.code == FAILED and "entry 77" in outcome.err and outcome.err.count("\n") == 1
    assert json.loads(outcome.text)["bad_entry"] == 77
    refused(world, ["ledger", "verify", "spent.ledger"], FAILED, "entry 77")
    refused(world, ["ledger", "verify", "spent.ledger", "--head", "12"], WRONG_COMMAND_LINE, ["--head", "'12'"])


def limited(size):
    """Makes writes beyond `size` bytes of a file fail, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("size", [0, 20_000, 60_000, 150_000, 400_000])
def test_a_disk_that_takes_no_more(world, size):
    """Documents come and go through pipes, so that only the ledger meets the limit."""
    source = subprocess.Popen(["cat", world.folder / "in.jsonl"], stdout=subprocess.PIPE)
    outcome = world.run("privatize", "--model", world.model, "--format", "jsonl", "--dataset", "in.jsonl", *world.options(9e9)[1:],
                        stdin=source.stdout, preexec_fn=lambda: limited(size))
    source.stdout.close()
    source.wait()
    assert outcome.code == FAILED and outcome.err.startswith("sotto: ") and outcome.err.count("\n") == 1, outcome.err
    assert "spent.ledger" in outcome.err
    snapshot = Snapshot.of(world.folder / "spent.ledger").check()
    assert outcome.out.count(b"\n") <= len(snapshot.entries) < len(RECORDS)
    whole = world.privatize(*world.options(9e9))
    assert whole.startswith(outcome.out)
    assert len(Snapshot.of(world.folder / "spent.ledger").check().entries) == len(RECORDS)


def test_a_full_disk(world, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", disk], capture_output=True).returncode:
        pytest.skip("no small file system can be mounted here")
    try:
        options = ["--dataset", "in.jsonl", *world.options(9e9)]
        options[options.index("spent.ledger")] = disk / "spent.ledger"
        outcome = world.run("privatize", "--model", world.model, *options)
        assert outcome.code == FAILED and "the disk is full" in outcome.err and outcome.err.count("\n") == 1
        assert outcome.out == b""
        shutil.copytree(disk, tmp_path / "left")
        Snapshot.of(tmp_path / "left" / "spent.ledger").check()
    finally:
        subprocess.run(["umount", disk], check=True)


def test_spending_is_on_the_disk_before_anything_is_written(world):
    """In the order of system calls: a sync of the ledger's log precedes each write to the output."""
    if SANITIZERS or not shutil.which("strace") or subprocess.run(["strace", "-f", "true"], capture_output=True).returncode:
        pytest.skip("strace does not work here")
    trace = world.folder / "trace"
    source = subprocess.Popen(["cat", world.folder / "in.jsonl"], stdout=subprocess.PIPE)
    command = ["strace", "-f", "-y", "-o", trace, "-e", "trace=write,writev,fsync,fdatasync", os.environ.get("SOTTO", "sotto"),
               "privatize", "--model", world.model, "--format", "jsonl", *world.options(9e9)[1:], "--quiet"]
    with open(world.folder / "out", "wb") as out:
        subprocess.run(list(map(str, command)), stdin=source.stdout, stdout=out, cwd=world.folder, env=world.environment, check=True)
    source.stdout.close()
    source.wait()
    synced = writes = 0
    for line in trace.read_text(errors="replace").splitlines():
        if "sync(" in line and "spent.ledger-wal" in line:
            synced = True
        elif "write" in line and "/out>" in line:
            assert synced, "written before the spending was on the disk"
            synced = False
            writes += 1
    assert writes > 1


@pytest.mark.parametrize("options, code, parts", [
    (["--ledger", "l"], WRONG_COMMAND_LINE, ["--limit: missing"]),
    (["--ledger", "l", "--limit", "5"], WRONG_COMMAND_LINE, ["--subject: missing"]),
    (["--ledger", "l", "--limit", "x", "--subject", "who"], WRONG_COMMAND_LINE, ["--limit: 'x'"]),
    (["--ledger", "l", "--limit", "0", "--subject", "who"], WRONG_COMMAND_LINE, ["--limit: '0'"]),
    (["--ledger", "l", "--limit", "nan", "--subject", "who"], WRONG_COMMAND_LINE, ["--limit: 'nan'"]),
    (["--limit", "5"], WRONG_COMMAND_LINE, ["--limit: '5' needs --ledger"]),
    (["--subject", "who"], WRONG_COMMAND_LINE, ["--subject: 'who' needs --ledger"]),
    (["--ledger", "in.jsonl", "--limit", "5", "--subject", "who"], WRONG_COMMAND_LINE, ["--ledger: 'in.jsonl' is also an input"]),
    (["--ledger", "stranger", "--limit", "5", "--subject", "who"], FAILED, ["stranger is not a ledger"]),
    (["--ledger", "absent/l", "--limit", "5", "--subject", "who"], FAILED, ["absent/l"]),
    (["--ledger", "l", "--limit", "5", "--subject", "who", "--format", "text"], WRONG_COMMAND_LINE, ["--field"]),
    (["--ledger", "l", "--limit", "5", "--subject", "who", "-m", "gumbel", "--model", "{first}"], WRONG_COMMAND_LINE,
     ["--ledger: 'gumbel'", "no epsilon to account for"]),
], ids=lambda value: " ".join(value) if isinstance(value, list) else str(value))
def test_refused(world, models, key, options, code, parts):
    world.write("stranger", "no ledger\n" * 100)
    options = [option.format(first=models / "first.safetensors") for option in options]
    model = [] if "--model" in options else ["--model", world.model]
    refused(world, ["privatize", "in.jsonl", "--field", "text", "--epsilon", "1", "--key-file", key, *model, *options], code, parts)


def test_text_has_no_fields(world, key):
    world.write("in.txt", "soup\n")
    refused(world, ["privatize", "in.txt", "--epsilon", "1", "--model", world.model, "--key-file", key, "--ledger", "l",
                    "--subject", "who", "--limit", "5"], WRONG_COMMAND_LINE, "--subject: 'who' needs --format jsonl, json, csv or tsv")


def test_seed_is_refused_and_a_key_needed(world):
    options = ["privatize", "--model", world.model, *world.options(5)]
    at = options.index("--key-file")
    refused(world, options[:at] + ["--seed", "1"] + options[at + 2:], WRONG_COMMAND_LINE, ["--ledger", "--seed"])
    refused(world, options[:at] + options[at + 2:], WRONG_COMMAND_LINE, ["--ledger", "--key-file"])


@pytest.mark.parametrize("command", ["show", "top", "export", "verify"])
def test_what_is_no_ledger(world, command):
    refused(world, ["ledger", command, "in.jsonl"], FAILED, "in.jsonl is not a ledger")
    refused(world, ["ledger", command, "absent"], FAILED, "absent")
    refused(world, ["ledger", command, "."], FAILED, "folder")


def test_the_configuration_file(world):
    world.write("run.yaml", "ledger: spent.ledger\nsubject: who\nlimit: 600\n")
    options = world.options(1)
    at = options.index("--ledger")
    assert world.privatize(*options[:at], "--config", "run.yaml").count(b"\n") < len(RECORDS)
    assert read(world, "verify", "spent.ledger")["sound"]


def test_only_the_owner_reads_it(world):
    previous = os.umask(0o022)
    try:
        world.privatize(*world.options(9e9))
    finally:
        os.umask(previous)
    modes = {path.name: path.stat().st_mode & 0o777 for path in world.folder.glob("spent.ledger*")}
    assert modes == {"spent.ledger": 0o600, "spent.ledger-lock": 0o600}


def test_one_ledger_under_two_names(world):
    (world.folder / "link").symlink_to("spent.ledger")
    refused(world, ["ledger", "show", "link"], FAILED, ["link", "not there"])
    world.privatize(*world.options(600))
    options = world.options(600)
    options[options.index("spent.ledger")] = "link"
    spent = Snapshot.of(world.folder / "spent.ledger")
    world.privatize(*options)
    assert Snapshot.of(world.folder / "spent.ledger") == spent
    assert not (world.folder / "link-lock").exists()
    os.link(world.folder / "spent.ledger", world.folder / "second")
    refused(world, ["ledger", "verify", "second"], FAILED, ["second", "2 names (hard links)"])
    refused(world, ["privatize", "--model", world.model, *options], FAILED, ["link", "2 names (hard links)"])


def test_a_hostile_ledger(world):
    """Triggers are refused, and what would upset a terminal or a calendar is printed harmlessly."""
    world.privatize(*world.options(9e9))
    database = sqlite3.connect(world.folder / "spent.ledger")
    database.execute("UPDATE entries SET time = 9223372036854775807 WHERE entry = 1")
    database.execute("UPDATE accounts SET subject = char(27) || '[2J', spent = 1 WHERE account = 1")
    database.commit()
    for format in ("csv", "jsonl"):
        assert "9223372036854775807" in world.ok("ledger", "export", "spent.ledger", "--format", format).text
    outcome = world.run("ledger", "verify", "spent.ledger")
    assert outcome.code == FAILED and "\x1b" not in outcome.err
    assert "\x1b" not in world.ok("ledger", "top", "spent.ledger", "100").text
    database.execute("CREATE TRIGGER t AFTER UPDATE ON accounts BEGIN UPDATE accounts SET spent = 0; END")
    database.commit()
    database.close()
    for command in (["ledger", "verify", "spent.ledger"], ["privatize", "--model", world.model, *world.options(9e9)]):
        refused(world, command, FAILED, ["spent.ledger is not a ledger", "triggers"])


def test_a_ledger_that_is_removed_meanwhile(world):
    """Nothing is released that nobody could look up."""
    process = world.start("privatize", "--model", world.model, "--format", "jsonl", *world.options(9e9)[1:],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    while not (world.folder / "spent.ledger-shm").exists():
        assert process.poll() is None
        time.sleep(0.01)
    (world.folder / "spent.ledger").unlink()
    out, err = process.communicate(as_jsonl(RECORDS))
    assert process.returncode == FAILED and out == b""
    assert b"moved, replaced or removed" in err and err.count(b"\n") == 1


def test_a_ledger_that_cannot_be_written_is_readable(world):
    world.privatize(*world.options(600))
    (world.folder / "copy").mkdir()
    (world.folder / "spent.ledger").rename(world.folder / "copy" / "spent.ledger")
    os.chmod(world.folder / "copy" / "spent.ledger", 0o444)
    os.chmod(world.folder / "copy", 0o555)
    try:
        assert read(world, "verify", "copy/spent.ledger")["sound"]
    finally:
        os.chmod(world.folder / "copy", 0o755)
