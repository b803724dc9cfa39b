"""The schemas of docs/schemas/, as validators."""

import json

import jsonschema
from conftest import SOURCE

FOLDER = SOURCE / "docs" / "schemas"


def schema(name):
    """Validates what NAME.schema.json describes. A schema may refer to others beside it."""
    known = {path.as_uri(): json.loads(path.read_text()) for path in FOLDER.glob("*.schema.json")}
    address = (FOLDER / f"{name}.schema.json").as_uri()
    jsonschema.Draft202012Validator.check_schema(known[address])
    resolver = jsonschema.RefResolver(address, known[address], store=known)
    return jsonschema.Draft202012Validator(known[address], resolver=resolver)
