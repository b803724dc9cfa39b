"""sotto audit --method exact: certificates, how they are stored and found, and how receipts use them."""

import hashlib
import json
import math
import shutil
import signal

import pytest
from conftest import SOURCE, Program, stopped_midway
from schemas import schema

CERTIFIED = ("santext", "tem", "custext", "diffractor-tem", "diffractor-geometric")
REFUSED = ("cmp", "mahalanobis", "vickrey", "vickrey-k", "gumbel")
LISTS = ("diffractor-tem", "diffractor-geometric")


@pytest.fixture
def own(models, tmp_path):
    """A program with models of its own, so that the certificates stored with them affect no other test."""
    for name in ("first", "lists"):
        shutil.copy(models / f"{name}.safetensors", tmp_path)
    folder = tmp_path / "work"
    folder.mkdir()
    return Program(folder, tmp_path / "first.safetensors")


def model_for(own, mechanism):
    return own.model.parent / "lists.safetensors" if mechanism in LISTS else own.model


def audit(own, mechanism, epsilon, *options):
    arguments = ("audit", "-m", mechanism, "-e", str(epsilon), "--model", model_for(own, mechanism), "--json", *options)
    return json.loads(own.ok(*arguments).text)


def receipt(own, mechanism, epsilon, *options):
    own.write("in.txt", "The soup was cold.\n")
    own.ok("privatize", "in.txt", "-o", "out.txt", "-m", mechanism, "-e", str(epsilon), "--model",
           model_for(own, mechanism), "--report", "receipt.json", "--quiet", *options)
    return json.loads((own.folder / "receipt.json").read_text())


@pytest.mark.parametrize("mechanism", CERTIFIED)
def test_certificate_and_receipt(own, mechanism):
    assert receipt(own, mechanism, 2)["guarantee"]["kind"] == "analytic"
    certificate = audit(own, mechanism, 2)
    stored = certificate.pop("stored")
    schema("certificate").validate(certificate)
    data = open(stored["file"], "rb").read()
    assert json.loads(data) == certificate
    assert stored["sha256"] == hashlib.sha256(data).hexdigest()
    assert 0 < certificate["attained_epsilon"] <= certificate["certified_epsilon"] <= 2
    worst = certificate["worst"]
    assert worst["loss"] / worst["distance"] == pytest.approx(certificate["attained_epsilon"])

    quoted = receipt(own, mechanism, 2)
    schema("receipt").validate(quoted)
    guarantee = quoted["guarantee"]
    assert guarantee["kind"] == "certified" and guarantee["holds"]
    assert guarantee["epsilon_per_token"] == certificate["certified_epsilon"]
    assert guarantee["certificate"] == {
        "epsilon": certificate["certified_epsilon"], "attained_epsilon": certificate["attained_epsilon"],
        "nominal_epsilon": 2, "sha256": stored["sha256"]}
    assert receipt(own, mechanism, 2.5)["guarantee"]["kind"] == "analytic"


def test_the_loss_that_explain_shows(own):
    """The worst pair's probabilities, as printed by explain, have the stated ratio."""
    for options in ([], ["--set", "selection=permute-and-flip"]):
        certificate = audit(own, "santext", 3, *options)
        worst = certificate["worst"]
        rows = []
        for word in (worst["input"], worst["other"]):
            typed = "zzzzqqq" if word == "⊥" else word
            shown = json.loads(own.ok("explain", typed, "-m", "santext", "-e", "3", "--model", own.model, "--top", "1000",
                                      "--json", *options).text)
            rows.append({outcome["word"]: outcome["probability"] for outcome in shown["top"]})
        loss = math.log(rows[0][worst["output"]] / rows[1][worst["output"]])
        assert loss == pytest.approx(worst["loss"], rel=1e-9)


@pytest.mark.parametrize("mechanism", REFUSED)
def test_refused_with_the_reason(own, mechanism):
    outcome = own.run("audit", "-m", mechanism, "-e", "100", "--model", own.model)
    assert outcome.code == 2 and outcome.out == b""
    assert outcome.err.count("\n") == 1 and "real-valued" in outcome.err and "black-box" in outcome.err


def test_a_sample_is_no_certificate(own):
    text = own.ok("audit", "-m", "santext", "-e", "2", "--model", own.model, "--sample", "50").text
    assert "SAMPLE OF 50 INPUTS, NOT A CERTIFICATE" in text and "certified epsilon" not in text
    sample = audit(own, "santext", 2, "--sample", "50")
    assert sample["is_certificate"] is False and "stored" not in sample
    assert not (own.model.parent / "certificates").exists()
    assert receipt(own, "santext", 2)["guarantee"]["kind"] == "analytic"
    assert sample["certified_epsilon"] <= audit(own, "santext", 2)["certified_epsilon"]


