"""Starts Baton and its peers on loopback, loads them in turn, and prints tables with ratios.

Everything runs on one machine. The servers take turns, so that load from other processes affects all of them.
"""

import argparse
import os
import statistics
import sys
import tempfile

import bindings
import builds
import callgrind
import report
import responses
import span_store
import tool_calls
from recovery import many_agents, rss_after_tasks, start_to_ready, time_to_resume
from report import machine, milliseconds
from servers import WARMUP_SECONDS, Baton, PythonPeer, RustPeer, load, note

KINDS = {"baton": Baton, "rust": RustPeer, "python": PythonPeer}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", default="baton,rust,python", help="servers to measure (default: all three)")
    parser.add_argument("--connections", default="1,16,64", help="numbers of concurrent connections (default: 1,16,64)")
    parser.add_argument("--seconds", type=float, default=5, help="length of one measurement (default: 5)")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each kind; the median is reported (default: 3)")
    parser.add_argument("--quick", action="store_true", help="one round of two seconds, small extras")
    parser.add_argument("--only", default=",".join(report.DEFAULT_SECTIONS),
                        help="sections to measure: servers (Baton and its peers), extras (memory, start, recovery), "
                             "bindings (JSON-RPC, HTTP+JSON and gRPC, 1.0 and 0.3), mcp (tool calls, bare rmcp and "
                             "FastMCP), responses (/v1/responses, LiteLLM's proxy and aimock), spans (the span store, "
                             "and the overhead of spans), instructions (callgrind), builds (two builds of Baton)")
    parser.add_argument("--instructions", dest="only", action="store_const", const="instructions",
                        help="the same as --only instructions")
    parser.add_argument("--baton", default="target/release/baton", help="the Baton binary")
    parser.add_argument("--before", help="for builds: the Baton binary to compare with")
    parser.add_argument("--before-environment", help="for builds: the benchmark's environment program of the same commit")
    parser.add_argument("--fastmcp-python", default=sys.executable, help="a Python that has FastMCP")
    parser.add_argument("--litellm-python", default=sys.executable, help="a Python that has LiteLLM's proxy")
    parser.add_argument("--node", default="node", help="a Node for aimock")
    parser.add_argument("--duckdb-python", default=sys.executable, help="a Python that has DuckDB")
    parser.add_argument("--out", help="also update the measured sections of this report; its other text is kept")
    options = parser.parse_args()
    if options.quick:
        options.seconds, options.rounds = 2, 1
    options.servers, options.only = options.servers.split(","), options.only.split(",")
    if unknown := set(options.only) - set(report.SECTIONS):
        parser.error(f"unknown section: {', '.join(sorted(unknown))}")
    if "builds" in options.only and not options.before:
        parser.error("builds needs --before")
    options.connections = [int(number) for number in options.connections.split(",")]
    return options


