"""Messages, answers, tools and questions; for a2a-sdk 1.x."""

import uuid

from a2a.client import ClientCallContext
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.helpers.proto_helpers import get_data_parts, get_message_text
from a2a.types.a2a_pb2 import Part, SendMessageRequest, TaskState
from a2a.utils.errors import InvalidParamsError

from agent import Agent
from checking import expect, require
from conversation import (
    AGENT,
    COMPLETED,
    FAILED,
    INPUT_REQUIRED,
    REJECTED,
    USER,
    answer_of,
    calls_of,
    expect_error,
    results,
    roles,
    says,
)

TOOL_EXECUTION = "https://baton.dev/extensions/tool-execution/v1"


async def blocking_send(agent):
    context = str(uuid.uuid4())
    note = Part(raw=b"\x00\xff note", filename="note.txt", media_type="text/plain")
    link = Part(url="https://example.com/note.txt", filename="note.txt", media_type="text/plain")
    data = {"list": [1, 2.5, "three", None, {"four": True}], "empty": {}}
    message = says("hello", note, link, data, context=context, metadata={"from": "a test"})
    task = await agent.send(message)
    require("an answer", answer_of(task).startswith("Hello!"))
    expect("roles", roles(task), [USER, AGENT])
    expect("context", task.context_id, context)
    message.task_id = task.id
    expect("the user's message", task.history[0], message)
    expect("GetTask", await agent.get(task), task)
    for length in (0, 1, 2, 9):
        shown = await agent.get(task, history_length=length)
        expect(f"history of {length}", list(shown.history), list(task.history)[-length:] if length else [])
    other = await agent.send(says("hello again", context=context), history_length=1)
    require("a message without a task starts another task", other.id != task.id and other.context_id == context)
    expect("roles with history_length=1", roles(other), [AGENT])


async def streamed_answer(agent):
    streamed = await agent.stream(says("tell me a story"))
    answer = get_message_text(streamed.task.status.message)
    require(f"the answer is streamed in several chunks: {streamed.texts!r}", len(set(streamed.texts)) > 3)
    for shorter, longer in zip(streamed.texts, streamed.texts[1:]):
        require(f"text grows: {shorter!r}, then {longer!r}", longer.startswith(shorter))
    expect("the text at the end", streamed.texts[-1], answer)
    expect("the last state", streamed.states[-1], COMPLETED)
    expect("the stored answer", answer_of(await agent.get(streamed.task)), answer)


async def weather_by_caller(agent):
    task = await agent.send(says("What's the weather in Oakland?"))
    expect("state", TaskState.Name(task.status.state), "TASK_STATE_INPUT_REQUIRED")
    [call] = calls_of(task)
    expect("the call", (call["name"], call["arguments"]), ("get_weather", {"location": "Oakland"}))
    expect("roles so far", roles(task), [USER, AGENT])
    expect("the calls are in the history too", task.history[1], task.status.message)
    output = "The weather in Oakland is sunny, 72°F"
    sent = results(task, {call["call_id"]: output}, context=False)
    done = await agent.send(sent)
    expect("the answer, built from prompt, question, call and result", answer_of(done), f"Oakland: {output}")
    expect("roles", roles(done), [USER, AGENT, USER, AGENT])
    expect("question and calls are unchanged", list(done.history[:2]), list(task.history))
    sent.context_id = task.context_id
    expect("the results are unchanged", done.history[2], sent)
    expect("one answer, one artifact", len(done.artifacts), 1)
    expect("GetTask", await agent.get(task), done)


async def weather_by_caller_streamed(agent):
    first = await agent.stream(says("What's the weather in Oakland?"))
    expect("the turn ends when results are needed", first.states[-1], INPUT_REQUIRED)
    expect("no partial calls were sent", first.states.count(INPUT_REQUIRED), 1)
    [call] = calls_of(first.task)
    second = await agent.stream(results(first.task, {call["call_id"]: {"sky": "clear"}}))
    expect("the same task", second.task.id, first.task.id)
    stored = await agent.get(second.task)
    expect("results of any shape", answer_of(stored), 'Oakland: {"sky":"clear"}')
    expect("roles", roles(stored), [USER, AGENT, USER, AGENT])


