"""What the checks of real backends are made of: the example team, collectors, and what each backend says it has."""

import base64
import json
import pathlib
import sys
import time
import urllib.parse
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "python"))

import programs
from programs import ROOT, fetch, free_ports, run, say, text_of, wait_for  # noqa: F401 (for the checks beside this)


class Scene(programs.Scene):
    """A scene with the example team and collectors."""

    def baton(self, binary, name="baton", variables=None):
        """The example team, on a port that stays the same when it is started again."""
        [port] = free_ports(1)
        agents = [str(ROOT / "examples" / agent) for agent in ("personal", "weather")]
        command = [binary, "up", *agents, "--port", str(port), "--log", "info"]
        return Baton(self.program(name, command, variables), f"http://127.0.0.1:{port}")

    def collector(self, binary, name, config):
        """The configuration is JSON, which is YAML."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        # Its own metrics would want a port of their own.
        service = {**config.pop("service"), "telemetry": {"metrics": {"level": "none"}}}
        (folder / "config.yaml").write_text(json.dumps({**config, "service": service}, indent=1))
        return self.program(name, [binary, "--config", f"file:{folder / 'config.yaml'}"])


class Baton:
    """A Baton: asked as an agent, and asked as Tempo is."""

    def __init__(self, program, url):
        self.program, self.url = program, url

    def start(self):
        self.program.start().ready(f"{self.url}/healthz")
        return self

    def ask(self, agent, text, context=None, timeout=30):
        """Sends a message and waits for the end of the task; returns the id of the trace and the task."""
        trace = uuid.uuid4().hex
        message = {"role": "ROLE_USER", "messageId": uuid.uuid4().hex, "parts": [{"text": text}]}
        if context:
            message["contextId"] = context
        headers = {"traceparent": f"00-{trace}-{uuid.uuid4().hex[:16]}-01", "A2A-Version": "1.0"}
        body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
        answer = fetch(f"{self.url}/agents/{agent}", body, headers, timeout)
        if "result" not in answer:
            raise AssertionError(f"{agent} answers {answer}")
        return trace, answer["result"]["task"]

    def traces(self):
        """The ids of all traces that it keeps."""
        query = urllib.parse.urlencode({"q": "{ }", "limit": 5000, "spss": 1, "start": 1, "end": int(time.time()) + 60})
        found = fetch(f"{self.url}/tempo/api/search?{query}", timeout=60)
        ids = [one["traceID"].zfill(32) for one in found["traces"]]
        if len(ids) >= 5000:
            raise AssertionError("there are more traces than one answer holds; ask for fewer")
        return ids

    def spans(self):
        """All spans that it keeps, by their ids."""
        spans = {}
        for trace in self.traces():
            found = fetch(f"{self.url}/tempo/api/v2/traces/{trace}")["trace"]
            for span in in_groups(found["resourceSpans"]):
                one = Seen(span, lambda text: base64.b64decode(text).hex())
                spans[one.key] = one
        return spans

    def settled(self, traces):
        """All spans, as soon as these traces tell their whole story: spans of a run follow from the journal, after it."""
        before = {}

        def told():
            nonlocal before
            spans, last = self.spans(), before
            before = spans
            known = {trace for (trace, _), span in spans.items() if span.name == "invoke_agent personal"}
            return set(traces) <= known and set(spans) == set(last)

        wait_for(f"{len(traces)} traces are whole", told)
        return before


class Seen:
    """What a backend says about a span, in one form for all of them."""

    KINDS = {f"SPAN_KIND_{word}": number for number, word in
             enumerate(["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"])}
    CODES = {"STATUS_CODE_UNSET": 0, "STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": 2}

    def __init__(self, span, to_hex=lambda text: text):
        self.key = (to_hex(span["traceId"]), to_hex(span["spanId"]))
        kind, code = span.get("kind", 0), span.get("status", {}).get("code", 0)
        self.name = span["name"]
        self.facts = {
            "name": span["name"],
            "parent": to_hex(span.get("parentSpanId", "")),
            "kind": self.KINDS.get(kind, kind),
            "start": int(span["startTimeUnixNano"]),
            "end": int(span["endTimeUnixNano"]),
            "status": self.CODES.get(code, code),
            "events": [event["name"] for event in span.get("events", [])],
            "links": sorted(to_hex(link["spanId"]) for link in span.get("links", [])),
        }
        self.attributes = {pair["key"]: plain(pair["value"]) for pair in span.get("attributes", [])}


def plain(value):
    """A value without the ways in which JSON may write it."""
    [(kind, inner)] = value.items() or [(None, None)]
    if kind == "intValue":
        return int(inner)
    if kind == "doubleValue":
        return float(inner)
    if kind == "arrayValue":
        return [plain(one) for one in inner.get("values", [])]
    if kind == "kvlistValue":
        return {one["key"]: plain(one["value"]) for one in inner.get("values", [])}
    return inner


def in_groups(groups, scopes="scopeSpans", items="spans"):
    for group in groups:
        for scope in group.get(scopes, []):
            yield from scope.get(items, [])


def lines(path):
    """The requests that a collector wrote; a line that is being written counts later."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().split("\n")[:-1] if line]


def written_spans(path):
    """All spans that a collector wrote, by their ids, each as often as it came."""
    spans = {}
    for line in lines(path):
        for span in in_groups(line.get("resourceSpans", [])):
            one = Seen(span)
            spans.setdefault(one.key, []).append(one)
    return spans


def same(own, arrived, hidden):
    """That what arrived is what Baton has; attributes that say what was said may be missing when they are hidden."""
    from checking import expect, require

    expect(f"{own.name} as it arrived", arrived.facts, own.facts)
    missing = set(own.attributes) - set(arrived.attributes)
    require(f"{own.name}: {missing} did not arrive", missing <= hidden)
    shared = {key: value for key, value in own.attributes.items() if key not in missing}
    expect(f"what {own.name} says, as it arrived", arrived.attributes, shared)
    return missing
