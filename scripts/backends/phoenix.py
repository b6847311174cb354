"""Exports from Baton to Arize Phoenix, which recognizes the spans of agents, models and tools.

Usage: phoenix.py BATON PHOENIX
"""

import sys

from parts import Workspace, fetch, free_ports, run, wait_for

from behind import QUESTION, variables
from checking import expect, require


def stored_spans(url):
    """All spans in Phoenix, by trace and span id."""
    spans, cursor = {}, None
    while True:
        page = fetch(f"{url}/v1/projects/default/spans?limit=500" + (f"&cursor={cursor}" if cursor else ""))
        for span in page["data"]:
            spans[span["context"]["trace_id"], span["context"]["span_id"]] = span
        cursor = page.get("next_cursor")
        if not cursor:
            return spans


def main(baton, phoenix):
    with Workspace("phoenix") as workspace:
        http, grpc = free_ports(2)
        url = f"http://127.0.0.1:{http}"
        folder = workspace.folder / "phoenix" / "data"
        settings = {
            "PHOENIX_PORT": str(http), "PHOENIX_GRPC_PORT": str(grpc), "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_WORKING_DIR": str(folder), "PHOENIX_TELEMETRY_ENABLED": "false",
            "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false", "PHOENIX_DISABLE_AGENT_ASSISTANT": "true",
        }
        workspace.program("phoenix", [phoenix, "serve"], settings).start().ready(f"{url}/healthz", 180)
        arrived = {}

        def over(protocol, endpoint):
            def check():
                # Phoenix accepts only spans.
                only = {"OTEL_METRICS_EXPORTER": "none", "OTEL_LOGS_EXPORTER": "none"}
                name = f"baton-{protocol.replace('/', '-')}"
                served = workspace.baton(baton, name, {**variables(endpoint, protocol), **only}).start()
                trace, task = served.ask("personal", QUESTION)
                own = served.settled([trace])
                wait_for(f"{len(own)} spans arrive", lambda: set(own) <= set(stored_spans(url)), 60)
                arrived.update(stored_spans(url))
                for key, span in own.items():
                    expect("the name", arrived[key]["name"], span.name)
                agents = {span["name"] for key, span in arrived.items() if key[0] == trace and span["span_kind"] == "AGENT"}
                require(f"agent spans: {agents}", {"invoke_agent personal", "invoke_agent weather"} <= agents)
                kinds = {span["span_kind"] for key, span in arrived.items() if key[0] == trace}
                require(f"model and tool spans: {kinds}", {"LLM", "TOOL"} <= kinds)
                sessions = {one["session_id"] for one in fetch(f"{url}/v1/projects/default/sessions?limit=100")["data"]}
                require(f"the conversation is a session: {sessions}", task["contextId"] in sessions)
                served.program.end()
                return f"{len(own)} spans of the kinds {', '.join(sorted(kinds))}, session {task['contextId']}"

            return (f"Baton over {protocol}, Phoenix", check)

        run([over("grpc", f"http://127.0.0.1:{grpc}"), over("http/protobuf", url)])


if __name__ == "__main__":
    main(*sys.argv[1:])
