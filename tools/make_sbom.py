#!/usr/bin/env python3
"""Writes a software bill of materials, SPDX 2.3 as JSON, of what a build links and ships.

    tools/make_sbom.py build/release -o sotto.spdx.json

Components are found, not listed: libraries are what the built files ask the loader for, header-only
libraries what the compiler read, models what is in models/, and data sources what the models' data sheets
say. Versions and licences come from the Debian packages that own the files.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
# Headers of the toolchain; its libraries are listed because the files link to them.
TOOLCHAIN = re.compile(r"^(libc6|linux-libc|libcrypt|libstdc\+\+-\d+|libgcc-\d+|lib(32|x32)\w+-\d+)-dev$")
# Debian's short names of licences that SPDX spells differently.
SPDX_NAMES = {"expat": "MIT", "mit": "MIT", "apache-2": "Apache-2.0", "apache-2.0": "Apache-2.0", "isc": "ISC", "zlib": "Zlib",
              "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause", "boost-1": "BSL-1.0", "bsl-1.0": "BSL-1.0",
              "mpl-2.0": "MPL-2.0", "cc0": "CC0-1.0", "cc0-1.0": "CC0-1.0", "bsd-3-clauses": "BSD-3-Clause"}
# From copyright files that are not machine-readable or name a licence in their own way, by source package.
LICENCES = {"bzip2": "bzip2-1.0.6", "eigen3": "MPL-2.0", "fmtlib": "MIT", "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1", "glibc": "LGPL-2.1-or-later",
            "mpfr4": "LGPL-3.0-or-later", "sqlite3": "blessing", "yaml-cpp": "MIT"}


def output_of(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False).stdout


def without_link(path):
    """/lib is a link to /usr/lib, and packages name files by either."""
    return re.sub(r"^/(lib\w*)/", r"/usr/\1/", path)


class Debian:
    """Which package a file belongs to, and what is known about the package."""

    def __init__(self):
        self.owners = {}
        for listed in Path("/var/lib/dpkg/info").glob("*.list"):
            name = listed.stem.split(":")[0]
            for path in listed.read_text().splitlines():
                self.owners.setdefault(without_link(path), name)
        fields = output_of("dpkg-query", "-W", "-f", "${Package}\t${Version}\t${source:Package}\t${Homepage}\n")
        self.known = {line.split("\t")[0]: line.split("\t")[1:] for line in fields.splitlines()}

    def owner(self, path):
        return self.owners.get(without_link(path)) or self.owners.get(without_link(os.path.realpath(path)))

    def source(self, package):
        return self.known[package][1]

    def licence(self, package):
        """The licence of a package's files in general, as SPDX spells it; NOASSERTION if unknown."""
        if self.source(package) in LICENCES:
            return LICENCES[self.source(package)]
        try:
            text = (Path("/usr/share/doc") / package / "copyright").read_text(errors="replace")
        except OSError:
            return "NOASSERTION"
        general = re.search(r"^Files:\s*\*\s*$(.*?)(?=^\s*$)", text, re.MULTILINE | re.DOTALL)
        named = general and re.search(r"^License:\s*(.+)$", general.group(1), re.MULTILINE)
        return spdx_expression(named.group(1)) if named else "NOASSERTION"


def spdx_expression(debian):
    """'GPL-2+ or Expat' is 'GPL-2.0-or-later OR MIT'."""
    words = []
    for word in re.split(r"[\s,]+", debian.strip()):
        gnu = re.fullmatch(r"(A?GPL|LGPL)-(\d)(\.\d)?(\+?)", word)
        if word.lower() in ("or", "and"):
            words.append(word.upper())
        elif gnu:
            words.append(f"{gnu[1]}-{gnu[2]}{gnu[3] or '.0'}-{'or-later' if gnu[4] else 'only'}")
        elif word.lower() in SPDX_NAMES:
            words.append(SPDX_NAMES[word.lower()])
        else:
            return "NOASSERTION"
    return " ".join(words)


def shipped_files(build):
    """The program, the library and the plugins."""
    found = [build / "bin" / "sotto", *build.glob("lib/**/libsotto*.so*")]
    return sorted({path.resolve() for path in found if path.exists()})


def linked_libraries(path):
    """The paths of the libraries that a file itself asks for, other than Sotto's own."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "--wide", "--dynamic", path))
    places = dict(re.findall(r"^\s*(\S+) => (/\S+)", output_of("ldd", path), re.MULTILINE))
    return [places[name] for name in needed if name in places and not name.startswith("libsotto")]


def included_headers(build):
    """System headers that the compiler read for the program, the library and the plugins."""
    headers, ours = set(), False
    for line in output_of("ninja", "-C", build, "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            ours = line.startswith(("src/", "cli/"))
        elif ours and line.strip().startswith("/usr/include/"):
            headers.add(os.path.normpath(line.strip()))
    return headers


def data_sources():
    """Name, description and licence of each row of a data sheet's table that ends with a column 'licence'."""
    sources = {}
    for sheet in sorted((SOURCE / "models").glob("*.md"), reverse=True):
        wanted = False
        for line in sheet.read_text().splitlines():
            cells = [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]
            if not line.startswith("|"):
                wanted = False
            elif cells[-1] == "licence":
                wanted = True
            elif wanted and not set(line) <= set("|-") and not cells[0].startswith("sotto-"):
                sources.setdefault(re.split("[,:]", cells[0])[0], (cells[0], cells[-1], sheet.name))
    return sources


