"""Counts the cost of one operation of the whole server: instructions, allocations and their bytes; resident memory."""

import json
import os
import queue
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

OPERATIONS = ("a2a_send", "a2a_stream", "mcp_tool_call", "openai_response", "otlp_export", "traceql_query")
COUNTS = (1000, 2000)
# Resident memory after this many sends, each of which is a task.
RESIDENT = ("tasks_20000", "a2a_send", 20_000)
# The least of several runs: background work of the span store may hold memory at the moment of the measurement.
RESIDENT_RUNS = 3
BENCH = os.path.dirname(os.path.abspath(__file__))


class Counter:
    """Runs the program, one process per processor: a second thread would compete with the first."""

    def __init__(self, program):
        self.program = program
        processors = sorted(os.sched_getaffinity(0))
        self.workers = len(processors)
        self.free = queue.SimpleQueue()
        for processor in processors:
            self.free.put(processor)

    def figures(self, operations=OPERATIONS, resident=True, planted=None):
        """{operation: {figure: value}}; `planted` has extra costs {operation: {figure: amount}}."""
        planted = planted or {}
        with ThreadPoolExecutor(self.workers) as pool:
            runs = {(name, count): pool.submit(self.count, name, count, planted.get(name, {}))
                    for name in operations for count in COUNTS}
            label, name, tasks = RESIDENT
            memory = [pool.submit(self.run, [], name, tasks, planted.get(label, {}))
                      for _ in range(RESIDENT_RUNS if resident else 0)]
            figures = {name: cost(*(runs[name, count].result() for count in COUNTS)) for name in operations}
            if memory:
                figures[label] = {"resident_bytes": min(run.result()["resident_bytes"] for run in memory)}
        return figures

    def count(self, name, count, planted):
        """Figures of a whole process."""
        with tempfile.TemporaryDirectory(prefix="baton-guard-") as directory:
            out = os.path.join(directory, "callgrind.out")
            # Threads take turns in a fixed order.
            valgrind = [shutil.which("valgrind"), "--tool=callgrind", "--fair-sched=yes", f"--callgrind-out-file={out}"]
            figures = self.run(valgrind, name, count, planted)
            with open(out, encoding="utf-8", errors="replace") as dump:
                totals = re.findall(r"^totals: (\d+)", dump.read(), re.MULTILINE)
        return {"instructions": int(totals[-1]), **figures}

    def run(self, prefix, name, count, planted):
        processor = self.free.get()
        try:
            with tempfile.TemporaryDirectory(prefix="baton-guard-") as directory:
                command = ["taskset", "-c", str(processor), *prefix, self.program, name, str(count), *(f"{key}={value}" for key, value in planted.items())]
                # Fixed environment: it is on the stack, so its length affects alignment and instructions.
                environment = {"LC_ALL": "C", "TMPDIR": directory}
                done = subprocess.run(command, capture_output=True, text=True, cwd=BENCH, env=environment)
        finally:
            self.free.put(processor)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-4000:]}")
        return json.loads(done.stdout)


def cost(fewer, more):
    """Cost of one operation, without start and shutdown."""
    figures = ("instructions", "allocations", "allocated_bytes")
    return {figure: round((more[figure] - fewer[figure]) / (COUNTS[1] - COUNTS[0])) for figure in figures}


def toolchain():
    """Everything that changes counts of the same sources."""
    def first_line(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]

    host = re.search(r"^host: (.*)$", subprocess.run(["rustc", "-vV"], capture_output=True, text=True).stdout, re.M)
    # SQLite, zstd and the allocator are compiled from C.
    return {"rustc": first_line("rustc", "--version"), "host": host.group(1), "cc": first_line("cc", "--version")}
