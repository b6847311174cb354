"""Drives a served agent with the official A2A client and checks what it sees.

Usage: a2a_client.py URL        where URL is that of the agent in tests/agents/flows,
                                such as http://127.0.0.1:8700/agents/flows

Prints one line per check. The first check that fails ends the run with status 1 and an explanation.
The clients are made as the SDK's own documentation makes them: no timeouts, headers or URLs are adjusted.
"""

import asyncio
import sys
import traceback
import uuid

import httpx

from a2a.client import A2ACardResolver, ClientCallContext, ClientConfig, create_client
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.helpers.proto_helpers import get_data_parts, get_message_text
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskState,
)
from a2a.utils.errors import (
    InvalidParamsError,
    PushNotificationNotSupportedError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)

from conversation import (
    Unexpected,
    Watched,
    answer_of,
    calls_of,
    expect,
    refused,
    require,
    results,
    roles,
    says,
    text_of,
)

# Far more than any check needs, in seconds.
BOUND = 60

USER, AGENT = Role.ROLE_USER, Role.ROLE_AGENT
WORKING = TaskState.TASK_STATE_WORKING
INPUT_REQUIRED = TaskState.TASK_STATE_INPUT_REQUIRED
COMPLETED = TaskState.TASK_STATE_COMPLETED
CANCELED = TaskState.TASK_STATE_CANCELED
FAILED = TaskState.TASK_STATE_FAILED
REJECTED = TaskState.TASK_STATE_REJECTED


