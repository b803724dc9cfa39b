#!/usr/bin/env python3
"""Checks that each folder of src/ includes only the folders it may use, and that the front ends use include/ only.

The graph is read from the CMake files (DEPENDS of sotto_component), so there is one place that states it.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^#include "([a-z]+)/', re.MULTILINE)


def direct_dependencies():
    graph = {}
    for file in (ROOT / "src").glob("*/CMakeLists.txt"):
        call = re.search(r"sotto_component\((\w+)(.*?)\)", file.read_text(), re.DOTALL)
        depends = re.search(r"DEPENDS((?:\s+[a-z]+)+)", call.group(2))
        graph[call.group(1)] = depends.group(1).split() if depends else []
    return graph


def reachable(graph, folder):
    seen = {folder}
    todo = list(graph[folder])
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += graph[name]
    return seen


def sources(folder):
    return [f for f in sorted(folder.rglob("*")) if f.suffix in (".cpp", ".hpp")]


def main():
    graph = direct_dependencies()
    problems = []
    for folder in graph:
        allowed = reachable(graph, folder)
        for file in sources(ROOT / "src" / folder):
            for used in INCLUDE.findall(file.read_text()):
                if used not in allowed:
                    problems.append(f"{file.relative_to(ROOT)} includes {used}/, which {folder} may not use")
    for file in sources(ROOT / "cli"):
        for used in INCLUDE.findall(file.read_text()):
            problems.append(f"{file.relative_to(ROOT)} includes {used}/, but front ends use include/ only")
    print("\n".join(problems) or f"{len(graph)} folders keep to the graph")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
