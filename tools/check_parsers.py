#!/usr/bin/env python3
"""Checks that text is parsed into trees only where depth is limited: base/json.hpp, base/yaml.cpp, config/yaml_file.cpp."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNLIMITED = re.compile(r"[Jj]son::(?:parse|sax_parse|from_\w+)\(|YAML::(?:Load\w*|Parser)\b|dom::parser\b|ondemand::parser\b")
ALLOWED = {
    "src/base/json.hpp": "the limit for nlohmann's trees",
    "src/base/yaml.cpp": "the limit for YAML",
    "src/pipeline/records/json_record.cpp": "walks with a limit of its own, the same one",
    "src/collocation/corpus_reader.cpp": "simdjson's tree is flat and refuses more than 1,024 levels",
    "server/config/yaml_file.cpp": "the limit for the server's YAML",
    "server/service/json_reader.cpp": "simdjson's tree with a limit of its own",
    "cli/audit_exact.cpp": "reads what to_json() has just written",
}


def main():
    problems = []
    for folder in ("src", "cli", "server"):
        for file in sorted((ROOT / folder).rglob("*.[ch]pp")):
            name = str(file.relative_to(ROOT))
            if name not in ALLOWED and UNLIMITED.search(file.read_text()):
                problems.append(f"{name} parses JSON or YAML by itself; use base/json.hpp or base/yaml.hpp")
    print("\n".join(problems) or "JSON and YAML are parsed within limits")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
