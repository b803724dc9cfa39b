"""The C interface as seen by another language: Python's ctypes, which knows only the library file."""

import ctypes
import json
import threading

import pytest
from conftest import BUILD, SANITIZERS, SOURCE

pytestmark = pytest.mark.skipif(bool(SANITIZERS), reason="Python was not built with the sanitizer")


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Document(ctypes.Structure):
    _fields_ = [("text", Text), ("dataset", Text), ("id", Text), ("field", Text)]


def text(value):
    """A text that keeps its bytes alive."""
    data = value if isinstance(value, bytes) else value.encode()
    made = Text(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))
    made.keep = data
    return made


def document(value, name="1"):
    parts = [text(value), text("set"), text(name), text("")]
    made = Document(*parts)
    made.keep = parts
    return made


class Failed(Exception):
    def __init__(self, status, error):
        super().__init__(error["message"])
        self.status, self.error = status, error


class Library:
    def __init__(self):
        self.c = ctypes.CDLL(str(next(BUILD.glob("lib*/libsotto.so"))))
        self.c.sotto_version.restype = ctypes.c_char_p
        self.c.sotto_last_error.restype = ctypes.c_char_p
        self.c.sotto_free.argtypes = [ctypes.c_void_p]
        self.c.sotto_explain_json.argtypes = [Text, ctypes.c_char_p, ctypes.POINTER(Text)]

    def check(self, status):
        if status != 0:
            raise Failed(status, json.loads(self.c.sotto_last_error()))

    def take(self, output):
        value = ctypes.string_at(output.data, output.size).decode()
        self.c.sotto_free(output.data)
        return value

    def open(self, **options):
        handle = ctypes.c_void_p()
        self.check(self.c.sotto_open(json.dumps(options).encode(), ctypes.byref(handle)))
        return handle

    def privatize(self, handle, given):
        output = Text()
        self.check(self.c.sotto_privatize(handle, ctypes.byref(given), ctypes.byref(output)))
        return self.take(output)

    def batch(self, handle, given, threads=2):
        outputs = (Text * len(given))()
        self.check(self.c.sotto_privatize_batch(handle, (Document * len(given))(*given), ctypes.c_size_t(len(given)), threads, outputs))
        return [self.take(output) for output in outputs]

    def json_of(self, function, *arguments):
        output = Text()
        self.check(function(*arguments, ctypes.byref(output)))
        return json.loads(self.take(output))


@pytest.fixture(scope="module")
def library():
    return Library()


@pytest.fixture
def options(program):
    return {"model": str(program.model), "epsilon": 1, "key_file": str(program.write("key", "k" * 32))}


def test_a_batch_equals_single_calls_and_the_program(library, program, options):
    lines = ["The soup was cold.", "My waiter came late, 12 minutes!", "", "soup " * 200]
    handle = library.open(**options)
    given = [document(line, str(i)) for i, line in enumerate(lines)]
    outputs = library.batch(handle, given)
    assert outputs == [library.privatize(handle, one) for one in given]
    records = "".join(json.dumps({"id": str(i), "": line}) + "\n" for i, line in enumerate(lines))
    program.write("in.jsonl", records)
    program.ok("privatize", "in.jsonl", "--field", "", "--id-field", "id", "--dataset", "set", "-e", "1", "--model", program.model,
               "--key-file", "key", "-o", "out.jsonl")
    written = [json.loads(line)[""] for line in (program.folder / "out.jsonl").read_text().splitlines()]
    assert written == outputs
    receipt = library.json_of(library.c.sotto_receipt_json, handle)
    assert receipt["counts"]["documents"] == 2 * len(lines) and receipt["mechanism"]["epsilon"] == 1
    library.c.sotto_close(handle)


def test_explanations_mechanisms_and_the_version(library, program):
    asked = json.dumps({"model": str(program.model), "epsilon": 1, "top": 3}).encode()
    explained = library.json_of(library.c.sotto_explain_json, text("soup"), asked)
    assert explained["word"] == "soup" and len(explained["top"]) == 3
    names = {mechanism["name"] for mechanism in library.json_of(library.c.sotto_mechanisms_json)}
    assert {"diffractor-geometric", "dp-mlm"} <= names
    assert library.c.sotto_version().decode() in program.ok("--version").text


@pytest.mark.parametrize("change, status, parameter", [
    ({"epsilon": -1}, 1, "epsilon"),
    ({"epsilon": "1"}, 1, "epsilon"),
    ({"colour": "red"}, 1, "colour"),
    ({"parameters": {"lists": []}}, 1, "parameters.lists"),
    ({"policy": "lax"}, 1, "policy"),
    ({"mechanism": "magic"}, None, "mechanism"),
])
def test_errors_name_the_parameter(library, options, change, status, parameter):
    with pytest.raises(Failed) as caught:
        library.open(**{**options, **change})
    assert caught.value.error["parameter"] == parameter
    assert "--" not in caught.value.error["message"] and status in (None, caught.value.status)


def test_a_file_that_is_not_there_is_named(library, options):
    with pytest.raises(Failed, match="/nowhere/key"):
        library.open(**{**options, "key_file": "/nowhere/key"})


def test_every_option_of_the_schema_is_known(library):
    schema = json.loads((SOURCE / "docs" / "schemas" / "privatize_options.schema.json").read_text())
    for name in schema["properties"]:
        with pytest.raises(Failed, match="must be") as caught:
            library.open(**{name: None})
        assert caught.value.error["parameter"] == name


@pytest.mark.parametrize("broken", ["", "[]", "{", "nul\x00", "[" * 100_000])
def test_options_that_are_no_object(library, broken):
    handle = ctypes.c_void_p()
    assert library.c.sotto_open(broken.encode(), ctypes.byref(handle)) == 4 and not handle
    assert "JSON object" in json.loads(library.c.sotto_last_error())["message"]


def test_a_failed_batch_hands_over_nothing(library, options):
    handle = library.open(**options)
    given = [document("soup"), document(b"so\0up", "2")]
    outputs = (Text * 2)()
    assert library.c.sotto_privatize_batch(handle, (Document * 2)(*given), ctypes.c_size_t(2), 1, outputs) == 4
    assert not outputs[0].data and not outputs[1].data
    assert "document 2" in json.loads(library.c.sotto_last_error())["message"]
    library.c.sotto_close(handle)
    library.c.sotto_close(None)
    library.c.sotto_free(None)


def test_threads_share_a_privatizer_and_have_their_own_errors(library, options):
    handle = library.open(**options)
    expected = library.privatize(handle, document("cold soup"))
    wrong = []

    def work(good):
        for _ in range(50):
            if good:
                wrong.extend([] if library.privatize(handle, document("cold soup")) == expected else ["output"])
            else:
                try:
                    library.open(epsilon=-1)
                except Failed as failure:
                    wrong.extend([] if failure.error["parameter"] == "epsilon" else ["error"])

    threads = [threading.Thread(target=work, args=(i % 2 == 0,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    library.c.sotto_close(handle)
