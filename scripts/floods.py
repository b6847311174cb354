"""Floods a Baton on loopback with several kinds of requests, and monitors its memory and its health probe.

Each flood lasts at most SECONDS; the probe is called continuously, on separate connections. Prints a table, and exits
with 1 if a probe took longer than a second, or if the process used more memory than --max-rss-mb.
"""

import argparse
import base64
import http.client
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
MAX_PROBE_MS = 1000
MAX_LATE_SECONDS = 5
JSON = {"content-type": "application/json"}
MCP = JSON | {"accept": "application/json, text/event-stream"}


class Server:
    """The process under test."""

    def __init__(self, binary, agents, directory):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = open(os.path.join(directory, "log"), "wb")
        command = [binary, "up", agents, "--port", str(self.port), "--data", os.path.join(directory, "data")]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, cwd=directory)
        until = time.monotonic() + 30
        while self.probe(5) is None:
            if self.process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"{' '.join(command)} did not get ready; see {self.log.name}")
            time.sleep(0.05)

    def probe(self, patience=10):
        """The duration of GET /healthz in milliseconds; None if it failed."""
        begun = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        try:
            connection.request("GET", "/healthz")
            healthy = connection.getresponse().status == 200
            return (time.monotonic() - begun) * 1000 if healthy else None
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def resident_mb(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS:"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Watch:
    """Samples memory and the health probe while a flood runs."""

    def __init__(self, server):
        self.server, self.peak, self.slowest, self.failed = server, 0.0, 0.0, 0
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.memory), threading.Thread(target=self.health)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def memory(self):
        while not self.over.wait(0.05):
            self.peak = max(self.peak, self.server.resident_mb())

    def health(self):
        while not self.over.wait(0.1):
            took = self.server.probe()
            if took is None:
                self.failed += 1
            else:
                self.slowest = max(self.slowest, took)


class Flood:
    """Sends requests from many threads until the time is over; counts responses by status."""

    def __init__(self, server, seconds):
        self.server, self.until = server, time.monotonic() + seconds
        self.lock, self.requests, self.refused = threading.Lock(), 0, 0
        self.statuses = {}

    def goes_on(self):
        return time.monotonic() < self.until

    def count(self, status):
        with self.lock:
            self.requests += 1
            self.refused += not 200 <= status < 300
            self.statuses[status] = self.statuses.get(status, 0) + 1

    def connect(self, patience=MAX_LATE_SECONDS):
        return http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=patience)

    def ask(self, method, path, body=None, headers=None, patience=30):
        """Sends one request on a new connection; returns the status (0 without a response) and the body."""
        connection = self.connect(min(patience, max(1, self.until + MAX_LATE_SECONDS - time.monotonic())))
        try:
            connection.request(method, path, body=body, headers=headers or {})
            response = connection.getresponse()
            said, until = [], min(time.monotonic() + patience, self.until + MAX_LATE_SECONDS)
            while piece := response.read1(65_536):
                said.append(piece)
                # An open stream must not extend the flood.
                if time.monotonic() > until:
                    raise TimeoutError
            self.count(response.status)
            return response.status, b"".join(said)
        except (OSError, http.client.HTTPException):
            self.count(0)
            return 0, b""
        finally:
            connection.close()

    def post(self, path, value, headers=JSON):
        return self.ask("POST", path, json.dumps(value), headers)

    def run(self, threads, work):
        """Repeats the work in this many threads until the time is over."""
        def repeat(number):
            while self.goes_on():
                if work(number) is False:
                    return
        started = [threading.Thread(target=repeat, args=(number,)) for number in range(threads)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()


def spans(first, count, now):
    """Spans over three hours, with 900 different users and a unique request id each."""
    pick = random.Random(first)
    text = lambda key, value: {"key": key, "value": {"stringValue": value}}
    each = []
    for number in range(first, first + count):
        start = now - pick.randrange(3 * 3600 * 10**9)
        each.append({
            "traceId": f"{number // 10 + 1:032x}", "spanId": f"{number + 1:016x}", "name": f"work {number % 7}",
            "kind": 1, "startTimeUnixNano": str(start), "endTimeUnixNano": str(start + pick.randrange(1, 10**9)),
            "attributes": [text("user", f"user-{number % 900}"), text("request", f"{number:032x}")],
        })
    resource = {"attributes": [text("service.name", "flood")]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "flood"}, "spans": each}]}]}


