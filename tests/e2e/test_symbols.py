"""What the shared library exports, built or installed: all that its headers mark SOTTO_API, and nothing else."""

import collections
import re
import subprocess

import pytest
from conftest import BUILD, SOURCE

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^\s*#[^\n]*", re.DOTALL | re.MULTILINE)
CLASS = re.compile(r"\b(?:class|struct)\s+(SOTTO_API\s+)?(\w+)\s*(?:final\s*)?(?::[^:].*)?$", re.DOTALL)
INLINE = re.compile(r"=\s*(?:0|default|delete)\s*$")


def without_templates(text):
    """Without angle brackets and what is between them."""
    while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    return text


def function_name(declaration):
    found = re.search(r"(operator\s*\S+?|~?\w+)\s*\(", without_templates(declaration))
    return found.group(1) if found else None


def declared(header):
    """(functions, classes) that a header exports, by their names in namespace sotto; one function for each overload."""
    text = COMMENT.sub("", header).replace("= {}", "")
    functions, classes, scopes, begin = collections.Counter(), set(), [], 0
    for end in re.finditer(r"[{};]|\b(?:public|private|protected):", text):
        head = text[begin:end.start()].strip()
        begin = end.end()
        if end.group() == "{":
            found = CLASS.search(head)
            scopes.append((found.group(2), bool(found.group(1))) if found else None)
            classes.update({found.group(2)} if found and found.group(1) else ())
        elif end.group() == "}" and scopes:
            scopes.pop()
        elif end.group() == ";":
            owner, whole = scopes[-1] if scopes and scopes[-1] else ("", False)
            name = function_name(head.replace("SOTTO_API ", ""))
            if ("SOTTO_API " in head or whole) and name and not INLINE.search(head):
                functions[f"{owner}::{name}" if owner else name] += 1
    return functions, classes


def declared_in_c(header):
    return set(re.findall(r"^SOTTO_C_API [^;]*?\b(sotto_\w+)\(", header, re.MULTILINE))


def exported(symbols):
    """(functions, others) in the output of nm, functions as declared() has them; `others` are all other names."""
    functions, others = collections.Counter(), set()
    # Constructors and destructors have several symbols that differ in their mangled names only.
    for symbol in sorted({re.sub(r"\[abi:\w+\]", "", line.split(maxsplit=2)[2]) for line in symbols.splitlines()}):
        found = re.match(r"sotto::([\w:~]+?(?:operator[^(<]+)?)\(", symbol)
        if found:
            functions[found.group(1)] += 1
        else:
            others.add(symbol)
    return functions, others


def problems(headers, c_header, symbols):
    """What is exported and not declared, and what is declared and not exported."""
    functions, classes = collections.Counter(), set()
    for header in headers:
        more_functions, more_classes = declared(header)
        functions += more_functions
        classes |= more_classes
    found, others = exported(symbols)
    required = {f"typeinfo for sotto::{name}" for name in classes} | declared_in_c(c_header)
    allowed = required | {f"{kind} for sotto::{name}" for name in classes for kind in ("vtable", "typeinfo name")}
    surplus = sorted((found - functions).elements()) + sorted(others - allowed)
    return surplus, sorted((functions - found).elements()) + sorted(required - others)


