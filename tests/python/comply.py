"""Runs llm-comply, which checks a server against Open Responses and against OpenAI's description of chat completions.

Usage: comply.py URL AGENT

Every check has to pass, without a warning; those that llm-comply would leave out count as failed.
"""

import json
import subprocess
import sys

URL, AGENT = sys.argv[1:]

# The playbook does not count what it thinks.
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
        said = [*result.get("errors", []), *result.get("warnings", [])]
        said = [line for line in said if not (expected and line.startswith(expected))]
        print(f"{status:8}{dialect} {name}")
        if status != "passed" or said:
            yield f"{dialect} {name}: {status} {said}"


wrong = [line for dialect in ("open-responses", "openai-chat") for line in check(dialect)]
sys.exit("\n".join(wrong) or 0)
