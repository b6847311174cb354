"""Kills servers with SIGKILL under load, starts them again, and looks for every task and event that they acknowledged."""

import http.client
import os
import random
import signal
import statistics
import threading
import time

import report
from rpc import COMPLETED, AgentConnection, RpcError, answer_of, message, send
from servers import Baton, PythonPeer, RustPeer, note

KINDS = {"baton": Baton, "rust": RustPeer, "python": PythonPeer}
CONNECTIONS = 16
CYCLES, PEER_CYCLES = 40, 2
# The kill comes at a random time after the start of the load.
MIN_SECONDS, MAX_SECONDS = 0.2, 0.8
RESUME_TIMEOUT_SECONDS = 60

NOTE = (f"Over {CONNECTIONS} connections, half of the requests are sends, half are streams. The process is killed with "
        f"SIGKILL {MIN_SECONDS:g} to {MAX_SECONDS:g} s after the load starts, and started again. A task is acknowledged when "
        "its send is answered as completed, an event when a stream delivers it. After the last start, every acknowledged "
        "task is read again and compared with its answer, and every delivered event is looked up by its number; tasks that "
        "a kill interrupted must have completed. SIGKILL leaves the page cache of the system in place: this test says "
        "nothing about a loss of power, against which the sync protects.")


class Acknowledged:
    """What the clients of one server received."""

    def __init__(self):
        self.lock = threading.Lock()
        self.answers = {}
        self.events = {}
        self.errors = []

    def add_answer(self, task, answer):
        with self.lock:
            self.answers[task] = answer

    def add_event(self, task, number):
        with self.lock:
            self.events.setdefault(task, []).append(number)

    def add_error(self, error):
        with self.lock:
            self.errors.append(str(error))

    def event_count(self):
        return sum(len(numbers) for numbers in self.events.values())