def test_target(own):
    refusal = own.run("privatize", "-m", "santext", "-e", "1", "--target", "certified", "--model", own.model, stdin=b"soup\n")
    assert refusal.code == 1 and refusal.out == b"" and refusal.err.count("\n") == 1
    command = refusal.err.split("'")[1]
    assert command.startswith("sotto audit --target certified")
    first = json.loads(own.ok(*command.split()[1:], "--json").text)
    nominal = first["subject"]["epsilon"]
    assert nominal > 1 >= first["certified_epsilon"] > 0.998
    again = json.loads(own.ok(*command.split()[1:], "--json").text)
    assert again["stored"]["was_stored"] and again["stored"]["sha256"] == first["stored"]["sha256"]
    quoted = receipt(own, "santext", 1, "--target", "certified")
    schema("receipt").validate(quoted)
    assert quoted["mechanism"]["epsilon"] == nominal
    assert quoted["guarantee"]["certificate"]["sha256"] == first["stored"]["sha256"]
    assert quoted["guarantee"]["epsilon_per_token"] <= 1


def test_a_damaged_certificate_is_reported(own):
    file = audit(own, "santext", 2)["stored"]["file"]
    text = open(file).read()
    with open(file, "w") as out:
        out.write(text.replace('"certified_epsilon": 1.', '"certified_epsilon": 0.'))
    outcome = own.run("privatize", "-m", "santext", "-e", "2", "--model", own.model, stdin=b"soup\n")
    assert outcome.code == 1 and outcome.out == b""
    assert file in outcome.err and "damaged" in outcome.err and outcome.err.count("\n") == 1
    audit(own, "santext", 2)
    assert receipt(own, "santext", 2)["guarantee"]["kind"] == "certified"


def test_a_folder_that_cannot_be_written(own):
    """Falls back to the user's data folder. A file in the way fails even for root."""
    (own.model.parent / "certificates").write_text("in the way")
    home = own.folder / "home"
    own.environment["HOME"] = str(home)
    file = audit(own, "santext", 2)["stored"]["file"]
    assert file.startswith(str(home / ".local" / "share" / "sotto" / "certificates"))
    assert receipt(own, "santext", 2)["guarantee"]["kind"] == "certified"


@pytest.mark.parametrize("options, parts", [
    (["--method", "guess"], ["--method", "guess", "exact"]),
    (["--sample", "1"], ["--sample", "1"]),
    (["--sample", "many"], ["--sample", "many"]),
    (["--target", "both"], ["--target", "both", "nominal", "certified"]),
    (["--threads", "0"], ["--threads", "0"]),
    (["--target", "certified", "--sample", "10"], ["--sample", "10"]),
])
def test_bad_values(own, options, parts):
    outcome = own.run("audit", "-m", "santext", "-e", "1", "--model", own.model, *options)
    assert outcome.code == 2 and outcome.out == b"" and outcome.err.count("\n") == 1
    assert all(part in outcome.err for part in parts)


def test_no_sample_of_what_takes_no_time(own):
    outcome = own.run("audit", "-m", "custext", "-e", "1", "--model", own.model, "--sample", "10")
    assert outcome.code == 2 and "--sample" in outcome.err and "custext" in outcome.err


def test_interrupted(own):
    """Ctrl-C ends the search at once and stores nothing."""
    arguments = ("audit", "-m", "santext", "-e", "1", "--model", SOURCE / "models" / "sotto-en-wordnet.safetensors")
    own.environment["HOME"] = str(own.folder / "home")
    process = stopped_midway(own, arguments, signal.SIGINT)
    assert process.returncode == 1 and process.error == "sotto: interrupted\n"
    assert not (own.folder / "home").exists()


def test_ledger_charges_what_is_certified(own):
    certified = audit(own, "santext", 2)["certified_epsilon"]
    assert certified < 2
    own.write("in.jsonl", '{"who": "ann", "text": "the soup was cold"}\n')
    own.write("secret.key", bytes(32))
    own.ok("privatize", "in.jsonl", "--field", "text", "-o", "out.jsonl", "-m", "santext", "-e", "2", "--model", own.model,
           "--key-file", "secret.key", "--ledger", "ledger.db", "--subject", "who", "--limit", "100", "--quiet")
    account, = json.loads(own.ok("ledger", "show", "ledger.db", "ann", "--json").text)
    assert account["spent_nano"] == math.ceil(4 * certified * 1e9)