def queries(flood):
    """24 clients request the maximum of series and intervals; half of them disconnect after a second."""
    now = time.time_ns()
    for first in range(0, 30_000, 2_000):
        flood.ask("POST", "/v1/traces", json.dumps(spans(first, 2_000, now)), JSON)
    flood.requests, flood.refused, flood.statuses = 0, 0, {}
    start, end = now // 10**9 - 3 * 3600, now // 10**9
    quantiles = ", ".join(f"0.{number:02}" for number in range(1, 40))
    asked = [
        "{ } | rate() by (span.user)",
        "{ } | count_over_time() by (span.request)",
        f"{{ }} | quantile_over_time(duration, {quantiles}) by (span.user)",
        "{ } | histogram_over_time(duration) by (span.user)",
        "{ } >> { } || { } | avg_over_time(duration) by (span.user, name)",
        "{ } | compare({ name = \"work 1\" }, 100)",
    ]

    def work(number):
        pairs = {"q": asked[number % len(asked)], "start": start, "end": end, "step": "1s", "exemplars": 1000}
        path = f"/tempo/api/metrics/query_range?{urllib.parse.urlencode(pairs)}"
        if number % 4 == 3:
            pairs = {"q": "{ } | by(span:id) | select(span.user)", "limit": 5000, "spss": 1000}
            path = f"/tempo/api/search?{urllib.parse.urlencode(pairs)}"
        flood.ask("GET", path, patience=1 if number % 2 else 30)
    flood.run(24, work)


def references(flood):
    """Requests that reference the same item thousands of times."""
    item = {"type": "message", "role": "user", "content": "x" * 500_000}
    status, said = flood.post("/v1/responses", {"model": "echo", "input": [item]})
    if status != 200:
        return
    # Only output items can be referenced.
    said = [item for item in json.loads(said)["output"] if item["type"] == "message"]
    named = [{"type": "item_reference", "id": said[0]["id"]}] * 2_000
    flood.run(4, lambda _: flood.post("/v1/responses", {"model": "echo", "input": named}) and None)


def bodies(flood):
    """Bodies close to the maximum size."""
    body = json.dumps({"model": "echo", "input": "x" * 7_500_000})
    flood.run(8, lambda _: flood.ask("POST", "/v1/responses", body, JSON) and None)


def fragments(flood):
    """WebSocket messages that never end."""
    def work(_):
        line = socket.create_connection(("127.0.0.1", flood.server.port), timeout=10)
        try:
            key = base64.b64encode(os.urandom(16)).decode()
            line.sendall((f"GET /v1/responses HTTP/1.1\r\nhost: 127.0.0.1:{flood.server.port}\r\nupgrade: websocket\r\n"
                          f"connection: upgrade\r\nsec-websocket-key: {key}\r\nsec-websocket-version: 13\r\n\r\n").encode())
            status = int(line.recv(4096).split(b" ")[1])
            flood.count(200 if status == 101 else status)
            if status != 101:
                time.sleep(0.2)
                return
            # An unfinished text frame, masked with zeros, then continuation frames.
            for number in range(1_000):
                if not flood.goes_on():
                    return
                line.sendall(struct.pack(">BBQ4x", 0 if number else 1, 0x80 | 127, 65_536) + b"x" * 65_536)
        except (OSError, ValueError, IndexError):
            flood.count(0)
        finally:
            line.close()
    flood.run(8, work)


