#!/usr/bin/env python3
"""Checks that each folder of src/ includes only the folders it may use, that its sub-folders form layers, that
the front ends use only include/, that sotto.hpp includes all public headers, and that no two files define a type or an
inline function of the same name.

The graph is read from the CMake files (DEPENDS of sotto_component), the one place that states it. Between the
sub-folders of a folder, and the files directly in it, the includes themselves are the graph; it has no cycle.
check_layers.py [ROOT]
"""
import collections
import pathlib
import re
import sys

from definitions import definitions

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parent.parent
INCLUDE = re.compile(r'^#include "([a-z]+)/', re.MULTILINE)
INCLUDED_FOLDER = re.compile(r'^#include "([a-z_0-9/]+)/[a-z_0-9]+\.hpp"', re.MULTILINE)

# What they may include besides include/. The folders of server/ are layers.
FRONT_ENDS = {"cli": ["config", "http"], "server/config": ["config"], "server/playground": ["playground"],
              "server/service": ["config", "playground", "service"], "server/http": ["config", "service", "http"]}


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


def forbidden_includes(graph):
    for folder in graph:
        allowed = reachable(graph, folder)
        for file in sources(ROOT / "src" / folder):
            for used in INCLUDE.findall(file.read_text()):
                if used not in allowed:
                    yield f"{file.relative_to(ROOT)} includes {used}/, which {folder} may not use"
    for folder, allowed in FRONT_ENDS.items():
        for file in sources(ROOT / folder):
            for used in INCLUDE.findall(file.read_text()):
                if used not in allowed:
                    yield f"{file.relative_to(ROOT)} includes {used}/, but front ends use include/ only"


def sub_layers(folder):
    """Which sub-folders of `folder` include which. Plugins count as part of what loads them."""
    graph = collections.defaultdict(set)
    for file in sources(ROOT / "src" / folder):
        here = str(file.parent.relative_to(ROOT / "src"))
        used = {name for name in INCLUDED_FOLDER.findall(file.read_text()) if name.split("/")[0] == folder}
        graph[here] |= used - {here}
    return dict(graph)


def cycle(graph):
    """Folders that include each other in a circle; None if there are none."""
    finished, path = set(), []

    def visit(folder):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in finished:
            return None
        path.append(folder)
        found = next(filter(None, map(visit, sorted(graph.get(folder, ())))), None)
        path.pop()
        finished.add(folder)
        return found

    return next(filter(None, map(visit, sorted(graph))), None)


def circular_sub_folders(graph):
    for folder in graph:
        if found := cycle(sub_layers(folder)):
            yield "these folders include each other: " + " → ".join(found)


def absent_headers():
    """Public C++ headers that the one for everything does not include."""
    everything = ROOT / "include/sotto/sotto.hpp"
    included = re.findall(r"^#include <sotto/(\w+\.hpp)>", everything.read_text(), re.MULTILINE) if everything.exists() else []
    for header in sorted((ROOT / "include/sotto").glob("*.hpp")):
        if header != everything and header.name not in included:
            yield f"include/sotto/sotto.hpp does not include {header.name}"


def repeated_definitions():
    """Two definitions of one name in a program: the linker silently keeps one, and users of the other crash.

    In headers, names must differ even without their namespaces: whoever includes both means one of them.
    """
    files = collections.defaultdict(set)
    for top in ("include", "src", "cli", "tests"):
        for file in sources(ROOT / top):
            for kind, name in definitions(file.read_text()):
                if kind == "type":
                    files[kind, name].add(file)
                if file.suffix == ".hpp" and top != "tests":  # each folder of tests/ is a program of its own
                    files[kind, re.sub(r"^(?:[a-z]\w*::)+", "", name)].add(file)
    named = {tuple(sorted(where)): found for found, where in sorted(files.items(), reverse=True) if len(where) > 1}
    for where, (kind, name) in sorted(named.items()):
        yield f"the {kind} {name} is defined in " + " and ".join(str(f.relative_to(ROOT)) for f in where)


def main():
    graph = direct_dependencies()
    problems = [*forbidden_includes(graph), *circular_sub_folders(graph), *absent_headers(), *repeated_definitions()]
    layers = sum(len(sub_layers(folder)) for folder in graph)
    print("\n".join(problems) or f"{len(graph)} folders keep to the graph, their {layers} layers have no cycle, "
          "and no name is defined twice")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
