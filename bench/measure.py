"""Starts Baton and its peers on loopback, loads them in turn, and writes tables with ratios.

Everything runs on one machine. The servers take turns, so that load from other processes affects all of them.
"""

import argparse
import os
import sys
import tempfile
import traceback

import bindings
import builds
import callgrind
import crashes
import extras
import growth
import handoffs
import hot_path
import queue_peer
import report
import responses
import span_store
import throughput
import tool_calls
from servers import note

MEASURES = {
    "servers": (throughput.measure, "Baton and its peers: sends, streams, processor time, busy neighbours"),
    "extras": (extras.measure, "memory, start, recovery"),
    "crashes": (crashes.measure, "tasks and events lost under kill -9"),
    "handoffs": (handoffs.measure, "handoff latency"),
    "queue": (queue_peer.measure, "a durable queue in PostgreSQL"),
    "bindings": (bindings.measure, "JSON-RPC, HTTP+JSON and gRPC, 1.0 and 0.3"),
    "mcp": (tool_calls.measure, "tool calls, bare rmcp and FastMCP"),
    "responses": (responses.measure, "/v1/responses, LiteLLM's proxy and aimock"),
    "spans": (span_store.measure, "the span store, SQLite and DuckDB"),
    "growth": (growth.measure, "cost by stored tasks, agents, events and subscribers, with plots"),
    "instructions": (lambda options, directory: callgrind.measure(), "callgrind"),
    "builds": (builds.measure, "two builds of Baton; not in the default"),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", default="baton,rust,python", help="servers to measure (default: all three)")
    parser.add_argument("--connections", default="1,16,64", help="numbers of concurrent connections (default: 1,16,64)")
    parser.add_argument("--seconds", type=float, default=2, help="length of one measurement of servers (default: 2)")
    parser.add_argument("--rounds", type=int, default=3,
                        help="measurements of each kind; the median is reported (default: 3; most sections take 5 at least)")
    parser.add_argument("--quick", action="store_true", help="one short round, small sizes; writes no report without --out")
    parser.add_argument("--only", default=",".join(report.SECTIONS),
                        help="sections to measure: " + ", ".join(f"{name} ({what})" for name, (_, what) in MEASURES.items()))
    parser.add_argument("--instructions", dest="only", action="store_const", const="instructions",
                        help="the same as --only instructions")
    parser.add_argument("--baton", default="target/release/baton", help="the Baton binary")
    parser.add_argument("--before", help="for builds: the Baton binary to compare with")
    parser.add_argument("--before-environment", help="for builds: the benchmark's environment program of the same commit")
    for name, what in (("peer", "the official A2A server"), ("fastmcp", "FastMCP"), ("litellm", "LiteLLM's proxy"),
                       ("duckdb", "DuckDB"), ("plot", "matplotlib")):
        parser.add_argument(f"--{name}-python", default=sys.executable, help=f"a Python that has {what}")
    parser.add_argument("--node", default="node", help="a Node for aimock")
    parser.add_argument("--postgres", default="", help="the folder of PostgreSQL's programs")
    parser.add_argument("--out", help="the report to update (default: bench/RESULTS.md, except with --quick); the text "
                                      "between its sections is kept")
    parser.add_argument("--no-out", action="store_true", help="only print the results")
    options = parser.parse_args()
    if options.quick:
        options.seconds, options.rounds = 0.5, 1
    elif not options.out and options.only != "builds":
        options.out = report.RESULTS
    if options.no_out:
        options.out = None
    options.servers, options.only = options.servers.split(","), options.only.split(",")
    if unknown := set(options.only) - set(MEASURES):
        parser.error(f"unknown section: {', '.join(sorted(unknown))}")
    if "builds" in options.only and not options.before:
        parser.error("builds needs --before")
    options.connections = [int(number) for number in options.connections.split(",")]
    return options


def main():
    options, failures = arguments(), []
    for name in (name for name in MEASURES if name in options.only):
        if name == "instructions" and not callgrind.available() and options.only != ["instructions"]:
            note("valgrind is not installed: no instructions are counted")
            continue
        origin = report.origin()
        # A directory for each section, because some of them write gigabytes.
        with tempfile.TemporaryDirectory(prefix="baton-bench-") as directory:
            try:
                head, *lines = MEASURES[name][0](options, directory)
            except (Exception, SystemExit) as error:  # The other sections are measured.
                failures.append(name)
                note(f"section {name} failed: {error}\n{traceback.format_exc()}")
                continue
        section = [head, "", origin, *lines]
        print("\n".join(section), end="\n\n", flush=True)
        # Written at once, so that a later failure loses no measurement.
        if options.out:
            report.write(options.out, {name: section})
    for warning in hot_path.stale_sections(report.read(report.RESULTS)):
        note(f"warning: bench/RESULTS.md: {warning}; repeat it with make bench")
    return f"failed: {', '.join(failures)}" if failures else 0


if __name__ == "__main__":
    sys.exit(main())
