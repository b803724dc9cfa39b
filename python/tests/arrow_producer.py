"""Arrow arrays made by hand with ctypes, so that they can be wrong in every way, and count their releases."""

from __future__ import annotations

import ctypes
import struct
from collections import Counter
from typing import Any, Optional


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


SchemaRelease = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
ArrayRelease = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
StreamRelease = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
GetError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))

Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)), ("release", SchemaRelease), ("private_data", ctypes.c_void_p),
]  # fmt: skip
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)),
    ("release", ArrayRelease), ("private_data", ctypes.c_void_p),
]  # fmt: skip
Stream._fields_ = [
    ("get_schema", GetSchema), ("get_next", GetNext), ("get_last_error", GetError), ("release", StreamRelease),
    ("private_data", ctypes.c_void_p),
]  # fmt: skip

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Producer:
    """What the arrays and types of a test have in common: it keeps them and counts their releases."""

    def __init__(self) -> None:
        self.releases: Counter[str] = Counter()
        self.kept: list[Any] = []

    def schema(
        self, format: Optional[bytes], children: tuple[Schema, ...] = (), dictionary: Optional[Schema] = None
    ) -> Schema:
        made = Schema(format=format, name=b"body", flags=2, n_children=len(children))
        if children:
            made.children = self._pointers(Schema, children)
        if dictionary is not None:
            made.dictionary = ctypes.pointer(dictionary)
        made.release = SchemaRelease(self._release("schema"))
        self.kept.append(made)
        return made

    def array(
        self,
        length: int,
        buffers: tuple[Optional[bytes], ...],
        offset: int = 0,
        null_count: int = -1,
        children: tuple[Array, ...] = (),
        dictionary: Optional[Array] = None,
    ) -> Array:
        made = Array(length=length, null_count=null_count, offset=offset, n_buffers=len(buffers))
        memory = [None if content is None else ctypes.create_string_buffer(content, len(content)) for content in buffers]
        addresses = [None if content is None else ctypes.addressof(content) for content in memory]
        made.buffers = (ctypes.c_void_p * len(buffers))(*addresses)
        made.n_children = len(children)
        if children:
            made.children = self._pointers(Array, children)
        if dictionary is not None:
            made.dictionary = ctypes.pointer(dictionary)
        made.release = ArrayRelease(self._release("array"))
        self.kept += [made, memory]
        return made

    def texts(self, texts: list[str]) -> Array:
        """A sound array of type utf8."""
        contents = [text.encode() for text in texts]
        offsets = [0]
        for content in contents:
            offsets.append(offsets[-1] + len(content))
        return self.array(len(texts), (None, int32s(*offsets), b"".join(contents) or b"\0"))

    def _pointers(self, kind: Any, items: tuple[Any, ...]) -> Any:
        pointers = (ctypes.POINTER(kind) * len(items))(*map(ctypes.pointer, items))
        self.kept.append(pointers)
        return ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(kind)))

    def _release(self, what: str) -> Any:
        def release(pointer: Any) -> None:
            self.releases[what] += 1
            ctypes.memset(ctypes.addressof(pointer.contents) + type(pointer.contents).release.offset, 0, 8)

        return release


class OneArray:
    """Exports an array, as pyarrow.Array does."""

    def __init__(self, schema: Schema, array: Array) -> None:
        self.content = schema, array

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        schema, array = self.content
        return (
            _new_capsule(ctypes.addressof(schema), b"arrow_schema", None),
            _new_capsule(ctypes.addressof(array), b"arrow_array", None),
        )


class ManyArrays:
    """Exports a stream. An item that is an int is the error with which the stream fails there."""

    def __init__(self, producer: Producer, schema: Schema | int, arrays: list[Array | int], reason: bytes = b"") -> None:
        self.producer = producer
        self.schema = schema
        self.arrays = list(arrays)
        self.reason = ctypes.create_string_buffer(reason) if reason else None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        stream = Stream()
        stream.get_schema = GetSchema(self._get_schema)
        stream.get_next = GetNext(self._get_next)
        stream.get_last_error = GetError(lambda _: ctypes.addressof(self.reason) if self.reason else None)
        stream.release = StreamRelease(self.producer._release("stream"))
        self.producer.kept.append(stream)
        return _new_capsule(ctypes.addressof(stream), b"arrow_array_stream", None)

    def _get_schema(self, stream: Any, out: Any) -> int:
        if isinstance(self.schema, int):
            return self.schema
        ctypes.memmove(out, ctypes.addressof(self.schema), ctypes.sizeof(Schema))
        return 0

    def _get_next(self, stream: Any, out: Any) -> int:
        if not self.arrays:
            ctypes.memset(out, 0, ctypes.sizeof(Array))
            return 0
        item = self.arrays.pop(0)
        if isinstance(item, int):
            return item
        ctypes.memmove(out, ctypes.addressof(item), ctypes.sizeof(Array))
        return 0


def int32s(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


def int64s(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}q", *values)


def view(size: int, buffer: int = 0, begin: int = 0, inline: bytes = b"") -> bytes:
    """One element of an array of type string_view."""
    if inline:
        return struct.pack("<i12s", size, inline)
    return struct.pack("<i4sii", size, b"    ", buffer, begin)
