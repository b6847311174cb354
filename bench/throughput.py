"""Sends and streams of Baton and its peers: throughput, latency and processor time, also with busy neighbours."""

import contextlib
import os
import statistics

import report
from neighbours import busy_neighbours
from report import counted, milliseconds, per_second, yes
from samples import errors_of, load_with_processor, measure_in_turn, median_of, median_with_range, middle, ratios
from servers import Baton, BatonWithoutSpans, PythonPeer, RustPeer
from sync_time import sync_micros

KINDS = {"baton": Baton, "no-spans": BatonWithoutSpans, "rust": RustPeer, "python": PythonPeer}
MODES = ("send", "stream")
BUSY_NAMES, BUSY_CONNECTIONS = ("baton", "rust"), (16, 64)
WARMUP_SECONDS, LEAST_ROUNDS = 0.5, 5

# Targets of Baton relative to the Rust server, by number of connections.
TARGET_RATES = {16: 1.6, 64: 2.0}
TARGET_PROCESSOR, TARGET_BUSY, TARGET_OVER_SYNC_US, TARGET_SPANS = 0.7, 0.8, 150, 0.15

NOTES = [
    "Baton syncs each task to disk before it responds; the other two keep tasks in memory. Processor time is that of the "
    "server, per operation, without the load generator. Ratios compare measurements of the same round: the median of the "
    "rounds, with the lowest and the highest.",
    "The same with one more process per core that only computes, pinned to its core, at normal priority.",
]


def measure(options, directory):
    """The lines of the section."""
    rounds = options.rounds if options.quick else max(options.rounds, LEAST_ROUNDS)
    conditions = (f"Loopback, keep-alive JSON-RPC, {options.seconds:g} s per measurement after {WARMUP_SECONDS:g} s of "
                  f"warm-up, median of {rounds}; the servers run at the same time and take turns; the load generator "
                  "shares the machine.")
    names = [name for server in options.servers for name in ((server, "no-spans") if server == "baton" else (server,))]
    samples, busy, syncs, resident = {}, {}, [], {}
    for mode in MODES:
        for connections in options.connections:
            with started(options, directory, names, resident) as rows:
                for number in range(rounds):
                    if (mode, connections) == ("send", 1):
                        syncs.append(sync_micros(directory))
                    take_turns(options, rows, number, mode, connections, samples)
    for mode in MODES:
        for connections in (number for number in BUSY_CONNECTIONS if number in options.connections):
            with started(options, directory, [name for name in BUSY_NAMES if name in names], {}) as rows:
                with busy_neighbours():
                    for number in range(rounds):
                        take_turns(options, rows, number, mode, connections, busy)
    lines = ["## Baton and its peers", "", conditions, NOTES[0], "", *table(options, names, samples)]
    lines += ["", *resident_table(resident)]
    if busy:
        lines += ["", NOTES[1], "", *table(options, [name for name in BUSY_NAMES if name in names], busy)]
    if syncs:
        lines += ["", f"One sync took {milliseconds(statistics.median(syncs))}: the median of {len(syncs)} rounds of 200, each "
                  "before the sends of one connection."]
    if "baton" in names:
        lines += ["", *report.figures_block("targets-servers", target_table(samples, busy, syncs)), "",
                  *sends_figures(options, samples), "", *summary(options, samples, busy)]
    return lines + ["", f"Errors: {errors_of(samples) + errors_of(busy)}."]


@contextlib.contextmanager
def started(options, directory, names, resident):
    """New processes for one operation and number of connections: servers that keep every task in memory slow down as they
    grow. Baton keeps its journal, as in production."""
    servers = [(name, KINDS[name](options, os.path.join(directory, name))) for name in names]
    with contextlib.ExitStack() as stack:
        for _, server in servers:
            stack.callback(server.stop)
            server.start()
        yield servers
        for name, server in servers:
            resident[name] = max(resident.get(name, 0), server.resident_mb())


def take_turns(options, rows, number, mode, connections, samples):
    def one(server):
        return load_with_processor(server, mode, connections, seconds=options.seconds, warmup=WARMUP_SECONDS)

    measure_in_turn(rows, number, samples, (mode, connections), one)


def keys_of(samples):
    """The measured operations and numbers of connections, in order."""
    return list(dict.fromkeys(key[1:] for key in samples))


