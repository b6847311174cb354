"""Starts Baton and its peers on loopback, loads them in turn, and prints one table with ratios.

Everything runs on one machine in one go, and the servers take turns, so that a busy moment hits all of them.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile

from recovery import rss_after_tasks, start_to_ready, time_to_resume
from servers import WARMUP_SECONDS, Baton, PythonPeer, RustPeer, load, note

KINDS = {"baton": Baton, "rust": RustPeer, "python": PythonPeer}
TITLES = {
    "baton": "Baton (durable)",
    "rust": "a2a-server-lf (memory)",
    "python": "a2a-sdk (memory)",
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", default="baton,rust,python", help="which to measure (default: all three)")
    parser.add_argument("--connections", default="1,16,64", help="connections at the same time (default: 1,16,64)")
    parser.add_argument("--seconds", type=float, default=5, help="length of one measurement (default: 5)")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each kind; the median counts (default: 3)")
    parser.add_argument("--quick", action="store_true", help="one round of two seconds, small extras")
    parser.add_argument("--no-extras", action="store_true", help="throughput only")
    parser.add_argument("--no-throughput", action="store_true", help="extras only")
    parser.add_argument("--baton", default="target/release/baton", help="the Baton binary")
    parser.add_argument("--out", help="also write the report to this file")
    options = parser.parse_args()
    if options.quick:
        options.seconds, options.rounds = 2, 1
    options.servers = options.servers.split(",")
    options.connections = [int(number) for number in options.connections.split(",")]
    return options


def throughput(options, directory):
    """Loads every server in every way.

    Returns {(server, mode, connections): median result}, {server: (most megabytes, tasks served by then)} and errors.
    """
    servers = {name: KINDS[name](options, os.path.join(directory, name)) for name in options.servers}
    samples, resident, errors = {}, {}, dict.fromkeys(servers, 0)
    for mode in ("send", "stream"):
        for connections in options.connections:
            # Begun anew each time: servers that keep every task in memory would otherwise slow down as they grow.
            # Baton keeps its journal from start to start, as it would in real life.
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
    """How many tasks the measurements made, warm-ups estimated."""
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
                lines.append(f"| {mode} | {connections} | {TITLES[name]} | {result['per_second']:,.0f} | "
                             f"{milliseconds(result['p50_us'])} | {milliseconds(result['p99_us'])} | "
                             f"{f'{events:,.0f}' if events else ''} |{ratios}")
    lines += ["", "| Server | resident memory, at most | tasks served since its start | errors |", "|---|---:|---:|---:|"]
    for name, (megabytes, tasks) in resident.items():
        lines.append(f"| {TITLES[name]} | {megabytes:.0f} MB | about {tasks:,} | {errors[name]} |")
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
        for title, result in time_to_resume(options, os.path.join(directory, "resume"), unfinished):
            lines.append(f"| Baton: {title} | {result} | < 2 s |")
    if "rust" in options.servers:
        megabytes, rate, _ = rss_after_tasks(RustPeer(options, os.path.join(directory, "rss-rust")), many)
        lines.append(f"| a2a-server-lf: resident memory after {many:,} tasks (sent at {rate:,.0f}/s) | {megabytes:.0f} MB | |")
    return lines


def milliseconds(micros):
    return f"{micros / 1000:.2f} ms" if micros < 100_000 else f"{micros / 1000:.0f} ms"


def machine():
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            model = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), model)
    except OSError:
        pass
    load_average = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} cores ({model}), {platform.system()} {platform.release()}, load average before: {load_average}"


def main():
    options = arguments()
    report = ["# Benchmark", "", machine() + ".",
              f"Loopback, keep-alive JSON-RPC, {options.seconds:g} s per measurement after 1 s of warm-up, "
              f"median of {options.rounds}; the load generator shares the machine.", ""]
    with tempfile.TemporaryDirectory(prefix="baton-bench-") as directory:
        if not options.no_throughput:
            report += throughput_table(options, *throughput(options, directory)) + [""]
        if not options.no_extras:
            report += extras_table(options, directory) + [""]
    text = "\n".join(report)
    print(text)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as out:
            out.write(text)


if __name__ == "__main__":
    sys.exit(main())
