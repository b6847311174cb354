"""Drives a served agent with the official A2A client over one binding, and checks what it sees.

Usage: a2a_client.py URL BINDING [several]

URL is that of the agent in tests/agents/flows, such as http://127.0.0.1:8700/agents/flows, BINDING is JSONRPC,
HTTP+JSON or GRPC, and `several` says that the agent in examples/conformance is served beside it. Notifications to
127.0.0.0/8 must be allowed. Prints one line per check. The first check that fails ends the run with status 1 and an
explanation.
"""

import asyncio
import sys

import card_checks as card
import error_checks as error
import push_checks as push
import talk_checks as talk
import task_checks as task
from agent import Agent
from checking import run


async def main(url, binding, several):
    async with Agent(url, binding, several) as agent:
        # It takes long and needs nobody, so it runs beside the others.
        silent = asyncio.create_task(task.silence(agent))

        async def ended(_):
            await silent

        checks = (
            ("the card is read, and cached by ETag and date", card.public),
            ("a card of one version has no other members", card.strict),
            ("the extended card says more", card.extended),
            ("a message is answered with a task", talk.blocking_send),
            ("an answer streams in growing pieces", talk.streamed_answer),
            ("the caller runs a tool", talk.weather_by_caller),
            ("the caller runs a tool, streaming", talk.weather_by_caller_streamed),
            ("two rounds of tools", talk.two_rounds),
            ("two tools at once, results one by one", talk.parallel_calls),
            ("the agent runs its tool when asked to", talk.own_tools_by_extension),
            ("a question to the user", talk.question_to_the_user),
            ("an artifact of the agent's own", talk.emitted_artifact),
            ("failed and rejected tasks say why", talk.failures),
            ("tasks are listed by page, state and time", task.lists),
            ("a running task is canceled", task.cancel_running),
            ("a running task is followed by two", task.subscribe_running),
            ("a waiting task is followed", task.subscribe_waiting),
            ("notifications tell what the stream tells", push.delivered),
            ("a notification that was refused comes again", push.repeated),
            ("who is notified is created, read, listed and deleted", push.configured),
            ("notifications to private addresses are turned away", push.turned_away),
            ("errors arrive as the client's own types", error.errors),
        )
        if several:
            checks += (("an agent beside it answers with a message alone", talk.bare_message),)
        checks += (("streams outlive the client's default timeout", ended),)
        try:
            return await run([(name, lambda check=check: check(agent)) for name, check in checks])
        finally:
            silent.cancel()


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:] == ["several"])))
