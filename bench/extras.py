"""Memory, start and recovery, with targets."""

import os
import statistics

import report
from handoffs import OneProcess
from recovery import RESUME_TIMEOUT_SECONDS, idle_memory, many_agents, rss_after_tasks, start_to_ready, time_to_resume
from report import yes
from servers import Baton, BatonWithoutSpans, PythonPeer, RustPeer

# Targets: megabytes, milliseconds, share of a core.
TARGET_RESIDENT, TARGET_IDLE, TARGET_READY, TARGET_RESUMED = 70, 30, 100, 2_000
TARGET_MANY_READY, TARGET_MANY_RESIDENT, TARGET_MANY_PROCESSOR = 2_000, 300, 0.02


class Rows:
    """Rows of the table, and of the summary."""

    def __init__(self):
        self.lines = ["| Measure | measured | target | met |", "|---|---:|---:|---|"]
        self.summary = []

    def add(self, title, value, unit, target=None):
        missing = value is None
        shown = f"more than {RESUME_TIMEOUT_SECONDS} s" if missing else f"{value * 100:.1f} %" if unit == "%" else f"{value:.0f} {unit}"
        wanted = f"< {target * 100:.0f} % | {yes(not missing and value < target)}" if target and unit == "%" else (
            f"< {target:,} {unit} | {yes(not missing and value < target)}" if target else " | ")
        self.lines.append(f"| {title} | {shown} | {wanted} |")
        return shown

    def summarize(self, title, shown, beside=""):
        self.summary.append((title, shown, beside))


def measure(options, directory):
    """The lines of the section."""
    many, stored, unfinished = (5_000, 1_000, 100) if options.quick else (100_000, 10_000, 1_000)
    rows, beside = Rows(), []
    for name, kind in (("rust", RustPeer), ("python", PythonPeer)):
        if name in options.servers:
            # The Python server needs minutes for as many tasks.
            count = many // 20 if name == "python" else many
            megabytes, rate, _ = rss_after_tasks(kind(options, os.path.join(directory, f"rss-{name}")), count)
            shown = rows.add(f"{kind.title}: resident memory after {count:,} tasks (sent at {rate:,.0f}/s)", megabytes, "MB")
            beside.append(f"{kind.title} {shown}" + (f" after {count:,}" if count != many else ""))
    if "baton" in options.servers:
        for kind, target in ((Baton, TARGET_RESIDENT), (BatonWithoutSpans, None)):
            megabytes, rate, disk = rss_after_tasks(kind(options, os.path.join(directory, f"rss-{kind.name}")), many)
            shown = rows.add(f"{kind.title}: resident memory after {many:,} tasks (sent at {rate:,.0f}/s; {disk:.0f} MB on "
                             "disk)", megabytes, "MB", target)
            if kind is Baton:
                rows.summarize(f"resident memory after {many:,} tasks", shown, "; ".join(beside))
        idle = idle_memory(OneProcess(options, os.path.join(directory, "idle")), 2 if options.quick else 10)
        rows.summarize("resident memory with two idle agents",
                       rows.add("Baton: resident memory with two agents while idle", idle, "MB", TARGET_IDLE))
        times = start_to_ready(Baton(options, os.path.join(directory, "start")), stored)
        rows.summarize(f"start to ready with {stored:,} stored tasks",
                       rows.add(f"Baton: start to ready with {stored:,} stored tasks (median of {len(times)})",
                                statistics.median(times), "ms", TARGET_READY))
        add_many_agents(options, directory, rows)
        ready, resumed, calling = time_to_resume(options, os.path.join(directory, "resume"), unfinished)
        shown = rows.add(f"Baton: start until {unfinished:,} unfinished runs are resumed (ready after {ready:.0f} ms)",
                         resumed and resumed * 1000, "ms", TARGET_RESUMED)
        rows.summarize(f"start until {unfinished:,} interrupted runs are resumed", shown, "the peers keep no tasks")
        rows.add(f"Baton: start until all {unfinished:,} call their model again", calling and calling * 1000, "ms",
                 TARGET_RESUMED)
    return ["## Memory, start and recovery", "", *report.figures_block("targets-extras", rows.lines), "", *report.summary_block("extras", rows.summary)]


def add_many_agents(options, directory, rows):
    agents, idle_seconds = (1_000, 5) if options.quick else (10_000, 30)
    times, megabytes, idle = many_agents(options, os.path.join(directory, "many"), agents, idle_seconds=idle_seconds)
    rows.add(f"Baton: start to ready with {agents:,} agents in one folder, one of them broken (the first start; median of "
             f"{len(times)}: {statistics.median(times):.0f} ms)", times[0], "ms", TARGET_MANY_READY)
    rows.add("Baton: resident memory with them", megabytes, "MB", TARGET_MANY_RESIDENT)
    rows.add("Baton: share of one core with them while idle", idle, "%", TARGET_MANY_PROCESSOR)
