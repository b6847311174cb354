"""Memory, start time and recovery time of Baton."""

import contextlib
import os
import signal
import sqlite3
import time

from servers import Baton, load, note

RESUME_TIMEOUT_SECONDS = 60


def rss_after_tasks(server, count):
    """Resident megabytes after `count` sends, their rate, and megabytes on disk."""
    server.start()
    try:
        result = load(server.url, "send", 16, count=count)
        note(f"{server.name}: {count} tasks at {result['per_second']:.0f}/s, {result['errors']} errors")
        return server.resident_mb(), result["per_second"], server.disk_mb() if isinstance(server, Baton) else 0
    finally:
        server.stop()


def start_to_ready(server, stored, starts=5):
    """Milliseconds from starting the process until /readyz succeeds, several times, with `stored` tasks."""
    server.start()
    load(server.url, "send", 16, count=stored)
    server.stop()
    times = []
    for _ in range(starts):
        times.append(server.start())
        server.stop()
    note(f"baton: ready in {', '.join(f'{one:.0f}' for one in times)} ms")
    return times


def many_agents(options, directory, count, starts=3, idle_seconds=30):
    """Serves a directory of `count` agents, one of them invalid.

    Returns the milliseconds until it is ready for each of several starts, and for the last start the resident megabytes
    and the share of one core that it uses while idle.
    """
    folder = os.path.join(directory, "agents")
    write_agents(folder, count, invalid=count // 2)
    server = Baton(options, os.path.join(directory, "served"), agent=folder)
    times = []
    for number in range(starts):
        times.append(server.start())
        try:
            if number == starts - 1:
                before = server.processor_seconds()
                time.sleep(idle_seconds)
                idle = (server.processor_seconds() - before) / idle_seconds
                resident = server.resident_mb()
        finally:
            server.stop()
    shown = ", ".join(f"{one:.0f}" for one in times)
    note(f"baton: {count} agents served after {shown} ms, {resident:.0f} MB, {idle:.1%} of a core when idle")
    return times, resident, idle


def write_agents(folder, count, invalid=None):
    """Writes definitions of agents with a rule each; one of them can be invalid."""
    for number in range(count):
        home = os.path.join(folder, f"agent-{number:05}")
        os.makedirs(os.path.join(home, "rules"))
        yaml = "name: [" if number == invalid else f"name: agent-{number:05}\ndescription: One of many.\n"
        for file, text in (("agent.yaml", yaml), ("prompt.md", "You are one of many."), ("rules/brief.md", "Be brief.")):
            with open(os.path.join(home, file), "w", encoding="utf-8") as out:
                out.write(text)


def idle_memory(server, seconds):
    """Resident megabytes this time after the start, without requests."""
    server.start()
    try:
        time.sleep(seconds)
        return server.resident_mb()
    finally:
        server.stop()


def time_to_resume(options, directory, count):
    """Kills Baton with `count` unfinished runs and measures the recovery of the next process.

    The journal shows that a run has resumed: it contains a `task.run_resumed` event, and then a new
    `task.attempt_started` event because the model is called again. Returns the milliseconds until the process is ready,
    and the seconds until all runs have resumed and until all have called their model; none after the timeout.
    """
    server = Baton(options, directory, agent="wait")
    server.start()
    load(server.url, "submit", 16, count=count, text="wait")
    journal = os.path.join(server.data, "journal.db")
    # Every run must have started before the kill, or there is nothing to resume.
    working = wait_for_streams(journal, "task.attempt_started", 0, count, time.perf_counter())
    if working is None:
        note(f"baton: not all of {count} runs had started before the kill")
    last = newest(journal)
    server.stop(signal.SIGKILL)

    begun = time.perf_counter()
    ready = server.start()
    try:
        resumed = wait_for_streams(journal, "task.run_resumed", last, count, begun)
        calling = wait_for_streams(journal, "task.attempt_started", last, count, begun)
    finally:
        server.stop(signal.SIGKILL)
    return ready, resumed, calling


def wait_for_streams(journal, kind, after, count, begun):
    """Seconds since `begun` when `count` streams have such an event after `after`; None after the timeout."""
    with open_read_only(journal) as database:
        while time.perf_counter() - begun < RESUME_TIMEOUT_SECONDS:
            query = "SELECT count(DISTINCT stream) FROM events WHERE seq > ? AND kind = ?"
            if database.execute(query, (after, kind)).fetchone()[0] >= count:
                return time.perf_counter() - begun
            time.sleep(0.01)
    return None


def newest(journal):
    with open_read_only(journal) as database:
        return database.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0]


def open_read_only(journal):
    return contextlib.closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True, timeout=5))
