"""Every environment variable that has an effect is documented in SECURITY.md: those that the code reads by
name, and those that libraries read while the program runs."""

import re

import pytest
from conftest import SANITIZERS, SOURCE, sentences
from fault_world import SHIM

PAGE = (SOURCE / "SECURITY.md").read_text()
SECTION = PAGE[PAGE.index("## Environment variables"):]
DOCUMENTED = set(re.findall(r"`([A-Z][A-Z0-9_]*\*?)`", SECTION))
SETTINGS = SOURCE / "server" / "config" / "settings.cpp"
LISTED = re.compile(r"^constexpr std::array kSwitches = \{([^}]*)\}", re.M)


def sources():
    for folder in ("src", "cli", "include"):
        for path in sorted((SOURCE / folder).rglob("*.[ch]pp")):
            yield path, path.read_text()


def is_documented(name):
    return name in DOCUMENTED or any(known.endswith("*") and name.startswith(known[:-1]) for known in DOCUMENTED)


def names_in_the_code():
    names = set()
    for path, text in sources():
        names.update(re.findall(r'(?:getenv|environment)\(\s*"([^"]*)"', text))
        for listed in LISTED.findall(text):
            names.update(re.findall(r'"([^"]*)"', listed))
        if "temp_directory_path" in text:
            names.add("TMPDIR")
    # Each setting of the server has a variable; mistyped ones are refused, so no other has an effect.
    names.update(name + "*" for name in re.findall(r'"(SOTTO_SERVE_)"', SETTINGS.read_text()))
    return names


def test_the_code_asks_for_no_other_variable():
    assert names_in_the_code() >= {"SOTTO_MODELS", "SOTTO_PLUGINS", "HOME", "TMPDIR"}  # the search finds something
    assert {name for name in names_in_the_code() if not is_documented(name)} == set()


def test_names_are_literals():
    """A computed name would escape the search, which knows one function and one list of names."""
    for path, text in sources():
        computed = re.findall(r"getenv\(\s*[^\s\"]", text)
        known = re.findall(r"^std::string environment\(const char\* name\)", text, re.M) + LISTED.findall(text)
        assert len(computed) == len(known), path


def test_no_documented_name_of_our_own_is_unknown_to_the_code():
    own = {name for name in DOCUMENTED if name.startswith("SOTTO_")}
    assert own == {name for name in names_in_the_code() if name.startswith("SOTTO_")}


@pytest.mark.skipif(SANITIZERS != "", reason="a sanitizer asks for its own")
@pytest.mark.parametrize("mechanism", ["diffractor-geometric", "santext"])
def test_libraries_ask_for_no_other_variable(program, models, mechanism):
    log = program.folder / "names"
    program.write("in.txt", sentences(20))
    program.environment.update(LD_PRELOAD=str(SHIM), SOTTO_FAULT_GETENV=str(log))
    model = models / ("lists.safetensors" if mechanism.startswith("diff") else "first.safetensors")
    program.ok("privatize", "in.txt", "--model", model, "--mechanism", mechanism, "--epsilon", "1", "--quiet", "-o", "out")
    asked = set(log.read_text().split())
    assert {name for name in asked if not is_documented(name)} == set()
