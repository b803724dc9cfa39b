"""Every command in README.md runs, in order, in one folder. Files that it mentions but that are not shipped
have stand-ins of the same name, and the word models are small, so that an audit takes seconds."""

import json
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest
from conftest import BUILD, SOTTO, SOURCE, WORDS, clean_environment, sentences, skip_leak_search, vectors
from packing import PACK

README = (SOURCE / "README.md").read_text()
HAS_PLUGIN = bool(list(BUILD.glob("lib*/**/sotto/libsotto_lm_torch.so")))
LIBTORCH = re.compile(r"dp-mlm|sotto lm ")
TINY_MASKED_MODEL = SOURCE / "tests" / "lm" / "torch" / "data" / "bert"
# A foreign mechanism that reveals nothing about its input.
OTHER_MECHANISM = "import sys\nsys.stdout.writelines('soup\\n' for _ in sys.stdin)\n"


def blocks():
    """The fenced blocks without a language."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [content for language, content in fenced if not language]


def shown_commands():
    """The commands in the blocks: the lines after a prompt if the block has one, otherwise all."""
    for block in blocks():
        lines = block.splitlines()
        prompted = [line[2:] for line in lines if line.startswith("$ ")]
        for line in prompted or [line for line in lines if line.strip()]:
            yield re.sub(r"\s+#.*", "", line).strip()


COMMANDS = list(shown_commands())


def test_commands_are_found():
    assert len(COMMANDS) > 25 and {command.split()[0] for command in COMMANDS} == {"make", "sotto", "cat"}


def make_small_models(folder, models):
    """Models of a few words under the names of the shipped word models, with counts as in those."""
    folder.mkdir()
    counted = folder / "counts.txt"
    counted.write_text("".join(f"{word}\t{1000 - i}\n" for i, word in enumerate(WORDS)))
    for name in ("wordnet", "cbow", "skipgram"):
        subprocess.run([SOTTO, "model", "import", models / "first.txt", "-o", folder / f"sotto-en-{name}.safetensors", "--vocabulary", counted],
                       check=True, capture_output=True, timeout=60)
    shutil.copy(models / "lists.safetensors", folder / "sotto-en-lists.safetensors")


def make_masked_model(folder, positions=128):
    """The tiny checkpoint of the tests, with a vocabulary, and with enough positions for a sentence."""
    shutil.copytree(TINY_MASKED_MODEL, folder)
    config = json.loads((folder / "config.json").read_text())
    few, config["max_position_embeddings"] = config["max_position_embeddings"], positions
    (folder / "config.json").write_text(json.dumps(config))
    subwords = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", "!", "?", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(subwords[:config["vocab_size"]]) + "\n")
    content = (folder / "model.safetensors").read_bytes()
    size = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8:8 + size]), content[8 + size:]
    table = header["bert.embeddings.position_embeddings.weight"]
    begin, end = table["data_offsets"]
    table["shape"][0] = positions
    table["data_offsets"] = [len(data), len(data) + positions * (end - begin) // few]
    rows = (data[begin:end] * positions)[:positions * (end - begin) // few]
    # No gap may remain where the table was, so what followed it moves up.
    moved = end - begin
    for tensor in header.values():
        if "data_offsets" in tensor and tensor["data_offsets"][0] >= end:
            tensor["data_offsets"] = [offset - moved for offset in tensor["data_offsets"]]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data[:begin] + data[end:] + rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, models):
    """What a user who follows the README would have, with an installation whose models are small."""
    place = tmp_path_factory.mktemp("readme")
    shutil.copytree(SOURCE / "examples", place / "examples")
    for name in ("reviews.txt", "tickets.jsonl"):
        shutil.copy(SOURCE / "examples" / name, place)
    for name, content in {
            "notes.txt": sentences(20), "public-reviews.txt": sentences(200, seed=1), "other_mechanism.py": OTHER_MECHANISM,
            "glove.6B.300d.txt.gz": vectors(3), "corpus.txt.zst": sentences(2000) + "We went to new york .\n" * 50,
            "positive.txt": "\n".join(WORDS[10:30]) + "\n", "negative.txt": "\n".join(WORDS[30:50]) + "\n"}.items():
        (place / name).write_bytes(PACK.get(pathlib.PurePath(name).suffix, bytes)(content.encode()))
    make_small_models(place / "models", models)
    make_masked_model(place / "roberta-base")
    (place / "bin").mkdir()
    (place / "bin" / "sotto").symlink_to(SOTTO)
    return place


def run_shown(folder, command):
    environment = clean_environment(folder / "no-home")
    environment["PATH"] = f"{folder / 'bin'}:{environment['PATH']}"
    environment["SOTTO_MODELS"] = str(folder / "models")
    if LIBTORCH.search(command):
        skip_leak_search(environment)
    return subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("command", [command for command in COMMANDS if not command.startswith("make ")])
def test_command_runs(folder, command):
    if not HAS_PLUGIN and LIBTORCH.search(command):
        pytest.skip("built without libtorch")
    if "--method black-box" in command:
        command += " --draws 20000 --runs 40"  # the defaults take minutes
    done = run_shown(folder, command)
    if "--device cuda" in command and done.returncode == 1:
        assert "cuda" in done.stderr.lower(), done.stderr  # this machine has none
    else:
        assert done.returncode == 0, done.stderr
        output = re.search(r" -o (\S+)", command)
        assert not output or (folder / output.group(1)).stat().st_size > 0


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("make ")])
def test_make_targets_exist(command):
    for target in re.findall(r"make ([a-z-]+)", command):
        assert re.search(rf"^{target}:", (SOURCE / "Makefile").read_text(), re.MULTILINE), target


def test_what_make_builds_is_complete():
    """Nothing links to plugins and manual pages, so `make demo` and `make build` could easily miss them."""
    assert re.search(r"^build:.*\n.*--target sotto_program$", (SOURCE / "Makefile").read_text(), re.MULTILINE)
    if not (BUILD / "build.ninja").exists():
        pytest.skip("not built with ninja")
    parts = subprocess.run(["ninja", "-C", BUILD, "-t", "query", "cli/sotto_program"], capture_output=True, text=True, timeout=60,
                           check=True).stdout
    for part in ("bin/sotto", "libsotto_sentencepiece.so", "cli/sotto_manual"):
        assert re.search(rf"{part}$", parts, re.MULTILINE), part
    cache = (BUILD / "CMakeCache.txt").read_text()
    if re.search(r"^SOTTO_TORCH_INCLUDE:PATH=/", cache, re.MULTILINE) and not re.search(r"^SOTTO_LIBTORCH:STRING=OFF", cache, re.MULTILINE):
        assert re.search(r"libsotto_lm_torch.so$", parts, re.MULTILINE)


def test_options_in_the_text_exist(program):
    """Commands in backticks, such as `sotto audit --method black-box`."""
    mentioned = set(re.findall(r"`sotto ([^`\n]+)`", README))
    assert len(mentioned) > 8
    for line in mentioned:
        path = []
        for word in shlex.split(line.replace("|", " | ")):
            known = [entry.split("\t")[0] for entry in program.ok("__complete", *path, "").text.splitlines()]
            if word not in known:
                break
            path.append(word)
        assert path or line.startswith("COMMAND"), line
        help_text = program.ok(*path, "--help").text
        for option in re.findall(r"--[a-z-]+", line):
            assert re.search(rf"(^|[ ,]){option}\b", help_text), f"sotto {line}"