def measure(options, directory):
    """The lines of the section."""
    rows = []
    for name in options.servers:
        cycles = (CYCLES if name == "baton" else PEER_CYCLES) if not options.quick else 3 if name == "baton" else 1
        rows.append(kill_loop(KINDS[name](options, os.path.join(directory, f"crashes-{name}")), cycles))
    lines = ["## Crashes", "", NOTE, "",
             "| Server | kills | tasks acknowledged | lost | events delivered | lost | unfinished after the restart "
             "| start to ready, median | slowest | errors |", "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for row in rows:
        lines.append(f"| {row['title']} | {row['kills']} | {row['tasks']:,} | {row['lost_tasks']:,} | {row['events']:,} | "
                     f"{row['lost_events']:,} | {row['unfinished']:,} | {statistics.median(row['ready']):.0f} ms | "
                     f"{max(row['ready']):.0f} ms | {row['errors']} |")
    own = [row for row in rows if row["title"] == Baton.title]
    if own:
        peers = [row for row in rows if row is not own[0]]
        lines += ["", *report.summary_block("crashes", [
            ("tasks lost under kill -9", lost(own[0], "tasks"), "; ".join(
                f"{row['title']} {lost(row, 'tasks')}" for row in peers)),
            ("delivered events lost under kill -9", lost(own[0], "events"), "; ".join(
                f"{row['title']} {lost(row, 'events')}" for row in peers)),
            ("start to ready after kill -9, median", f"{statistics.median(own[0]['ready']):.0f} ms", ""),
        ])]
    return lines


def lost(row, kind):
    return f"{row['lost_' + kind]:,} of {row[kind]:,}"


def kill_loop(server, cycles):
    chance, found, ready = random.Random(1), Acknowledged(), []
    try:
        server.start()
        for cycle in range(cycles):
            load_and_kill(server, cycle, chance.uniform(MIN_SECONDS, MAX_SECONDS), found)
            ready.append(server.start())
        row = check(server, found)
    finally:
        server.stop()
    row |= {"title": server.title, "kills": cycles, "ready": ready, "errors": len(found.errors)}
    note(f"{server.name}: {cycles} kills, {lost(row, 'tasks')} tasks and {lost(row, 'events')} events lost")
    for error in found.errors[:3]:
        note(f"{server.name}: {error}")
    return row


def load_and_kill(server, cycle, seconds, found):
    killed = threading.Event()
    clients = [threading.Thread(target=run_client, args=(server.url, f"{cycle}-{number}", number % 2 == 0, killed, found))
               for number in range(CONNECTIONS)]
    for client in clients:
        client.start()
    time.sleep(seconds)
    killed.set()
    server.stop(signal.SIGKILL)
    for client in clients:
        client.join()


def run_client(url, name, streams, killed, found):
    """Sends one request after another until the server is gone."""
    connection, number = AgentConnection(url), 0
    try:
        while True:
            text, number = f"{name}-{number}", number + 1
            if streams:
                read_stream(connection, text, found)
            else:
                task = send(connection, text)
                if task["status"]["state"] != COMPLETED or answer_of(task) != f"echo: {text}":
                    raise RpcError(f"the task of {text} is not completed with its echo")
                found.add_answer(task["id"], answer_of(task))
    except (OSError, http.client.HTTPException, ValueError) as error:
        # The request that the kill interrupts was not acknowledged.
        if not killed.is_set():
            found.add_error(error)
    except RpcError as error:
        found.add_error(error)
    finally:
        connection.close()


def read_stream(connection, text, found):
    task, answer, state = None, None, None
    for number, item in connection.stream("SendStreamingMessage", {"message": message(text)}):
        task = item["task"]["id"] if "task" in item else task
        found.add_event(task, number)
        if "artifactUpdate" in item:
            answer = item["artifactUpdate"]["artifact"]["parts"][0]["text"]
        state = (item.get("statusUpdate") or item.get("task") or {}).get("status", {}).get("state", state)
    if state != COMPLETED:
        # Cut off by the kill.
        raise OSError(f"the stream of {text} ended early")
    if answer != f"echo: {text}":
        raise RpcError(f"the stream of {text} has another answer")
    found.add_answer(task, answer)


def check(server, found):
    """Compares the restarted server with what was acknowledged."""
    tasks = sorted(found.answers.keys() | found.events.keys())
    shares, results = [tasks[number::CONNECTIONS] for number in range(CONNECTIONS)], []
    checkers = [threading.Thread(target=check_tasks, args=(server, share, found, results)) for share in shares]
    for checker in checkers:
        checker.start()
    for checker in checkers:
        checker.join()
    if len(results) != len(tasks):
        raise SystemExit(f"{server.name}: only {len(results)} of {len(tasks)} tasks were checked")
    return {"tasks": len(found.answers), "events": found.event_count(),
            "lost_tasks": sum(one["lost"] for one in results), "lost_events": sum(one["lost_events"] for one in results),
            "unfinished": sum(one["unfinished"] for one in results)}


def check_tasks(server, tasks, found, results):
    connection = AgentConnection(server.url)
    for task in tasks:
        view = final_view(connection, task)
        answer, numbers = found.answers.get(task), found.events.get(task, [])
        completed = view is not None and view["status"]["state"] == COMPLETED
        results.append({
            "lost": answer is not None and not (completed and answer_of(view) == answer),
            "lost_events": len(numbers) if view is None else lost_numbers(server, connection, task, numbers),
            "unfinished": view is not None and not completed,
        })
    connection.close()


def final_view(connection, task):
    """The task once it has completed; nothing if it does not exist."""
    deadline = time.monotonic() + RESUME_TIMEOUT_SECONDS
    while True:
        try:
            view = connection.call("GetTask", {"id": task})
        except RpcError:
            return None
        if view["status"]["state"] == COMPLETED or time.monotonic() > deadline:
            return view
        time.sleep(0.01)


def lost_numbers(server, connection, task, numbers):
    """How many of these events are not stored; the peers do not number their events."""
    if not numbers or not isinstance(server, Baton):
        return 0
    stored = {event["number"] for event in connection.get(f"/api/v1/tasks/{task}/events?limit=1000")["events"]}
    return sum(number not in stored for number in numbers)
