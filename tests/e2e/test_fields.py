"""CSV and JSON as people have them: delimiters, headers, quotes, JSON Pointers, arrays, and fields that are missing.

With so little noise that words stay, the output of "soup" is "Soup": the text of a document begins with a capital, and
whatever has none was copied."""

import json
import signal

import pytest
from conftest import SOURCE, refused, size_of, stopped_midway

USAGE, FAILED = 2, 1
MARK = b"\xef\xbb\xbf"
DROPPED = "left out"


def line(program, *arguments):
    return ["privatize", "--model", program.model, "--epsilon", "1e6", *arguments]


def write(program, name, content):
    return program.write(name, content if isinstance(content, bytes) else content.encode())


# (name, content, options, output, part of standard error or None)
OPENED = [
    # delimiters
    ("a.csv", "id,text\n1,soup\n", "--field text", "id,text\n1,Soup\n", None),
    ("a.csv", "id;text\n1;soup\n", "--field text", "id;text\n1;Soup\n", "note: the columns are separated by ';'"),
    ("a.csv", "id\ttext\n1\tsoup\n", "--field text", "id\ttext\n1\tSoup\n", "note: the columns are separated by tabs"),
    ("a.csv", "id|text\n1|soup\n", "--field text", "id|text\n1|Soup\n", "note: the columns are separated by '|'"),
    ("a.csv", 'id;text\n1;"soup; cold"\n', "--field text", 'id;text\n1;"Soup; cold"\n', "separated by ';'"),
    ("a.csv", '"id";"text"\n"1";"soup"\n', "--field text", '"id";"text"\n"1";"Soup"\n', "separated by ';'"),
    ("a.csv", '"a,b";"text"\n"1,2";"soup"\n', "--field text", '"a,b";"text"\n"1,2";"Soup"\n', "separated by ';'"),
    ("a.csv", '"x\ny";text\n1;soup\n', "--field text", '"x\ny";text\n1;Soup\n', "separated by ';'"),
    ("a.csv", "text;x,id\nsoup,2\n", "--field text;x", "text;x,id\nSoup,2\n", None),
    ("a.csv", "text\nsoup; cold\n", "--field text", "text\nSoup; cold\n", None),
    ("a.csv", "id:text\n1:soup\n", "--field text --delimiter :", "id:text\n1:Soup\n", None),
    ("a.csv", "id;text\n1;soup, cold\n", "--field text --delimiter ;", "id;text\n1;Soup, cold\n", None),
    ("a.csv", "id\ttext\n1\tsoup\n", "--field text --delimiter tab", "id\ttext\n1\tSoup\n", None),
    ("a.csv", "id\ttext\n1\tsoup\n", "--field text --delimiter \\t", "id\ttext\n1\tSoup\n", None),
    ("a.tsv", "id\ttext\n1\tsoup\n", "--field text --delimiter tab", "id\ttext\n1\tSoup\n", None),
    ("a.csv", 'id\ttext\n1\t"soup\tcold"\n', "--field text --delimiter tab", 'id\ttext\n1\t"Soup\tcold"\n', None),
    ("A.CSV", "id,text\n1,soup\n", "--field text", "id,text\n1,Soup\n", None),
    # headers, the byte order mark, line ends
    ("a.csv", MARK + b"id,text\n1,soup\n", "--field text", MARK + b"id,text\n1,Soup\n", None),
    ("a.csv", MARK + b'"id";"text"\r\n1;soup\r\n', "--field text", MARK + b'"id";"text"\r\n1;Soup\r\n', "';'"),
    ("a.csv", MARK + b"1,soup\n", "--no-header --field 2", MARK + b"1,Soup\n", None),
    ("a.jsonl", MARK + b'{"t":"soup"}\n', "--field t", MARK + b'{"t":"Soup"}\n', None),
    ("a.json", MARK + b'[{"t":"soup"}]', "--field t", MARK + b'[{"t":"Soup"}]', None),
    ("a.txt", MARK + b"soup\n", "", MARK + b"Soup\n", None),
    ("a.csv", "id,text\n", "--field text", "id,text\n", None),
    ("a.csv", "id,text", "--field text", "id,text", None),
    ("a.csv", "id;text\n", "--field text", "id;text\n", "separated by ';'"),
    ("a.csv", "1,soup\n2,cold\n", "--no-header --field 2", "1,Soup\n2,Cold\n", None),
    ("a.csv", "\n1,soup\n", "--no-header --field 2", "\n1,Soup\n", None),
    ("a.csv", '1;"soup"\n2;"cold"\n', "--no-header --field 2", '1;"Soup"\n2;"Cold"\n', "separated by ';'"),
    ("a.csv", "1;soup, cold\n2;cold\n", "--no-header --field 2", "1;Soup, cold\n2;Cold\n", "separated by ';'"),
    ("a.csv", "soup cold\nwaiter\n", "--no-header --field 1", "Soup cold\nWaiter\n", None),
    ("a.tsv", "1\tsoup\n", "--no-header --field 2", "1\tSoup\n", None),
    ("a.csv", "", "--no-header --field 2", "", None),
    # quotes come out as they went in
    ("a.csv", 'id,text\n1,"soup"\n2,cold\n3,""\n4,\n', "--field text", 'id,text\n1,"Soup"\n2,Cold\n3,""\n4,\n', None),
    ("a.csv", 'n,text\n5" pipe,soup\n', "--field text", 'n,text\n5" pipe,Soup\n', None),
    ("a.csv", 'text,n\n"soup ""cold""",1\n', "--field text", 'text,n\n"Soup ""cold""",1\n', None),
    # fields that are missing
    ("a.csv", "id,text\n1\n2,soup\n", "--field text --missing skip", "id,text\n2,Soup\n", "1 record left out"),
    ("a.csv", "id,text\n1\n2,soup\n", "--field text --missing empty", "id,text\n1\n2,Soup\n", None),
    ("a.tsv", "id\ttext\n1\n2\tsoup\n", "--field text --missing skip", "id\ttext\n2\tSoup\n", DROPPED),
    ("a.tsv", "id\ttext\n1\n2\tsoup\n", "--field text --missing empty", "id\ttext\n1\n2\tSoup\n", None),
    ("a.jsonl", '{"a":1}\n{"t":"soup"}\n', "--field t --missing skip", '{"t":"Soup"}\n', DROPPED),
    ("a.jsonl", '{"a":1}\n{"t":"soup"}\n', "--field t --missing empty", '{"a":1}\n{"t":"Soup"}\n', None),
    ("a.json", '[{"a":1}, {"t":"soup"}]', "--field t --missing skip", '[ {"t":"Soup"}]', DROPPED),
    ("a.json", '[{"t":"soup"}, {"a":1}, {"t":"cold"}]', "--field t --missing skip", '[{"t":"Soup"}, {"t":"Cold"}]', DROPPED),
    ("a.json", '[{"t":"soup"}, {"a":1}]', "--field t --missing skip", '[{"t":"Soup"}]', DROPPED),
    ("a.json", '[{"a":1}, {"t":"soup"}]', "--field t --missing empty", '[{"a":1}, {"t":"Soup"}]', None),
    ("a.jsonl", '{"m":[{"b":"soup"},{"a":1}]}\n', "--field /m/*/b --missing empty", '{"m":[{"b":"Soup"},{"a":1}]}\n', None),
    # JSON Pointers
    ("a.jsonl", '{"user":{"bio":"soup","n":1.50}}\n', "--field /user/bio", '{"user":{"bio":"Soup","n":1.50}}\n', None),
    ("a.jsonl", '{"t":"soup"}\n', "--field /t", '{"t":"Soup"}\n', None),
    ("a.jsonl", '{"a/b":"soup","a~b":"soup"}\n', "--field /a~1b", '{"a/b":"Soup","a~b":"soup"}\n', None),
    ("a.jsonl", '{"a/b":"soup","a~b":"soup"}\n', "--field /a~0b", '{"a/b":"soup","a~b":"Soup"}\n', None),
    ("a.jsonl", '{"a/b":"soup"}\n', "--field a/b", '{"a/b":"Soup"}\n', None),
    ("a.jsonl", '{"":"soup"}\n', "--field /", '{"":"Soup"}\n', None),
    ("a.jsonl", '{"*":"soup","a":"soup"}\n', "--field /*", '{"*":"Soup","a":"soup"}\n', None),
    ("a.jsonl", '{"m":[{"b":"soup","a":"soup"},{"b":"cold"}]}\n', "--field /m/*/b",
     '{"m":[{"b":"Soup","a":"soup"},{"b":"Cold"}]}\n', None),
    ("a.jsonl", '{"m":[{"b":"soup"},{"b":"cold"}]}\n', "--field /m/1/b", '{"m":[{"b":"soup"},{"b":"Cold"}]}\n', None),
    ("a.jsonl", '{"m":[]}\n{"m":[{"b":"soup"}]}\n', "--field /m/*/b", '{"m":[]}\n{"m":[{"b":"Soup"}]}\n', None),
    ("a.jsonl", '{"m":{"*":{"b":"soup"}}}\n', "--field /m/*/b", '{"m":{"*":{"b":"Soup"}}}\n', None),
    ("a.jsonl", '{"tags":["soup",null,"cold"]}\n', "--field tags", '{"tags":["Soup",null,"Cold"]}\n', None),
    ("a.jsonl", '{"tags":[ "soup" , "cold" ]}\n', "--field /tags/*", '{"tags":[ "Soup" , "Cold" ]}\n', None),
    ("a.jsonl", '{"m":[{"g":["soup"]},{"g":"cold"}]}\n', "--field /m/*/g", '{"m":[{"g":["Soup"]},{"g":"Cold"}]}\n', None),
    ("a.jsonl", '{"m":["soup","cold"]}\n', "--field /m/* --field /m/0", '{"m":["Soup","Cold"]}\n', None),
    ("a.jsonl", '{"u":null,"t":"soup"}\n', "--field /u/b --field t", '{"u":null,"t":"Soup"}\n', None),
    ("a.jsonl", '{"\\u0075":{"\\u0062":"soup"}}\n', "--field /u/b", '{"\\u0075":{"\\u0062":"Soup"}}\n', None),
    ("a.jsonl", '{"a":{"x":1,"x":1E5,"b":"soup"}}\n', "--field /a/b",
     '{"a":{"x":1,"x":1E5,"b":"Soup"}}\n', None),
    ("a.ndjson", '{"t":"soup"}\n', "--field t", '{"t":"Soup"}\n', None),
    # JSON arrays, and objects on several lines
    ("a.json", '[{"t":"soup"},\n {"t":"cold"}\n]\n', "--field t", '[{"t":"Soup"},\n {"t":"Cold"}\n]\n', None),
    ("a.json", ' [\n  {\n    "t": "soup",\n    "n": 1.0\n  }\n]', "--field t", ' [\n  {\n    "t": "Soup",\n    "n": 1.0\n  }\n]', None),
    ("a.jsonl", '[{"t":"soup"}]', "--field t", '[{"t":"Soup"}]', None),
    ("a.json", '{"t":"soup"}\n{"t":"cold"}\n', "--field t", '{"t":"Soup"}\n{"t":"Cold"}\n', None),
    ("a.json", '{\n "t": "soup"\n}\n', "--field t", '{\n "t": "Soup"\n}\n', None),
    ("a.json", '[{"t":"soup","o":"]},{ \\" [{\\\\"},{"t":"cold"}]', "--field t", '[{"t":"Soup","o":"]},{ \\" [{\\\\"},{"t":"Cold"}]', None),
    ("a.json", "[]", "--field t", "[]", None),
    ("a.json", " [ ] \n", "--field t", " [ ] \n", None),
    ("a.json", "", "--field t", "", None),
]


