"""Reads Baton's metrics with Prometheus' client, in both formats.

Usage: metrics_reader.py URL TOKEN    after one question to `personal` that it handed off to `weather`.
"""

import asyncio
import sys
import time
import urllib.error
import urllib.request

from checking import expect, require, run
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_open_metrics
from prometheus_client.parser import text_string_to_metric_families as read_prometheus

URL = sys.argv[1].rstrip("/")
TOKEN = sys.argv[2]
FORMATS = [
    ("text/plain", "text/plain; version=0.0.4; charset=utf-8", read_prometheus),
    ("application/openmetrics-text", "application/openmetrics-text; version=1.0.0; charset=utf-8", read_open_metrics),
]


def get(accept, token):
    headers = {"Accept": accept} | ({"Authorization": f"Bearer {token}"} if token else {})
    with urllib.request.urlopen(urllib.request.Request(f"{URL}/metrics", headers=headers)) as reply:
        return reply.read().decode(), reply.headers["Content-Type"]


def read(accept, media_type, parse):
    text, given = get(accept, TOKEN)
    expect("media type", given, media_type)
    return {family.name: family for family in parse(text)}


async def await_handoff():
    """Waits for the handoff: meters are updated shortly after the journal."""
    deadline = time.monotonic() + 30
    while "baton_handoff_duration_seconds" not in (families := read(*FORMATS[0])):
        require(f"a handoff among {sorted(families)}", time.monotonic() < deadline)


def metrics_check(accept, media_type, parse):
    async def check():
        families = read(accept, media_type, parse)
        for family in families.values():
            require(f"{family.name} has a description", family.documentation)

        def value(name, sample, **labels):
            found = [one.value for one in families[name].samples
                     if one.name == sample and labels.items() <= one.labels.items()]
            require(f"one {sample} {labels}: {families[name].samples}", len(found) == 1)
            return found[0]

        def count_of(name, **labels):
            expect("kind", families[name].type, "histogram")
            count = value(name, f"{name}_count", **labels)
            expect("the last bucket", value(name, f"{name}_bucket", le="+Inf", **labels), count)
            require("a sum", value(name, f"{name}_sum", **labels) >= 0)
            return count

        tools = "gen_ai_execute_tool_duration_seconds"
        expect("tool calls", count_of(tools, gen_ai_tool_name="get_weather", gen_ai_agent_name="weather"), 1)
        expect("handoffs as calls", count_of(tools, gen_ai_tool_type="agent_handoff", gen_ai_agent_name="personal"), 1)
        runs = "gen_ai_invoke_agent_duration_seconds"
        for agent in ["personal", "weather"]:
            expect("runs", count_of(runs, gen_ai_agent_name=agent, task_state="completed"), 1)
        handed = {"handoff_from_agent": "personal", "handoff_to_agent": "weather", "handoff_status": "completed"}
        expect("handoffs", count_of("baton_handoff_duration_seconds", **handed), 1)
        models = count_of("gen_ai_client_operation_duration_seconds", gen_ai_request_model="playbook")
        require("model calls", models >= 3)
        expect("answers with tokens", count_of("gen_ai_client_token_usage", gen_ai_token_type="output"), models)
        requests = families["http_server_request_duration_seconds"].samples
        require("requests by route", any(one.labels.get("http_route") for one in requests))
        expect("kind", families["baton_journal_events"].type, "counter")
        require("events", value("baton_journal_events", "baton_journal_events_total") > 10)
        require("commits", value("baton_journal_commits", "baton_journal_commits_total") > 2)
        require("bytes", value("baton_journal_size_bytes", "baton_journal_size_bytes") > 0)
        for state in ["submitted", "working", "input_required"]:
            expect("tasks", value("baton_tasks_open", "baton_tasks_open", task_state=state), 0)
        expect("approvals", value("baton_approvals_waiting", "baton_approvals_waiting"), 0)
        expect("dropped", value("baton_spans_dropped", "baton_spans_dropped_total"), 0)
        require("spans", value("baton_spans_kept", "baton_spans_kept") > 0)
        text = str(families)
        require("received spans are not metered", "sent-by-another" not in text)
        require("the service name", "service_name" in text)

    return (f"metrics as {accept}", check)


async def missing_token():
    try:
        get("*/*", None)
    except urllib.error.HTTPError as error:
        expect("without a token", error.code, 401)
    else:
        raise AssertionError("metrics are readable without a token")


CHECKS = [
    ("the handoff is metered", await_handoff),
    *(metrics_check(*one) for one in FORMATS),
    ("a token is required", missing_token),
]

if __name__ == "__main__":
    sys.exit(asyncio.run(run(CHECKS)))
