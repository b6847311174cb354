"""Runs the public clients of tests/clients against Baton, and writes the tables of docs/clients.md.

Each client runs as a separate process against a Baton with one agent and against one with several. Exits with 1 unless
each displayed every answer exactly once, without other text; known limits of clients are measured but do not count.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/clients.md"
CASES = ("answer", "after a tool call", "follow-up")
# Seconds; far more than a start of Baton, or all cases of one client, should take.
START_TIMEOUT = 30
CLIENT_TIMEOUT = 600


@dataclasses.dataclass(frozen=True)
class Client:
    """A script of tests/clients and the environment that it needs."""

    name: str
    script: str
    environment: tuple[str, str]
    # The client needs a model for its own side: the agent `router` of a Baton with several agents.
    needs_model: bool = False


def python(file):
    return ("scripts/python-env.sh", f"tests/clients/{file}")


NODE = ("scripts/node-env.sh", "tests/clients")
CLIENTS = (
    Client("adk-2", "adk_client.py", python("requirements.txt")),
    Client("adk-1", "adk_client.py", python("requirements-adk-1.txt")),
    Client("adk-js", "adk_client.mjs", NODE),
    Client("ag2-1", "ag2_client.py", python("requirements.txt")),
    Client("ag2-0", "ag2_0_client.py", python("requirements-ag2-0.txt")),
    Client("agent-framework", "agent_framework_client.py", python("requirements.txt")),
    Client("agno", "agno_client.py", python("requirements-0.3.txt")),
    Client("beeai", "beeai_client.py", python("requirements-beeai.txt")),
    Client("crewai", "crewai_client.py", python("requirements-crewai.txt"), needs_model=True),
    Client("litellm", "litellm_client.py", python("requirements-litellm.txt")),
    Client("strands", "strands_client.py", python("requirements-0.3.txt")),
    Client("strands-js", "strands_client.mjs", NODE),
    Client("vercel-ai", "ai_client.mjs", NODE),
)

# Clients in `make test`: package, file with its pinned version, interface, test.
COVERED = (
    ("a2a-sdk", "tests/python/requirements.txt", "A2A 1.0: JSON-RPC, HTTP+JSON, gRPC", "python_client"),
    ("a2a-sdk", "tests/python/requirements-0.3.txt", "A2A 0.3: JSON-RPC, HTTP+JSON, gRPC", "old_python_client"),
    ("@a2a-js/sdk", "tests/js/package.json", "A2A 1.0: JSON-RPC, HTTP+JSON, gRPC", "js_client"),
    ("openai", "tests/python/requirements-openai.txt", "responses, chat completions, conversations", "openai_clients"),
    ("openai-agents", "tests/python/requirements-openai.txt", "responses, chat completions", "openai_clients"),
    ("langchain-openai", "tests/python/requirements-openai.txt", "responses, chat completions", "openai_clients"),
    ("pydantic-ai-slim", "tests/python/requirements-openai.txt", "responses, chat completions", "openai_clients"),
    ("openai", "tests/openai/package.json", "responses, chat completions, conversations", "openai_clients"),
    ("@openai/agents", "tests/openai/package.json", "responses, chat completions", "openai_clients"),
    ("@ai-sdk/openai", "tests/openai/package.json", "responses, chat completions", "openai_clients"),
    ("openai", "tests/browser/package.json", "responses, chat completions, in Chromium", "browser"),
    ("mcp", "tests/python/requirements-mcp.txt", "MCP", "mcp"),
    ("@modelcontextprotocol/sdk", "tests/mcp/package.json", "MCP", "mcp"),
    ("@modelcontextprotocol/client", "tests/mcp/package.json", "MCP", "mcp"),
    ("@modelcontextprotocol/inspector", "tests/mcp/package.json", "MCP", "mcp"),
)


def say(text):
    print(text, file=sys.stderr, flush=True)


class Server:
    """A Baton that serves the agent `guide`, alone or among others."""

    def __init__(self, binary, agents, directory):
        directory.mkdir()
        variables = {f"OTEL_{signal_name}_EXPORTER": "none" for signal_name in ("TRACES", "METRICS", "LOGS")}
        command = [binary, "up", *(str(ROOT / agent) for agent in agents), "--port", "0", "--data", "data"]
        self.process = subprocess.Popen(
            command,
            cwd=directory,
            env={"PATH": os.environ["PATH"], "BATON_DETECT": "off"} | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        signal.signal(signal.SIGALRM, self._give_up)
        signal.alarm(START_TIMEOUT)
        self.url, self.agent = self._read_addresses(len(agents))
        signal.alarm(0)
        log = open(directory / "log", "wb")
        threading.Thread(target=shutil.copyfileobj, args=(self.process.stderr, log), daemon=True).start()

    def _give_up(self, *_):
        self.process.kill()

    def _read_addresses(self, count):
        """Reads the addresses of Baton and of its agent from the first lines of output."""
        url, said = None, ""
        for line in self.process.stderr:
            said += line.decode()
            words = line.decode().split()
            if url is None:
                url = next((word for word in words if word.startswith("http")), None)
            elif words and words[0] == "guide":
                return url, (url if count == 1 else words[1])
        raise SystemExit(f"Baton did not start:\n{said}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(START_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()


def set_up(environment):
    script, argument = environment
    made = subprocess.run([script, argument], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
    return made.stdout.strip()


def run_client(client, server, model_url, directory):
    """Runs the script of a client; returns whether it passed, and the lines that it printed."""
    command = [set_up(client.environment), f"tests/clients/{client.script}", server.agent]
    if client.needs_model:
        command.append(model_url)
    loopback = {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
    log = directory / f"{client.name}.log"
    with open(log, "ab") as errors:
        try:
            run = subprocess.run(
                command,
                cwd=ROOT,
                env=os.environ | loopback,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                timeout=CLIENT_TIMEOUT,
            )
            status, printed = run.returncode, run.stdout
        except subprocess.TimeoutExpired as late:
            status, printed = "a timeout", late.stdout or b""
    lines = [json.loads(line) for line in printed.decode().splitlines() if line.startswith('{"client"')]
    for line in lines:
        if counts(line) and not is_good(line):
            say(f"{line['mode']}, {line['case']}: shown {line['shown']} times in {line.get('error', line['text'])!r}")
    if status not in (0, 1) or not lines:
        say(f"{client.name} ended with {status}\n{log.read_text(errors='replace')[-3000:]}")
    return status == 0 and bool(lines), lines


def counts(line):
    """Whether a case affects the result; cases of known limits do not."""
    return line.get("counts", True)


def is_good(line):
    """Whether a case displayed its answer exactly once and no other text."""
    return line["shown"] == 1 and not line["beside"] and "error" not in line


def collect_rows(client, served, lines):
    """One row for each mode of a client, with the number of times that each answer was displayed."""
    rows = {}
    for line in lines:
        key = (client.name, line["client"], line["version"], line["dialect"], line["mode"])
        row = rows.setdefault(key, {"served": [served], "shown": {}, "result": "ok"})
        row["shown"][line["case"]] = line["shown"]
        if not is_good(line):
            row["result"] = "**wrong**" if counts(line) else "limit"
    return rows


def merge_rows(rows, more):
    """Merges rows that differ only in the number of agents served."""
    for key, row in more.items():
        same = [old for old in rows.get(key, []) if (old["shown"], old["result"]) == (row["shown"], row["result"])]
        if same:
            same[0]["served"] += row["served"]
        else:
            rows.setdefault(key, []).append(row)


def render_table(rows):
    head = ["Client", "Version", "Speaks", "Used through", "Agents served", "Answer", "After a tool call", "Follow-up", ""]
    table = [head, ["---"] * len(head)]
    for (_, name, version, dialect, mode), variants in rows.items():
        for row in variants:
            shown = [str(row["shown"].get(case, "")) for case in CASES]
            table.append([f"`{name}`", version, dialect, mode, ", ".join(row["served"]), *shown, row["result"]])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in table)


def find_version(package, file):
    """The pinned version in a requirements file or a package.json; None if the file does not exist."""
    path = ROOT / file
    if not path.exists():
        return None
    if path.suffix == ".json":
        return json.loads(path.read_text())["dependencies"][package]
    pin = re.search(rf"^{re.escape(package)}(\[[^]]*\])?==(\S+)", path.read_text(), re.MULTILINE)
    if pin is None:
        raise SystemExit(f"{file} has no pin of {package}")
    return pin.group(2)


def render_covered():
    table = ["| Client | Version | Interface | Test |", "| --- | --- | --- | --- |"]
    for package, file, interface, test in COVERED:
        version = find_version(package, file)
        registry = "npm" if file.endswith(".json") else "PyPI"
        if version is not None:
            table.append(f"| `{package}` ({registry}) | {version} | {interface} | `{test}` |")
    return "\n".join(table)


def replace_section(text, name, content):
    begin, end = f"<!-- {name}: written by make test-clients -->", f"<!-- end of {name} -->"
    before, found, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found or not found_end:
        raise SystemExit(f"{PAGE} has no section {name}")
    return f"{before}{begin}\n\n{content}\n\n{end}{after}"


def choose_clients(names):
    for name in names:
        if not any(client.name.startswith(name) for client in CLIENTS):
            raise SystemExit(f"unknown client '{name}': use {', '.join(client.name for client in CLIENTS)}")
    return [client for client in CLIENTS if not names or client.name.startswith(tuple(names))]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--baton", required=True)
    arguments.add_argument("client", nargs="*")
    given = arguments.parse_args()
    chosen = choose_clients(given.client)
    rows, good = {}, True
    with tempfile.TemporaryDirectory() as place:
        directory = pathlib.Path(place)
        binary = os.path.abspath(given.baton)
        one = Server(binary, ["tests/agents/clients/guide"], directory / "one")
        several = Server(binary, ["tests/agents/clients", "examples/weather"], directory / "several")
        try:
            for client in chosen:
                for served, server in (("one", one), ("several", several)):
                    say(f"== {client.name}, {served}")
                    ended_well, lines = run_client(client, server, several.url, directory)
                    good &= ended_well
                    merge_rows(rows, collect_rows(client, served, lines))
        finally:
            one.stop()
            several.stop()
    table = render_table(rows)
    print(table)
    if not given.client:
        text = replace_section(PAGE.read_text(), "clients", table)
        PAGE.write_text(replace_section(text, "covered", render_covered()))
    if not good:
        raise SystemExit("not every client displayed each answer exactly once")


if __name__ == "__main__":
    main()
