#!/usr/bin/env python3
"""Loads `sotto serve` and the same server with a handler that does nothing, in turns, on this machine.

    bench/serve.py --text TEXTS.txt [--sotto build/release/sotto] [--empty build/release/bench/bench_serve_empty]
        [--seconds 10] [--turns 3] [--connections 32] [--idle 10000] [--presidio] [--soak MINUTES]

TEXTS.txt has one document per line. wrk (a Debian package) is the client and shares the processors with the server. A
text per request: requests per second against those of the empty handler, which reads the same requests. Arrays of
1,000: words per second against `sotto privatize` on the same lines. --idle holds connections open beside the load;
--presidio compares with the anonymizer of presidio-anonymizer behind Flask and gunicorn; --soak watches memory.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import pathlib
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

SCRIPT = """
local bodies = {}
for line in io.lines(os.getenv("SOTTO_BODIES")) do bodies[#bodies + 1] = line end
local next_body = 0
function init(arguments)
  next_body = math.random(0, #bodies - 1)
end
function request()
  next_body = next_body % #bodies + 1
  return wrk.format("POST", os.getenv("SOTTO_PATH"), {["Content-Type"] = "application/json"}, bodies[next_body])
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('\\n{"requests": %d, "seconds": %f, "errors": %d, "p50": %f, "p99": %f}\\n', summary.requests,
    summary.duration / 1e6, e.connect + e.read + e.write + e.status + e.timeout, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3))
end
"""

PRESIDIO = """
from flask import Flask, jsonify, request
from presidio_anonymizer import AnonymizerEngine
from presidio_anonymizer.entities import RecognizerResult

app = Flask(__name__)
engine = AnonymizerEngine()


@app.post("/anonymize")
def anonymize():
    body = request.get_json()
    spans = [RecognizerResult.from_json(span) for span in body["analyzer_results"]]
    return jsonify({"text": engine.anonymize(body["text"], spans).text})
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextlib.contextmanager
def running(command: list[object], port: int, probe: str) -> Iterator[subprocess.Popen[bytes]]:
    """The server, once it answers on its port."""
    process = subprocess.Popen([str(part) for part in command], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}{probe}", timeout=1).read()
                break
            except urllib.error.HTTPError:
                break
            except OSError:
                if process.poll() is not None:
                    sys.exit(f"{command[0]} ended with {process.returncode}")
                time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


class Load:
    def __init__(self, options: argparse.Namespace, folder: pathlib.Path) -> None:
        self.options = options
        self.script = folder / "load.lua"
        self.script.write_text(SCRIPT)
        self.bodies = folder / "bodies"

    def bodies_of(self, requests: list[object]) -> None:
        self.bodies.write_text("".join(json.dumps(body) + "\n" for body in requests))

    def run(self, port: int, path: str = "/v1/privatize", connections: int = 0) -> dict[str, float]:
        command = ["wrk", "-t1", f"-c{connections or self.options.connections}", f"-d{self.options.seconds}s",
                   "--timeout", "60s", "-s", str(self.script), f"http://127.0.0.1:{port}"]  # fmt: skip
        environment = {"SOTTO_BODIES": str(self.bodies), "SOTTO_PATH": path, "PATH": "/usr/bin:/bin"}
        out = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        result: dict[str, float] = json.loads(out.strip().splitlines()[-1])
        if result["errors"]:
            print(f"  {result['errors']:.0f} errors of {result['requests']:.0f} requests")
        result["rate"] = result["requests"] / result["seconds"]
        return result


def serve(options: argparse.Namespace, folder: pathlib.Path, mechanism: str, epsilon: float, port: int) -> list[object]:
    config = folder / f"{mechanism}.yaml"
    config.write_text(f"listen: 127.0.0.1:{port}\nprofiles:\n  default: {{mechanism: {mechanism}, epsilon: {epsilon}}}\n")
    return [options.sotto, "serve", "--quiet", "--config", config]


def resident(process: subprocess.Popen[bytes]) -> float:
    """MiB."""
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0


def single(options: argparse.Namespace, folder: pathlib.Path, load: Load, lines: list[str]) -> None:
    print(f"one text per request, {options.connections} connections")
    load.bodies_of([{"text": line} for line in lines[:2000]])
    port, empty = free_port(), free_port()
    with (
        running(serve(options, folder, "diffractor-geometric", 1, port), port, "/healthz"),
        running([options.empty, f"127.0.0.1:{empty}"], empty, "/healthz"),
    ):
        turns = [(load.run(port), load.run(empty)) for _ in range(options.turns)]
    for name, results in zip(("sotto", "empty"), zip(*turns, strict=True), strict=True):
        best = max(results, key=lambda result: result["rate"])
        print(f"  {name}: {best['rate']:,.0f} requests/s, p50 {best['p50']:.2f} ms, p99 {best['p99']:.2f} ms")
    ratios = [own["rate"] / nothing["rate"] for own, nothing in turns]
    print(f"  ratio (bar 0.7): {statistics.median(ratios):.2f} (median), {max(ratios):.2f} (best)")


def arrays(options: argparse.Namespace, folder: pathlib.Path, load: Load, lines: list[str]) -> None:
    for mechanism, epsilon, count in (("diffractor-geometric", 1, 20_000), ("cmp", 10, 4_000), ("dp-mlm", 25, 2_000)):
        few = lines[:count]
        words = sum(len(line.split()) for line in few)
        texts = folder / "texts.txt"
        texts.write_text("\n".join(few) + "\n")
        load.bodies_of([{"texts": few[i : i + 1000]} for i in range(0, count, 1000)])
        port = free_port()
        own, program = [], []
        with running(serve(options, folder, mechanism, epsilon, port), port, "/healthz"):
            for _ in range(options.turns):
                result = load.run(port, connections=4)
                own.append(result["rate"] * words / (count / 1000))
                begin = time.perf_counter()
                subprocess.run([options.sotto, "privatize", texts, "-m", mechanism, "-e", str(epsilon), "--quiet", "-o",
                                folder / "out.txt"], check=True, stderr=subprocess.DEVNULL)  # fmt: skip
                program.append(words / (time.perf_counter() - begin))
                (folder / "out.txt").unlink()
            texts_one = [{"text": line} for line in few[:500]]
            load.bodies_of(texts_one)
            alone = load.run(port)
        ratios = [a / b for a, b in zip(own, program, strict=True)]
        print(f"{mechanism}, arrays of 1,000: {max(own):,.0f} words/s, program {max(program):,.0f}, "
              f"ratio {statistics.median(ratios):.2f}; one text per request: {alone['rate']:,.0f} requests/s, "
              f"p50 {alone['p50']:.1f} ms, p99 {alone['p99']:.1f} ms")  # fmt: skip


def idle(options: argparse.Namespace, folder: pathlib.Path, load: Load, lines: list[str]) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    load.bodies_of([{"text": line} for line in lines[:2000]])
    port = free_port()
    with running(serve(options, folder, "diffractor-geometric", 1, port), port, "/healthz") as process:
        before, alone = resident(process), load.run(port)
        held = []
        for _ in range(options.idle):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            held.append(connection)
        answered = sum(connection.recv(4096).startswith(b"HTTP/1.1 200") for connection in held)
        beside = load.run(port)
        print(f"{options.idle:,} idle connections ({answered:,} answered): {beside['rate']:,.0f} requests/s, alone "
              f"{alone['rate']:,.0f}; {resident(process) - before:.0f} MiB more")  # fmt: skip
        for connection in held:
            connection.close()


def presidio(options: argparse.Namespace, folder: pathlib.Path, load: Load, lines: list[str]) -> None:
    (folder / "presidio_app.py").write_text(PRESIDIO)
    span = {"start": 0, "end": 1, "score": 1.0, "entity_type": "PERSON"}
    load.bodies_of([{"text": line, "analyzer_results": [span]} for line in lines[:2000] if line])
    port, own = free_port(), free_port()
    gunicorn = [sys.executable, "-m", "gunicorn", "-w", "2", "-b", f"127.0.0.1:{port}", "--chdir", folder, "presidio_app:app"]
    with running(gunicorn, port, "/"), running(serve(options, folder, "diffractor-geometric", 1, own), own, "/healthz"):
        turns = [(load.run(own, "/anonymize"), load.run(port, "/anonymize")) for _ in range(options.turns)]
    rates = [(a["rate"], b["rate"]) for a, b in turns]
    print(f"/anonymize: {max(a for a, _ in rates):,.0f} texts/s, Presidio's {max(b for _, b in rates):,.0f}, "
          f"ratio {statistics.median(a / b for a, b in rates):.1f}")  # fmt: skip


def soak(options: argparse.Namespace, folder: pathlib.Path, load: Load, lines: list[str]) -> None:
    load.bodies_of([{"text": line} for line in lines[:20_000]])
    port = free_port()
    with running(serve(options, folder, "diffractor-geometric", 1, port), port, "/healthz") as process:
        load.run(port)
        begin = time.monotonic()
        while time.monotonic() - begin < 60 * options.soak:
            result = load.run(port)
            print(f"{time.monotonic() - begin:6.0f} s: {result['rate']:,.0f} requests/s, {resident(process):.1f} MiB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", required=True, type=pathlib.Path)
    parser.add_argument("--sotto", default="build/release/sotto")
    parser.add_argument("--empty", default="build/release/bench/bench_serve_empty")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--idle", type=int, default=0)
    parser.add_argument("--presidio", action="store_true")
    parser.add_argument("--soak", type=float, default=0)
    options = parser.parse_args()
    lines = options.text.read_text().splitlines()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        load = Load(options, folder)
        if options.soak:
            soak(options, folder, load, lines)
            return
        single(options, folder, load, lines)
        arrays(options, folder, load, lines)
        if options.idle:
            idle(options, folder, load, lines)
        if options.presidio:
            presidio(options, folder, load, lines)


if __name__ == "__main__":
    main()
