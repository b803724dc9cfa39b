"""What a C++ source file defines at namespace scope, found by its braces; enough for clang-formatted code."""
import re

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\b\s*([\w:]*)$")
TYPE = re.compile(r"(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\s*\([^)]*\)\s*|\[\[[^\]]*\]\]\s*|SOTTO_API\s+)*"
                  r"([\w:]+(?:\s*<.*>)?)\s*(?:final\s*)?(?::(?!:).*)?$", re.DOTALL)
FUNCTION = re.compile(r"([\w:]+|operator\s*\S+)\s*\(")


def without_template(head):
    """`template <...> rest` without its parameters, however deep their angle brackets nest."""
    while re.match(r"template\s*<", head):
        depth, at = 0, head.index("<")
        for at in range(at, len(head)):
            depth += {"<": 1, ">": -1}.get(head[at], 0)
            if depth == 0:
                break
        head = head[at + 1:].strip()
    return head


def definitions(text):
    """(kind, qualified name) of each type and function with a body outside unnamed namespaces; kind: type, function."""
    text = DIRECTIVE.sub("", NOISE.sub(" ", text))
    scopes, begin = [], 0
    for brace in re.finditer(r"[{};]", text):
        head = without_template(text[begin:brace.start()].strip())
        begin = brace.end()
        if brace.group() == "}" and scopes:
            scopes.pop()
        if brace.group() != "{":
            continue
        namespace = NAMESPACE.search(head)
        if all(scopes) and not namespace:
            prefix = "::".join(scopes)
            if found := TYPE.match(head):
                yield "type", f"{prefix}::{re.sub(chr(32), '', found.group(1))}"
            elif found := FUNCTION.search(head):
                yield "function", f"{prefix}::{found.group(1)}"
        # A scope without a name hides its content: an unnamed namespace, the body of a type or of a function.
        scopes.append(namespace.group(1) if namespace else "")
