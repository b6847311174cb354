"""A small A2A client over JSON-RPC, for measurements that need more than the load generator."""

import http.client
import json
import urllib.parse
import uuid

COMPLETED = "TASK_STATE_COMPLETED"


class RpcError(Exception):
    """An error reply."""


class AgentConnection:
    """One keep-alive connection to an agent; not for several threads."""

    def __init__(self, url, timeout=60):
        self.url, where = url, urllib.parse.urlsplit(url)
        self.path = where.path or "/"
        self.connection = http.client.HTTPConnection(where.hostname, where.port, timeout=timeout)

    def close(self):
        self.connection.close()

    def get(self, path):
        """The JSON of a GET request at the server."""
        self.connection.request("GET", path)
        reply = self.connection.getresponse()
        body = reply.read()
        if reply.status != 200:
            raise RpcError(f"{path}: {reply.status} {body[:200]!r}")
        return json.loads(body)

    def call(self, method, params):
        """The result of a method."""
        self.request(method, params, "application/json", {})
        reply = json.loads(self.connection.getresponse().read())
        if "result" not in reply:
            raise RpcError(f"{method}: {json.dumps(reply)[:300]}")
        return reply["result"]

    def stream(self, method, params, headers=None):
        """Yields the number and the result of each event."""
        self.request(method, params, "text/event-stream", headers or {})
        reply, number = self.connection.getresponse(), None
        for line in reply:
            if line.startswith(b"id:"):
                number = int(line[3:])
            elif line.startswith(b"data:"):
                item = json.loads(line[5:])
                if "result" not in item:
                    raise RpcError(f"{method}: {json.dumps(item)[:300]}")
                yield number, item["result"]
                number = None

    def request(self, method, params, accept, headers):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        self.connection.request("POST", self.path, body, {"Content-Type": "application/json", "A2A-Version": "1.0",
                                                          "Accept": accept, **headers})


def message(*parts, task=None):
    """A message of the user; a part is a text or a data value."""
    found = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER",
             "parts": [{"text": part} if isinstance(part, str) else {"data": part} for part in parts]}
    return found | ({"taskId": task} if task else {})


def send(connection, *parts, task=None, immediately=False):
    """The task of a sent message."""
    params = {"message": message(*parts, task=task), "configuration": {"returnImmediately": immediately}}
    return connection.call("SendMessage", params)["task"]


def answer_of(task):
    """Text of the first artifact."""
    return task["artifacts"][0]["parts"][0]["text"] if task.get("artifacts") else None
