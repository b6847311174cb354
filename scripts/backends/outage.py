"""Kills the collector under load, and Baton during the outage and while it catches up; checks that all spans arrive.

Usage: outage.py BATON COLLECTOR [SECONDS]   (duration of the outage, default 20)
"""

import http.client
import statistics
import sys
import threading
import time

from parts import SpanRecord, Workspace, free_ports, in_groups, lines, run, say, wait_for, written_spans

from behind import HIDDEN, QUESTION, await_spans, compare, receiving, variables
from checking import expect, require

# Enough load to notice a pause; few enough traces for one search response.
WORKERS, PACE = 4, 0.25
BEFORE, AFTER = 6.0, 4.0
# Baton twice, the collector once. Each kill can lose the response to one export request, which is then repeated.
KILLS = 3


class Load:
    """Concurrent workers that send requests in sequence; records time and duration of each."""

    def __init__(self, served):
        self.served, self.over = served, threading.Event()
        self.lock, self.answered, self.refused = threading.Lock(), [], 0
        self.workers = [threading.Thread(target=self.work, daemon=True) for _ in range(WORKERS)]

    def work(self):
        while not self.over.is_set():
            begun = time.monotonic()
            try:
                trace, _ = self.served.ask("personal", "hello", timeout=60)
            except (OSError, http.client.HTTPException):
                with self.lock:
                    self.refused += 1
            else:
                with self.lock:
                    self.answered.append((time.monotonic(), time.monotonic() - begun, trace))
            self.over.wait(max(0.0, PACE - (time.monotonic() - begun)))

    def __enter__(self):
        for worker in self.workers:
            worker.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for worker in self.workers:
            worker.join(70)

    def between(self, begin, end):
        with self.lock:
            return [one for one in self.answered if begin <= one[0] < end]


def described(name, taken, seconds):
    times = sorted(one[1] * 1000 for one in taken)
    say(f"        {name}: {len(taken) / seconds:5.1f} sends a second, median {statistics.median(times):.0f} ms, longest {times[-1]:.0f} ms")
    return len(taken) / seconds, statistics.median(times)


def repeated(file):
    """The number of repeated spans, and of the requests that first contained them."""
    first, spans, requests = {}, 0, set()
    for number, line in enumerate(lines(file)):
        for span in in_groups(line["resourceSpans"]):
            key = SpanRecord(span).key
            if key in first:
                spans += 1
                requests.add(first[key])
            else:
                first[key] = number
    return spans, len(requests)


def outage(baton, collector, duration):
    with Workspace("outage") as workspace:
        grpc, web = free_ports(2)
        folder = workspace.folder / "collector"
        folder.mkdir()
        behind = workspace.collector(collector, "collector", receiving(folder, grpc, web))
        behind.start().ready(f"http://127.0.0.1:{web}/v1/traces")
        served = workspace.baton(baton, variables=variables(f"http://127.0.0.1:{grpc}")).start()
        served.ask("personal", QUESTION)
        with Load(served) as load:
            begun = time.monotonic()
            time.sleep(BEFORE)
            behind.kill()
            gone = time.monotonic()
            time.sleep(duration / 2)
            # The kill may lose requests that were not answered, but no others.
            killed = time.monotonic()
            served.program.kill()
            served.start()
            back = time.monotonic()
            time.sleep(max(0.0, duration - (back - gone)))
            returned = time.monotonic()
            had = len(written_spans(folder / "traces.jsonl"))
            behind.start().ready(f"http://127.0.0.1:{web}/v1/traces")
            # Killed again while it catches up, between an export and the record of its position.
            wait_for("spans are sent again", lambda: len(written_spans(folder / "traces.jsonl")) > had, 60)
            served.program.kill()
            served.start()
            time.sleep(AFTER)
        normal = described("with a collector    ", load.between(begun, gone), gone - begun)
        first = described("without, until killed", load.between(gone, killed), killed - gone)
        second = described("without, after that  ", load.between(back, returned), returned - back)
        for rate, median in (first, second):
            require("requests were served without a collector", rate > normal[0] / 2 and median < 3 * normal[1] + 50)
        asked = {trace for _, _, trace in load.answered}
        own, written = await_spans(served, asked, folder / "traces.jsonl")
        compare(own, written, HIDDEN)
        invoked = {key[0] for key, copies in written.items() if copies[0].name == "invoke_agent personal"}
        expect("answered requests without spans", asked - invoked, set())
        spans, requests = repeated(folder / "traces.jsonl")
        require(f"at most {KILLS} repeated export requests, not {requests}", requests <= KILLS)
        return (f"collector down for {returned - gone:.0f} s, Baton for {back - killed:.1f} s; {len(asked)} answers, "
                f"{load.refused} failed requests, {len(own)} spans, all arrived; "
                f"{spans} repeated, of {requests} export requests")


def main(baton, collector, seconds="20"):
    check = lambda: outage(baton, collector, float(seconds))
    run([(f"the collector is down for {seconds} s, and Baton is killed", check)])


if __name__ == "__main__":
    main(*sys.argv[1:])
