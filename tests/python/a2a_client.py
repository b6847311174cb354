"""Tests a served agent with the official A2A client over one binding.

Usage: a2a_client.py URL BINDING [several]

URL is the address of the agent in tests/agents/flows, such as http://127.0.0.1:8700/agents/flows. BINDING is JSONRPC,
HTTP+JSON or GRPC. `several`: the same Baton also serves the agent in examples/conformance. Push notifications to
127.0.0.0/8 must be allowed. Prints one line per check. The first failed check ends the run with status 1 and an
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
        # Slow and independent of the other checks, so it runs concurrently.
        idle = asyncio.create_task(task.idle_stream(agent))

        async def await_idle(_):
            await idle

        checks = (
            ("the card is cached by ETag and date", card.public),
            ("a card requested for one version matches its schema", card.strict),
            ("the extended card lists the tools", card.extended),
            ("a message is answered with a task", talk.blocking_send),
            ("the text of a streamed answer grows", talk.streamed_answer),
            ("the caller runs a tool", talk.weather_by_caller),
            ("the caller runs a tool, streaming", talk.weather_by_caller_streamed),
            ("two rounds of tools", talk.two_rounds),
            ("two parallel tool calls, results in two messages", talk.parallel_calls),
            ("the agent runs its tool if the extension requests it", talk.own_tools_by_extension),
            ("a question to the user", talk.question_to_the_user),
            ("the agent emits an artifact", talk.emitted_artifact),
            ("failed and rejected tasks contain the reason", talk.failures),
            ("tasks are listed by page, state and time", task.lists),
            ("a running task is canceled", task.cancel_running),
            ("two subscribers follow a running task", task.subscribe_running),
            ("a subscriber follows a waiting task", task.subscribe_waiting),
            ("push notifications contain the events of the stream", push.delivered),
            ("a rejected notification is repeated", push.repeated),
            ("push configurations are created, read, listed and deleted", push.configured),
            ("push configurations with private addresses are rejected", push.forbidden_addresses),
            ("errors have the client's types", error.errors),
        )
        if several:
            checks += (("another agent answers with a message and no task", talk.bare_message),)
        checks += (("an idle stream outlives the client's default timeout", await_idle),)
        try:
            return await run([(name, lambda check=check: check(agent)) for name, check in checks])
        finally:
            idle.cancel()


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:] == ["several"])))
