"""`POST /v1/responses`: Baton, LiteLLM's proxy and aimock, at full load and at a fixed rate."""

import os
import statistics
from collections import namedtuple

import report
from report import counted, milliseconds, per_second, yes
from samples import errors_of, load_with_processor, median_of, middle, ratios
from servers import Aimock, Baton, Litellm, note

MODES = ("send", "stream")
ANSWER = "echo: hello"

# Servers and their models; the echo is checked unless the answer is constant.
Row = namedtuple("Row", "name title server send stream expect")
ROWS = (
    Row("baton", "Baton (durable)", "baton", "echo", "echo", None),
    Row("litellm", "litellm, model inside", "litellm", "mocked", "inside", ANSWER),
    Row("litellm-aimock", "litellm before aimock", "litellm", "behind", "behind", ANSWER),
    Row("aimock", "aimock", "aimock", "echo", "echo", ANSWER),
)
PEERS = ROWS[1:]

SECONDS, WARMUP_SECONDS = 3, 0.5
RATE, RATE_CONNECTIONS, RATE_SECONDS = 1_000, 64, 5

# Targets of Baton.
TARGET_RATIO, TARGET_CONNECTIONS = 20, 64
TARGET_P99_US, TARGET_FIRST_EVENT_US = 5_000, 2_000

NOTES = [
    "The models respond without delay, so all latency is overhead of the servers. Baton's agent has a playbook that answers "
    "with `echo:` and the input; the other models return a constant text. Baton writes each response to disk before it "
    "answers, with spans enabled; the others write nothing. Baton's replies are checked for the echo, the others' for the "
    "text, and all for completion. LiteLLM's proxy has one uvicorn worker per core and logs only errors. Its model is a "
    "`mock_response`, the shortest path through the proxy; it does not support streams of `/v1/responses`, so streams use "
    "a model written in Python inside the proxy. In the rows `litellm before aimock`, the proxy calls aimock on the same "
    "cores. aimock is one Node process.",
    "Each connection sends its next request after the response. The time to the first event counts from the written "
    "request. Processor time is that of the server with its workers; before aimock, aimock's time is not included. Ratios "
    "compare measurements of the same round; the median of the rounds is shown.",
]


def measure(options, directory):
    """The lines of the section."""
    conditions = (f"Loopback, keep-alive HTTP/1.1, {SECONDS:g} s per measurement after {WARMUP_SECONDS:g} s "
                  f"of warm-up, median of {options.rounds}; all servers run at the same time and take turns; the load "
                  "generator shares the machine.")
    aimock = Aimock(options, os.path.join(directory, "responses-aimock"))
    servers = {"baton": Baton(options, os.path.join(directory, "responses-baton")), "aimock": aimock,
               "litellm": Litellm(options, os.path.join(directory, "responses-litellm"), aimock)}
    samples, clocked = {}, {}
    try:
        for server in servers.values():
            server.start(timeout=180)
        warm_up(servers)
        for mode in MODES:
            for connections in options.connections:
                for number in range(options.rounds):
                    take_turns(ROWS, servers, mode, number, connections, None, samples)
        gentle = sustainable(samples, options)
        for mode in MODES:
            for number in range(options.rounds):
                take_turns((ROWS[0], ROWS[-1]), servers, mode, number, RATE_CONNECTIONS, RATE, clocked)
                take_turns(ROWS, servers, mode, number, RATE_CONNECTIONS, gentle, clocked)
    finally:
        for server in reversed(servers.values()):
            server.stop()
    return ["## Responses", "", conditions, "", NOTES[0], "", NOTES[1], "", *answers_table(options, samples), "",
            clock_note(gentle), "", *clock_table(clocked, gentle), "", *target_table(options, samples, clocked), "",
            f"Errors: {errors_of(samples) + errors_of(clocked)}.", "",
            *report.summary_block("responses", summary(options, samples))]


def warm_up(servers):
    # The first requests of each worker import Python modules.
    for mode in MODES:
        for row in ROWS:
            ask(row, servers, mode, connections=16, seconds=1)


def ask(row, servers, mode, connections, seconds, rate=None):
    return load_with_processor(servers[row.server], mode, connections, seconds=seconds, warmup=WARMUP_SECONDS,
                               protocol="responses", model=getattr(row, mode), expect=row.expect, rate=rate)


def take_turns(rows, servers, mode, number, connections, rate, samples):
    # The order rotates, so that no server always runs first or always after the same one.
    first = number % len(rows)
    for row in rows[first:] + rows[:first]:
        result = ask(row, servers, mode, connections, RATE_SECONDS if rate else SECONDS, rate)
        samples.setdefault((row.name, mode, rate or connections), []).append(result)
        where = f"{rate}/s" if rate else f"c={connections}"
        note(f"{row.name:14} {mode:6} {where:6} round {number + 1}: {result['per_second']:9.0f}/s  "
             f"p50 {result['p50_us']:>6} us  p99 {result['p99_us']:>6} us  first event {result['first_event_p50_us']:>6} us"
             + (f"  ERRORS {result['errors']}" if result["errors"] else ""))


