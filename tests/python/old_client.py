"""Tests a served agent with the official client of protocol 0.3 over one transport.

Usage: old_client.py URL TRANSPORT [several]

URL is the address of the agent in tests/agents/flows, such as http://127.0.0.1:8700/agents/flows. TRANSPORT is JSONRPC,
HTTP+JSON or GRPC. `several`: the same Baton also serves the agent in examples/conformance. Push notifications to
127.0.0.0/8 must be allowed. Prints one line per check. The first failed check ends the run with status 1 and an
explanation.
"""

import asyncio
import base64
import json
import sys
import uuid

from a2a.client import A2ACardResolver
from a2a.types import (
    AgentCard,
    FilePart,
    FileWithBytes,
    FileWithUri,
    GetTaskPushNotificationConfigParams,
    PushNotificationAuthenticationInfo,
    PushNotificationConfig,
    Role,
    Task,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils import get_data_parts, get_message_text
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier
from jwt import PyJWK

from checking import expect, require, run
from old_agent import OldAgent, answer_of, calls_of, roles, says
from webhook import Webhook


async def cards(agent):
    async def card(base, path):
        return await A2ACardResolver(agent.http, base, path).get_agent_card()

    new = await card(agent.url, "/.well-known/agent-card.json")
    require("a card of 0.3", isinstance(new, AgentCard))
    expect("the card at its older path", await card(agent.url, "/.well-known/agent.json"), new)
    if not agent.several:
        for path in ("/.well-known/agent-card.json", "/.well-known/agent.json"):
            expect("the card of the only agent", await card(agent.root, path), new)
    expect("name and version", (new.name, new.version, new.protocol_version), ("Flows", "1.0.0", "0.3.0"))
    expect("the preferred transport", (new.url, new.preferred_transport), (agent.url, "JSONRPC"))
    wanted = [(agent.url, "HTTP+JSON")]
    # Without tenants, a gRPC address selects an agent only if it is the only one.
    wanted += [] if agent.several else [(agent.root.removeprefix("http://"), "GRPC")]
    expect("further transports", [(one.url, one.transport) for one in new.additional_interfaces], wanted)
    require("it supports streaming", new.capabilities.streaming)
    require("it supports push notifications", new.capabilities.push_notifications)
    require("there is an extended card", new.supports_authenticated_extended_card)
    client = await agent.client()
    extended = await client.get_card()
    await client.close()
    expect("skills", [skill.id for skill in extended.skills], ["flows", "tool:get_weather", "tool:get_time"])
    same = ("name", "description", "url", "version", "protocol_version", "preferred_transport", "default_input_modes")
    expect("the rest", [getattr(extended, name) for name in same], [getattr(new, name) for name in same])


async def signed(agent):
    """The signature of a card for 0.3 only is valid for the client of 0.3; after a change it is invalid."""
    keys = (await agent.http.get(f"{agent.root}/.well-known/jwks.json")).raise_for_status().json()
    by_id = {key["kid"]: PyJWK.from_dict(key) for key in keys["keys"]}
    reply = await agent.http.get(agent.address, headers={"A2A-Version": "0.3"})
    card = AgentCard.model_validate_json(reply.raise_for_status().content)
    for algorithms in (["ES256"], ["EdDSA"]):
        create_signature_verifier(lambda kid, jku: by_id[kid], algorithms)(card)
    card.description += "."
    try:
        create_signature_verifier(lambda kid, jku: by_id[kid], ["ES256", "EdDSA"])(card)
    except InvalidSignaturesError:
        return
    require("the signature of a changed card is invalid", False)


async def sends(agent):
    context = str(uuid.uuid4())
    note = FileWithBytes(bytes=base64.b64encode(b"\x00\xff note").decode(), mime_type="text/plain", name="note.txt")
    link = FileWithUri(uri="https://example.com/note.txt", mime_type="text/plain", name="note.txt")
    data = {"list": [1, 2.5, "three", None, {"four": True}]}
    message = says("hello", FilePart(file=note), FilePart(file=link), data, context=context)
    task = await agent.send(message)
    expect("answer", answer_of(task), "Hello! You are talking to a scripted agent.")
    expect("roles", roles(task), ["user", "agent"])
    expect("context", task.context_id, context)
    [sent] = [one for one in task.history if one.message_id == message.message_id]
    plain = lambda one: [part.root.model_dump(exclude={"metadata"}, exclude_none=True) for part in one.parts]
    expect("the parts are unchanged", plain(sent), plain(message))
    expect("tasks/get", await agent.get(task), task)
    shown = await agent.get(task, history_length=1)
    expect("history of the requested length", shown.history, task.history[-1:])


async def streams(agent):
    streamed = await agent.stream(says("tell me a story"))
    require(f"the answer is streamed in several chunks: {streamed.texts!r}", len(set(streamed.texts)) > 3)
    for shorter, longer in zip(streamed.texts, streamed.texts[1:]):
        require(f"text grows: {shorter!r}, then {longer!r}", longer.startswith(shorter))
    expect("the last states", streamed.states[-2:], [TaskState.working, TaskState.completed])
    stored = await agent.get(streamed.task)
    expect("the text at the end", streamed.texts[-1], answer_of(stored))
    published = await agent.get((await agent.stream(says("publish"))).task)
    expect("an emitted artifact", get_data_parts(published.artifacts[0].parts), [{"total": 42}])


async def questions(agent):
    task = await agent.send(says("ask me"))
    expect("state", task.status.state, TaskState.input_required)
    expect("question", get_message_text(task.status.message), "Which colour?")
    expect("answer", answer_of(await agent.send(says("blue", task=task))), "You chose blue.")

    first = await agent.stream(says("What's the weather in Oakland?"))
    expect("the turn ends when results are needed", first.states[-1], TaskState.input_required)
    [call] = calls_of(first.task)
    expect("the call", (call["name"], call["arguments"]), ("get_weather", {"location": "Oakland"}))
    sent = {"tool_results": [{"call_id": call["call_id"], "name": call["name"], "output": "fog"}]}
    second = await agent.stream(says(sent, task=first.task))
    expect("the same task", second.task.id, first.task.id)
    stored = await agent.get(second.task)
    expect("answer", answer_of(stored), "Oakland: fog")
    expect("roles", roles(stored), ["user", "agent", "user", "agent"])


async def failures(agent):
    for word, state, reason in (
        ("fail", TaskState.failed, "the line went dead"),
        ("reject", TaskState.rejected, "not my kind of work"),
    ):
        streamed = await agent.stream(says(word))
        expect(f"state after '{word}'", streamed.states[-1], state)
        text = get_message_text(streamed.task.status.message)
        require(f"the status message contains the reason of '{word}'", reason in text)


async def cancels(agent):
    task = await agent.begin("hang")
    streamed, reading = agent.resubscribe(task)
    await streamed.begun.wait()
    canceled = await agent.cancel(task)
    expect("the reply", canceled.status.state, TaskState.canceled)
    await reading
    expect("the subscriber", streamed.states[-1], TaskState.canceled)
    await agent.same_as_stored(streamed)
    expect("canceling twice", await agent.cancel(task), canceled)


async def resubscribes(agent):
    task = await agent.begin("count")
    early, first = agent.resubscribe(task)
    await early.growing.wait()
    late, second = agent.resubscribe(task)
    await asyncio.gather(first, second)
    for streamed in (early, late):
        stored = await agent.same_as_stored(streamed)
        expect("the text at the end", streamed.texts[-1], answer_of(stored))
        for shorter, longer in zip(streamed.texts, streamed.texts[1:]):
            require("text grows", longer.startswith(shorter))
    require("the late subscriber starts with the current text", len(late.texts[0]) > len(early.texts[0]))


async def idle_stream(agent):
    """A stream without events for longer than the default timeout of HTTP clients."""
    task = await agent.begin("quiet")
    for streamed in await asyncio.gather(agent.resubscribe(task)[1], agent.stream(says("quiet"))):
        stored = await agent.same_as_stored(streamed)
        expect("answer", answer_of(stored), "Still here.")


def parse_notification(notification, *, path, token=None, authorization=None):
    """The task of a notification; the body contains nothing else."""
    expect("method and path", (notification.method, notification.path), ("POST", path))
    headers = notification.headers
    expect("the content type", headers["content-type"], "application/json")
    expect("the authorization", headers.get("authorization"), authorization)
    expect("the notification token", headers.get("x-a2a-notification-token"), token)
    expect("the kind of the body", json.loads(notification.body)["kind"], "task")
    return Task.model_validate_json(notification.body)


async def await_completion(webhook, task, **expected):
    """Reads notifications until the task is completed; returns all states and the last notified task."""
    states = []
    while states[-1:] != [TaskState.completed]:
        notified = parse_notification(await webhook.next(), **expected)
        expect("task and context", (notified.id, notified.context_id), (task.id, task.context_id))
        states.append(notified.status.state)
    return states, notified


async def same_as_notified(agent, notified):
    """Checks that the last notification equals the task from tasks/get, completely over JSON-RPC."""
    stored = await agent.get(notified)
    if agent.transport == "JSONRPC":
        expect("a complete notification", notified, stored)
    for label, actual, wanted in (
        ("state", notified.status.state, stored.status.state),
        ("answer", answer_of(notified), answer_of(stored)),
        ("history", roles(notified), roles(stored)),
        ("artifacts", [one.artifact_id for one in notified.artifacts], [one.artifact_id for one in stored.artifacts]),
    ):
        expect(f"{label} of a notification", actual, wanted)


async def notifies(agent):
    async with Webhook() as webhook:
        config = PushNotificationConfig(
            id="mine",
            url=webhook.url("/hooks/1"),
            token="a token",
            authentication=PushNotificationAuthenticationInfo(schemes=["Bearer"], credentials="c3Rvcnk="),
        )
        task = await agent.begin("tell me a story", callback=config)
        seen = {"path": "/hooks/1", "token": "a token", "authorization": "Bearer c3Rvcnk="}
        states, notified = await await_completion(webhook, task, **seen)
        order = [TaskState.submitted, TaskState.working, TaskState.completed]
        expect("states", sorted(set(states), key=states.index), order)
        expect("states are in order", states, sorted(states, key=order.index))
        await same_as_notified(agent, notified)
        require("no notification after the end", webhook.arrived.empty())


async def callbacks(agent):
    client = agent.blocking
    async with Webhook() as webhook:
        task = await agent.send(says("ask me"))

        def plain(config):
            # Protobuf does not distinguish absent and empty values.
            inner = config.push_notification_config.model_dump()
            return config.task_id, {name: value for name, value in inner.items() if value}

        async def create(path, **more):
            config = PushNotificationConfig(url=webhook.url(path), **more)
            wanted = TaskPushNotificationConfig(task_id=task.id, push_notification_config=config)
            created = await client.set_task_callback(wanted)
            expect(f"the configuration for {path}", plain(created), plain(wanted))
            return created

        async def get(id):
            params = GetTaskPushNotificationConfigParams(id=task.id, push_notification_config_id=id)
            return await client.get_task_callback(params)

        one = await create("/one", id="one", token="first")
        basic = PushNotificationAuthenticationInfo(schemes=["Basic"], credentials="dXNlcjpwYXNz")
        two = await create("/two", id="two", authentication=basic)
        expect("the first", await get("one"), one)
        expect("the second", await get("two"), two)
        expect("both", await agent.list_callbacks(task), [one, two])
        changed = await create("/changed", id="one")
        expect("the same id again", await get("one"), changed)
        await agent.delete_callback(task, "one")
        not_found = {"code": -32001, "status": 404, "grpc_status": "NOT_FOUND"}
        await agent.expect_error("a deleted one", get("one"), **not_found)
        await agent.delete_callback(task, "one")
        expect("the rest", await agent.list_callbacks(task), [two])

        await agent.send(says("blue", task=task))
        states, notified = await await_completion(webhook, task, path="/two", authorization="Basic dXNlcjpwYXNz")
        expect("the answer", answer_of(notified), "You chose blue.")
        await same_as_notified(agent, notified)
        require("no other notifications", webhook.arrived.empty())


async def errors(agent):
    unknown_task = Task(id=str(uuid.uuid4()), context_id="none", status={"state": "working"})
    not_found = {"code": -32001, "status": 404, "grpc_status": "NOT_FOUND"}
    await agent.expect_error("get an unknown task", agent.get(unknown_task), **not_found)
    await agent.expect_error("cancel an unknown task", agent.cancel(unknown_task), **not_found)
    send = agent.send(says("hello", task=unknown_task))
    await agent.expect_error("send to an unknown task", send, **not_found)
    done = await agent.send(says("hello"))
    late = {"code": -32002, "status": 409, "grpc_status": "FAILED_PRECONDITION"}
    await agent.expect_error("cancel a finished task", agent.cancel(done), **late)
    ended = {"code": -32004, "status": 501, "grpc_status": "FAILED_PRECONDITION"}
    await agent.expect_error("send to a finished task", agent.send(says("hello", task=done)), **ended)
    waiting = await agent.send(says("ask me"))
    other_context = says("blue", task=waiting)
    other_context.context_id = "another"
    wrong = {"code": -32602, "status": 422, "grpc_status": "INVALID_ARGUMENT"}
    await agent.expect_error("another context", agent.send(other_context), **wrong)
    private = agent.begin("hello", callback=PushNotificationConfig(id="private", url="http://10.0.0.1/"))
    await agent.expect_error("push to a private address", private, **wrong)


async def bare_message(agent):
    """Another agent, which answers with a message and without a task."""
    async with OldAgent(f"{agent.root}/agents/conformance", agent.transport, True) as other:
        for client in (other.blocking, other.streaming):
            [reply] = [reply async for reply in client.send_message(says("tck-message-response"))]
            expect("its text", get_message_text(reply), "Direct message response")
            actual = (reply.kind, reply.role, reply.task_id or None)
            expect("its kind, role and task", actual, ("message", Role.agent, None))


async def main(url, transport, several):
    async with OldAgent(url, transport, several) as agent:
        # Slow and independent of the other checks, so it runs concurrently.
        idle = asyncio.create_task(idle_stream(agent))

        async def await_idle(_):
            await idle

        checks = (
            ("the card is at both paths, and can be extended", cards),
            ("the card for 0.3 is signed", signed),
            ("a message is answered with a task", sends),
            ("the text of a streamed answer grows", streams),
            ("questions are answered in further turns", questions),
            ("failed and rejected tasks contain the reason", failures),
            ("a running task is canceled", cancels),
            ("two subscribers follow a running task", resubscribes),
            ("push notifications contain the task", notifies),
            ("callbacks are set, read, listed and deleted", callbacks),
            ("errors have the client's types", errors),
        )
        if several:
            checks += (("another agent answers with a message and no task", bare_message),)
        checks += (("an idle stream outlives the client's default timeout", await_idle),)
        try:
            return await run([(name, lambda check=check: check(agent)) for name, check in checks])
        finally:
            idle.cancel()


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:] == ["several"])))
