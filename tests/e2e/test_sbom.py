"""The bill of materials: well-formed, and true to what was built."""

import hashlib
import json
import re
import shutil
import subprocess
import sys

import pytest
from conftest import BUILD, SOURCE

pytestmark = pytest.mark.skipif(not shutil.which("dpkg-query") or not shutil.which("ninja"),
                                reason="versions and licences come from Debian's packages")

TEXT = {"type": "string", "minLength": 1}
IDENTIFIER = {"type": "string", "pattern": r"^SPDXRef-[A-Za-z0-9.-]+$"}
CHECKSUM = {"type": "object", "required": ["algorithm", "checksumValue"],
            "properties": {"algorithm": {"enum": ["SHA1", "SHA256"]}, "checksumValue": {"pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$"}}}
# What SPDX 2.3 requires of the parts used here.
SPDX = {
    "type": "object",
    "required": ["spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo", "packages", "relationships"],
    "properties": {
        "spdxVersion": {"const": "SPDX-2.3"}, "dataLicense": {"const": "CC0-1.0"}, "SPDXID": {"const": "SPDXRef-DOCUMENT"},
        "name": TEXT, "documentNamespace": {"type": "string", "pattern": "^https://[^#]+$"},
        "creationInfo": {
            "type": "object", "required": ["created", "creators"],
            "properties": {"created": {"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
                           "creators": {"type": "array", "minItems": 1, "items": {"pattern": "^(Tool|Person|Organization): "}}}},
        "packages": {"type": "array", "items": {
            "type": "object", "required": ["SPDXID", "name", "downloadLocation"],
            "properties": {"SPDXID": IDENTIFIER, "name": TEXT, "versionInfo": TEXT, "downloadLocation": TEXT, "licenseDeclared": TEXT,
                           "supplier": {"pattern": "^(Person|Organization): "}}}},
        "files": {"type": "array", "items": {
            "type": "object", "required": ["SPDXID", "fileName", "checksums"],
            "properties": {"SPDXID": IDENTIFIER, "fileName": {"pattern": r"^\./"}, "checksums": {"type": "array", "minItems": 1, "items": CHECKSUM}}}},
        "relationships": {"type": "array", "items": {
            "type": "object", "required": ["spdxElementId", "relationshipType", "relatedSpdxElement"],
            "properties": {"relationshipType": {"enum": ["DESCRIBES", "DYNAMIC_LINK", "STATIC_LINK", "DEPENDS_ON", "CONTAINS", "GENERATED_FROM"]}}}},
    },
}


def make(path, **environment):
    subprocess.run([sys.executable, SOURCE / "tools" / "make_sbom.py", BUILD, "-o", path], check=True, timeout=300,
                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environment})
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def sbom(tmp_path_factory):
    return make(tmp_path_factory.mktemp("sbom") / "sotto.spdx.json", SOURCE_DATE_EPOCH="1000000000")


def test_form(sbom, tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(sbom, SPDX)
    names = [element["SPDXID"] for element in sbom["packages"] + sbom["files"]]
    assert len(names) == len(set(names))
    for relationship in sbom["relationships"]:
        assert {relationship["spdxElementId"], relationship["relatedSpdxElement"]} <= {*names, "SPDXRef-DOCUMENT"}
    assert make(tmp_path / "again.json", SOURCE_DATE_EPOCH="1000000000") == sbom


def test_by_the_reference_validator(sbom, tmp_path):
    """If it is installed: pip install spdx-tools."""
    pytest.importorskip("spdx_tools")
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    path = tmp_path / "sotto.spdx.json"
    path.write_text(json.dumps(sbom))
    assert not [message.validation_message for message in validate_full_spdx_document(parse_file(str(path)))]


def test_libraries(sbom):
    packages = {package["name"]: package for package in sbom["packages"]}
    libraries = [path for path in BUILD.glob("lib/**/libsotto.so*") if not path.is_symlink()]
    dynamic = subprocess.run(["readelf", "--wide", "--dynamic", *libraries], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    assert len(needed) > 10
    linked = {packages_name for packages_name, package in packages.items() if "Linked by" in package.get("comment", "")}
    for name in ("libsodium23", "libfmt9", "libsqlite3-0", "libmpfr6", "libc6"):
        assert name in linked
        installed = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True, check=True).stdout
        assert packages[name]["versionInfo"] in installed  # once per architecture
    for name in ("nlohmann-json3-dev", "libexpected-dev", "libeigen3-dev"):
        assert packages[name]["comment"].startswith("Headers only")
    for name in linked - {"liblzma5"}:  # whose licence is a mixture without a name
        assert packages[name]["licenseDeclared"] != "NOASSERTION", name


def test_models(sbom):
    files = {file["fileName"]: {c["algorithm"]: c["checksumValue"] for c in file["checksums"]} for file in sbom["files"]}
    models = SOURCE / "models"
    shipped = [*models.glob("*.safetensors"), *(path for path in models.glob("sotto-*/*") if path.is_file())]
    assert set(files) == {f"./{path.relative_to(models)}" for path in shipped}
    for path in models.glob("*.safetensors"):
        assert files[f"./{path.name}"]["SHA256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    sources = {package["name"]: package["licenseComments"] for package in sbom["packages"] if package["name"].startswith("data: ")}
    for name, licence in {"Wikipedia": "CC BY-SA", "WordNet 3.0": "WordNet licence", "GloVe": "PDDL"}.items():
        assert sources[f"data: {name}"].startswith(licence)
