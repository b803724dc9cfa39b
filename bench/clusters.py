#!/usr/bin/env python3
"""Measures Ray Data and Spark with Sotto against the same jobs with the identity, and against the program.

    PYTHONPATH=build/release/python bench/clusters.py --text ENGLISH.txt [--sotto build/release/sotto] [--runs 3]

ENGLISH.txt has one document per line. Engines read and write Parquet. Jobs alternate, the best of each counts, and
ratios are those of the bests. Sotto has one core: a Spark of one task at a time, one actor of Ray, --threads 1. For the
comparison with the program, start-up is taken off: a job over one line, of the same engine or of the program.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import pyarrow
import pyarrow.parquet

os.environ.update(SPARK_LOCAL_IP="127.0.0.1", SPARK_LOCAL_HOSTNAME="localhost", PYSPARK_PYTHON=sys.executable)
KEY = bytes(range(32))
# Words of text for each mechanism: seconds of work at its speed.
JOBS = {
    "diffractor-geometric": {"epsilon": 1, "words": 10_000_000},
    "cmp": {"epsilon": 10, "words": 300_000},
    "dp-mlm": {"epsilon": 25, "words": 60_000},
}
DOCUMENTS = 100_000  # with a ledger


def table_of(path, words):
    """The first lines of a text, repeated if it is short, as a table with ids."""
    lines = [line for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    texts, count = [], 0
    while count < words:
        text = lines[len(texts) % len(lines)]
        texts.append(text)
        count += len(text.split())
    return pyarrow.table({"id": pyarrow.array(range(len(texts))), "text": pyarrow.array(texts)}), count


def seconds(action):
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def best(runs, **actions):
    """The best time of each action, taken in turns, after one turn to warm up."""
    times = {name: [] for name in actions}
    for _ in range(runs + 1):
        for name, action in actions.items():
            times[name].append(seconds(action))
    return {name: min(measured[1:]) for name, measured in times.items()}


def ray_jobs(source, folder, mechanism, epsilon):
    import ray
    import sotto.ray

    class Identity:
        def __call__(self, batch):
            return batch

    pool = ray.data.ActorPoolStrategy(size=1)

    def privatize(path):
        ds = ray.data.read_parquet(str(path))
        sotto.ray.privatize(ds, "text", "id", mechanism, epsilon, key=KEY, concurrency=1).write_parquet(folder / "ray")

    def copy():
        ds = ray.data.read_parquet(str(source))
        same = ds.map_batches(Identity, batch_format="pyarrow", batch_size=4096, compute=pool, num_cpus=1)
        same.write_parquet(folder / "ray")

    return privatize, copy


def spark_jobs(source, folder, mechanism, epsilon):
    import sotto.spark
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    def write(df):
        df.write.mode("overwrite").parquet(str(folder / "spark"))

    def privatize(path):
        write(sotto.spark.privatize(spark.read.parquet(str(path)), "text", "id", mechanism, epsilon, key=KEY))

    def copy():
        df = spark.read.parquet(str(source))

        def identity(batches):
            yield from batches

        write(df.mapInArrow(identity, df.schema))

    return privatize, copy


def program_job(sotto, folder, mechanism, epsilon):
    key = folder / "secret.key"
    key.write_bytes(KEY)
    key.chmod(0o600)
    options = ["--field", "text", "--id-field", "id", "--mechanism", mechanism, "--epsilon", str(epsilon)]

    def privatize(lines):
        command = [sotto, "privatize", lines, *options, "--key-file", key, "--threads", "1", "--quiet"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    return privatize


def write_sources(table, folder):
    """All rows and one row, for engines in several files, and for the program."""
    for name, rows in (("all", table), ("one", table.slice(0, 1))):
        (folder / name).mkdir()
        step = -(-rows.num_rows // 8)
        for part in range(0, rows.num_rows, step):
            pyarrow.parquet.write_table(rows.slice(part, step), folder / name / f"{part}.parquet")
        lines = "".join(json.dumps(row) + "\n" for row in rows.to_pylist())
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")


def measure(arguments, mechanism, *, epsilon, words):
    table, count = table_of(arguments.text, words)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_sources(table, folder)
        program = program_job(arguments.sotto, folder, mechanism, epsilon)
        actions = {
            "program": lambda: program(folder / "all.jsonl"),
            "program, one": lambda: program(folder / "one.jsonl"),
        }
        for engine, jobs in (("ray", ray_jobs), ("spark", spark_jobs)):
            privatize, copy = jobs(folder / "all", folder, mechanism, epsilon)
            actions[engine] = lambda privatize=privatize: privatize(folder / "all")
            actions[f"{engine}, one"] = lambda privatize=privatize: privatize(folder / "one")
            actions[f"{engine}, identity"] = copy
        times = best(arguments.runs, **actions)
    rates = {name: count / (times[name] - times[f"{name}, one"]) for name in ("program", "ray", "spark")}
    for engine in ("ray", "spark"):
        identity = times[f"{engine}, identity"]
        print(
            f"| {engine}, `{mechanism}` | {identity:.2f} s | {times[engine]:.2f} s | {identity / times[engine]:.2f} "
            f"| {rates[engine]:,.0f} | {rates['program']:,.0f} | {rates[engine] / rates['program']:.2f} |",
            flush=True,
        )


def measure_ledger(arguments):
    """100,000 documents of 20 words, 5,000 subjects, a new ledger for each run; written to Parquet."""
    import ray
    import sotto.ray
    import sotto.spark
    from pyspark.sql import SparkSession

    words = iter(arguments.text.read_text(encoding="utf-8", errors="replace").split()[: 20 * DOCUMENTS])
    texts = [" ".join(some) for some in zip(*[words] * 20)]
    subjects = [f"p{row % 5000}" for row in range(len(texts))]
    table = pyarrow.table({"id": pyarrow.array(range(len(texts))), "text": texts, "who": subjects})
    spark = SparkSession.builder.getOrCreate()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_sources(table, folder)
        runs = iter(range(1000))

        def settings():
            path = folder / f"{next(runs)}.ledger"
            return {"epsilon": 1, "key": KEY, "ledger": path, "limit": 1e9, "subject_column": "who"}

        def on_ray():
            ds = ray.data.read_parquet(str(folder / "all"))
            sotto.ray.privatize(ds, "text", "id", concurrency=1, **settings()).write_parquet(folder / "ray")

        def on_spark():
            df = sotto.spark.privatize(spark.read.parquet(str(folder / "all")), "text", "id", **settings())
            df.write.mode("overwrite").parquet(str(folder / "spark"))
            sotto.spark.unpersist(df)

        times = best(arguments.runs, ray=on_ray, spark=on_spark)
    print("\n| with a ledger | seconds | documents per second |\n|---|---|---|")
    for engine, taken in times.items():
        print(f"| {engine} | {taken:.2f} | {len(texts) / taken:,.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=pathlib.Path, required=True)
    parser.add_argument("--sotto", default="build/release/sotto")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--mechanism", choices=JOBS, action="append")
    arguments = parser.parse_args()
    import ray

    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    print("| job | identity | Sotto | ratio | words per second after start-up | of the program | ratio |")
    print("|---|---|---|---|---|---|---|")
    for mechanism in arguments.mechanism or JOBS:
        measure(arguments, mechanism, **JOBS[mechanism])
    measure_ledger(arguments)


if __name__ == "__main__":
    main()
