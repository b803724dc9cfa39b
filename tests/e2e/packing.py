"""Compressed files, made and read without the program."""
import bz2
import ctypes
import ctypes.util
import gzip
import lzma

ZSTD = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
for function in (ZSTD.ZSTD_compress, ZSTD.ZSTD_decompress):
    function.restype = ctypes.c_size_t


def zstd(data, level=3):
    out = ctypes.create_string_buffer(2 * len(data) + 1000)
    size = ZSTD.ZSTD_compress(out, ctypes.c_size_t(len(out)), data, ctypes.c_size_t(len(data)), level)
    return out.raw[:size]


def unzstd(data):
    out = ctypes.create_string_buffer(64 << 20)
    size = ZSTD.ZSTD_decompress(out, ctypes.c_size_t(len(out)), data, ctypes.c_size_t(len(data)))
    assert size <= len(out), "not a zstd file"
    return out.raw[:size]


PACK = {"": bytes, ".gz": gzip.compress, ".zst": zstd, ".xz": lzma.compress, ".bz2": bz2.compress}
UNPACK = {"": bytes, ".gz": gzip.decompress, ".zst": unzstd, ".xz": lzma.decompress, ".bz2": bz2.decompress}
