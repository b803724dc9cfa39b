"""The manual pages that the build generates from the program's options."""

import re
import shutil
import subprocess

import pytest
from conftest import BUILD, SOTTO, clean_environment


def commands(program, *path):
    """The program, its commands and their subcommands, as lists of words."""
    yield list(path)
    lines = program.ok("__complete", *path, "").text.splitlines()[:-1]
    subcommands = re.search(r"^Subcommands:\n((?:  .*\n)+)", program.ok(*path, "--help").text, re.MULTILINE)
    for line in lines if subcommands else []:
        yield from commands(program, *path, line.split("\t")[0])


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    subprocess.run([SOTTO, "__man-pages", folder], check=True, timeout=60, env=clean_environment(folder))
    return folder


def plain(page):
    """The source of a page without its markup."""
    text = re.sub(r"\\f[BIR]", "", page.read_text())
    for roff, character in {"\\-": "-", "\\(aq": "'", "\\(ti": "~", "\\(ha": "^", "\\(ga": "`", "\\&": "", "\\e": "\\"}.items():
        text = text.replace(roff, character)
    return text


def test_every_command_has_a_page_with_every_option(program, pages):
    expected = set()
    for path in commands(program):
        page = "-".join(["sotto", *path]) + ".1"
        expected.add(page)
        text = plain(pages / page)
        help_text = program.ok(*path, "--help").text
        assert f"{page[:-2]} - {help_text.splitlines()[0].rstrip('.')}" in text
        shown = set(re.findall(r"^((?:-\w, )?--[a-z-]+)(?= |$)", text, re.MULTILINE))
        options = re.findall(r"^  ((?:-\w,)?--[a-z-]+)", help_text.split("\nExample")[0], re.MULTILINE)
        assert shown == {option.replace(",", ", ") for option in options}, page
        for line in re.findall(r"^  (.*sotto .*)$", help_text.partition("\nExample")[2], re.MULTILINE):
            assert line in text, f"{page} lacks the example {line}"
    assert expected == {path.name for path in pages.iterdir()} and len(expected) > 30


def test_references_lead_to_pages(pages):
    for page in pages.iterdir():
        for name in re.findall(r"^(sotto[a-z-]*)\(1\)", plain(page), re.MULTILINE):
            assert (pages / f"{name}.1").exists(), f"{page.name} refers to {name}"


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_no_warnings(pages):
    for page in sorted(pages.iterdir()):
        done = subprocess.run(["groff", "-man", "-K", "utf8", "-T", "utf8", "-ww", "-z", page], capture_output=True, text=True,
                              timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, ""), page.name


def test_the_build_has_them(pages):
    built = {path.name: path.read_text() for path in (BUILD / "share" / "man" / "man1").iterdir()}
    assert built == {path.name: path.read_text() for path in pages.iterdir()}