def streams(flood):
    """One client opens streams and keeps them open."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": {"message": {
        "messageId": "m", "role": "ROLE_USER", "parts": [{"text": "wait"}]}}})
    open_streams = []
    def work(_):
        if len(open_streams) >= 2_000:
            return False
        connection = flood.connect()
        try:
            connection.request("POST", "/agents/wait", body=body.replace('"m"', f'"{random.random()}"'), headers=JSON)
            response = connection.getresponse()
            kind = response.getheader("content-type", "")
            flood.count(200 if kind.startswith("text/event-stream") else 429)
            if kind.startswith("text/event-stream"):
                open_streams.append((connection, response))
                return None
        except (OSError, http.client.HTTPException):
            flood.count(0)
        connection.close()
        return None
    flood.run(8, work)
    for connection, _ in open_streams:
        connection.close()


HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "flood", "version": "1"}}}


def open_session(flood):
    """Opens an MCP session and returns its id."""
    connection = flood.connect()
    connection.request("POST", "/mcp", body=json.dumps(HELLO), headers=MCP)
    response = connection.getresponse()
    response.read()
    connection.close()
    session = MCP | {"mcp-session-id": response.getheader("mcp-session-id", "")}
    flood.post("/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, session)
    return session["mcp-session-id"]


def sessions(flood):
    """One client opens MCP sessions and uses none of them."""
    flood.run(8, lambda _: flood.post("/mcp", HELLO, MCP) and None)


def conversations(flood):
    """Conversations that grow without limit."""
    status, said = flood.post("/v1/conversations", {})
    if status != 200:
        return
    conversation = json.loads(said)["id"]
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x" * 60_000}]}
    body = json.dumps({"items": [item] * 20})
    flood.run(4, lambda _: flood.ask("POST", f"/v1/conversations/{conversation}/items", body, JSON) and None)


def mixed(flood):
    """A typical load: messages, streams, responses, tool lists, queries."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": {
        "messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hello"}]}}}
    tools = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    query = urllib.parse.urlencode({"q": "{ } | rate() by (name)"})
    session = MCP | {"mcp-session-id": open_session(flood)}

    def work(number):
        message_id = {"messageId": f"{random.random()}"}
        sent = message | {"params": {"message": message["params"]["message"] | message_id}}
        if number % 6 == 0:
            flood.post("/agents/echo", sent)
        elif number % 6 == 1:
            flood.post("/agents/echo", sent | {"method": "SendStreamingMessage"})
        elif number % 6 == 2:
            flood.post("/v1/responses", {"model": "echo", "input": "hello " * 200})
        elif number % 6 == 3:
            flood.post("/v1/responses", {"model": "echo", "input": "hello", "stream": True})
        elif number % 6 == 4:
            flood.post("/mcp", tools, session)
        else:
            flood.ask("GET", f"/tempo/api/metrics/query_range?{query}")
    flood.run(12, work)


FLOODS = [queries, references, bodies, fragments, streams, sessions, conversations, mixed]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baton", default=os.environ.get("BATON_BINARY", "target/debug/baton"), help="the binary")
    parser.add_argument("--seconds", type=float, default=20, help="length of each flood (default: 20)")
    parser.add_argument("--settle", type=float, default=3, help="seconds from a flood to its memory reading (default: 3)")
    parser.add_argument("--max-rss-mb", type=float, default=1024, help="maximum memory at any time (default: 1024)")
    parser.add_argument("--only", help="floods to run, comma-separated: " + ", ".join(flood.__name__ for flood in FLOODS))
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else [flood.__name__ for flood in FLOODS]
    options.floods = [flood for flood in FLOODS if flood.__name__ in wanted]
    return options


def main():
    options = arguments()
    bad = []
    row = "{:<14} {:>9} {:>9} {:>10} {:>10} {:>12}  {}"
    print(row.format("flood", "requests", "refused", "peak MB", "after MB", "healthz ms", "statuses"))
    with tempfile.TemporaryDirectory(prefix="baton-floods-") as directory:
        agents = os.path.join(os.path.dirname(HERE), "bench", "agents")
        server = Server(os.path.abspath(options.baton), agents, directory)
        try:
            print(row.format("(idle)", "", "", "", f"{server.resident_mb():.0f}", f"{server.probe() or 0:.0f}", ""))
            for run in options.floods:
                with Watch(server) as watch:
                    flood = Flood(server, options.seconds)
                    run(flood)
                    time.sleep(options.settle)
                name, after = run.__name__, server.resident_mb()
                print(row.format(name, flood.requests, flood.refused, f"{watch.peak:.0f}", f"{after:.0f}",
                                 f"{watch.slowest:.0f}" + "!" * bool(watch.failed),
                                 " ".join(f"{status}:{count}" for status, count in sorted(flood.statuses.items()))),
                      flush=True)
                if watch.failed or watch.slowest > MAX_PROBE_MS:
                    bad.append(f"{name}: /healthz took {watch.slowest:.0f} ms, and failed {watch.failed} times")
                if watch.peak > options.max_rss_mb:
                    bad.append(f"{name}: {watch.peak:.0f} MB of memory")
        finally:
            server.stop()
    for line in bad:
        print(f"error: {line}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
