"""Cost by the number of subscribers of one task."""

import json
import os
import resource
import select
import socket
import statistics
import time
import urllib.parse

import growth
from rpc import AgentConnection, send
from servers import Baton, note

SIZES, QUICK_SIZES = (1, 10, 100, 1_000, 5_000), (1, 10, 100)
ROUNDS, TIMEOUT_SECONDS = 5, 60
CONFIGURATION = "limits: { max_connections: 16384, max_streams: 8192, principal_share: 100 }\n"


class ManyStreams(Baton):
    """The agent wait, with limits above the number of subscribers."""

    def __init__(self, options, directory):
        super().__init__(options, directory, agent="wait")
        self.configuration = os.path.join(directory, "baton.yaml")
        os.makedirs(directory, exist_ok=True)
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION)

    def command(self):
        return [*super().command(), "--config", self.configuration]


def measure(options, directory):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    points = {"delivery": [], "memory": []}
    for count in QUICK_SIZES if options.quick else SIZES:
        server = ManyStreams(options, os.path.join(directory, str(count)))
        try:
            server.start()
            rounds = [deliver(server, count) for _ in range(ROUNDS)]
        finally:
            server.stop()
        for name, found in zip(points, zip(*rounds)):
            points[name].append((count, statistics.median(found)))
        note(f"growth: {count} subscribers, delivered in {points['delivery'][-1][1]:.2f} ms, "
             f"{points['memory'][-1][1]:.0f} MB")
    delivery = [growth.Line("delivery to all subscribers", "ms", growth.LINEAR, points["delivery"])]
    memory = [growth.Line("resident memory with subscribers", "MB", growth.LINEAR, points["memory"])]
    return [growth.Series("subscribers-delivery", "Delivery of one event to all", "subscribers", "milliseconds", delivery),
            growth.Series("subscribers-memory", "Memory", "subscribers", "megabytes", memory)]


def deliver(server, count):
    """Milliseconds from the cancellation of a task until every subscriber has its end, and megabytes before."""
    connection = AgentConnection(server.url)
    task = send(connection, "wait", immediately=True)["id"]
    poll, streams = select.epoll(), {}
    try:
        for _ in range(count):
            stream = subscribe(server.url, task)
            streams[stream.fileno()] = stream
            poll.register(stream, select.EPOLLIN)
        read_until(poll, streams, b"data:")
        resident = server.resident_mb()
        begun = time.perf_counter()
        connection.call("CancelTask", {"id": task})
        read_until(poll, streams, b"TASK_STATE_CANCELED")
        return (time.perf_counter() - begun) * 1000, resident
    finally:
        poll.close()
        for stream in streams.values():
            stream.close()
        connection.close()


def subscribe(url, task):
    where = urllib.parse.urlsplit(url)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "SubscribeToTask", "params": {"id": task}}).encode()
    stream = socket.create_connection((where.hostname, where.port))
    stream.sendall((f"POST {where.path} HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/json\r\n"
                    f"Accept: text/event-stream\r\nA2A-Version: 1.0\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body)
    return stream


def read_until(poll, streams, mark):
    """Reads until every stream has received this text."""
    received, deadline = dict.fromkeys(streams, b""), time.monotonic() + TIMEOUT_SECONDS
    while received:
        if time.monotonic() > deadline:
            raise SystemExit(f"{len(received)} of {len(streams)} subscribers did not get {mark.decode()}")
        for descriptor, _ in poll.poll(1):
            chunk = streams[descriptor].recv(65536)
            if descriptor not in received:
                if not chunk:
                    poll.unregister(descriptor)
                continue
            received[descriptor] += chunk
            if mark in received[descriptor]:
                del received[descriptor]
            elif not chunk:
                raise SystemExit(f"a subscriber got no {mark.decode()}: {received[descriptor][-300:]!r}")
