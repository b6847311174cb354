"""Shared parts of the backend tests: the example agents, collectors, and spans in a common form."""

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


class Workspace(programs.Workspace):
    """A workspace with the example agents and collectors."""

    def baton(self, binary, name="baton", variables=None):
        """A Baton with the example agents; it keeps its port when it is restarted."""
        [port] = free_ports(1)
        agents = [str(ROOT / "examples" / agent) for agent in ("personal", "weather")]
        command = [binary, "up", *agents, "--port", str(port), "--log", "info"]
        return Baton(self.program(name, command, variables), f"http://127.0.0.1:{port}")

    def collector(self, binary, name, config):
        """A collector; its configuration is written as JSON, a subset of YAML."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        # The collector's own metrics would need another port.
        service = {**config.pop("service"), "telemetry": {"metrics": {"level": "none"}}}
        (folder / "config.yaml").write_text(json.dumps({**config, "service": service}, indent=1))
        return self.program(name, [binary, "--config", f"file:{folder / 'config.yaml'}"])


class Baton:
    """A Baton, called over A2A and over its Tempo API."""

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
        """The ids of all stored traces."""
        query = urllib.parse.urlencode({"q": "{ }", "limit": 5000, "spss": 1, "start": 1, "end": int(time.time()) + 60})
        found = fetch(f"{self.url}/tempo/api/search?{query}", timeout=60)
        ids = [one["traceID"].zfill(32) for one in found["traces"]]
        if len(ids) >= 5000:
            raise AssertionError("more traces than one search response can contain; send fewer requests")
        return ids

    def spans(self):
        """All stored spans, by trace and span id."""
        spans = {}
        for trace in self.traces():
            found = fetch(f"{self.url}/tempo/api/v2/traces/{trace}")["trace"]
            for span in in_groups(found["resourceSpans"]):
                one = SpanRecord(span, lambda text: base64.b64decode(text).hex())
                spans[one.key] = one
        return spans

    def settled(self, traces):
        """All spans, as soon as these traces are complete: spans of a run are projected from the journal after it."""
        before = {}

        def complete():
            nonlocal before
            spans, last = self.spans(), before
            before = spans
            known = {trace for (trace, _), span in spans.items() if span.name == "invoke_agent personal"}
            return set(traces) <= known and set(spans) == set(last)

        wait_for(f"{len(traces)} traces are complete", complete)
        return before


class SpanRecord:
    """A span in a common form for all backends."""

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
    """An OTLP JSON value as a Python value."""
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
    """The requests that a collector wrote, without an incomplete last line."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().split("\n")[:-1] if line]


def written_spans(path):
    """All spans that a collector wrote, by trace and span id, including repeated ones."""
    spans = {}
    for line in lines(path):
        for span in in_groups(line.get("resourceSpans", [])):
            one = SpanRecord(span)
            spans.setdefault(one.key, []).append(one)
    return spans


def same(own, arrived, hidden):
    """Checks that a received span equals Baton's span; returns the missing attributes, which must be in `hidden`."""
    from checking import expect, require

    expect(f"{own.name} as received", arrived.facts, own.facts)
    missing = set(own.attributes) - set(arrived.attributes)
    require(f"{own.name}: {missing} are missing", missing <= hidden)
    shared = {key: value for key, value in own.attributes.items() if key not in missing}
    expect(f"the attributes of {own.name} as received", arrived.attributes, shared)
    return missing
