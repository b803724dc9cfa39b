#!/usr/bin/env python3
"""Checks that what a header of src/F declares is in the namespace sotto::F. In sotto itself it may only define what
public headers name: classes they declare or befriend, and their members. Of other folders it may declare types ahead.
check_namespaces.py [ROOT]
"""
import pathlib
import re
import sys

from definitions import DIRECTIVE, FUNCTION, NAMESPACE, NOISE, TYPE, without_template

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parent.parent
NAMESPACE_OF = {"mechanisms": "mechanism"}  # sotto::mechanisms is a function
AHEAD = re.compile(r"(?:class|struct|enum(?:\s+class)?)\s+\w+(?:\s*:\s*[\w:]+)?$")
ALIAS = re.compile(r"(?:using|concept)\s+(\w+)\s*=")
VARIABLE = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)?(?:=.*)?$", re.DOTALL)
NOTHING_NEW = re.compile(r"using\s+namespace\b|using\s+[\w:]+$|static_assert\b|namespace\b|template\b|extern\b|[A-Z_]+\s*\(")


def code(file):
    return DIRECTIVE.sub("", NOISE.sub(" ", file.read_text()))


def declared_name(head, ends):
    """What `head`, which `ends` in a brace or a semicolon, declares; None if it only declares a type ahead, or nothing."""
    if not re.match(r"[A-Za-z_:\[]", head) or NOTHING_NEW.match(head) or ends == ";" and AHEAD.match(head):
        return None
    if found := TYPE.match(head):
        return found.group(1)
    if found := ALIAS.match(head):
        return found.group(1)
    found = FUNCTION.search(head.split("=")[0]) or VARIABLE.search(head)
    return found.group(1) if found else None


def declarations(text):
    """(namespace, name) of what a header declares at namespace scope."""
    scopes, begin = [], 0
    for mark in re.finditer(r"[{};]", text):
        head = without_template(text[begin:mark.start()].strip())
        begin = mark.end()
        namespace = NAMESPACE.search(head) if mark.group() == "{" else None
        if mark.group() == "}":
            scopes[-1:] = []
            continue
        if scopes and all(scopes) and not namespace and (name := declared_name(head, mark.group())):
            yield "::".join(scopes), name
        if mark.group() == "{":
            scopes.append(namespace.group(1) if namespace else "")


def misplaced(public_names):
    for file in sorted((ROOT / "src").glob("*/**/*.hpp")):
        folder = file.relative_to(ROOT / "src").parts[0]
        wanted = "sotto::" + NAMESPACE_OF.get(folder, folder)
        for namespace, name in declarations(code(file)):
            namespace = namespace.removesuffix("::HWY_NAMESPACE")  # one per instruction set
            of_public = namespace == "sotto" and name.split("::")[0] in public_names
            if namespace.split("::")[0] == "sotto" and namespace != wanted and not of_public:
                yield f"{file.relative_to(ROOT)} declares {name} in {namespace}; it belongs in {wanted}"


def main():
    headers = sorted((ROOT / "include/sotto").glob("*.hpp"))
    public_types = {name for header in headers for name in re.findall(r"\b(?:class|struct)\s+(?:SOTTO_API\s+)?(\w+)", code(header))}
    problems = list(misplaced(public_types))
    print("\n".join(problems) or "each folder of src/ keeps to its namespace")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
