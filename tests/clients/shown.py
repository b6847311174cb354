"""Asks the agent of tests/agents/clients/guide through a client, and counts how often the client displays its answer.

A script calls `main` with a function that opens a conversation for each mode of its client. Each case prints one line
of JSON to stdout; the exit status is 1 unless every answer was displayed exactly once, without other text. Modes with
known limits of the client are measured but do not count; docs/clients.md explains them.
"""

import asyncio
import importlib.metadata
import json
import sys
import traceback

# Case, question, answer; every case except the follow-up opens a new conversation.
PLAIN = ("answer", "Who counts the gulls?", "The lighthouse keeper counts seventeen white gulls.")
TOOL = ("after a tool call", "What is the weather in Oakland?", "Oakland has a clear sky and seventy-two degrees.")
FOLLOW_UP = ("follow-up", "Which city did I ask about?", "A moment ago you were asking about Oakland.")

# Seconds; far more than any case needs.
CASE_TIMEOUT = 90


def card_url(agent):
    """The URL of an agent's card."""
    return f"{agent.rstrip('/')}/.well-known/agent-card.json"


def report(package, dialect, mode, case, text, *, error, counts):
    """Prints the line of one case; returns whether the answer was displayed once, without other text."""
    name, question, answer = case
    flat = " ".join(text.split())
    shown = flat.count(answer)
    beside = flat.replace(answer, "").strip()
    line = {
        "client": package,
        "version": importlib.metadata.version(package),
        "dialect": dialect,
        "mode": mode,
        "case": name,
        "asked": question,
        "shown": shown,
        "beside": beside,
        "text": text[:2000],
        "counts": counts,
    }
    if error is not None:
        line["error"] = error
    print(json.dumps(line), flush=True)
    return not counts or (shown == 1 and not beside and error is None)


async def run_mode(package, dialect, mode, open_conversation, cases, *, counts):
    """Asks the questions of all cases; returns whether all passed."""
    good, ask = True, None
    for case in cases:
        text, error = "", None
        try:
            if ask is None or case is not FOLLOW_UP:
                ask = await open_conversation()
            text = await asyncio.wait_for(ask(case[1]), CASE_TIMEOUT)
        except Exception as failure:
            error = "".join(traceback.format_exception_only(failure)).strip()[:2000]
            traceback.print_exc()
        good &= report(package, dialect, mode, case, text or "", error=error, counts=counts)
    return good


async def run_modes(package, dialects, cases, limits):
    good = True
    for dialect, modes in dialects.items():
        for mode, open_conversation in modes.items():
            good &= await run_mode(package, dialect, mode, open_conversation, cases, counts=mode not in limits)
    return good


def main(package, dialects, cases=(PLAIN, TOOL, FOLLOW_UP), limits=()):
    """Runs all modes and exits with the result.

    `dialects` maps a protocol version to the modes of the client, and each mode to an async function that opens a
    conversation: it returns `ask(question) -> text`. `limits` lists the modes that are known to fail.
    """
    sys.exit(0 if asyncio.run(run_modes(package, dialects, cases, limits)) else 1)