HEADER = """
#define SOTTO_API __attribute__((visibility("default")))
namespace sotto {
class Model {
 public:
  SOTTO_API static Result<std::shared_ptr<const Model>> open(const std::filesystem::path& file);  ///< a; b
  SOTTO_API ~Model();
  std::uint32_t bottom() const { return size(); }
  SOTTO_API std::uint32_t size() const;
  SOTTO_API Model& operator+=(const Model& other);
 private:
  Model();
  struct Impl;
};
class SOTTO_API Mechanism {
 public:
  virtual ~Mechanism() = default;
  virtual std::vector<double> row(TokenId word) const = 0;
  virtual std::string digest() const { return {}; }
  virtual double distance(TokenId a, TokenId b) const;
};
struct Options {
  std::function<bool(int)> progress;
};
SOTTO_API Result<void> each(const std::function<Result<void>(int)>& visit, const Options& options = {});
SOTTO_API std::string to_json(const Model& model);
SOTTO_API std::string to_json(const Options& options);
}
"""
SYMBOLS = [
    "0001 T sotto::Model::open(std::filesystem::__cxx11::path const&)", "0002 T sotto::Model::~Model()",
    "0003 T sotto::Model::~Model()", "0004 T sotto::Model::size() const", "0005 T sotto::Model::operator+=(sotto::Model const&)",
    "0006 T sotto::Mechanism::distance(unsigned int, unsigned int) const", "0007 V typeinfo for sotto::Mechanism",
    "0008 V typeinfo name for sotto::Mechanism", "0009 V vtable for sotto::Mechanism",
    "000a T sotto::each(std::function<tl::expected<void, sotto::Error> (int)> const&, sotto::Options const&)",
    "000b T sotto::to_json[abi:cxx11](sotto::Model const&)", "000c T sotto::to_json[abi:cxx11](sotto::Options const&)",
    "000d T sotto_version"]


def check(symbols):
    return problems([HEADER], "SOTTO_C_API const char* sotto_version(void);\n", "\n".join(symbols))


def test_what_is_declared_may_be_exported():
    assert check(SYMBOLS) == ([], [])


@pytest.mark.parametrize("symbol, name", [
    ("sotto::hash_word(char const*)", "hash_word"), ("sotto::Model::Impl::load()", "Model::Impl::load"),
    ("sotto::Model::Model()", "Model::Model"), ("sotto::to_json[abi:cxx11](sotto::Hidden const&)", "to_json"),
    ("sotto::Mechanism::row(unsigned int) const", "Mechanism::row"), ("vtable for sotto::Model", "vtable for sotto::Model"),
    ("sotto::kTable", "sotto::kTable"), ("sotto_internal", "sotto_internal"),
    ("void sotto::sort<int>(int*)", "void sotto::sort<int>(int*)"),
    ("std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector<int, std::allocator<int> >::push_back(int&&)")])
def test_what_is_not_declared_is_found(symbol, name):
    assert check([*SYMBOLS, f"00ff W {symbol}"]) == ([name], [])


@pytest.mark.parametrize("symbol", [symbol for symbol in SYMBOLS if "~Model" not in symbol and " name " not in symbol
                                    and "vtable" not in symbol])
def test_what_is_declared_and_not_exported_is_found(symbol):
    surplus, absent = check([other for other in SYMBOLS if other != symbol])
    assert surplus == [] and len(absent) == 1


@pytest.fixture(scope="module", params=["built", "installed"])
def folder(request, tmp_path_factory):
    """Where the library is."""
    if request.param == "built":
        return BUILD
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix, "--component", "library"], check=True,
                   capture_output=True, timeout=300)
    return prefix


@pytest.fixture(scope="module")
def library(folder):
    [found] = [path for path in folder.glob("lib*/**/libsotto.so.*") if not path.is_symlink()]
    return found


def output_of(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_exactly_what_is_declared_is_exported(library):
    include = SOURCE / "include" / "sotto"
    headers = [header.read_text() for header in sorted(include.glob("*.hpp"))]
    surplus, absent = problems(headers, (include / "sotto.h").read_text(), output_of("nm", "-DC", "--defined-only", library))
    assert not surplus, "exported, but in no public header with SOTTO_API: " + ", ".join(surplus)
    assert not absent, "SOTTO_API, but not exported: " + ", ".join(absent)


def test_the_file_is_named_after_the_version_of_the_headers(library):
    version = re.findall(r"define SOTTO_VERSION_[MP]\w+ (\d+)", (SOURCE / "include/sotto/version.h").read_text())
    assert library.name == "libsotto.so." + ".".join(version)
    assert f"[libsotto.so.{version[0]}]" in output_of("readelf", "--wide", "--dynamic", library)