def table(options, names, samples):
    peers = [name for name in ("rust", "python") if name in names and "baton" in names]
    lines = ["| Operation | Connections | Server | per second | p50 | p99 | processor |"
             + "".join(f" / {name} | range | processor / {name} | range |" for name in peers),
             "|---|---:|---|---:|---:|---:|---:|" + "---:|---:|---:|---:|" * len(peers)]
    for mode, connections in keys_of(samples):
        for name in names:
            found = samples[(name, mode, connections)]
            result = middle(found)
            cells = ""
            for peer in peers:
                theirs = samples[(peer, mode, connections)]
                cells += (f" {median_with_range(ratios(found, theirs))} | "
                          f"{median_with_range(ratios(found, theirs, 'processor_us'))} |"
                          if name in ("baton", "no-spans") else " | | | |")
            lines.append(f"| {mode} | {connections} | {KINDS[name].title} | {per_second(result)} | "
                         f"{milliseconds(result['p50_us'])} | {milliseconds(result['p99_us'])} | "
                         f"{median_of(found, 'processor_us'):.0f} \u00b5s |{cells}")
    return lines


def resident_table(resident):
    lines = ["| Server | maximum resident memory |", "|---|---:|"]
    return lines + [f"| {KINDS[name].title} | {megabytes:.0f} MB |" for name, megabytes in resident.items()]


def target_table(samples, busy, syncs):
    lines = ["| Baton | measured | target | met |", "|---|---:|---:|---|"]

    def at_least(title, found, wanted):
        lines.append(f"| {title} | {found:.2f}x | \u2265 {wanted:g}x | {yes(found >= wanted)} |")

    def at_most(title, found, wanted):
        lines.append(f"| {title} | {found:.2f}x | \u2264 {wanted:g}x | {yes(found <= wanted)} |")

    for mode, connections in keys_of(samples):
        if connections in TARGET_RATES and has(samples, "rust"):
            of = f"{mode}s, {counted(connections)}, relative to rust"
            at_least(f"{of}: per second", ratio(samples, "rust", mode, connections), TARGET_RATES[connections])
            at_most(f"{of}: processor time", ratio(samples, "rust", mode, connections, "processor_us"), TARGET_PROCESSOR)
    for mode, connections in keys_of(busy):
        if has(busy, "rust"):
            at_least(f"{mode}s, {counted(connections)}, busy neighbours, relative to rust: per second",
                     ratio(busy, "rust", mode, connections), TARGET_BUSY)
    if syncs:
        sends = samples[("baton", "send", 1)]
        over = statistics.median(one["p50_us"] - sync for one, sync in zip(sends, syncs))
        lines.append(f"| send, one connection: p50 less one sync | {milliseconds(over)} | "
                     f"\u2264 {milliseconds(TARGET_OVER_SYNC_US)} | {yes(over <= TARGET_OVER_SYNC_US)} |")
    for mode, connections in keys_of(samples):
        if mode == "send" and connections in TARGET_RATES:
            cost = spans_cost(samples, connections)
            lines.append(f"| spans, {counted(connections)}: additional processor time per send | {cost * 100:.0f} % | "
                         f"\u2264 {TARGET_SPANS * 100:.0f} % | {yes(cost <= TARGET_SPANS)} |")
    return lines


def spans_cost(samples, connections):
    """Additional processor time per send with spans, as a share of that without."""
    return ratio(samples, "no-spans", "send", connections, "processor_us") - 1


def has(samples, name):
    return any(key[0] == name for key in samples)


def ratio(samples, peer, mode, connections, key="per_second"):
    return statistics.median(ratios(samples[("baton", mode, connections)], samples[(peer, mode, connections)], key))


def sends_figures(options, samples):
    """The short table of other pages."""
    names = [name for name in options.servers if has(samples, name)]
    lines = ["| Connections |" + "".join(f" {KINDS[name].title} |" for name in names), "|---:|" + "---:|" * len(names)]
    for connections in options.connections:
        rates = (per_second(middle(samples[(name, "send", connections)])) for name in names)
        lines.append(f"| {connections} |" + "".join(f" {rate} |" for rate in rates))
    return report.figures_block("sends", lines)


def summary(options, samples, busy):
    peers = [name for name in options.servers if name != "baton"]
    rows = []
    for title, found in (("", samples), (", busy neighbours", busy)):
        for mode, connections in keys_of(found):
            present = [name for name in peers if (name, mode, connections) in found]
            own = middle(found[("baton", mode, connections)])
            rows.append((f"durable {mode}s per second, {counted(connections)}{title}", per_second(own),
                         "; ".join(f"{KINDS[name].title} {per_second(middle(found[(name, mode, connections)]))}"
                                   for name in present)))
    for mode, connections in keys_of(samples):
        if connections == max(options.connections):
            own = median_of(samples[("baton", mode, connections)], "processor_us")
            rows.append((f"processor time per {mode}, {counted(connections)}", f"{own:.0f} \u00b5s",
                         "; ".join(f"{KINDS[name].title} {median_of(samples[(name, mode, connections)], 'processor_us'):.0f}"
                                   " \u00b5s" for name in ("no-spans", *peers))))
    return report.summary_block("servers", rows)