def throughput(options, directory):
    """Measures every server in every mode.

    Returns {(server, mode, connections): median result}, {server: (most megabytes, tasks served by then)} and errors.
    """
    servers = {name: KINDS[name](options, os.path.join(directory, name)) for name in options.servers}
    samples, resident, errors = {}, {}, dict.fromkeys(servers, 0)
    for mode in ("send", "stream"):
        for connections in options.connections:
            # Restarted each time: servers that keep every task in memory slow down as they grow.
            # Baton keeps its journal across restarts, as in production.
            try:
                for server in servers.values():
                    server.start()
                for round_number in range(options.rounds):
                    for name, server in servers.items():
                        result = load(server.url, mode, connections, seconds=options.seconds)
                        samples.setdefault((name, mode, connections), []).append(result)
                        errors[name] += result["errors"]
                        progress(name, mode, connections, round_number, result)
                for name, server in servers.items():
                    found = (server.resident_mb(), tasks_of(samples[(name, mode, connections)]))
                    resident[name] = max(resident.get(name, (0, 0)), found)
            finally:
                for server in servers.values():
                    server.stop()
    middle = {key: sorted(found, key=lambda one: one["per_second"])[len(found) // 2] for key, found in samples.items()}
    return middle, resident, errors


def progress(name, mode, connections, round_number, result):
    errors = f"  ERRORS {result['errors']}" if result["errors"] else ""
    note(f"{name:6} {mode:6} c={connections:<3} round {round_number + 1}: {result['per_second']:9.0f}/s  "
         f"p50 {result['p50_us']:>6} us  p99 {result['p99_us']:>6} us{errors}")


def tasks_of(results):
    """Number of tasks that the measurements created, with estimated warm-ups."""
    return int(sum(one["requests"] + one["per_second"] * WARMUP_SECONDS for one in results))


def throughput_table(options, middle, resident, errors):
    others = [name for name in options.servers if name != "baton"]
    compare = others if "baton" in options.servers else []
    lines = ["| Operation | Connections | Server | per second | p50 | p99 | events/s |"
             + "".join(f" Baton / {name} |" for name in compare),
             "|---|---:|---|---:|---:|---:|---:|" + "---:|" * len(compare)]
    for mode in ("send", "stream"):
        for connections in options.connections:
            for name in options.servers:
                result = middle[(name, mode, connections)]
                events = result["events"] / result["seconds"] if mode == "stream" else None
                ratios = ""
                for other in compare:
                    ratio = result["per_second"] / max(middle[(other, mode, connections)]["per_second"], 1e-9)
                    ratios += f" {ratio:.2f}x |" if name == "baton" else " |"
                lines.append(f"| {mode} | {connections} | {KINDS[name].title} | {result['per_second']:,.0f} | "
                             f"{milliseconds(result['p50_us'])} | {milliseconds(result['p99_us'])} | "
                             f"{f'{events:,.0f}' if events else ''} |{ratios}")
    lines += ["", "| Server | maximum resident memory | tasks served since its start | errors |", "|---|---:|---:|---:|"]
    for name, (megabytes, tasks) in resident.items():
        lines.append(f"| {KINDS[name].title} | {megabytes:.0f} MB | about {tasks:,} | {errors[name]} |")
    return lines


def extras_table(options, directory):
    many, stored, unfinished = (5_000, 1_000, 100) if options.quick else (100_000, 10_000, 1_000)
    lines = ["| Measure | Result | Target |", "|---|---:|---:|"]
    if "baton" in options.servers:
        megabytes, rate, disk = rss_after_tasks(Baton(options, os.path.join(directory, "rss")), many)
        lines.append(f"| Baton: resident memory after {many:,} tasks (sent at {rate:,.0f}/s; {disk:.0f} MB on disk) "
                     f"| {megabytes:.0f} MB | < 60 MB |")
        times = start_to_ready(Baton(options, os.path.join(directory, "start")), stored)
        lines.append(f"| Baton: start to ready with {stored:,} stored tasks (median of {len(times)}) "
                     f"| {statistics.median(times):.0f} ms | < 100 ms |")
        agents = 1_000 if options.quick else 10_000
        idle_seconds = 5 if options.quick else 30
        times, megabytes, idle = many_agents(options, os.path.join(directory, "many"), agents, idle_seconds=idle_seconds)
        lines.append(f"| Baton: start to ready with {agents:,} agents in one folder, one of them broken (the first start; "
                     f"median of {len(times)}: {statistics.median(times):.0f} ms) | {times[0]:.0f} ms | < 2 s |")
        lines.append(f"| Baton: resident memory with them | {megabytes:.0f} MB | < 300 MB |")
        lines.append(f"| Baton: share of one core with them while idle | {idle:.1%} | < 2 % |")
        for title, result in time_to_resume(options, os.path.join(directory, "resume"), unfinished):
            lines.append(f"| Baton: {title} | {result} | < 2 s |")
    if "rust" in options.servers:
        megabytes, rate, _ = rss_after_tasks(RustPeer(options, os.path.join(directory, "rss-rust")), many)
        lines.append(f"| a2a-server-lf: resident memory after {many:,} tasks (sent at {rate:,.0f}/s) | {megabytes:.0f} MB | |")
    return lines


def main():
    options = arguments()
    sections = {}
    with tempfile.TemporaryDirectory(prefix="baton-bench-") as directory:
        if "servers" in options.only:
            conditions = (f"{machine()}. Loopback, keep-alive JSON-RPC, {options.seconds:g} s per measurement after "
                          f"{WARMUP_SECONDS} s of warm-up, median of {options.rounds}; the load generator shares the "
                          "machine.")
            table = throughput_table(options, *throughput(options, directory))
            sections["servers"] = ["## Baton and its peers", "", conditions, "", *table]
        if "extras" in options.only:
            sections["extras"] = ["## Memory, start and recovery", "", *extras_table(options, directory)]
        if "bindings" in options.only:
            sections["bindings"] = bindings.measure(options, directory)
        if "mcp" in options.only:
            sections["mcp"] = tool_calls.measure(options, directory)
        if "responses" in options.only:
            sections["responses"] = responses.measure(options, directory)
        if "builds" in options.only:
            sections["builds"] = builds.measure(options, directory)
        if "spans" in options.only:
            sections["spans"] = span_store.measure(options, os.path.join(directory, "spans"))
    if "instructions" in options.only:
        if callgrind.available() or options.only == ["instructions"]:
            sections["instructions"] = callgrind.measure()
        else:
            note("valgrind is not installed: no instructions are counted")
    print("\n\n".join("\n".join(lines) for lines in sections.values()))
    if options.out:
        report.write(options.out, sections)


if __name__ == "__main__":
    sys.exit(main())
