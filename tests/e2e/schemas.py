"""The schemas of docs/schemas/, as validators."""

import json

import jsonschema
from conftest import SOURCE

FOLDER = SOURCE / "docs" / "schemas"


def schema(name):
    """A validator for NAME.schema.json. A schema may refer to others in the folder."""
    known = {path.as_uri(): json.loads(path.read_text()) for path in FOLDER.glob("*.schema.json")}
    address = (FOLDER / f"{name}.schema.json").as_uri()
    jsonschema.Draft202012Validator.check_schema(known[address])
    resolver = jsonschema.RefResolver(address, known[address], store=known)
    return jsonschema.Draft202012Validator(known[address], resolver=resolver)
