#!/usr/bin/env python3
"""Checks that the library names parameters and never an option or a command of the program: no string
literal in src/ or include/ contains --option or 'sotto command', or begins with -o. The program spells them
(cli/error_line.cpp).

check_spelling.py [ROOT]
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parent.parent
TOKEN = re.compile(
    r'(?P<gap>\s+|//[^\n]*|/\*.*?\*/)|R"(?P<tag>[^()\\\s]*)\((?P<raw>.*?)\)(?P=tag)"|"(?P<text>(?:\\.|[^"\\\n])*)"'
    r"|(?<!\w)'(?:\\.|[^'\\\n])+'|.", re.DOTALL)
# --{ builds an option from an argument: fmt::format("--{}", name).
OF_THE_PROGRAM = re.compile(r"--[a-z{]|\bsotto [a-z]+|^-[a-z]: ")


def literals(text):
    """(line, content) of each string literal; adjacent literals, which the compiler concatenates, are one."""
    joined = None
    for token in TOKEN.finditer(text):
        content = token["raw"] if token["raw"] is not None else token["text"]
        if token["tag"] == "css":  # its custom properties look like options
            content = ""
        if content is not None:
            line = joined[0] if joined else text.count("\n", 0, token.start()) + 1
            joined = (line, (joined[1] if joined else "") + content)
        elif token["gap"] is None and joined:
            yield joined
            joined = None
    if joined:
        yield joined


def main():
    problems = []
    for folder in ("include", "src"):
        for file in sorted((ROOT / folder).rglob("*.[ch]pp")):
            for line, content in literals(file.read_text()):
                if found := OF_THE_PROGRAM.search(content):
                    problems.append(f"{file.relative_to(ROOT)}:{line}: the literal with '{found.group()}' spells what only "
                                    "the program knows; name a parameter or give a Hint (sotto/result.hpp)")
    print("\n".join(problems) or "the library names parameters and no options")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