class Checks:
    def __init__(self, url):
        self.url = url

    async def __aenter__(self):
        self.blocking = await create_client(self.url, ClientConfig(streaming=False))
        self.polling = await create_client(self.url, ClientConfig(streaming=False, polling=True))
        self.streaming = await create_client(self.url)
        return self

    async def __aexit__(self, *_):
        for client in (self.blocking, self.polling, self.streaming):
            await client.close()

    async def send(self, message, *, client=None, context=None, **configuration):
        request = SendMessageRequest(message=message, configuration=SendMessageConfiguration(**configuration))
        events = [event async for event in (client or self.blocking).send_message(request, context=context)]
        expect("the replies to a send", [event.WhichOneof("payload") for event in events], ["task"])
        return events[0].task

    async def begin(self, text):
        """A task that goes on by itself."""
        task = await self.send(says(text), client=self.polling)
        require("the send returns before the end", task.status.state in (TaskState.TASK_STATE_SUBMITTED, WORKING))
        return task

    async def stream(self, message):
        watched = await Watched(self.streaming.send_message(SendMessageRequest(message=message))).to_end()
        await self.same_as_stored(watched)
        return watched

    def subscribe(self, task):
        watched = Watched(self.streaming.subscribe(SubscribeToTaskRequest(id=task.id)))
        return watched, asyncio.create_task(watched.to_end())

    async def get(self, task, **more):
        return await self.blocking.get_task(GetTaskRequest(id=task.id, **more))

    async def same_as_stored(self, watched):
        """Whoever followed a stream to its end holds what GetTask gives; text that was taken back is empty."""
        stored = await self.get(watched.task)
        expect("status of the stream and of GetTask", watched.task.status, stored.status)
        kept = [artifact for artifact in watched.task.artifacts if text_of(artifact) or get_data_parts(artifact.parts)]
        expect("artifacts of the stream and of GetTask", kept, list(stored.artifacts))
        return stored

    async def card(self):
        async with httpx.AsyncClient() as http:
            card = await A2ACardResolver(http, self.url).get_agent_card()
            expect("name and version", (card.name, card.version), ("Flows", "1.0.0"))
            [interface] = card.supported_interfaces
            wanted = (self.url, "JSONRPC", "1.0")
            expect("interface", (interface.url, interface.protocol_binding, interface.protocol_version), wanted)
            require("the agent streams", card.capabilities.streaming)
            expect("skills", [(skill.id, list(skill.tags)) for skill in card.skills], [("flows", ["test"])])

            address = f"{self.url}/.well-known/agent-card.json"
            first = await http.get(address)
            require("the card may be cached", "max-age" in first.headers["cache-control"])
            for condition in (
                {"If-None-Match": first.headers["etag"]},
                {"If-None-Match": f'"other", W/{first.headers["etag"]}'},
                {"If-Modified-Since": first.headers["last-modified"]},
            ):
                again = await http.get(address, headers=condition)
                expect(f"card with {condition}", (again.status_code, again.content), (304, b""))
                expect("the ETag of a 304", again.headers["etag"], first.headers["etag"])
            changed = await http.get(address, headers={"If-None-Match": '"other"'})
            expect("a card that the client does not know", (changed.status_code, changed.json()), (200, first.json()))
            root = self.url.split("/agents/")[0]
            sole = await http.get(f"{root}/.well-known/agent-card.json")
            expect("the card of the only agent", sole.json(), first.json())

    async def blocking_send(self):
        context = str(uuid.uuid4())
        message = says("hello", context=context)
        task = await self.send(message)
        require("an answer", answer_of(task).startswith("Hello!"))
        expect("roles", roles(task), [USER, AGENT])
        expect("context", task.context_id, context)
        message.task_id = task.id
        expect("the user's message", task.history[0], message)
        expect("GetTask", await self.get(task), task)
        for length in (0, 1, 2, 9):
            shown = await self.get(task, history_length=length)
            expect(f"history of {length}", list(shown.history), list(task.history)[-length:] if length else [])
        other = await self.send(says("hello again", context=context), history_length=1)
        require("a message without a task begins another one", other.id != task.id and other.context_id == context)
        expect("roles with history_length=1", roles(other), [AGENT])

    async def streamed_answer(self):
        watched = await self.stream(says("tell me a story"))
        answer = get_message_text(watched.task.status.message)
        require(f"the answer comes in pieces, not as {watched.texts!r}", len(set(watched.texts)) > 3)
        for shorter, longer in zip(watched.texts, watched.texts[1:]):
            require(f"text grows: {shorter!r}, then {longer!r}", longer.startswith(shorter))
        expect("the text at the end", watched.texts[-1], answer)
        expect("the last state", watched.states[-1], COMPLETED)
        expect("the stored answer", answer_of(await self.get(watched.task)), answer)

    async def weather_by_caller(self):
        task = await self.send(says("What's the weather in Oakland?"))
        expect("state", TaskState.Name(task.status.state), "TASK_STATE_INPUT_REQUIRED")
        [call] = calls_of(task)
        expect("the call", (call["name"], call["arguments"]), ("get_weather", {"location": "Oakland"}))
        expect("roles so far", roles(task), [USER, AGENT])
        expect("the calls are in the history too", task.history[1], task.status.message)
        output = "The weather in Oakland is sunny, 72°F"
        told = results(task, {call["call_id"]: output}, context=False)
        done = await self.send(told)
        expect("the answer, made of prompt, question, call and result", answer_of(done), f"Oakland: {output}")
        expect("roles", roles(done), [USER, AGENT, USER, AGENT])
        expect("question and calls stay as they were", list(done.history[:2]), list(task.history))
        told.context_id = task.context_id
        expect("the results stay as they were sent", done.history[2], told)
        expect("one answer, one artifact", len(done.artifacts), 1)
        expect("GetTask", await self.get(task), done)

    async def weather_by_caller_streamed(self):
        first = await self.stream(says("What's the weather in Oakland?"))
        expect("the turn ends when results are needed", first.states[-1], INPUT_REQUIRED)
        expect("no partial calls were shown", first.states.count(INPUT_REQUIRED), 1)
        [call] = calls_of(first.task)
        second = await self.stream(results(first.task, {call["call_id"]: {"sky": "clear"}}))
        expect("the same task", second.task.id, first.task.id)
        stored = await self.get(second.task)
        expect("results of any shape", answer_of(stored), 'Oakland: {"sky":"clear"}')
        expect("roles", roles(stored), [USER, AGENT, USER, AGENT])

    async def two_rounds(self):
        task = await self.send(says("plan Lisbon"))
        [call] = calls_of(task)
        expect("a whole number stays whole", call["arguments"], {"location": "Lisbon", "days": 3})
        task = await self.send(results(task, {call["call_id"]: "it rains"}))
        [second] = calls_of(task)
        wanted = ("get_time", {"location": "Lisbon where it rains"})
        expect("the second call knows the first result", (second["name"], second["arguments"]), wanted)
        task = await self.send(results(task, {second["call_id"]: "noon"}))
        expect("answer", answer_of(task), "Planned with: noon")
        expect("roles", roles(task), [USER, AGENT, USER, AGENT, USER, AGENT])

    async def parallel_calls(self):
        task = await self.send(says("compare Oslo and Rome"))
        one, other = (call["call_id"] for call in calls_of(task))
        expect("both in one message", roles(task), [USER, AGENT])
        expect("the words before them", get_message_text(task.status.message), "Let me look.")

        unknown = results(task, {"nonsense": "x"})
        await refused("a result for no call", self.send(unknown), InvalidParamsError, "BTN-2007")
        malformed = says({"tool_results": [{"call_id": one}]}, task=task)
        await refused("a result without output", self.send(malformed), InvalidParamsError, "BTN-2009")
        expect("a refused message changes nothing", await self.get(task), task)

        partly = await self.send(results(task, {other: "snow"}))
        expect("state after half of the results", partly.status.state, INPUT_REQUIRED)
        expect("what is still asked for", [call["call_id"] for call in calls_of(partly)], [one])
        again = results(task, {other: "snow"})
        await refused("a result given twice", self.send(again), InvalidParamsError, "BTN-2008")
        done = await self.send(results(task, {one: "sun"}))
        expect("both results, each once", sorted(answer_of(done).split("\n")), ["snow", "sun"])
        expect("roles", roles(done), [USER, AGENT, USER, USER, AGENT])

    async def own_tools_by_extension(self):
        async with httpx.AsyncClient() as http:
            [extension] = (await A2ACardResolver(http, self.url).get_agent_card()).capabilities.extensions
        chosen = ServiceParametersFactory.create([with_a2a_extensions([extension.uri])])
        message = says("What's the weather in Oakland?", metadata={extension.uri: {"toolExecution": "agent"}})
        task = await self.send(message, context=ClientCallContext(service_parameters=chosen))
        expect("the agent ran its tool", answer_of(task), "Oakland: The weather in Oakland is sunny, 72°F")
        expect("roles are those of the caller's mode", roles(task), [USER, AGENT, USER, AGENT])

    async def question_to_the_user(self):
        task = await self.send(says("ask me"))
        expect("state", task.status.state, INPUT_REQUIRED)
        expect("question", get_message_text(task.status.message), "Which colour?")
        expect("answer", answer_of(await self.send(says("blue", task=task))), "You chose blue.")

    async def emitted_artifact(self):
        watched = await self.stream(says("publish"))
        stored = await self.get(watched.task)
        expect("answer", answer_of(stored), "Published.")
        expect("artifacts", [artifact.artifact_id for artifact in stored.artifacts][:1], ["report"])
        expect("its content", get_data_parts(stored.artifacts[0].parts), [{"total": 42}])

    async def failures(self):
        for word, state, reason in (
            ("fail", FAILED, "the line went dead"),
            ("reject", REJECTED, "not my kind of work"),
        ):
            task = await self.send(says(word))
            expect(f"state after '{word}'", task.status.state, state)
            require(f"the reason of '{word}' is told", reason in get_message_text(task.status.message))
            watched = await self.stream(says(word))
            expect(f"state of the stream after '{word}'", watched.states[-1], state)
            expect("half an answer is no artifact", list((await self.get(watched.task)).artifacts), [])

    async def lists(self):
        context = str(uuid.uuid4())
        done = [await self.send(says("hello", context=context)) for _ in range(4)]
        waiting = await self.send(says("ask me", context=context))
        newest_first = [task.id for task in [*done, waiting]][::-1]

        async def pages(**query):
            token, tasks, sizes = "", [], []
            while True:
                request = ListTasksRequest(context_id=context, page_token=token, **query)
                page = await self.blocking.list_tasks(request)
                tasks += page.tasks
                sizes.append(len(page.tasks))
                expect("page size", page.page_size, query.get("page_size", 50))
                token = page.next_page_token
                if not token:
                    return tasks, sizes, page.total_size

        tasks, sizes, total = await pages(page_size=2)
        expect("all tasks, newest first", [task.id for task in tasks], newest_first)
        expect("sizes of the pages and the total", (sizes, total), ([2, 2, 1], 5))
        require("artifacts only on request", not any(task.artifacts for task in tasks))
        tasks, _, total = await pages(status=COMPLETED, include_artifacts=True, history_length=1)
        expect("completed tasks", ([task.id for task in tasks], total), (newest_first[1:], 4))
        require("artifacts on request", all(len(task.artifacts) == 1 for task in tasks))
        require("as much history as was asked for", all(roles(task) == [AGENT] for task in tasks))
        tasks, _, total = await pages(status=INPUT_REQUIRED)
        expect("waiting tasks", ([task.id for task in tasks], total), ([waiting.id], 1))
        wrong = ListTasksRequest(page_token="nonsense")
        await refused("a page token of nobody", self.blocking.list_tasks(wrong), InvalidParamsError, "BTN-1001")

    async def cancel_running(self):
        task = await self.begin("hang")
        watched, watching = self.subscribe(task)
        await watched.begun.wait()
        canceled = await self.blocking.cancel_task(CancelTaskRequest(id=task.id))
        expect("the reply", TaskState.Name(canceled.status.state), "TASK_STATE_CANCELED")
        await watching
        expect("the subscriber", watched.states[-1], CANCELED)
        await self.same_as_stored(watched)
        again = await self.blocking.cancel_task(CancelTaskRequest(id=task.id))
        expect("canceling twice", again, canceled)
        waiting = await self.send(says("ask me"))
        canceled = await self.blocking.cancel_task(CancelTaskRequest(id=waiting.id))
        expect("a task that waits for input", canceled.status.state, CANCELED)

    async def subscribe_running(self):
        task = await self.begin("count")
        early, first = self.subscribe(task)
        await early.growing.wait()
        late, second = self.subscribe(task)
        await asyncio.gather(first, second)
        for watched in (early, late):
            stored = await self.same_as_stored(watched)
            expect("the text at the end", watched.texts[-1], answer_of(stored))
            for shorter, longer in zip(watched.texts, watched.texts[1:]):
                require("text grows", longer.startswith(shorter))
        require("the late subscriber begins with what is there", len(late.texts[0]) > len(early.texts[0]))

    async def subscribe_waiting(self):
        task = await self.send(says("What's the weather in Oakland?"))
        watched, watching = self.subscribe(task)
        await watched.begun.wait()
        expect("it begins with the task as it is", watched.task, task)
        [call] = calls_of(task)
        await self.send(results(task, {call["call_id"]: "fog"}))
        await watching
        expect("it goes on to the end", (watched.states[0], watched.states[-1]), (INPUT_REQUIRED, COMPLETED))
        await self.same_as_stored(watched)

    async def errors(self):
        nobody = Task(id=str(uuid.uuid4()))
        for what, call in (
            ("get", self.get(nobody)),
            ("cancel", self.blocking.cancel_task(CancelTaskRequest(id=nobody.id))),
            ("send to", self.send(says("hello", task=nobody))),
            ("subscribe to", self.subscribe(nobody)[1]),
            ("stream to", self.stream(says("hello", task=nobody))),
        ):
            await refused(f"{what} an unknown task", call, TaskNotFoundError, "BTN-2003")
        done = await self.send(says("hello"))
        for what, call in (
            ("send to", self.send(says("hello", task=done))),
            ("stream to", self.stream(says("hello", task=done))),
            ("subscribe to", self.subscribe(done)[1]),
        ):
            await refused(f"{what} a finished task", call, UnsupportedOperationError, "BTN-2004")
        late = self.blocking.cancel_task(CancelTaskRequest(id=done.id))
        await refused("cancel a finished task", late, TaskNotCancelableError, "BTN-2005")
        await refused("an empty message", self.send(says()), InvalidParamsError, "BTN-1001")
        waiting = await self.send(says("ask me"))
        elsewhere = says("blue", task=waiting)
        elsewhere.context_id = "another"
        await refused("another context", self.send(elsewhere), InvalidParamsError, "BTN-2006")
        push = {"task_push_notification_config": {"url": "http://127.0.0.1:9/"}}
        await refused("push", self.send(says("hello"), **push), PushNotificationNotSupportedError, "BTN-1001")

    async def silent_stream(self):
        watched = await self.stream(says("quiet"))
        expect("answer", get_message_text(watched.task.status.message), "Still here.")


