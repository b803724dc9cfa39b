"""The Arrow C data interface against producers that are wrong, and the memory that crosses it."""

from __future__ import annotations

import gc
import os

import pyarrow
import pytest
from arrow_producer import ManyArrays, OneArray, Producer, int32s, int64s, view
from conftest import KEY, TEXTS

import sotto

P = sotto.Privatizer("diffractor-geometric", 2, key=KEY)

LONG = b"a text longer than a view"


def plain(producer, format=b"u", **array):
    given = {"length": 2, "buffers": (None, int32s(0, 1, 2), b"ab"), **array}
    return OneArray(producer.schema(format), producer.array(**given))


def part(item):
    """A child or a dictionary, which its parent releases."""
    item.release = type(item.release)()
    return item


def coded(producer, format=b"c", indices=b"\0\1", values="ab", value_format=b"u"):
    array = None if values is None else part(producer.texts(list(values)))
    return OneArray(
        producer.schema(format, dictionary=part(producer.schema(value_format))),
        producer.array(2, (None, indices), dictionary=array),
    )


def table(producer, columns=1, array_columns=None, length=2, offset=0, buffers=(None,), null_count=0):
    children = tuple(part(producer.schema(b"u")) for _ in range(columns))
    arrays = tuple(part(producer.texts(["a", "b"])) for _ in range(columns if array_columns is None else array_columns))
    return OneArray(
        producer.schema(b"+s", children=children),
        producer.array(length, buffers, offset=offset, children=arrays, null_count=null_count),
    )


def view_array(producer, element, data=LONG, sizes=None):
    return OneArray(producer.schema(b"vu"), producer.array(1, (None, element, data, sizes or int64s(len(LONG)))))


