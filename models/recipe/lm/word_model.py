"""Reads Sotto's word models (safetensors: words, offsets, vectors with one scale)."""
import json
import struct

import numpy as np

_TYPES = {"I8": np.int8, "U8": np.uint8, "I16": np.int16, "U64": np.uint64, "F32": np.float32, "F16": np.float16,
          "U32": np.uint32, "I64": np.int64, "I32": np.int32}


def read_safetensors(path):
    """(tensors, metadata) of a safetensors file."""
    with open(path, "rb") as file:
        data = file.read()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], dtype=_TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors, metadata


def read_word_model(path):
    """(words, unit vectors as float32)."""
    tensors, _ = read_safetensors(path)
    blob, offsets = tensors["words"].tobytes(), tensors["offsets"].tolist()
    words = [blob[b:e].decode("utf-8") for b, e in zip(offsets, offsets[1:])]
    vectors = tensors["vectors"].astype(np.float32)
    return words, vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