def sustainable(samples, options):
    """Half of the lowest rate of LiteLLM's proxy with several connections."""
    connections = sorted(options.connections)[len(options.connections) // 2]
    least = min(one["per_second"] for mode in MODES for name in ("litellm", "litellm-aimock")
                for one in samples[(name, mode, connections)])
    return max(5, int(least / 2) // 5 * 5)


def answers_table(options, samples):
    lines = ["| Operation | Connections | Server | per second | p50 | p99 | first event p50 | p99 | processor |"
             + "".join(f" Baton / {row.title} |" for row in PEERS),
             "|---|---:|---|---:|---:|---:|---:|---:|---:|" + "---:|" * len(PEERS)]
    for mode in MODES:
        for connections in options.connections:
            for row in ROWS:
                found = samples[(row.name, mode, connections)]
                result = middle(found, "per_second")
                processor = median_of(found, "processor_us")
                ratios = "".join(f" {ratio(samples, peer, mode, connections):.2f}x |" if row.name == "baton" else " |"
                                 for peer in PEERS)
                lines.append(f"| {mode} | {connections} | {row.title} | {per_second(result)} | "
                             f"{milliseconds(result['p50_us'])} | {milliseconds(result['p99_us'])} | "
                             f"{first_event(mode, result)} | {processor:.0f} \u00b5s |{ratios}")
    return lines


def clock_note(gentle):
    return (f"At a fixed rate of {RATE:,} requests per second, over at most {RATE_CONNECTIONS} connections for "
            f"{RATE_SECONDS} s, independent of the response times. Latency counts from the scheduled time of a request, "
            "including delays of the load generator, so a stall delays all requests of that time. LiteLLM's proxy is "
            f"measured at {gentle} requests per second, half of its lowest throughput above.")


def clock_table(clocked, gentle):
    lines = ["| Operation | Rate | Server | p50 | p99 | p99.9 | max | first event p50 | p99 | sent late, p99 |"
             + "".join(f" p99, {row.title} / Baton |" for row in PEERS),
             "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|" + "---:|" * len(PEERS)]
    for mode in MODES:
        for rate in (RATE, gentle):
            for row in ROWS:
                found = clocked.get((row.name, mode, rate))
                if not found:
                    continue
                result = middle(found, "p99_us")
                ratios = ""
                for peer in PEERS:
                    theirs = clocked.get((peer.name, mode, rate))
                    show = row.name == "baton" and theirs
                    ratios += f" {median_of(theirs, 'p99_us') / max(result['p99_us'], 1):.2f}x |" if show else " |"
                times = " | ".join(milliseconds(result[key]) for key in ("p50_us", "p99_us", "p999_us", "max_us"))
                lines.append(f"| {mode} | {rate:,}/s | {row.title} | {times} | {first_event(mode, result)} | "
                             f"{milliseconds(result['late_p99_us'])} |{ratios}")
    return lines


def target_table(options, samples, clocked):
    lines = ["| Baton | measured | target | met |", "|---|---:|---:|---|"]
    if TARGET_CONNECTIONS in options.connections:
        for mode in MODES:
            # Compared with the faster of its two rows.
            found = min(ratio(samples, peer, mode, TARGET_CONNECTIONS) for peer in PEERS if peer.server == "litellm")
            lines.append(f"| {mode}, {TARGET_CONNECTIONS} connections: throughput relative to litellm | {found:.1f}x | "
                         f"\u2265 {TARGET_RATIO}x | {yes(found >= TARGET_RATIO)} |")
    for mode in MODES:
        lines.append(below(f"{mode}, fixed rate of {RATE:,}/s: p99 of the added latency",
                           median_of(clocked[("baton", mode, RATE)], "p99_us"), TARGET_P99_US))
    for percentile in ("p50", "p99"):
        key = f"first_event_{percentile}_us"
        lines.append(below(f"stream, fixed rate of {RATE:,}/s: first event, {percentile}",
                           median_of(clocked[("baton", "stream", RATE)], key), TARGET_FIRST_EVENT_US))
        # With more connections, the latency depends on the number of connections.
        if 1 in options.connections:
            lines.append(below(f"stream, one connection: first event, {percentile}",
                               median_of(samples[("baton", "stream", 1)], key), TARGET_FIRST_EVENT_US))
    return lines


def below(title, micros, target):
    return f"| {title} | {milliseconds(micros)} | < {target / 1000:g} ms | {yes(micros < target)} |"


def first_event(mode, result):
    if mode != "stream":
        return "| "
    return f"{milliseconds(result['first_event_p50_us'])} | {milliseconds(result['first_event_p99_us'])}"


def ratio(samples, peer, mode, connections):
    return statistics.median(ratios(samples[("baton", mode, connections)], samples[(peer.name, mode, connections)]))


def summary(options, samples):
    rows = []
    for mode, title in zip(MODES, ("durable responses", "durable streamed responses")):
        for connections in options.connections:
            rate = {row: per_second(middle(samples[(row.name, mode, connections)])) for row in ROWS}
            rows.append((f"{title} per second, {counted(connections)}", rate[ROWS[0]],
                         "; ".join(f"{row.title} {rate[row]}" for row in PEERS)))
    return rows
