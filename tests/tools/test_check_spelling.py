"""The check of string literals finds options and commands, and nothing else."""
import pathlib
import subprocess
import sys

import pytest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_spelling.py"


def check(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True, check=False)


REFUSED = {
    "an option": 'f("--epsilon: missing");',
    "an option inside a sentence": 'f("needs --key-file");',
    "an option made of an argument": 'f(fmt::format("--{}", name));',
    "a short option": 'f("-o: is an input");',
    "a command": "f(\"build them with 'sotto lists build'\");",
    "a command at the end": 'f("see sotto bench");',
    "a command in two literals": 'f("see sotto "\n  "bench");',
    "an option in two literals, with a comment": 'f("give -"  // why\n  "-seed");',
    "a raw literal": 'f(R"(give --seed)");',
    "a raw literal with a tag": 'f(R"x(a ")" --seed)x");',
    "after an escaped quote": r'f("a \" --seed");',
    "after a quote as a character": "char c = '\"'; f(\"--seed\");",
}

ACCEPTED = {
    "a parameter": 'f("{key_file} is missing");',
    "a comment": '// --epsilon and sotto bench\n/* "--epsilon" */ f("x");',
    "a decrement": 'f(--count, "a");',
    "two hyphens": 'f("a -- b", "1--2");',
    "the name alone": 'f("sotto {}", "sotto/0.1", "libsotto x");',
    "literals apart": 'f("sotto ", "bench");',
    "a negative number": 'f("-1 to 5");',
    "an option of another program": 'f("sh", "-c");',
    "a stylesheet": 'f(R"css(a{color:var(--ink)})css");',
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("name", ["src/a/a.cpp", "src/a/a.hpp", "include/sotto/a.hpp"])
def test_what_only_the_program_knows_is_refused(case, name, tmp_path):
    done = check(tmp_path, name, "int first;\n" + REFUSED[case])
    assert done.returncode == 1
    assert f"{name}:2: " in done.stdout


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_a_library_may_say_passes(case, tmp_path):
    done = check(tmp_path, "src/a/a.cpp", ACCEPTED[case])
    assert done.returncode == 0, done.stdout


def test_the_program_may_name_its_options(tmp_path):
    assert check(tmp_path, "cli/a.cpp", REFUSED["an option"]).returncode == 0