async def main(url):
    async with Checks(url.rstrip("/")) as checks:
        # It takes longer than the client's own timeout, so it runs beside the others.
        silent = asyncio.create_task(checks.silent_stream())
        for name, check in (
            ("the card is read, and cached by ETag and date", checks.card),
            ("a message is answered with a task", checks.blocking_send),
            ("an answer streams in growing pieces", checks.streamed_answer),
            ("the caller runs a tool", checks.weather_by_caller),
            ("the caller runs a tool, streaming", checks.weather_by_caller_streamed),
            ("two rounds of tools", checks.two_rounds),
            ("two tools at once, results one by one", checks.parallel_calls),
            ("the agent runs its tool when asked to", checks.own_tools_by_extension),
            ("a question to the user", checks.question_to_the_user),
            ("an artifact of the agent's own", checks.emitted_artifact),
            ("failed and rejected tasks say why", checks.failures),
            ("tasks are listed by page and by state", checks.lists),
            ("a running task is canceled", checks.cancel_running),
            ("a running task is followed by two", checks.subscribe_running),
            ("a waiting task is followed", checks.subscribe_waiting),
            ("errors arrive as the client's own types", checks.errors),
            ("a stream outlives the client's default timeout", lambda: silent),
        ):
            try:
                await asyncio.wait_for(check(), BOUND)
            except asyncio.TimeoutError:
                print(f"FAILED  {name}\n  it took longer than {BOUND} seconds")
                silent.cancel()
                return 1
            except Exception as error:
                print(f"FAILED  {name}")
                print(f"  {error}" if isinstance(error, Unexpected) else traceback.format_exc())
                silent.cancel()
                return 1
            print(f"ok      {name}", flush=True)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(sys.argv[1])))