WRONG = {
    "offsets run backwards": (lambda p: plain(p, buffers=(None, int32s(0, 2, 1), b"ab")), "offsets"),
    "a negative offset": (lambda p: plain(p, buffers=(None, int32s(-5, 1, 2), b"ab")), "offsets"),
    "large offsets run backwards": (lambda p: plain(p, b"U", buffers=(None, int64s(0, 2, 1), b"ab")), "offsets"),
    "no offsets": (lambda p: plain(p, buffers=(None, None, b"ab")), "contradicts itself"),
    "no texts": (lambda p: plain(p, buffers=(None, int32s(0, 1, 2), None)), "without its buffer"),
    "too few buffers": (lambda p: plain(p, buffers=(None, int32s(0, 1, 2))), "contradicts itself"),
    "no buffers": (lambda p: plain(p, buffers=()), "contradicts itself"),
    "a negative length": (lambda p: plain(p, length=-1), "contradicts itself|negative"),
    "a negative start": (lambda p: plain(p, offset=-1), "contradicts itself"),
    "a start at the end of numbers": (lambda p: plain(p, offset=2**63 - 1), "contradicts itself"),
    "no type": (lambda p: plain(p, None), "no Arrow type"),
    "an empty type": (lambda p: plain(p, b""), "not that of texts"),
    "binary": (lambda p: plain(p, b"z"), "type 'z'"),
    "large binary": (lambda p: plain(p, b"Z", buffers=(None, int64s(0, 1, 2), b"ab")), "type 'Z'"),
    "integers": (lambda p: plain(p, b"i", buffers=(None, int32s(1, 2))), "type 'i'"),
    "lists": (lambda p: plain(p, b"+l"), r"type '\+l'"),
    "an unknown type": (lambda p: plain(p, b"\xff\xfe"), "not that of texts"),
    "an index past the dictionary": (lambda p: coded(p, indices=b"\0\2"), "outside its dictionary"),
    "an index before the dictionary": (lambda p: coded(p, indices=b"\0\xff"), "outside its dictionary"),
    "an unsigned index of many bits": (lambda p: coded(p, b"L", int64s(0, -1)), "outside its dictionary"),
    "no dictionary": (lambda p: coded(p, values=None), "without its dictionary"),
    "a dictionary with float indices": (lambda p: coded(p, b"f", int32s(0, 1)), "type 'f'"),
    "a dictionary of integers": (lambda p: coded(p, value_format=b"l"), "type 'l'"),
    "a table of two columns": (lambda p: table(p, columns=2), "2 columns"),
    "a table of no column": (lambda p: table(p, columns=0), "0 columns"),
    "a table whose column is not there": (lambda p: table(p, array_columns=0), "contradicts itself"),
    "a table longer than its column": (lambda p: table(p, length=3), "contradicts itself"),
    "a table that starts past its column": (lambda p: table(p, offset=1), "contradicts itself"),
    "a table with null rows": (lambda p: table(p, buffers=(b"\1",), null_count=1), "null as a whole"),
    "a view of negative length": (lambda p: view_array(p, view(-1)), "negative"),
    "a view of no buffer": (lambda p: view_array(p, view(25, buffer=1)), "nowhere"),
    "a view of a negative buffer": (lambda p: view_array(p, view(25, buffer=-1)), "nowhere"),
    "a view past its buffer": (lambda p: view_array(p, view(25, begin=1)), "nowhere"),
    "a view before its buffer": (lambda p: view_array(p, view(25, begin=-1)), "nowhere"),
    "a view of a missing buffer": (lambda p: view_array(p, view(25), data=None), "without its buffer"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arrays_are_refused_and_released_once(case):
    make, sentence = WRONG[case]
    producer = Producer()
    with pytest.raises(TypeError, match=f"texts .*({sentence})"):
        P.privatize(make(producer))
    assert producer.releases == {"schema": 1, "array": 1}


@pytest.mark.parametrize("make", [plain, coded, table, lambda p: view_array(p, view(25)),
                                  lambda p: view_array(p, view(2, inline=b"ab"))])  # fmt: skip
def test_sound_arrays_are_read_and_released_once(make):
    producer = Producer()
    out = pyarrow.array(P.privatize(make(producer)))
    assert len(out) in (1, 2) and out.null_count == 0
    gc.collect()
    assert producer.releases == {"schema": 1, "array": 1}


def test_null_bits_that_start_inside_a_byte():
    producer = Producer()
    offsets = int32s(*range(12))
    array = OneArray(
        producer.schema(b"u"), producer.array(3, (b"\xdf\x05", offsets, b"abcdefghijk"), offset=7, null_count=1)
    )
    assert pyarrow.array(P.privatize(array, ids=[1, 2, 3])).to_pylist() == P.privatize(["h", "i", None], ids=[1, 2, 3])


def test_ids_of_a_wrong_type():
    for format, name in ((b"g", "g"), (b"f", "f"), (b"b", "b"), (b"z", "z"), (b"tdD", "tdD")):
        producer = Producer()
        ids = plain(producer, format, buffers=(None, int64s(1, 2), b"ab"))
        with pytest.raises(TypeError, match=f"ids has the Arrow type '{name}'"):
            P.privatize(["a", "b"], ids=ids)
        assert producer.releases == {"schema": 1, "array": 1}


def test_a_capsule_can_be_consumed_once():
    producer = Producer()
    array = plain(producer)
    P.privatize(array)
    with pytest.raises(TypeError, match="texts was consumed before"):
        P.privatize(array)
    assert producer.releases == {"schema": 1, "array": 1}


def test_what_is_no_capsule():
    class Exporter:
        def __init__(self, exported):
            self.exported = exported

        def __arrow_c_array__(self, requested_schema=None):
            if isinstance(self.exported, Exception):
                raise self.exported
            return self.exported

    stream = pyarrow.chunked_array([["a"]]).__arrow_c_stream__()
    for exported in (None, (), (1, 2), (stream, stream), pyarrow.array(["a"]).__arrow_c_array__()[::-1]):
        with pytest.raises((TypeError, ValueError, IndexError)):
            P.privatize(Exporter(exported))
    with pytest.raises(ZeroDivisionError):
        P.privatize(Exporter(ZeroDivisionError()))


def test_streams_that_fail():
    cases = [
        ([5], b"the disk is full", "cannot be read: the disk is full", 0),
        (["a", 5], b"", "cannot be read: unknown reason", 1),
        (["a", "b", -1], b"gone", "cannot be read: gone", 2),
    ]
    for items, reason, sentence, arrays in cases:
        producer = Producer()
        chunks = [item if isinstance(item, int) else producer.texts([item]) for item in items]
        with pytest.raises(TypeError, match=f"texts {sentence}"):
            P.privatize(ManyArrays(producer, producer.schema(b"u"), chunks, reason))
        assert producer.releases == {"schema": 1, "stream": 1, **({"array": arrays} if arrays else {})}
    producer = Producer()
    with pytest.raises(TypeError, match="texts cannot be read: no type"):
        P.privatize(ManyArrays(producer, 22, [], b"no type"))
    assert producer.releases == {"stream": 1}


def test_streams_are_read_to_the_end_and_released_once():
    producer = Producer()
    chunks = [producer.texts(TEXTS[:2]), producer.texts([]), producer.texts(TEXTS[2:])]
    out = P.privatize(ManyArrays(producer, producer.schema(b"u"), chunks), ids=range(len(TEXTS)))
    assert pyarrow.chunked_array(out).to_pylist() == P.privatize(TEXTS, ids=range(len(TEXTS)))
    assert producer.releases == {"schema": 1, "stream": 1, "array": 3}


def test_texts_that_are_not_utf8():
    array = pyarrow.Array.from_buffers(
        pyarrow.string(), 1, [None, pyarrow.py_buffer(int32s(0, 2)), pyarrow.py_buffer(b"\xff\xfe")]
    )
    with pytest.raises(ValueError, match="texts: .* not UTF-8"):
        P.privatize(array)


def test_results_outlive_everything():
    p = sotto.Privatizer("diffractor-geometric", 2, key=KEY)
    texts = pyarrow.array(TEXTS)
    out = p.privatize(texts, ids=range(len(TEXTS)))
    raw = p.privatize(pyarrow.table({"body": texts}), ids=range(len(TEXTS)))
    del p, texts
    gc.collect()
    [bytearray(1 << 20) for _ in range(20)]
    stream = raw.__arrow_c_stream__()
    del raw
    gc.collect()
    assert out.to_pylist() == P.privatize(TEXTS, ids=range(len(TEXTS)))

    class Held:
        def __arrow_c_stream__(self, requested_schema=None):
            return stream

    assert pyarrow.chunked_array(Held()).to_pylist() == out.to_pylist()


@pytest.mark.parametrize("type_", [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()], ids=str)
def test_results_are_not_copied(type_):
    out = P.privatize(pyarrow.table({"body": pyarrow.array(TEXTS * 100, type_)}))
    first, second = pyarrow.chunked_array(out).chunk(0), pyarrow.array(out)
    assert [b and b.address for b in first.buffers()] == [b and b.address for b in second.buffers()]
    assert first.buffers()[1] is not None


def test_texts_that_end_where_memory_does(run_python):
    """No byte after a text is read: the next page may not be there."""
    done = run_python(
        """
        import ctypes, mmap, pyarrow, sotto, struct
        page = mmap.PAGESIZE
        memory = mmap.mmap(-1, 2 * page)
        begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(begin + page), page, 0) == 0
        p = sotto.Privatizer("diffractor-geometric", 2, key=bytes(32))
        for text in (b"soup", b"a", b"The soup was cold.", b"an unusually long supercalifragilistic", "naïve".encode()):
            memory[page - len(text) : page] = text
            data = pyarrow.foreign_buffer(begin + page - len(text), len(text), memory)
            offsets = pyarrow.py_buffer(struct.pack("<2i", 0, len(text)))
            array = pyarrow.Array.from_buffers(pyarrow.string(), 1, [None, offsets, data])
            assert p.privatize(array, ids=[1]).to_pylist() == p.privatize([text.decode()], ids=[1])
        """,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_small_batches_leave_no_memory_behind():
    arrow, texts = pyarrow.array(TEXTS), list(TEXTS)
    ids = [f"id {row}" for row in range(len(TEXTS))]

    def rounds(count):
        for _ in range(count):
            P.privatize(arrow, ids=ids)
            P.privatize(texts, ids=pyarrow.array(ids))
            with pytest.raises(TypeError):
                P.privatize([*texts, 5])
        gc.collect()

    rounds(300)
    before = resident()
    rounds(2000)
    assert resident() - before < 4 << 20


@pytest.mark.long
def test_ten_million_short_texts_leave_no_memory_behind():
    p = sotto.Privatizer("diffractor-geometric", 2)
    texts = [f"A short text of few words, number {row % 100}." for row in range(100_000)]
    p.privatize(texts)
    p.privatize(pyarrow.array(texts))
    before = resident()
    for _ in range(49):
        p.privatize(texts)
        p.privatize(pyarrow.array(texts))
    for text in texts:
        p.privatize(text)
    assert resident() - before < 64 << 20
    assert p.statistics["words"]["in"] >= 10_000_000 * 7