class Document:
    def __init__(self, version):
        self.version = version
        self.packages, self.files, self.relationships = [], [], []

    def package(self, name, **fields):
        identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name)
        self.packages.append({"SPDXID": identifier, "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                              "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
                              "copyrightText": "NOASSERTION", **fields})
        return identifier

    def relate(self, element, kind, other):
        self.relationships.append(
            {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": other})

    def to_json(self):
        contents = {"packages": self.packages, "files": self.files, "relationships": self.relationships}
        digest = hashlib.sha256(json.dumps(contents, sort_keys=True).encode()).hexdigest()
        moment = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.now(timezone.utc).timestamp()))
        created = datetime.fromtimestamp(moment, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
                "name": f"sotto-{self.version}",
                "documentNamespace": f"https://spdx.org/spdxdocs/sotto-{self.version}-{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
                "creationInfo": {"created": created, "creators": [f"Tool: sotto-make_sbom-{self.version}"]}, **contents}


def add_software(document, debian, build, sotto):
    """Libraries become packages that Sotto links to, header-only ones packages it contains a part of."""
    files = shipped_files(build)
    if not files:
        sys.exit(f"{build}: no program and no library of Sotto's was built there")
    linked = {}
    for path in files:
        for library in linked_libraries(path):
            linked.setdefault(debian.owner(library), set()).add(path.name)
    if None in linked:
        sys.exit(f"a library that {', '.join(sorted(linked[None]))} link to belongs to no Debian package")
    sources = {debian.source(package) for package in linked}
    owners = {debian.owner(header) for header in included_headers(build)} - {None}
    headers = {package for package in owners if not TOOLCHAIN.match(package) and debian.source(package) not in sources}
    for package in sorted(linked):
        add_debian_package(document, debian, package, sotto, "DYNAMIC_LINK", f"Linked by {', '.join(sorted(linked[package]))}.")
    for package in sorted(headers):
        add_debian_package(document, debian, package, sotto, "STATIC_LINK", "Headers only, compiled into Sotto.")


def add_debian_package(document, debian, package, sotto, kind, comment):
    version, source, homepage = debian.known[package]
    licence = debian.licence(package)
    fields = {"homepage": homepage} if homepage else {}
    identifier = document.package(
        package, versionInfo=version, supplier="Organization: Debian", primaryPackagePurpose="LIBRARY", licenseDeclared=licence,
        licenseComments=f"Debian's /usr/share/doc/{package}/copyright has the details.", comment=comment,
        externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                       "referenceLocator": f"pkg:deb/debian/{package}@{version}?distro=bookworm&upstream={source}"}], **fields)
    document.relate(sotto, kind, identifier)


def add_models(document, sotto):
    """The shipped models file by file, and what they were made from."""
    folder = SOURCE / "models"
    shipped = sorted([*folder.glob("*.safetensors"), *(path for path in folder.glob("sotto-*/*") if path.is_file())])
    hashes = {}
    for path in shipped:
        content = path.read_bytes()
        hashes[path] = hashlib.sha1(content).hexdigest()
        name = str(path.relative_to(folder))
        document.files.append({
            "SPDXID": "SPDXRef-File-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name), "fileName": f"./{name}",
            "checksums": [{"algorithm": "SHA1", "checksumValue": hashes[path]},
                          {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}],
            "licenseConcluded": "NOASSERTION", "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION"})
    code = hashlib.sha1("".join(sorted(hashes.values())).encode()).hexdigest()
    models = document.package("sotto-models", versionInfo=document.version, filesAnalyzed=True, licenseDeclared="Apache-2.0",
                              licenseInfoFromFiles=["NOASSERTION"], packageVerificationCode={"packageVerificationCodeValue": code},
                              comment="README.md and LM.md beside the models are their data sheets.")
    document.relate(sotto, "DEPENDS_ON", models)
    for file in document.files:
        document.relate(models, "CONTAINS", file["SPDXID"])
    for name, (description, licence, sheet) in sorted(data_sources().items()):
        data = document.package(f"data: {name}", description=description, primaryPackagePurpose="OTHER",
                                licenseComments=f"{licence}, as models/{sheet} says.")
        document.relate(models, "GENERATED_FROM", data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="folder of the build")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    version = ".".join(re.findall(r"define SOTTO_VERSION_[MP]\w+ (\d+)", (SOURCE / "include/sotto/version.h").read_text()))
    document = Document(version)
    sotto = document.package("sotto", versionInfo=version, licenseDeclared="Apache-2.0", primaryPackagePurpose="APPLICATION")
    document.relate("SPDXRef-DOCUMENT", "DESCRIBES", sotto)
    add_software(document, Debian(), arguments.build, sotto)
    add_models(document, sotto)
    arguments.output.write_text(json.dumps(document.to_json(), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
