"""What a shell offers when a user presses Tab."""

import re
import shutil
import subprocess

import pytest
from conftest import SOTTO, SOURCE

COMMANDS = ["privatize", "mechanisms", "choose", "explain", "budget", "audit", "attack", "tune", "bench", "evaluate", "model",
            "lists", "train", "receipt", "ledger", "collocations", "lm", "serve", "completion"]


def candidates(program, *words):
    """What the program answers to a completion script, and whether the shell may complete paths as well."""
    lines = program.ok("__complete", *words).text.splitlines()
    assert lines[-1] in (":files", ":none") and all("\t" in line for line in lines[:-1])
    return [line.split("\t")[0] for line in lines[:-1]], lines[-1] == ":files"


def bash(program, *words):
    """COMPREPLY of a real bash after running the function, and whether it was told to fall back to paths.
    Words are split as in bash, so also at '='."""
    (program.folder / "sotto.bash").write_text(program.ok("completion", "bash").text)
    script = """
        compopt() { asked="$*"; }
        . ./sotto.bash
        program=$1; shift
        complete -p sotto > registered || exit 9
        COMP_WORDS=(sotto "$@") COMP_CWORD=$#
        _sotto "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" || exit 8
        printf '%s\\n' "${COMPREPLY[@]}"
        printf ':%s\\n' "$asked" """
    done = subprocess.run(["bash", "--norc", "-c", script, "bash", SOTTO, *words], cwd=program.folder, capture_output=True, text=True,
                          env=program.environment, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "-F _sotto sotto" in (program.folder / "registered").read_text()
    *replies, asked = done.stdout.splitlines()
    return [reply for reply in replies if reply], asked == ":-o default"


def test_commands(program):
    assert candidates(program, "") == (COMMANDS, False)
    assert candidates(program, "pri") == (["privatize"], False)
    assert candidates(program, "model", "") == (["list", "info", "neighbours", "import", "export"], False)
    assert candidates(program, "model", "im") == (["import"], False)
    assert candidates(program, "nothing", "such") == ([], False)


def options_in_help(program, command):
    text = program.ok(*command, "--help").text.split("\nExample")[0]
    return {name for line in re.findall(r"^  (-[^ ]*)", text, re.MULTILINE) for name in line.split(",") if name.startswith("--")}


@pytest.mark.parametrize("command", ["", "privatize", "audit", "tune", "model import", "train vectors", "lm perplexity"])
def test_every_option_of_help_is_offered(program, command):
    offered, files = candidates(program, *command.split(), "--")
    assert set(offered) == options_in_help(program, command.split()) and not files


def test_options_once_unless_they_may_be_repeated(program):
    offered, _ = candidates(program, "privatize", "--policy", "paper", "--quiet", "--field", "a", "-e", "1", "--")
    assert not {"--policy", "--quiet", "--epsilon"} & set(offered)
    assert {"--field", "--set", "--oov"} <= set(offered)
    assert candidates(program, "privatize", "--", "--po") == ([], True)  # a file of that name


@pytest.mark.parametrize("words, expected", [
    (["privatize", "--policy", ""], ["strict", "paper"]),
    (["privatize", "--policy", "p"], ["paper"]),
    (["privatize", "--policy=p"], ["--policy=paper"]),
    (["privatize", "--budget", "S"], ["S1", "S2", "S3", "S4"]),
    (["budget", "--budget", "S"], []),
    (["privatize", "--mechanism", "vick"], ["vickrey", "vickrey-k"]),
    (["privatize", "-m", "vick"], ["vickrey", "vickrey-k"]),
    (["mechanisms", "cust"], ["custext"]),
    (["bench", "--mechanism", "cmp,vick"], ["cmp,vickrey", "cmp,vickrey-k"]),
    (["tune", "--prior", ""], ["list", "uniform", "counts"]),
    (["attack", "--prior", ""], ["uniform", "counts"]),
    (["ledger", "export", "--format", ""], ["csv", "jsonl"]),
    (["completion", ""], ["bash", "zsh", "fish"]),
    (["completion", "bash", ""], []),
    (["explain", ""], []),
    (["privatize", "--epsilon", ""], []),
])
def test_values(program, words, expected):
    assert candidates(program, *words) == (expected, False)


@pytest.mark.parametrize("words", [["privatize", ""], ["privatize", "a.txt", ""], ["privatize", "-o", ""], ["privatize", "--key-file", ""],
                                   ["privatize", "--config="], ["model", "import", ""], ["lm", "similarity", "a", ""],
                                   ["evaluate", "--data", ""], ["ledger", "verify", ""]])
def test_files(program, words):
    assert candidates(program, *words) == ([], True)


def test_models(program, models):
    program.environment["SOTTO_MODELS"] = str(models)
    (models / "small-lm").mkdir(exist_ok=True)
    (models / "small-lm" / "config.json").write_text("{}")
    words, files = candidates(program, "privatize", "--model", "")
    assert {"first", "second", "lists", "small-lm"} <= set(words) and files
    assert candidates(program, "privatize", "--model=sec") == (["--model=second"], True)
    assert "small-lm" not in candidates(program, "model", "info", "")[0]
    words, _ = candidates(program, "lm", "info", "")
    assert "small-lm" in words and "first" not in words


@pytest.mark.parametrize("words, expected", [
    (["pri"], (["privatize"], False)),
    (["privatize", "--docu"], (["--document-epsilon"], False)),
    (["privatize", "--policy", ""], (["strict", "paper"], False)),
    (["privatize", "--policy", "=", "pa"], (["paper"], False)),  # only what follows '=' is replaced
    (["privatize", "--policy", "="], (["strict", "paper"], False)),
    (["privatize", "--set", "lists=L0", "--oov", "b"], (["bottom"], False)),
    (["privatize", "--set", "lists", "=", "L0", "--oov", "b"], (["bottom"], False)),
    (["privatize", "re"], ([], True)),
    (["model", "export", "--to", "word2vec-b"], (["word2vec-bin"], False)),
])
def test_bash(program, words, expected):
    assert bash(program, *words) == expected


def test_choices_are_those_that_help_names(program):
    """Help and completion agree: a choice that is offered but not allowed, or vice versa, fails here."""
    table = re.findall(r'Choices\{"([^"]*)", "(--[a-z]+)", ', (SOURCE / "cli/option_values.cpp").read_text())
    assert len(table) > 25
    first = {"--attack": "attack", "--algorithm": "train vectors", "--bits": "model import", "--by": "collocations info",
             "--connectors": "collocations count", "--finish": "train vectors", "--method": "collocations tokenize",
             "--metric": "audit", "--objective": "tune", "--outputs": "tune", "--prior": "attack", "--through": "audit",
             "--to": "model export", "--what": "ledger export"}
    for command, option in table:
        path = command.removeprefix("sotto ") or first.get(option, "privatize")
        described = next(line.split("\t")[1] for line in program.ok("__complete", *path.split(), option).text.splitlines()
                         if line.startswith(option + "\t"))
        words, _ = candidates(program, *path.split(), option, "")
        words = [word for word in words if word not in ("S2", "S3")]  # "S1 to S4"
        missing = [word for word in words if not re.search(rf"\b{re.escape(word)}\b", described)]
        assert not missing, f"{path} {option}: {missing}"


@pytest.mark.parametrize("shell, check", [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])])
def test_syntax(program, shell, check):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    script = program.write("script", program.ok("completion", shell).out)
    done = subprocess.run([shell, *check, script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize("line, expected", [("privatize --policy ", ["paper", "strict"]), ("privatize --policy=p", ["--policy=paper"]),
                                            ("model im", ["import"]), ("privatize -o secr", ["secret.txt"])])
def test_fish(program, line, expected):
    program.write("sotto.fish", program.ok("completion", "fish").out)
    program.write("secret.txt", "")
    (program.folder / "sotto").symlink_to(SOTTO)
    done = subprocess.run(["fish", "--no-config", "-c", f"source sotto.fish; complete -C './sotto {line}'"], cwd=program.folder,
                          capture_output=True, text=True, env=program.environment, timeout=60, check=False)
    assert sorted(reply.split("\t")[0] for reply in done.stdout.splitlines()) == expected, done.stderr


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
@pytest.mark.parametrize("words, expected", [(["privatize", "--policy", ""], ["strict:", "paper:"]), (["privatize", ""], ["FILES"]),
                                             (["model", "im"], ["import:Make a model from word vectors"])])
def test_zsh(program, words, expected):
    """What the function passes to zsh's own functions, which only run at a terminal."""
    program.write("_sotto", program.ok("completion", "zsh").out)
    script = """compdef() { registered=$2 }
        _describe() { print -l -- "${(@P)2}" }
        _files() { print FILES }
        compset() { return 0 }
        source ./_sotto
        [[ $registered == sotto ]] || exit 9
        words=("$@"); CURRENT=$#
        _sotto"""
    done = subprocess.run(["zsh", "-f", "-c", script, "zsh", SOTTO, *words], cwd=program.folder, capture_output=True, text=True,
                          env=program.environment, timeout=60, check=False)
    assert (done.stdout.splitlines(), done.stderr) == (expected, "")


def test_shell_that_is_not_known(program):
    outcome = program.run("completion", "tcsh")
    assert outcome.code == 2 and "bash or zsh or fish" in outcome.err
