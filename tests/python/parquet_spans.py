"""Sends random spans to Baton over OTLP; every run generates the same spans.

Usage: parquet_spans.py URL BEGIN first|second

BEGIN is the earliest start time in seconds; the spans are spread over an hour. There are two parts, so that a test can
have the first written to a block before it sends the second. Prints the number of spans.
"""

import json
import random
import sys
import urllib.request

SEED = 20261116
HOUR = 3_600_000_000_000
PARTS = {"first": range(0, 900), "second": range(900, 950)}
BATCH = 50

SERVICES = ["oracle-a", "oracle-b", "oracle-c", "oracle-d"]
NAMES = ["chat model-a", "chat model-b", "execute_tool fetch", "execute_tool find", "invoke_agent planner", "GET /"]
TOOLS = ["tool-1", "tool-2", "tool-10", "naïve \"tool\"", "TOOL-1", ""]
MESSAGES = ["", "no such thing", "no time", "it broke"]


def value(given):
    if isinstance(given, bool):
        return {"boolValue": given}
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, float):
        return {"doubleValue": given}
    if isinstance(given, list):
        return {"arrayValue": {"values": [value(item) for item in given]}}
    return {"stringValue": given}


def attributes(pairs):
    return [{"key": key, "value": value(given)} for key, given in pairs]


def some(chance, pairs, key, given):
    if chance:
        pairs.append((key, given))


def span(rng, trace, ids, begin):
    pairs = []
    some(rng.random() < 0.7, pairs, "app.tool", rng.choice(TOOLS))
    some(rng.random() < 0.8, pairs, "app.user", f"user-{rng.randrange(30)}")
    some(rng.random() < 0.7, pairs, "app.tokens", rng.randrange(-20, 2_000))
    # Eighths: sums are exact in any order.
    some(rng.random() < 0.6, pairs, "app.score", rng.randrange(0, 81) / 8)
    some(rng.random() < 0.5, pairs, "app.cached", rng.random() < 0.5)
    some(rng.random() < 0.5, pairs, "app.mixed", rng.choice([5, 4, "5", "five", True, 5.0, 4.5]))
    some(rng.random() < 0.4, pairs, "app.tags", rng.sample(["a", "b", "c"], rng.randrange(1, 4)))
    if rng.random() < 0.3:
        pairs.append(("gen_ai.request.model", rng.choice(["model-a", "model-b"])))
        pairs.append(("gen_ai.usage.input_tokens", rng.randrange(1, 4_000)))
    start = begin * 1_000_000_000 + rng.randrange(HOUR)
    took = rng.choice([0, 1_000_000, 1_000_000_000, int(10 ** rng.uniform(3, 10))])
    code = rng.choice([0, 0, 1, 2])
    made = {
        "traceId": trace,
        "spanId": f"{rng.randrange(1, 1 << 64):016x}",
        "name": rng.choice(NAMES),
        "kind": rng.randrange(6),
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + took),
        "attributes": attributes(pairs),
        "status": {"code": code, "message": rng.choice(MESSAGES) if code == 2 else ""},
    }
    if ids:
        made["parentSpanId"] = rng.choice(ids)
    ids.append(made["spanId"])
    return made


def group(number, begin):
    """One trace of one service."""
    rng = random.Random(SEED * 10_000 + number)
    trace, ids = f"{rng.randrange(1, 1 << 128):032x}", []
    resource = [("service.name", rng.choice(SERVICES))]
    some(rng.random() < 0.6, resource, "deployment.environment", rng.choice(["prod", "test"]))
    spans = [span(rng, trace, ids, begin) for _ in range(rng.randrange(1, 19))]
    scope = {"name": rng.choice(["oracle", "other"]), "version": "1.0"}
    return {"resource": {"attributes": attributes(resource)}, "scopeSpans": [{"scope": scope, "spans": spans}]}


def send(url, groups):
    body = json.dumps({"resourceSpans": groups}).encode()
    request = urllib.request.Request(f"{url}/v1/traces", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        response = json.load(reply)
    assert not response.get("partialSuccess"), response


def main():
    url, begin, numbers = sys.argv[1].rstrip("/"), int(sys.argv[2]), PARTS[sys.argv[3]]
    sent = 0
    for first in range(numbers.start, numbers.stop, BATCH):
        groups = [group(number, begin) for number in range(first, min(first + BATCH, numbers.stop))]
        send(url, groups)
        if first % 200 == 0:
            # Exporters repeat unacknowledged requests; a repeated span counts once.
            send(url, groups[:10])
        sent += sum(len(scope["spans"]) for made in groups for scope in made["scopeSpans"])
    print(sent)


if __name__ == "__main__":
    main()
