"""The collector goes away under load, Baton is killed meanwhile and when it catches up, and everything arrives all the same.

Usage: outage.py BATON COLLECTOR [SECONDS]   (how long the collector is away, 20 unless told)
"""

import http.client
import statistics
import sys
import threading
import time

from parts import Scene, Seen, free_ports, in_groups, lines, run, say, wait_for, written_spans

from behind import HIDDEN, QUESTION, compare, receiving, variables, whole
from checking import expect, require

# Enough to see a stop, few enough that one answer lists all traces.
WORKERS, PACE = 4, 0.25
BEFORE, AFTER = 6.0, 4.0
# Baton twice, the collector once: each can take with it the answer to one request, which is then made again.
KILLS = 3


class Load:
    """Questions one after the other, by several askers, with the moment and the time of each."""

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
    """How many spans came again, and of how many requests they were at first."""
    first, twice, requests = {}, 0, set()
    for number, line in enumerate(lines(file)):
        for span in in_groups(line["resourceSpans"]):
            key = Seen(span).key
            if key in first:
                twice += 1
                requests.add(first[key])
            else:
                first[key] = number
    return twice, len(requests)


def outage(baton, collector, away):
    with Scene("outage") as scene:
        grpc, web = free_ports(2)
        folder = scene.folder / "collector"
        folder.mkdir()
        behind = scene.collector(collector, "collector", receiving(folder, grpc, web))
        behind.start().ready(f"http://127.0.0.1:{web}/v1/traces")
        served = scene.baton(baton, variables=variables(f"http://127.0.0.1:{grpc}")).start()
        served.ask("personal", QUESTION)
        with Load(served) as load:
            begun = time.monotonic()
            time.sleep(BEFORE)
            behind.kill()
            gone = time.monotonic()
            time.sleep(away / 2)
            # What was never said to be taken may be lost with the process, but nothing that was.
            killed = time.monotonic()
            served.program.kill()
            served.start()
            back = time.monotonic()
            time.sleep(max(0.0, away - (back - gone)))
            returned = time.monotonic()
            had = len(written_spans(folder / "traces.jsonl"))
            behind.start().ready(f"http://127.0.0.1:{web}/v1/traces")
            # Once more, as soon as it catches up: between what was taken and what it remembers to have sent.
            wait_for("spans are sent again", lambda: len(written_spans(folder / "traces.jsonl")) > had, 60)
            served.program.kill()
            served.start()
            time.sleep(AFTER)
        calm = described("with a collector    ", load.between(begun, gone), gone - begun)
        first = described("without, until killed", load.between(gone, killed), killed - gone)
        second = described("without, after that  ", load.between(back, returned), returned - back)
        for rate, median in (first, second):
            require("sending went on without a collector", rate > calm[0] / 2 and median < 3 * calm[1] + 50)
        asked = {trace for _, _, trace in load.answered}
        own, written = whole(served, asked, folder / "traces.jsonl")
        compare(own, written, HIDDEN)
        invoked = {key[0] for key, copies in written.items() if copies[0].name == "invoke_agent personal"}
        expect("questions that were answered and are not there", asked - invoked, set())
        twice, requests = repeated(folder / "traces.jsonl")
        require(f"only what was on its way came twice, not {requests} requests", requests <= KILLS)
        return (f"away for {returned - gone:.0f} s, killed for {back - killed:.1f} s; {len(asked)} questions answered, "
                f"{load.refused} refused while it was dead, {len(own)} spans, all arrived; "
                f"{twice} came twice, of {requests} requests")


def main(baton, collector, seconds="20"):
    run([(f"the collector is away for {seconds} s, and Baton is killed", lambda: outage(baton, collector, float(seconds)))])


if __name__ == "__main__":
    main(*sys.argv[1:])