@pytest.mark.parametrize("name, content, options, expected, note", OPENED, ids=range(len(OPENED)))
def test_opened(program, name, content, options, expected, note):
    write(program, name, content)
    outcome = program.ok(*line(program, name, *options.split(), "-o", "out", "--report", "receipt.json"))
    expected = expected if isinstance(expected, bytes) else expected.encode()
    assert (program.folder / "out").read_bytes() == expected
    assert (note is None) or note in outcome.err
    assert ("note:" in outcome.err) == (note is not None and "separated" in note or note == "';'")
    quiet = program.ok(*line(program, name, *options.split(), "--quiet"))
    assert quiet.out == expected and quiet.err == ""


# (name, content, options, exit code, parts of the line)
REFUSED = [
    # delimiters
    ("a.csv", "id,text\n", "--field text --delimiter ;;", USAGE, ["--delimiter: ';;' is not allowed", "'tab'"]),
    ("a.csv", "id,text\n", "--field text --delimiter t", USAGE, "--delimiter: 't' is not allowed"),
    ("a.csv", "id,text\n", '--field text --delimiter "', USAGE, "--delimiter: '\"' is not allowed"),
    ("a.csv", "id,text\n", "--field text --delimiter 1", USAGE, "--delimiter: '1' is not allowed"),
    ("a.csv", "id,text\n", "--field text --delimiter é", USAGE, "--delimiter: 'é' is not allowed"),
    ("a.jsonl", "{}\n", "--field t --delimiter ;", USAGE, "--delimiter: needs --format csv, not jsonl"),
    ("a.txt", "soup\n", "--delimiter ;", USAGE, "--delimiter: needs --format csv, not text"),
    ("a.tsv", "text\nsoup\n", "--field text --delimiter ;", USAGE, "--delimiter: ';' needs --format csv"),
    ("a.csv", "id;name\n1;soup\n", "--field text", FAILED, ["no column 'text'; it has id, name, separated by ';'"]),
    ("a.csv", "id,text\n1,soup\n", "--field text --delimiter ;", FAILED, ["no column 'text'; it has id,text"]),
    ("a.csv", "1;soup, cold\n", "--no-header --field 2", USAGE, ["--delimiter: missing; a.csv could be separated by ',' or by ';'"]),
    ("a.csv", "soup; cold\n", "--no-header --field 1", USAGE, "--delimiter: missing"),
    ("a.csv", "1;2\n3;4;5\na,b\nc\n", "--no-header --field 2", USAGE, ["--delimiter: missing", "same number of columns"]),
    # headers
    ("a.csv", "1,soup\n", "--no-header --field text", USAGE, ["--field: 'text' is not a column number", "--no-header"]),
    ("a.csv", "1,soup\n", "--no-header --field 0", USAGE, "--field: '0' is not a column number"),
    ("a.csv", "1,soup\n", "--no-header --field 02", USAGE, "--field: '02' is not a column number"),
    ("a.csv", "1,soup\n", "--no-header --field 3", FAILED, "--field: a.csv has no column '3'; it has 2 columns"),
    ("a.csv", "1,soup\n", "--no-header --field 2 --id-field id", USAGE, "--id-field: 'id' is not a column number"),
    ("a.csv", "1,soup\n2,cold,x\n", "--no-header --field 2 --delimiter ,", FAILED,
     "a.csv: record 2 (line 2): 3 columns where the first record has 2"),
    ("a.csv", "id,text\n1,soup\n", "--field 2", FAILED, ["no column '2'; it has id, text", "--no-header"]),
    ("a.jsonl", "{}\n", "--field t --no-header", USAGE, "--no-header: needs --format csv or tsv"),
    ("a.txt", "soup\n", "--no-header", USAGE, "--no-header: needs --format csv or tsv"),
    ("a.csv", "", "--field text", FAILED, "a.csv: empty, but csv needs a header line"),
    # quotes
    ("a.csv", 'id,text\n1,soup\n2,"cold\n3,x\n', "--field text", FAILED, "a.csv: record 2 (line 3): a quoted field is not closed"),
    ("a.csv", 'id,text\n1,"a\nb\nc"\n2,"cold\n3,x\n', "--field text", FAILED, "record 2 (line 5): a quoted field is not closed"),
    ("a.csv", 'name,text\n"Ann,secret\n"Bob",soup\n', "--field text", FAILED, ["record 1 (line 2): more text follows the closing quote"]),
    ("a.csv", 'name,text\nAnn,x\n1,"secret\n2,"soup"\n', "--field text", FAILED, ["record 2 (line 3): more text follows"]),
    ("a.csv", 'name;text\n"Ann;secret\n"Bob";soup\n', "--field text", FAILED, ["(line 2): more text follows"]),
    ("a.csv", 'id,"text" x\n1,soup\n', "--field text", FAILED, "a quoted name in the header line is not closed"),
    ("a.csv", "id,text\n1,soup,cold\n", "--field text", FAILED, "record 1 (line 2): 3 columns where the header has 2"),
    ("a.csv", "id,text\n1,soup,cold\n", "--field text --missing skip", FAILED, "3 columns where the header has 2"),
    ("a.csv", "id,text\n1\n", "--field text", FAILED, "a.csv: record 1 (line 2): 1 column where the header has 2"),
    ("a.tsv", "id\ttext\n1\n", "--field text", FAILED, "a.tsv: record 1 (line 2): 1 column where the header has 2"),
    # missing fields
    ("a.jsonl", '{"t":"soup"}\n{"body":"cold","id":1}\n', "--field t", FAILED, ["record 2: there is no field 't'; the record has body, id"]),
    ("a.jsonl", '{"user":{"name":"x"}}\n', "--field /user/bio", FAILED, ["no field '/user/bio'; '/user' has name"]),
    ("a.jsonl", '{"user":{}}\n', "--field /user/bio", FAILED, "'/user' has none"),
    ("a.jsonl", '{"m":["soup"]}\n', "--field /m/1", FAILED, ["no field '/m/1'", "'/m' is an array"]),
    ("a.jsonl", '{"m":["soup"]}\n', "--field /m/00", FAILED, "no field '/m/00'"),
    ("a.jsonl", '{"m":{"a":"soup"}}\n', "--field /m/*", FAILED, "field '/m/*': '/m' is an object, not an array"),
    ("a.jsonl", '{"m":[{"b":"soup"},{"a":1}]}\n', "--field /m/*/b", FAILED, ["no field '/m/*/b'; '/m/1' has a"]),
    ("a.jsonl", '{"m":[{"b":"secret"}]}\n', "--field /m/b --missing empty", FAILED, ["'/m' is an array; its elements are the step *"]),
    ("a.jsonl", '{"m":{"0":"secret"}}\n', "--field /m/* --missing empty", FAILED, "'/m' is an object, not an array"),
    ("a.jsonl", '{"t":"soup"}\n', "--field t --id-field /meta/id --missing empty", FAILED, "no id field '/meta/id'"),
    ("a.jsonl", '{"a":1}\n', "--field t --missing skip", FAILED, ["1 records and no document", "--allow-empty"]),
    ("a.jsonl", '{"t":"soup"}\n', "--field t --missing drop", USAGE, ["--missing: 'drop' is not allowed", "error or skip or empty"]),
    ("a.txt", "soup\n", "--missing skip", USAGE, "--missing: 'skip' needs --format jsonl, json, csv or tsv"),
    # JSON Pointers
    ("a.jsonl", '{"t":"soup"}\n', "--field /t~2", USAGE, "--field: '/t~2' is not a JSON Pointer"),
    ("a.jsonl", '{"t":"soup"}\n', "--field /t~", USAGE, "--field: '/t~' is not a JSON Pointer"),
    ("a.jsonl", '{"t":"soup"}\n', "--field t --field /t", USAGE, "--field: '/t' is given twice"),
    ("a.jsonl", '{"t":"soup"}\n', "--field t --id-field /t", USAGE, "--id-field: '/t' is also a --field"),
    ("a.jsonl", '{"t":["soup"]}\n', "--field /t/* --id-field /t/0", USAGE, "--id-field: '/t/0' is also a --field"),
    ("a.jsonl", '{"t":"soup"}\n', "--field t --id-field /a/*", USAGE, "--id-field: '/a/*' may be several values"),
    ("a.jsonl", '{"u":"secret"}\n', "--field /u/b --missing empty", FAILED, "field '/u/b': '/u' is neither an object nor an array"),
    ("a.jsonl", '{"u":{"b":"x"}}\n', "--field u", FAILED, ["field 'u' is not a string but an object", "'/u/b'"]),
    ("a.jsonl", '{"u":{"b":1}}\n', "--field u", FAILED, "field 'u' is not a string but an object\n"),
    ("a.jsonl", '{"m":[{"body":"soup"}]}\n', "--field m", FAILED, ["field 'm' is not a string but an array of objects", "'/m/*/body'"]),
    ("a.jsonl", '{"t":["soup",1]}\n', "--field t", FAILED, "field 't' is not a string"),
    ("a.jsonl", '{"t":[["soup"]]}\n', "--field t", FAILED, "field 't' is not a string"),
    ("a.jsonl", '{"u":{"b":"x"},"u":{"b":"y"}}\n', "--field /u/b", FAILED, "field '/u/b' occurs twice"),
    ("a.jsonl", '{"u":{"b":"x","\\u0062":"y"}}\n', "--field /u/b", FAILED, "field '/u/b' occurs twice"),
    # JSON arrays
    ("a.json", '[{"t":"soup"}', "--field t", FAILED, "a.json: the JSON array is not closed"),
    ("a.json", "[", "--field t", FAILED, "the JSON array is not closed"),
    ("a.json", '[{"t":"soup"},]', "--field t", FAILED, "must not end with a comma"),
    ("a.json", '[{"t":"soup"}\n {"t":"cold"}]', "--field t", FAILED, "record 2 (line 2): the values of a JSON array must be separated"),
    ("a.json", '[,{"t":"soup"}]', "--field t", FAILED, "separated by one comma"),
    ("a.json", '[{"t":"soup"},,{"t":"cold"}]', "--field t", FAILED, "separated by one comma"),
    ("a.json", '[{"t":"soup"}] {"t":"cold"}', "--field t", FAILED, ["a.json: the JSON array is not closed"]),
    ("a.json", '[{"t":"soup"}] [{"t":"cold"}]', "--field t", FAILED, "something follows the JSON array"),
    ("a.json", '["soup"]', "--field t", FAILED, "record 1 (line 1): not a JSON object"),
    ("a.json", '[{"t":"soup"},\n{"t":}]', "--field t", FAILED, "record 2 (line 2): not a JSON object"),
    ("a.json", "soup", "--field t", FAILED, "record 1 (line 1): not a JSON object"),
    ("a.json", '{"t":"soup"},{"t":"cold"}', "--field t", FAILED, "nothing but spaces"),
]


