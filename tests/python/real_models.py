"""Tests agents with real models: a streamed conversation of several turns, and a tool call. The text of a model varies,
so only its structure is checked.

Usage: real_models.py BATON SMALL LARGE   (weights of a chat model and of a model that calls tools)
"""

import json
import pathlib
import secrets
import shutil
import sys
import time
import urllib.request
import uuid

from checking import expect, require
from programs import ROOT, Workspace, fetch, free_ports, run

# Seconds; on a busy machine, loading the weights takes half a minute, and reading a prompt is slow.
LOAD_TIMEOUT, ANSWER_TIMEOUT = 180, 300


class StreamedReply:
    """The reply to one message, with times."""

    def __init__(self):
        self.task, self.state, self.pieces, self.answer = None, None, [], None
        self.begun, self.first, self.ended = time.monotonic(), None, None

    def take(self, response):
        if "task" in response:
            self.task = response["task"]["id"]
            self.context = response["task"]["contextId"]
        elif "artifactUpdate" in response:
            update = response["artifactUpdate"]
            text = "".join(part.get("text", "") for part in update["artifact"]["parts"])
            if update.get("lastChunk"):
                # Text before a tool call is not part of the answer; the last chunk of an artifact contains all text.
                self.answer = text or self.answer
            elif text:
                self.first = self.first or time.monotonic()
                self.pieces.append(text)
        elif "statusUpdate" in response:
            self.state = response["statusUpdate"]["status"]["state"]


def ask(url, agent, text, context=None):
    """Sends a message and reads the stream of the reply to the end."""
    message = {"role": "ROLE_USER", "messageId": uuid.uuid4().hex, "parts": [{"text": text}]}
    if context:
        message["contextId"] = context
    body = {"jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": {"message": message}}
    headers = {"Content-Type": "application/json", "A2A-Version": "1.0"}
    reply = StreamedReply()
    request = urllib.request.Request(f"{url}/agents/{agent}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=ANSWER_TIMEOUT) as stream:
        for line in stream:
            if line.startswith(b"data: "):
                reply.take(json.loads(line[6:])["result"])
    reply.ended = time.monotonic()
    return reply


def events(url, task):
    """The task's events as pairs of kind and body."""
    found = fetch(f"{url}/api/v1/tasks/{task}/events")["events"]
    bodies = [event["body"] for event in found]
    return [(body, {}) if isinstance(body, str) else next(iter(body.items())) for body in bodies]


def figures(reply, used):
    """A description of the speed."""
    written = sum(usage["output_tokens"] for usage in used)
    speed = written / (reply.ended - reply.begun)
    first = f"first text after {reply.first - reply.begun:.2f} s, " if reply.first else ""
    return f"{first}{written} tokens in {reply.ended - reply.begun:.1f} s ({speed:.1f}/s)"


def conversation(url):
    first = ask(url, "talker", "Hello! My name is Ada. What is your name?")
    second = ask(url, "talker", "Tell me about the sea.", first.context)
    expect("both are one conversation", second.context, first.context)
    turns = []
    for reply in (first, second):
        expect("the state at the end", reply.state, "TASK_STATE_COMPLETED")
        require(f"several chunks: {reply.pieces}", len(reply.pieces) > 1)
        expect("the answer equals the streamed text", reply.answer, "".join(reply.pieces))
        [used] = [body["usage"] for kind, body in events(url, reply.task) if kind == "answered"]
        require(f"the token usage: {used}", used["input_tokens"] > 0 and used["output_tokens"] > 1)
        turns.append((reply, used))
    require("the second turn contains the first", turns[1][1]["input_tokens"] > turns[0][1]["input_tokens"])
    return "; ".join(figures(reply, [used]) for reply, used in turns)


def tool_call(url, folder):
    stock = str(secrets.randbelow(9000) + 1000)
    (folder / "stock.txt").write_text(stock)
    reply = ask(url, "storekeeper", "How many lamps are in store?")
    expect("the state at the end", reply.state, "TASK_STATE_COMPLETED")
    require("the tool ran", (folder / "asked.txt").exists())
    journaled = events(url, reply.task)
    called = [call for kind, body in journaled if kind == "tools_called" for call in body["calls"]]
    require(f"it called the tool: {called}", called and all(call["name"] == "count_in_store" for call in called))
    asked = (folder / "asked.txt").read_text().splitlines()
    expect("the arguments of the tool", asked, [call["arguments"]["item"] for call in called])
    given = [body["result"] for kind, body in journaled if kind == "tool_finished"]
    require(f"the stock is in {given}", given and all(stock in json.dumps(one["output"]) for one in given))
    kinds = [kind for kind, _ in journaled]
    require("the answer follows the result", reply.answer and kinds.index("answered") > kinds.index("tool_finished"))
    used = [body["usage"] for kind, body in journaled if kind in ("tools_called", "answered")]
    rescued = any(kind == "model_noted" and "rescued" in json.dumps(body) for kind, body in journaled)
    way = "recovered from text" if rescued else "made in the service's format"
    contains = "contains" if stock in reply.answer else "does not contain"
    return f"{len(called)} call, {way}; the answer {contains} the number; {figures(reply, used)}"


def main(baton, small, large):
    with Workspace("models") as workspace:
        ports = free_ports(3)
        for name, weights, port in (("small", small, ports[0]), ("large", large, ports[1])):
            command = [sys.executable, str(ROOT / "tests/python/model_server.py"), weights, str(port)]
            workspace.program(name, command, {"PYTHONDONTWRITEBYTECODE": "1"}).start()
        folder = workspace.folder / "baton"
        shutil.copytree(ROOT / "tests/agents/real", folder)
        providers = {name: {"base_url": f"http://127.0.0.1:{port}/v1", "first_byte_timeout": f"{ANSWER_TIMEOUT}s"}
                     for name, port in (("small", ports[0]), ("large", ports[1]))}
        # JSON is YAML.
        (folder / "baton.yaml").write_text(json.dumps({"agents": ["talker", "storekeeper"], "providers": providers}))
        url = f"http://127.0.0.1:{ports[2]}"
        served = workspace.program("baton", [baton, "up", "--port", str(ports[2]), "--log", "info"]).start()

        def loaded():
            for program, port in zip(workspace.programs, ports):
                program.ready(f"http://127.0.0.1:{port}/health", LOAD_TIMEOUT)
            served.ready(f"{url}/healthz")
            sizes = [pathlib.Path(weights).stat().st_size // 1_000_000 for weights in (small, large)]
            return f"{sizes[0]} and {sizes[1]} MB"

        run([
            ("both models are served", loaded),
            ("a conversation of two turns is streamed", lambda: conversation(url)),
            ("a tool call runs, and the answer uses its result", lambda: tool_call(url, folder / "storekeeper")),
        ])


if __name__ == "__main__":
    main(*sys.argv[1:])
