"""All programs and libraries, built or installed: where they load libraries from, and how they are
hardened."""

import os
import platform
import re
import shutil
import subprocess

import pytest
from conftest import BUILD, OPTIMIZED, SANITIZERS, SOTTO


def readelf(*arguments):
    done = subprocess.run(["readelf", "--wide", *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "LC_ALL": "C"}, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def linked_files(folder):
    """The ELF files below a folder that can be loaded: no object files, no symbolic links, none of the
    programs with which CMake probes the compiler."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or folder / "CMakeFiles" in path.parents:
            continue
        with path.open("rb") as file:
            start = file.read(18)
        kind = int.from_bytes(start[16:18], "little")
        if start[:4] == b"\x7fELF" and kind in (2, 3):  # EXEC, DYN
            found.append(path)
    return found


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True, timeout=300)
    return prefix


@pytest.fixture(scope="module")
def binaries(installed):
    files = linked_files(BUILD) + linked_files(installed)
    names = {path.name.split(".so")[0] for path in files}
    assert {"sotto", "libsotto"} <= names, names
    assert [path for path in files if installed in path.parents]
    return files


@pytest.fixture(scope="module")
def shipped(binaries, installed):
    """What users run: no test programs, nor what they load."""
    return [path for path in binaries if {installed, BUILD / "bin", BUILD / "lib"} & set(path.parents)]


def folders_of(dynamic):
    """The elements of RUNPATH and RPATH."""
    return [folder for path in re.findall(r"\((?:RUNPATH|RPATH)\)\s+Library \w+: \[(.*)\]", dynamic)
            for folder in path.split(":")]


def allowed(folder):
    return folder.startswith("/") or folder == "$ORIGIN" or folder.startswith("$ORIGIN/")


@pytest.mark.parametrize("path, is_allowed", [
    ("$ORIGIN/../lib", True), ("$ORIGIN", True), ("/opt/libtorch/lib:$ORIGIN", True), ("", False),
    ("$ORIGIN/src:", False), (":/usr/lib", False), ("/a::/b", False), ("lib", False), ("./lib", False),
    ("$ORIGINAL/lib", False)])
def test_the_rule_itself(path, is_allowed):
    folders = folders_of(f" 0x000000000000001d (RUNPATH)            Library runpath: [{path}]\n")
    assert folders and all(map(allowed, folders)) == is_allowed


def test_libraries_never_come_from_the_current_folder(binaries):
    for path in binaries:
        dynamic = readelf("--dynamic", path)
        assert "(RPATH)" not in dynamic, f"{path}: RPATH comes before LD_LIBRARY_PATH; RUNPATH is meant"
        assert all(map(allowed, folders_of(dynamic))), f"{path}: {folders_of(dynamic)}"
        for library in re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", dynamic):
            assert "/" not in library, f"{path} needs {library} by a path"


def test_a_library_in_the_current_folder_is_not_loaded(installed, tmp_path):
    """The attack that the rule prevents."""
    for program in (BUILD / "sotto", installed / "bin" / "sotto"):
        needed = re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", readelf("--dynamic", program))
        for library in needed:
            (tmp_path / library).write_bytes(b"not a library")
        done = subprocess.run([program, "--version"], cwd=tmp_path, capture_output=True, text=True, timeout=60, env={},
                              check=False)
        assert done.returncode == 0, done.stderr


def test_what_users_run_is_hardened(shipped):
    for path in shipped:
        assert re.search(r"Type:\s+DYN", readelf("--file-header", path)), f"{path} has a fixed address"
        assert re.search(r"\(FLAGS_1\).*\bNOW\b", readelf("--dynamic", path)), f"{path} binds symbols late"
        segments = readelf("--program-headers", path)
        assert "GNU_RELRO" in segments, f"{path}: its tables of addresses stay writable"
        assert re.search(r"GNU_STACK.*\sRW\s", segments), f"{path}: its stack runs code"
        assert not re.search(r"LOAD.*\sRWE\s", segments), f"{path} has memory that can be written and run"


def test_code_of_the_library_is_hardened(shipped):
    """What the compiler adds is visible in the functions that the code calls."""
    libraries = [path for path in shipped if path.name.startswith("libsotto")]
    assert len(libraries) >= 2
    for path in libraries:
        symbols = readelf("--dyn-syms", path)
        assert "__stack_chk_fail" in symbols, f"{path}: no stack protector"
        if OPTIMIZED and not SANITIZERS and path.name.startswith("libsotto.so"):
            assert re.search(r"__\w+_chk@GLIBC", symbols), f"{path}: not built with _FORTIFY_SOURCE"


@pytest.mark.skipif(SANITIZERS != "" or not shutil.which("valgrind"), reason="needs valgrind, which sanitizers do not bear")
def test_the_program_starts_under_valgrind():
    """Under valgrind long double has 64 bits, which may trip up initializers of libraries."""
    done = subprocess.run(["valgrind", "--tool=none", "--quiet", SOTTO, "--version"], capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode == 0 and done.stdout.startswith("sotto "), done.stderr


@pytest.mark.skipif(platform.machine() != "x86_64", reason="a feature of x86")
def test_indirect_branches_land_on_marks(installed):
    """Functions callable through a pointer begin with endbr64 (f3 0f 1e fa); all exported ones do."""
    library = next(path for path in linked_files(installed) if path.name.startswith("libsotto.so"))
    content = library.read_bytes()
    text = re.search(r"\.text\s+PROGBITS\s+(\w+)\s+(\w+)", readelf("--sections", library))
    shift = int(text.group(2), 16) - int(text.group(1), 16)
    functions = re.findall(r"^\s*\d+: (\w+)\s+\d+\s+FUNC\s+GLOBAL\s+DEFAULT\s+\d+ (_ZNK?5sotto\S+)",
                           readelf("--dyn-syms", library), re.MULTILINE)
    assert len(functions) > 100
    begins = {name: int(address, 16) + shift for address, name in functions}
    bare = [name for name, begin in begins.items() if content[begin:begin + 4] != b"\xf3\x0f\x1e\xfa"]
    assert not bare