@pytest.mark.parametrize("name, content, options, code, parts", REFUSED, ids=range(len(REFUSED)))
def test_refused(program, name, content, options, code, parts):
    write(program, name, content)
    outcome = refused(program, line(program, name, *options.split(), "-o", "out"), code, parts)
    assert "secret" not in outcome.err


# (inputs, options, output or the exit code and parts of the line)
SEVERAL = [
    ({"a.csv": "id,t\n1,soup\n", "b.csv": "id,t\n2,cold\n"}, "--field t", "id,t\n1,Soup\n2,Cold\n"),
    ({"a.csv": "id;t\n1;soup\n", "b.csv": "id;t\n"}, "--field t", "id;t\n1;Soup\n"),
    ({"a.csv": "1,soup\n", "b.csv": "2,cold\n"}, "--field 2 --no-header", "1,Soup\n2,Cold\n"),
    ({"a.json": '[{"t":"soup"}]\n', "b.json": '[\n{"t":"cold"}\n]\n'}, "--field t", '[{"t":"Soup"},\n{"t":"Cold"}\n]\n'),
    ({"a.json": "[ ]", "b.json": '[{"t":"cold"}]'}, "--field t", '[{"t":"Cold"}]'),
    ({"a.json": '[{"t":"soup"}]', "b.json": "[]"}, "--field t", '[{"t":"Soup"}]'),
    ({"a.json": '[{"a":1}]', "b.json": '[{"t":"soup"}]'}, "--field t --missing skip --allow-empty", '[{"t":"Soup"}]'),
    ({"a.csv": "id,t\n", "b.txt": "soup\n"}, "--field t", (USAGE, ["--format: missing; a.csv looks like csv and b.txt like text"])),
    ({"a.txt": "soup\n", "b.csv": "id,t\n"}, "", (USAGE, "--format: missing; a.txt looks like text and b.csv like csv")),
    ({"a.jsonl": '{"t":"soup"}\n', "b.csv": "id,t\n"}, "--field t", (USAGE, "--format: missing")),
    ({"a.csv": "id,t\n", "b.csv": "id;t\n"}, "--field t", (FAILED, "b.csv: it is separated by ';', but a.csv by ','")),
    ({"a.csv": "id,t\n", "b.csv": "t,id\n"}, "--field t", (FAILED, "b.csv: its header differs from that of a.csv")),
    ({"a.csv": "1,soup\n", "b.csv": "1,soup,x\n"}, "--field 2 --no-header", (FAILED, "b.csv: it has 3 columns, but a.csv has 2")),
    ({"a.jsonl": '[{"t":"soup"}]\n', "b.jsonl": '{"t":"soup"}\n'}, "--field t", (FAILED, "b.jsonl: it is no JSON array, but a.jsonl is one")),
]


