"""The executor of the served agents; the text of a message selects the behaviour; for a2a-sdk 1.x and 0.3.

- `stream N [MS]`: an artifact in N chunks, with a pause of MS milliseconds after each, then completed.
- `ask`: asks for a colour; the next message to the task is the answer, and completes it.
- `slow`: works until it is canceled.
- `wait MS`: works for MS milliseconds without output, then completes.
- `fail`: fails with a reason.
- `bare`: answers with a message, without a task.
- anything else: echoes the text as an artifact.
"""

import asyncio

from a2a.server.agent_execution import AgentExecutor
from a2a.server.tasks import TaskUpdater


class WordsExecutor(AgentExecutor):
    """`sdk` contains functions whose names differ between the versions of the SDK: `text_of(message)`, `part(text)`,
    `new_task(message)` and `message(text, context_id)`."""

    def __init__(self, sdk):
        self.sdk = sdk

    async def execute(self, context, event_queue):
        words = self.sdk.text_of(context.message).split()
        if words == ["bare"]:
            await event_queue.enqueue_event(self.sdk.message("just words", context.context_id))
            return
        task = context.current_task
        if answers := task is not None:
            words = ["chose", *words]
        else:
            task = self.sdk.new_task(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        match words:
            case ["stream", count, *pause]:
                await self.stream(updater, int(count), int((pause or ["0"])[0]) / 1000)
            case ["ask"] if not answers:
                await updater.requires_input(self.says(updater, "Which colour?"))
            case ["slow"]:
                await asyncio.Event().wait()
            case ["wait", duration]:
                await asyncio.sleep(int(duration) / 1000)
                await updater.complete(self.says(updater, "It took a while."))
            case ["fail"]:
                await updater.failed(self.says(updater, "It did not work."))
            case _:
                await updater.add_artifact([self.sdk.part(" ".join(words))], name="echo", last_chunk=True)
                await updater.complete()

    async def cancel(self, context, event_queue):
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.cancel(self.says(updater, "As you wish."))

    def says(self, updater, text):
        return updater.new_agent_message([self.sdk.part(text)])

    async def stream(self, updater, count, pause):
        for number in range(count):
            await updater.add_artifact(
                [self.sdk.part(f"<{number}>")],
                artifact_id="chunks",
                name="chunks",
                append=number > 0,
                last_chunk=number == count - 1,
            )
            # Also without a pause, so that subscribers receive the chunks separately.
            await asyncio.sleep(pause)
        await updater.complete(self.says(updater, f"{count} chunks"))