async def two_rounds(agent):
    task = await agent.send(says("plan Lisbon"))
    [call] = calls_of(task)
    expect("an integer stays an integer", call["arguments"], {"location": "Lisbon", "days": 3})
    task = await agent.send(results(task, {call["call_id"]: "it rains"}))
    [second] = calls_of(task)
    wanted = ("get_time", {"location": "Lisbon where it rains"})
    expect("the second call contains the first result", (second["name"], second["arguments"]), wanted)
    task = await agent.send(results(task, {second["call_id"]: "noon"}))
    expect("answer", answer_of(task), "Planned with: noon")
    expect("roles", roles(task), [USER, AGENT, USER, AGENT, USER, AGENT])


async def parallel_calls(agent):
    task = await agent.send(says("compare Oslo and Rome"))
    one, other = (call["call_id"] for call in calls_of(task))
    expect("both in one message", roles(task), [USER, AGENT])
    expect("the text before them", get_message_text(task.status.message), "Let me look.")

    unknown = results(task, {"nonsense": "x"})
    await expect_error("a result with an unknown call id", agent.send(unknown), InvalidParamsError, "BTN-2007")
    malformed = says({"tool_results": [{"call_id": one}]}, task=task)
    await expect_error("a result without output", agent.send(malformed), InvalidParamsError, "BTN-2009")
    expect("a rejected message does not change the task", await agent.get(task), task)

    partly = await agent.send(results(task, {other: "snow"}))
    expect("state after half of the results", partly.status.state, INPUT_REQUIRED)
    expect("the calls without a result", [call["call_id"] for call in calls_of(partly)], [one])
    again = results(task, {other: "snow"})
    await expect_error("a result given twice", agent.send(again), InvalidParamsError, "BTN-2008")
    done = await agent.send(results(task, {one: "sun"}))
    expect("both results, each once", sorted(answer_of(done).split("\n")), ["snow", "sun"])
    expect("roles", roles(done), [USER, AGENT, USER, USER, AGENT])


async def own_tools_by_extension(agent):
    chosen = ServiceParametersFactory.create([with_a2a_extensions([TOOL_EXECUTION])])
    message = says("What's the weather in Oakland?", metadata={TOOL_EXECUTION: {"toolExecution": "agent"}})
    task = await agent.send(message, context=ClientCallContext(service_parameters=chosen))
    expect("the agent ran its tool", answer_of(task), "Oakland: The weather in Oakland is sunny, 72°F")
    expect("roles as in caller mode", roles(task), [USER, AGENT, USER, AGENT])


async def question_to_the_user(agent):
    task = await agent.send(says("ask me"))
    expect("state", task.status.state, INPUT_REQUIRED)
    expect("question", get_message_text(task.status.message), "Which colour?")
    expect("answer", answer_of(await agent.send(says("blue", task=task))), "You chose blue.")


async def emitted_artifact(agent):
    streamed = await agent.stream(says("publish"))
    stored = await agent.get(streamed.task)
    expect("answer", answer_of(stored), "Published.")
    expect("artifacts", [artifact.artifact_id for artifact in stored.artifacts][:1], ["report"])
    expect("its content", get_data_parts(stored.artifacts[0].parts), [{"total": 42}])


async def failures(agent):
    for word, state, reason in (
        ("fail", FAILED, "the line went dead"),
        ("reject", REJECTED, "not my kind of work"),
    ):
        task = await agent.send(says(word))
        expect(f"state after '{word}'", task.status.state, state)
        require(f"the status message contains the reason of '{word}'", reason in get_message_text(task.status.message))
        streamed = await agent.stream(says(word))
        expect(f"state of the stream after '{word}'", streamed.states[-1], state)
        expect("a partial answer is not an artifact", list((await agent.get(streamed.task)).artifacts), [])


async def bare_message(agent):
    """Another agent, which answers with a message and without a task."""
    async with Agent(f"{agent.root}/agents/conformance", agent.binding, True) as other:
        for client in (other.blocking, other.streaming):
            request = SendMessageRequest(message=says("tck-message-response"))
            [event] = [event async for event in client.send_message(request)]
            expect("the reply", event.WhichOneof("payload"), "message")
            expect("its text", get_message_text(event.message), "Direct message response")
            expect("its role and task", (event.message.role, event.message.task_id), (AGENT, ""))
