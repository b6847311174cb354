"""Durable sends of Baton beside a durable queue in PostgreSQL."""

import contextlib
import os

import report
from postgres import PostgresQueue
from report import counted, milliseconds, per_second
from samples import errors_of, load_with_processor, measure_in_turn, median_of, median_with_range, middle, ratios
from servers import Baton

SECONDS, WARMUP_SECONDS, LEAST_ROUNDS = 2, 0.5, 5

NOTE = ("One operation of the queue inserts a job, and takes a job with `FOR UPDATE SKIP LOCKED` and completes it, as two "
        "statements that are committed and synced; pgbench sends them prepared, over TCP on loopback. A worker that must "
        "survive a crash in the middle of a job needs a third commit. One operation of Baton is a send over A2A: the "
        "submitted task, its run, the model call, the answer and the end are on disk, with spans. `fsync` and "
        "`synchronous_commit` of PostgreSQL are on, and its other settings are the defaults, apart from 256 MB of shared "
        "buffers.")


def measure(options, directory):
    """The lines of the section."""
    rounds = options.rounds if options.quick else max(options.rounds, LEAST_ROUNDS)
    rows = [("baton", Baton(options, os.path.join(directory, "queue-baton"))),
            ("postgres", PostgresQueue(options, os.path.join(directory, "queue-postgres")))]

    def one(server):
        if isinstance(server, PostgresQueue):
            return server.load(connections, SECONDS)
        return load_with_processor(server, "send", connections, seconds=SECONDS, warmup=WARMUP_SECONDS)

    samples = {}
    with contextlib.ExitStack() as stack:
        for _, server in rows:
            stack.callback(server.stop)
            server.start()
        for connections in options.connections:
            for number in range(rounds):
                measure_in_turn(rows, number, samples, (connections,), one)
    lines = ["## A queue in PostgreSQL", "", f"{SECONDS} s per measurement, median of {rounds}. {NOTE}", "",
             "| Connections | Server | tasks/s | p50 | p99 | processor | Baton / PostgreSQL | range |",
             "|---:|---|---:|---:|---:|---:|---:|---:|"]
    summary = []
    for connections in options.connections:
        own, theirs = samples[("baton", connections)], samples[("postgres", connections)]
        for _, server in rows:
            found = samples[(server.name, connections)]
            result = middle(found)
            ratio = median_with_range(ratios(own, theirs)) if server.name == "baton" else " | "
            lines.append(f"| {connections} | {server.title} | {per_second(result)} | {milliseconds(result['p50_us'])} | "
                         f"{milliseconds(result['p99_us'])} | {median_of(found, 'processor_us'):.0f} \u00b5s | {ratio} |")
        summary.append((f"durable sends per second beside a durable queue, {counted(connections)}",
                        per_second(middle(own)), f"{PostgresQueue.title} {per_second(middle(theirs))}"))
    return [*lines, "", f"Errors: {errors_of(samples)}.", "", *report.summary_block("queue", summary)]
