"""The check of namespaces finds what it is meant to find."""
import pathlib
import subprocess
import sys

import pytest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_namespaces.py"
PUBLIC = """namespace sotto {
class SOTTO_API Model {
  struct Impl;
  friend struct ModelAccess;  // not Reader
};
int open(const Model& model);
}  // namespace sotto
"""


def check(root, name, text):
    for path, content in (("include/sotto/model.hpp", PUBLIC), (name, text)):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    return subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True, check=False)


REFUSED = {
    "a type": "struct Reader {};",
    "a template": "template <std::vector<int> v>\nclass Reader final : public Base<int> {};",
    "an alias": "using Reader = std::vector<int>;",
    "a function": "int Reader(const Model& model, int a = 3);",
    "an inline function": "inline int Reader(int a) {\n  return a;\n}",
    "a constant": "inline constexpr std::size_t Reader = std::size_t{1} << 20;",
    "a table": "constexpr std::array<int, 2> Reader = {1, 2};",
    "a concept": "template <class T>\nconcept Reader = requires(T a) { a.size(); };",
    "after a type declared ahead": "class Model;\nstruct Reader {};",
}

ACCEPTED = {
    "a public type, declared ahead": "class Model;\nenum class Kind : int;",
    "a class that a public one befriends": "struct ModelAccess {\n  static int size(const Model& model);\n};",
    "a member of a public class": "struct Model::Impl {\n  int size;\n};",
    "no declaration": "static_assert(true);\nusing namespace std;",
    "a comment": "// struct Reader {};",
}


@pytest.mark.parametrize("namespace", ["sotto", "sotto::b"])
@pytest.mark.parametrize("case", REFUSED)
def test_what_is_in_another_namespace_is_refused(case, namespace, tmp_path):
    done = check(tmp_path, "src/a/one/a.hpp", f"namespace {namespace} {{\n{REFUSED[case]}\n}}\n")
    assert done.returncode == 1
    assert done.stdout == f"src/a/one/a.hpp declares Reader in {namespace}; it belongs in sotto::a\n"


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_in_the_namespace_of_its_folder_passes(case, tmp_path):
    done = check(tmp_path, "src/a/one/a.hpp", f"namespace sotto::a {{\n{REFUSED[case]}\n}}\n")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_public_headers_name_may_be_in_the_outer_namespace(case, tmp_path):
    done = check(tmp_path, "src/a/a.hpp", f"namespace sotto {{\n{ACCEPTED[case]}\n}}\n")
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_of_another_folder_may_be_declared_ahead(tmp_path):
    done = check(tmp_path, "src/a/a.hpp", "namespace sotto::b {\nclass Reader;\n}\n")
    assert done.returncode == 0, done.stdout + done.stderr


def test_specializations_for_other_libraries_pass(tmp_path):
    done = check(tmp_path, "src/a/a.hpp", "namespace fmt {\ntemplate <>\nstruct formatter<sotto::Model> {};\n}\n")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_folder_whose_name_is_a_public_function(tmp_path):
    done = check(tmp_path, "src/mechanisms/a.hpp", "namespace sotto::mechanism {\nstruct Reader {};\n}\n")
    assert done.returncode == 0, done.stdout + done.stderr
