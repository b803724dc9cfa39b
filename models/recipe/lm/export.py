"""Storing models: safetensors with 8-bit matrices.

A matrix [rows, columns] is stored as I8 under its own name, with F32 scales [rows] under NAME.scale, one a row:
value[r, c] = stored[r, c] * scale[r]. Everything of one dimension is stored as F32, as it is.
"""
import json
import struct

import numpy as np

_NAMES = {np.dtype(np.int8): "I8", np.dtype(np.float32): "F32", np.dtype(np.float16): "F16", np.dtype(np.int64): "I64",
          np.dtype(np.int32): "I32"}


def quantize(matrix):
    scale = np.abs(matrix).max(1).astype(np.float32) / 127
    scale[scale == 0] = 1
    return np.rint(matrix / scale[:, None]).clip(-127, 127).astype(np.int8), scale


def save_safetensors(path, tensors, metadata):
    header, data, offset = {"__metadata__": metadata}, [], 0
    # Largest elements first keeps every tensor aligned to its element size.
    for name, array in sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
        array = np.ascontiguousarray(array)
        header[name] = {"dtype": _NAMES[array.dtype], "shape": list(array.shape),
                        "data_offsets": [offset, offset + array.nbytes]}
        data.append(array.tobytes())
        offset += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def save_int8(path, state, metadata, keep=()):
    """Saves a state dict of numpy or torch tensors; `keep`: names stored as F32 in any case."""
    tensors = {}
    for name, value in state.items():
        if hasattr(value, "cpu") and not value.is_floating_point():
            tensors[name] = value.cpu().numpy().astype(np.int32)
            continue
        array = np.asarray(value.float().cpu().numpy() if hasattr(value, "cpu") else value, dtype=np.float32)
        if array.ndim == 2 and name not in keep:
            tensors[name], tensors[name + ".scale"] = quantize(array)
        else:
            tensors[name] = array
    save_safetensors(path, tensors, {"format": "pt", "quantization": "int8, a scale a row", **metadata})


def dequantize(tensors):
    """The float32 state of a file saved by save_int8."""
    return {name: array.astype(np.float32) * tensors[name + ".scale"][:, None] if array.dtype == np.int8 else array
            for name, array in tensors.items() if not name.endswith(".scale")}
