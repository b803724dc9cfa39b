"""An installed Sotto: other projects find it, and its program runs from anywhere and finds its models."""

import json
import os
import re
import shutil
import subprocess

import pytest
from conftest import BUILD, SANITIZERS, SOURCE

VERSION = ".".join(re.findall(r"define SOTTO_VERSION_[MP]\w+ (\d+)", (SOURCE / "include/sotto/version.h").read_text()))
CONSUMER = SOURCE / "tests" / "e2e" / "consumer"


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory, models):
    """An installation, moved after it was made, with the small model among its models."""
    first = tmp_path_factory.mktemp("install") / "first"
    run("cmake", "--install", BUILD, "--prefix", first)
    moved = first.parent / "moved"
    first.rename(moved)
    folder = moved / "share" / "sotto" / "models"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(models / "lists.safetensors", folder / "small-lists.safetensors")
    return moved


def bare(*command, cwd="/"):
    """Runs with an empty environment, as env -i does."""
    return run(*command, env={}, cwd=cwd)


def test_version(prefix, tmp_path):
    assert bare(prefix / "bin" / "sotto", "--version", cwd=tmp_path) == f"sotto {VERSION}\n"
    link = tmp_path / "sotto"
    link.symlink_to(prefix / "bin" / "sotto")
    assert bare(link, "--version") == f"sotto {VERSION}\n"


def test_models_are_found_beside_the_program(prefix, tmp_path):
    program = prefix / "bin" / "sotto"
    listed = bare(program, "model", "list", cwd=tmp_path)
    assert re.search(r"^small-lists\s.*" + re.escape(str(prefix)), listed, re.MULTILINE)
    (tmp_path / "in.txt").write_text("The soup was cold.\n")
    output = bare(program, "privatize", "in.txt", "--model", "small-lists", "--epsilon", "1", cwd=tmp_path)
    assert output.count("\n") == 1 and len(output.split()) == 4


def test_shipped_models_are_installed(prefix):
    models = SOURCE / "models"
    shipped = {path.relative_to(models) for path in [*models.glob("*.safetensors"), *models.glob("sotto-*/*")]}
    installed = prefix / "share" / "sotto" / "models"
    assert shipped <= {path.relative_to(installed) for path in installed.rglob("*")}
    assert not (installed / "recipe").exists()


def test_plugins_are_found_beside_the_library(prefix, tmp_path):
    if not list(prefix.glob("lib*/**/sotto/libsotto_lm_torch.so")):
        pytest.skip("built without libtorch")
    (tmp_path / "in.txt").write_text("The soup was cold.\n")
    output = bare(prefix / "bin" / "sotto", "privatize", "in.txt", "-m", "dp-mlm", "--epsilon", "50", "--precision", "f32",
                  cwd=tmp_path)
    assert len(output.split()) == 4


def test_another_project_uses_the_library(prefix, tmp_path):
    flags = f"-fsanitize={SANITIZERS}" if SANITIZERS else ""
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", "-S", CONSUMER, "-B", tmp_path, *generator, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug",
        f"-DCMAKE_CXX_FLAGS={flags}")
    run("cmake", "--build", tmp_path)
    model = prefix / "share" / "sotto" / "models" / "small-lists.safetensors"
    text, privatized, version = run(tmp_path / "consumer", "soup cold waiter dessert", model).splitlines()
    assert len(text.split()) == 4 and privatized == "4" and version == VERSION
    # A program elsewhere finds by name what was installed with the library.
    assert len(bare(tmp_path / "consumer", "soup cold waiter", "small-lists").splitlines()[0].split()) == 3


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_examples(prefix, tmp_path, language):
    flags = f"-fsanitize={SANITIZERS}" if SANITIZERS else ""
    run("cmake", "-S", SOURCE / "examples" / language, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_FLAGS={flags}", f"-DCMAKE_C_FLAGS={flags}")
    run("cmake", "--build", tmp_path)
    key = tmp_path / "key"
    key.write_text("k" * 32)
    key.chmod(0o600)
    options = {"c": [json.dumps({"epsilon": 1, "key_file": str(key)})], "cpp": ["diffractor-geometric", "1", key]}[language]
    command = [tmp_path / "privatize_lines", *options]
    lines = "The soup was cold.\n\nMy sister came late.\n" * 400  # more than the C program handles at a time
    done = subprocess.run(list(map(str, command)), input=lines, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    words = [len(line.split()) for line in done.stdout.split("\n")]
    assert words == [4, 0, 4] * 400 + [0]
    assert json.loads(done.stderr)["counts"]["documents"] == 1200
    wrong = subprocess.run([str(command[0]), *(["{}"] if language == "c" else ["magic", "1", str(key)])], input="",
                           capture_output=True, text=True, timeout=300)
    assert wrong.returncode == 1 and ("epsilon" if language == "c" else "magic") in wrong.stderr


def test_headers_and_package_files(prefix):
    headers = {path.name for path in (SOURCE / "include" / "sotto").glob("*.h*")}
    assert headers == {path.name for path in (prefix / "include" / "sotto").iterdir()}
    assert list(prefix.glob("lib*/**/cmake/sotto/sotto-config.cmake"))
    assert os.access(prefix / "bin" / "sotto", os.X_OK)


def test_manual_and_completion(prefix):
    share = prefix / "share"
    assert {"sotto.1", "sotto-privatize.1", "sotto-model-import.1"} <= {page.name for page in (share / "man" / "man1").iterdir()}
    for script in ("bash-completion/completions/sotto", "zsh/site-functions/_sotto", "fish/vendor_completions.d/sotto.fish"):
        assert "__complete" in (share / script).read_text()
