"""The check of the source tree finds what it is meant to find."""
import pathlib
import subprocess
import sys

import pytest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"


def check(root, files):
    (root / "src").mkdir()
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True, check=False)


FIRST = "namespace sotto {\nstruct Chunk {\n  int a;\n};\n}  // namespace sotto\n"

REFUSED = {
    "types of one name in two headers": ("src/b/b.hpp", FIRST),
    "a class where there was a struct": ("src/b/b.hpp", "namespace sotto {\nclass Chunk final : public Base<int> {};\n}"),
    "an exported class": ("src/b/b.hpp", "namespace sotto {\nclass SOTTO_API Chunk {};\n}"),
    "a template": ("src/b/b.hpp", "namespace sotto {\ntemplate <std::vector<int> v>\nstruct alignas(16) Chunk {};\n}"),
    "an enumeration": ("cli/b.hpp", "namespace sotto { enum class Chunk : int { a }; }"),
    "namespaces do not excuse headers": ("src/b/b.hpp", "namespace sotto::lm {\nstruct Chunk {};\n}"),
    "a source file outside an unnamed namespace": ("src/b/b.cpp", FIRST),
    "a test": ("tests/b/b.cpp", FIRST),
    "after a body that holds braces in strings": (
        "src/b/b.cpp", "namespace sotto {\nvoid f() { g(\"}}\", '}', R\"(})\"); }  // }\n" + FIRST[len("namespace sotto {\n"):]),
}

ACCEPTED = {
    "another name": ("src/b/b.hpp", "namespace sotto {\nstruct Chunks {};\n}"),
    "a declaration": ("src/b/b.hpp", "namespace sotto {\nstruct Chunk;\n}"),
    "an unnamed namespace": ("src/b/b.cpp", "namespace sotto {\nnamespace {\nstruct Chunk {};\n}\n}"),
    "a member": ("src/b/b.hpp", "namespace sotto {\nstruct Other {\n  struct Chunk {};\n};\n}"),
    "a local type": ("src/b/b.cpp", "namespace sotto {\nvoid f() {\n  struct Chunk {};\n}\n}"),
    "a comment": ("src/b/b.hpp", "/* namespace sotto { struct Chunk {}; } */"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_second_definition_is_refused(case, tmp_path):
    name, text = REFUSED[case]
    done = check(tmp_path, {"src/a/a.hpp": FIRST, name: text})
    assert done.returncode == 1
    assert f"Chunk is defined in " in done.stdout and "src/a/a.hpp" in done.stdout and name in done.stdout


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_is_no_second_definition_passes(case, tmp_path):
    name, text = ACCEPTED[case]
    done = check(tmp_path, {"src/a/a.hpp": FIRST, name: text})
    assert done.returncode == 0, done.stdout + done.stderr


def test_inline_functions_of_two_headers_are_refused(tmp_path):
    body = "namespace sotto {\ninline int twice(int a) { return a + a; }\n}"
    done = check(tmp_path, {"src/a/a.hpp": body, "src/b/b.hpp": body})
    assert done.returncode == 1
    assert "the function twice is defined in src/a/a.hpp and src/b/b.hpp" in done.stdout


def test_members_defined_outside_their_class_are_functions_of_that_class(tmp_path):
    body = "namespace sotto {{\ninline int {0}::twice(int a) {{ return a + a; }}\n}}"
    done = check(tmp_path, {"src/a/a.hpp": body.format("A"), "src/b/b.hpp": body.format("B")})
    assert done.returncode == 0, done.stdout


def test_folders_keep_to_the_graph(tmp_path):
    done = check(tmp_path, {"src/a/CMakeLists.txt": "sotto_component(a SOURCES a.cpp)",
                            "src/b/CMakeLists.txt": "sotto_component(b SOURCES b.cpp)",
                            "src/a/a.cpp": '#include "b/b.hpp"\n', "cli/c.cpp": '#include "a/a.hpp"\n'})
    assert done.returncode == 1
    assert "src/a/a.cpp includes b/, which a may not use" in done.stdout
    assert "cli/c.cpp includes a/, but front ends use include/ only" in done.stdout


@pytest.mark.parametrize("included, complete", [("", False), ("#include <sotto/a.hpp>\n", True)])
def test_the_header_for_everything_includes_all_others(included, complete, tmp_path):
    done = check(tmp_path, {"include/sotto/sotto.hpp": included, "include/sotto/a.hpp": "", "include/sotto/sotto.h": ""})
    assert (done.returncode == 0) == complete
    assert ("sotto.hpp does not include a.hpp" in done.stdout) != complete


COMPONENT = {"src/a/CMakeLists.txt": "sotto_component(a SOURCES a.cpp)\n"}


def test_sub_folders_that_include_each_other_are_refused(tmp_path):
    done = check(tmp_path, {**COMPONENT, "src/a/one/x.hpp": '#include "a/two/y.hpp"\n', "src/a/two/y.hpp": '#include "a/three/z.hpp"\n',
                            "src/a/three/z.hpp": '#include "a/one/w.hpp"\n'})
    assert done.returncode == 1
    assert "these folders include each other: a/one → a/two → a/three → a/one" in done.stdout


def test_a_folder_and_its_own_sub_folder_are_two_layers(tmp_path):
    both = {"src/a/x.hpp": '#include "a/one/y.hpp"\n', "src/a/one/y.hpp": '#include "a/z.hpp"\n'}
    assert "a → a/one → a" in check(tmp_path, {**COMPONENT, **both}).stdout


def test_sub_folders_in_layers_pass(tmp_path):
    done = check(tmp_path, {**COMPONENT, "src/a/x.hpp": '#include "a/one/y.hpp"\n#include "a/two/y.hpp"\n',
                            "src/a/one/y.hpp": '#include "a/two/y.hpp"\n', "src/a/two/y.hpp": ""})
    assert done.returncode == 0, done.stdout
