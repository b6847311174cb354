"""Agents on real models: a streamed conversation of several turns, and a tool call that really runs. What models say is
theirs, so that only the form of it is looked at.

Usage: real_models.py BATON SMALL LARGE   (the weights of a model that talks, and of one that calls tools)
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
from programs import ROOT, Scene, fetch, free_ports, run

# A loaded machine needs half a minute for the weights, and reads a prompt slowly.
LOADING, ANSWERING = 180, 300


class Heard:
    """What came of one message, and when."""

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
                # What was streamed before a tool call is no answer; each artifact ends with all of its words.
                self.answer = text or self.answer
            elif text:
                self.first = self.first or time.monotonic()
                self.pieces.append(text)
        elif "statusUpdate" in response:
            self.state = response["statusUpdate"]["status"]["state"]


def ask(url, agent, text, context=None):
    """Sends a message and reads the stream of its answer to the end."""
    message = {"role": "ROLE_USER", "messageId": uuid.uuid4().hex, "parts": [{"text": text}]}
    if context:
        message["contextId"] = context
    body = {"jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": {"message": message}}
    headers = {"Content-Type": "application/json", "A2A-Version": "1.0"}
    heard = Heard()
    request = urllib.request.Request(f"{url}/agents/{agent}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=ANSWERING) as stream:
        for line in stream:
            if line.startswith(b"data: "):
                heard.take(json.loads(line[6:])["result"])
    heard.ended = time.monotonic()
    return heard


def events(url, task):
    """The task's events, in pairs of their kind and what they say."""
    found = fetch(f"{url}/api/v1/tasks/{task}/events")["events"]
    bodies = [event["body"] for event in found]
    return [(body, {}) if isinstance(body, str) else next(iter(body.items())) for body in bodies]


def figures(heard, used):
    """How quick it was, in words."""
    written = sum(usage["output_tokens"] for usage in used)
    speed = written / (heard.ended - heard.begun)
    first = f"first words after {heard.first - heard.begun:.2f} s, " if heard.first else ""
    return f"{first}{written} tokens in {heard.ended - heard.begun:.1f} s ({speed:.1f}/s)"


def conversation(url):
    first = ask(url, "talker", "Hello! My name is Ada. What is your name?")
    second = ask(url, "talker", "Tell me about the sea.", first.context)
    expect("both are one conversation", second.context, first.context)
    told = []
    for heard in (first, second):
        expect("the state at the end", heard.state, "TASK_STATE_COMPLETED")
        require(f"it came in pieces: {heard.pieces}", len(heard.pieces) > 1)
        expect("the answer is what was streamed", heard.answer, "".join(heard.pieces))
        [used] = [body["usage"] for kind, body in events(url, heard.task) if kind == "answered"]
        require(f"the service counted: {used}", used["input_tokens"] > 0 and used["output_tokens"] > 1)
        told.append((heard, used))
    require("the second turn was given the first one", told[1][1]["input_tokens"] > told[0][1]["input_tokens"])
    return "; ".join(figures(heard, [used]) for heard, used in told)


def tool_call(url, folder):
    stock = str(secrets.randbelow(9000) + 1000)
    (folder / "stock.txt").write_text(stock)
    heard = ask(url, "storekeeper", "How many lamps are in store?")
    expect("the state at the end", heard.state, "TASK_STATE_COMPLETED")
    require("the tool ran", (folder / "asked.txt").exists())
    happened = events(url, heard.task)
    called = [call for kind, body in happened if kind == "tools_called" for call in body["calls"]]
    require(f"it called the tool: {called}", called and all(call["name"] == "count_in_store" for call in called))
    asked = (folder / "asked.txt").read_text().splitlines()
    expect("what the tool was asked", asked, [call["arguments"]["item"] for call in called])
    given = [body["result"] for kind, body in happened if kind == "tool_finished"]
    require(f"it was given what is in store: {given}", given and all(stock in json.dumps(one["output"]) for one in given))
    kinds = [kind for kind, _ in happened]
    require("the answer came after it", heard.answer and kinds.index("answered") > kinds.index("tool_finished"))
    used = [body["usage"] for kind, body in happened if kind in ("tools_called", "answered")]
    rescued = any(kind == "model_noted" and "rescued" in json.dumps(body) for kind, body in happened)
    way = "written as text and understood" if rescued else "made in the service's own form"
    says = "has the number" if stock in heard.answer else "does not have the number"
    return f"{len(called)} call, {way}; the answer {says}; {figures(heard, used)}"


def main(baton, small, large):
    with Scene("models") as scene:
        ports = free_ports(3)
        for name, weights, port in (("small", small, ports[0]), ("large", large, ports[1])):
            command = [sys.executable, str(ROOT / "tests/python/model_server.py"), weights, str(port)]
            scene.program(name, command, {"PYTHONDONTWRITEBYTECODE": "1"}).start()
        folder = scene.folder / "baton"
        shutil.copytree(ROOT / "tests/agents/real", folder)
        providers = {name: {"base_url": f"http://127.0.0.1:{port}/v1", "first_byte_timeout": f"{ANSWERING}s"}
                     for name, port in (("small", ports[0]), ("large", ports[1]))}
        # JSON is YAML.
        (folder / "baton.yaml").write_text(json.dumps({"agents": ["talker", "storekeeper"], "providers": providers}))
        url = f"http://127.0.0.1:{ports[2]}"
        served = scene.program("baton", [baton, "up", "--port", str(ports[2]), "--log", "info"]).start()

        def loaded():
            for program, port in zip(scene.programs, ports):
                program.ready(f"http://127.0.0.1:{port}/health", LOADING)
            served.ready(f"{url}/healthz")
            sizes = [pathlib.Path(weights).stat().st_size // 1_000_000 for weights in (small, large)]
            return f"{sizes[0]} and {sizes[1]} MB"

        run([
            ("both models are served", loaded),
            ("a conversation of two turns is streamed", lambda: conversation(url)),
            ("a tool call runs, and its result is answered from", lambda: tool_call(url, folder / "storekeeper")),
        ])


if __name__ == "__main__":
    main(*sys.argv[1:])