@pytest.mark.parametrize("inputs, options, expected", SEVERAL, ids=range(len(SEVERAL)))
def test_several_inputs(program, inputs, options, expected):
    for name, content in inputs.items():
        write(program, name, content)
    command = line(program, *inputs, *options.split(), "-o", "out")
    if isinstance(expected, tuple):
        refused(program, command, *expected)
    else:
        program.ok(*command)
        assert (program.folder / "out").read_text() == expected


def many(name, count=4000):
    """A file of several chunks in each format, and the field that holds its texts."""
    rows = [{"id": i, "who": f"w{i % 7}", "messages": [{"body": f"soup cold {i}"}, {"body": "waiter night"}]} for i in range(count)]
    if name == "in.jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows), "/messages/*/body"
    if name == "in.json":
        return json.dumps(rows, indent=1), "/messages/*/body"
    return "id;who;text\r\n" + "".join(f'{row["id"]};{row["who"]};"soup, cold\nwaiter"\r\n' for row in rows), "text"


@pytest.mark.parametrize("name", ["in.csv", "in.jsonl", "in.json"])
def test_threads_shards_and_resuming_change_nothing(program, key, name):
    content, field = many(name)
    write(program, name, content)
    common = [name, "--field", field, "--id-field", "id", "--epsilon", "1", "--key-file", key]
    whole = program.privatize(*common, "--threads", "1")
    assert program.privatize(*common, "--threads", "4") == whole
    assert b"".join(program.privatize(*common, "--shard", f"{i}/3") for i in (1, 2, 3)) == whole
    resumable = ["privatize", "--model", program.model, *common, "--resume", "-o", "out", "--threads", "1"]
    stopped_midway(program, resumable, signal.SIGINT, when=lambda: size_of(program.folder / "out.partial") > 0)
    program.ok(*resumable)
    assert (program.folder / "out").read_bytes() == whole
    if name != "in.csv":
        texts = [m["body"] for row in (json.loads(whole) if name == "in.json" else map(json.loads, whole.splitlines()))
                 for m in row["messages"]]
        assert len(texts) == 8000


