#!/usr/bin/env python3
"""Measures Ray Data and Spark with Sotto against the same jobs with the identity in its place, and against the program.

    PYTHONPATH=build/release/python bench/clusters.py --text ENGLISH.txt [--sotto build/release/sotto] [--runs 3]

ENGLISH.txt has one document per line. Jobs alternate, the best of each counts, and ratios are those of the bests. All
run on one core (a Spark of one thread, one actor of Ray, --threads 1), with engine and model started beforehand: the
program's start is measured by a run over one line and taken off.
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
    "diffractor-geometric": {"epsilon": 1, "words": 4_000_000},
    "cmp": {"epsilon": 10, "words": 400_000},
    "dp-mlm": {"epsilon": 25, "words": 60_000},
}


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


def ray_jobs(table, mechanism, epsilon):
    """Sotto and the identity, each with an actor that is not started anew for a batch."""
    import ray
    import sotto.ray

    class Identity:
        def __call__(self, batch):
            return batch

    ds = ray.data.from_arrow(table).repartition(8).materialize()
    private = sotto.ray.privatize(ds, "text", "id", mechanism, epsilon, key=KEY, concurrency=1)
    same = ds.map_batches(
        Identity, batch_format="pyarrow", batch_size=4096, compute=ray.data.ActorPoolStrategy(size=1), num_cpus=1
    )
    return {"ray": lambda: private.materialize(), "ray_identity": lambda: same.materialize()}


def spark_jobs(table, folder, mechanism, epsilon):
    import sotto.spark
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    pyarrow.parquet.write_table(table, folder / "table.parquet")
    df = spark.read.parquet(str(folder / "table.parquet"))

    def identity(batches):
        yield from batches

    private = sotto.spark.privatize(df, "text", "id", mechanism, epsilon, key=KEY)
    same = df.mapInArrow(identity, df.schema)
    return {
        "spark": lambda: private.write.format("noop").mode("overwrite").save(),
        "spark_identity": lambda: same.write.format("noop").mode("overwrite").save(),
    }


def program_jobs(sotto, table, folder, mechanism, epsilon):
    (folder / "secret.key").write_bytes(KEY)
    (folder / "secret.key").chmod(0o600)

    def job(rows, name):
        lines = "".join(json.dumps(row) + "\n" for row in rows.to_pylist())
        (folder / name).write_text(lines, encoding="utf-8")
        command = [sotto, "privatize", folder / name, "--field", "text", "--id-field", "id", "--mechanism", mechanism]
        command += ["--epsilon", str(epsilon), "--key-file", folder / "secret.key", "--threads", "1", "--quiet"]
        return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    return {"program": job(table, "all.jsonl"), "program_start": job(table.slice(0, 1), "one.jsonl")}


def measure(arguments, mechanism, *, epsilon, words):
    import ray

    ray.shutdown()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    table, count = table_of(arguments.text, words)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        actions = {
            **ray_jobs(table, mechanism, epsilon),
            **spark_jobs(table, folder, mechanism, epsilon),
            **program_jobs(arguments.sotto, table, folder, mechanism, epsilon),
        }
        times = best(arguments.runs, **actions)
    program = times["program"] - times["program_start"]
    for engine in ("ray", "spark"):
        own = times[engine]
        print(
            f"| {engine}, `{mechanism}` | {count / own:,.0f} | {times[engine + '_identity'] / own:.2f} "
            f"| {count / program:,.0f} | {program / own:.2f} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=pathlib.Path, required=True)
    parser.add_argument("--sotto", default="build/release/sotto")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--mechanism", choices=JOBS, action="append")
    arguments = parser.parse_args()
    print("| job | words per second | relative to the identity | program, words per second | relative to the program |")
    print("|---|---|---|---|---|")
    for mechanism in arguments.mechanism or JOBS:
        measure(arguments, mechanism, **JOBS[mechanism])


if __name__ == "__main__":
    main()
