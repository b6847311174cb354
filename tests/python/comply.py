"""Runs llm-comply, which tests a server against Open Responses and against OpenAI's specification of chat completions.

Usage: comply.py URL AGENT

Every check must pass without a warning; skipped checks count as failed.
"""

import json
import subprocess
import sys

URL, AGENT = sys.argv[1:]

# The playbook model does not count reasoning tokens.
EXPECTED = {"chat-reasoning-summary": "usage.completion_tokens_details.reasoning_tokens is 0"}


def check(dialect):
    command = [sys.executable, "-m", "llm_comply.cli", "-u", f"{URL}/v1", "-k", "none", "-m", AGENT]
    run = subprocess.run([*command, "--format", dialect, "--json"], capture_output=True, text=True)
    try:
        results = json.loads(run.stdout)["results"]
    except (ValueError, KeyError):
        sys.exit(f"{dialect}: no report\n{run.stdout}{run.stderr}")
    for result in results:
        name, status = result["id"], result["status"]
        expected = EXPECTED.get(name)
        messages = [*result.get("errors", []), *result.get("warnings", [])]
        messages = [line for line in messages if not (expected and line.startswith(expected))]
        print(f"{status:8}{dialect} {name}")
        if status != "passed" or messages:
            yield f"{dialect} {name}: {status} {messages}"


wrong = [line for dialect in ("open-responses", "openai-chat") for line in check(dialect)]
sys.exit("\n".join(wrong) or 0)