def test_documents_of_one_record_share_no_noise(program, key):
    text = "soup cold waiter dessert hotel station night phone battery screen dog cat doctor result order parcel"
    write(program, "in.jsonl", json.dumps({"tags": [text] * 20, "user": {"tags": [text] * 20}, "t": text}) + "\n")
    out = json.loads(program.privatize("in.jsonl", "--field", "tags", "--field", "/user/tags", "--field", "t", "--epsilon", "1",
                                       "--key-file", key))
    assert len({out["t"], *out["tags"], *out["user"]["tags"]}) == 41


def test_a_pointer_to_a_member_is_that_member(program, key):
    write(program, "in.jsonl", json.dumps({"t": "soup cold waiter dessert hotel station night"}) + "\n")
    run = ["in.jsonl", "--epsilon", "1", "--key-file", key, "--field"]
    assert program.privatize(*run, "t") == program.privatize(*run, "/t")


@pytest.mark.parametrize("name", ["in.jsonl", "in.json"])
def test_the_ledger_leaves_whole_records_out(program, key, name):
    rows = [{"user": {"id": who}, "notes": ["soup cold", "waiter"]} for who in ("ann", "bob", "ann", "bob", "zoe")]
    write(program, name, json.dumps(rows) if name == "in.json" else "".join(json.dumps(row) + "\n" for row in rows))
    command = ["privatize", "--model", program.model, name, "--field", "notes", "--epsilon", "1", "--key-file", key, "--ledger",
               "l", "--subject", "/user/id", "--limit", "3.5", "-o", "out", "--report", "r.json"]
    program.ok(*command)
    out = (program.folder / "out").read_text()
    kept = json.loads(out) if name == "in.json" else [json.loads(row) for row in out.splitlines()]
    assert [row["user"]["id"] for row in kept] == ["ann", "bob", "zoe"]
    receipt = json.loads((program.folder / "r.json").read_text())
    assert receipt["counts"]["withheld"] == 2 and receipt["input"]["format"] == name[3:]
    assert receipt["guarantee"]["record"]["epsilon_sum_max"] == 3
    assert "the field '/user/id' of each record, copied as it is" in receipt["leaks"]


def test_arrays_are_cut_only_if_nothing_is_left_out(program):
    write(program, "in.json", '[{"t":"soup"},{"t":"cold"}]')
    refused(program, line(program, "in.json", "--field", "t", "--shard", "1/2", "--missing", "skip", "-o", "out"), USAGE,
            "--shard: cannot cut a JSON array whose records may be left out because of --missing skip")
    refused(program, line(program, "in.json", "in.json", "--field", "t", "--shard", "1/2", "-o", "out"), USAGE,
            "--shard: takes one JSON array at a time")


@pytest.mark.parametrize("content", ['[{"t":"soup"}]', ' [ ] ', '[\n{"t":"soup"},\n{"t":"cold"}\n]\n', '{"t":"soup"} {"t":"cold"}'])
def test_shards_of_small_files_put_together_are_the_whole(program, content):
    write(program, "in.json", content)
    common = ["in.json", "--field", "t", "--epsilon", "1e6", "--allow-empty"]
    whole = program.privatize(*common)
    for count in (2, 5, 40):
        assert b"".join(program.privatize(*common, "--shard", f"{i + 1}/{count}") for i in range(count)) == whole


def test_copied_fields_are_listed_where_they_are(program):
    write(program, "in.jsonl", '{"id":1,"m":[{"b":"soup","who":"Zoe"}],"u":{"b":"soup","x":{"y":1}}}\n')
    program.ok(*line(program, "in.jsonl", "--field", "/m/*/b", "--field", "/u/b", "-o", "out", "--report", "r.json"))
    receipt = json.loads((program.folder / "r.json").read_text())
    copied = [leak.split("'")[1] for leak in receipt["leaks"] if "copied as it is" in leak]
    assert copied == ["/m/*/who", "/u/x", "id"]


def test_an_early_stray_quote_is_found_fast(program):
    write(program, "in.csv", b'id,text\n1,soup\n2,"cold\n' + b"3,waiter\n" * 2_000_000)
    refused(program, line(program, "in.csv", "--field", "text", "--max-document-bytes", "1M", "-o", "out"), FAILED,
            ["record 2 (line 3): a quoted field is not closed within the 3145728 bytes", "--max-document-bytes"])


def test_standard_input_and_a_configuration_file(program):
    write(program, "run.yaml", "format: csv\ndelimiter: ;\nno-header: true\nfield: 2\nmissing: skip\nepsilon: 1e6\nquiet: true\n")
    command = ["privatize", "--model", program.model, "--config", "run.yaml"]
    assert program.ok(*command, stdin=b"1;soup\n2\n3;cold\n").out == b"1;Soup\n3;Cold\n"
    assert program.ok(*command[:3], "--format", "json", "--field", "t", "--epsilon", "1e6", stdin=b'[{"t":"soup"}]').out == b'[{"t":"Soup"}]'


def test_the_page_names_every_option():
    page = (SOURCE / "docs" / "files.md").read_text()
    for option in ("--delimiter", "--no-header", "--missing", "--field", "--id-field", "--subject", "--format"):
        assert option in page
