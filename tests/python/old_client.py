"""Drives a served agent with the official client of protocol 0.3 over one transport, and checks what it sees.

Usage: old_client.py URL TRANSPORT [several]

URL is that of the agent in tests/agents/flows, such as http://127.0.0.1:8700/agents/flows, TRANSPORT is JSONRPC,
HTTP+JSON or GRPC, and `several` says that the agent in examples/conformance is served beside it. Notifications to
127.0.0.0/8 must be allowed. Prints one line per check. The first check that fails ends the run with status 1 and an
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
    expect("the card at its older place", await card(agent.url, "/.well-known/agent.json"), new)
    if not agent.several:
        for path in ("/.well-known/agent-card.json", "/.well-known/agent.json"):
            expect("the card of the only agent", await card(agent.root, path), new)
    expect("name and version", (new.name, new.version, new.protocol_version), ("Flows", "1.0.0", "0.3.0"))
    expect("the preferred transport", (new.url, new.preferred_transport), (agent.url, "JSONRPC"))
    wanted = [(agent.url, "HTTP+JSON")]
    # Without tenants, an address of a port alone names an agent only when it is the only one.
    wanted += [] if agent.several else [(agent.root.removeprefix("http://"), "GRPC")]
    expect("further transports", [(one.url, one.transport) for one in new.additional_interfaces], wanted)
    require("it streams and pushes", new.capabilities.streaming and new.capabilities.push_notifications)
    require("there is an extended card", new.supports_authenticated_extended_card)
    client = await agent.client()
    extended = await client.get_card()
    await client.close()
    expect("skills", [skill.id for skill in extended.skills], ["flows", "tool:get_weather", "tool:get_time"])
    same = ("name", "description", "url", "version", "protocol_version", "preferred_transport", "default_input_modes")
    expect("the rest", [getattr(extended, of) for of in same], [getattr(new, of) for of in same])


async def signed(agent):
    """A card of 0.3 alone holds as the client of 0.3 verifies it; after a change it does not."""
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
    require("a changed card holds", False)


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
    expect("the parts as they were sent", plain(sent), plain(message))
    expect("tasks/get", await agent.get(task), task)
    shown = await agent.get(task, history_length=1)
    expect("as much history as was asked for", shown.history, task.history[-1:])


async def streams(agent):
    watched = await agent.stream(says("tell me a story"))
    require(f"the answer comes in pieces, not as {watched.texts!r}", len(set(watched.texts)) > 3)
    for shorter, longer in zip(watched.texts, watched.texts[1:]):
        require(f"text grows: {shorter!r}, then {longer!r}", longer.startswith(shorter))
    expect("the last states", watched.states[-2:], [TaskState.working, TaskState.completed])
    stored = await agent.get(watched.task)
    expect("the text at the end", watched.texts[-1], answer_of(stored))
    published = await agent.get((await agent.stream(says("publish"))).task)
    expect("an artifact of the agent's own", get_data_parts(published.artifacts[0].parts), [{"total": 42}])


async def questions(agent):
    task = await agent.send(says("ask me"))
    expect("state", task.status.state, TaskState.input_required)
    expect("question", get_message_text(task.status.message), "Which colour?")
    expect("answer", answer_of(await agent.send(says("blue", task=task))), "You chose blue.")

    first = await agent.stream(says("What's the weather in Oakland?"))
    expect("the turn ends when results are needed", first.states[-1], TaskState.input_required)
    [call] = calls_of(first.task)
    expect("the call", (call["name"], call["arguments"]), ("get_weather", {"location": "Oakland"}))
    told = {"tool_results": [{"call_id": call["call_id"], "name": call["name"], "output": "fog"}]}
    second = await agent.stream(says(told, task=first.task))
    expect("the same task", second.task.id, first.task.id)
    stored = await agent.get(second.task)
    expect("answer", answer_of(stored), "Oakland: fog")
    expect("roles", roles(stored), ["user", "agent", "user", "agent"])


async def failures(agent):
    for word, state, reason in (
        ("fail", TaskState.failed, "the line went dead"),
        ("reject", TaskState.rejected, "not my kind of work"),
    ):
        watched = await agent.stream(says(word))
        expect(f"state after '{word}'", watched.states[-1], state)
        require(f"the reason of '{word}' is told", reason in get_message_text(watched.task.status.message))


async def cancels(agent):
    task = await agent.begin("hang")
    watched, watching = agent.resubscribe(task)
    await watched.begun.wait()
    canceled = await agent.cancel(task)
    expect("the reply", canceled.status.state, TaskState.canceled)
    await watching
    expect("the subscriber", watched.states[-1], TaskState.canceled)
    await agent.same_as_stored(watched)
    expect("canceling twice", await agent.cancel(task), canceled)


async def resubscribes(agent):
    task = await agent.begin("count")
    early, first = agent.resubscribe(task)
    await early.growing.wait()
    late, second = agent.resubscribe(task)
    await asyncio.gather(first, second)
    for watched in (early, late):
        stored = await agent.same_as_stored(watched)
        expect("the text at the end", watched.texts[-1], answer_of(stored))
        for shorter, longer in zip(watched.texts, watched.texts[1:]):
            require("text grows", longer.startswith(shorter))
    require("the late subscriber begins with what is there", len(late.texts[0]) > len(early.texts[0]))


async def silence(agent):
    """A stream in which nothing happens for longer than HTTP clients wait by default."""
    task = await agent.begin("quiet")
    for watched in await asyncio.gather(agent.resubscribe(task)[1], agent.stream(says("quiet"))):
        stored = await agent.same_as_stored(watched)
        expect("answer", answer_of(stored), "Still here.")


def heard(notification, *, path, token=None, authorization=None):
    """The task of a notification, which is all that it carries."""
    expect("how it arrives", (notification.method, notification.path), ("POST", path))
    headers = notification.headers
    expect("its type", headers["content-type"], "application/json")
    expect("who sends it", headers.get("authorization"), authorization)
    expect("whose it is", headers.get("x-a2a-notification-token"), token)
    expect("a task and nothing around it", json.loads(notification.body)["kind"], "task")
    return Task.model_validate_json(notification.body)


async def notified(webhook, task, **expected):
    """Takes notifications until the task is completed; returns the states in between and the task at the end."""
    states = []
    while states[-1:] != [TaskState.completed]:
        told = heard(await webhook.next(), **expected)
        expect("which task", (told.id, told.context_id), (task.id, task.context_id))
        states.append(told.status.state)
    return states, told


async def same_as_told(agent, told):
    """The last notification is the task as tasks/get gives it, which JSON-RPC shows whole."""
    stored = await agent.get(told)
    if agent.transport == "JSONRPC":
        expect("the whole of a notification", told, stored)
    for what, told, stored in (
        ("state", told.status.state, stored.status.state),
        ("answer", answer_of(told), answer_of(stored)),
        ("history", roles(told), roles(stored)),
        ("artifacts", [one.artifact_id for one in told.artifacts], [one.artifact_id for one in stored.artifacts]),
    ):
        expect(f"{what} of a notification", told, stored)


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
        states, told = await notified(webhook, task, **seen)
        happened = [TaskState.submitted, TaskState.working, TaskState.completed]
        expect("states", sorted(set(states), key=states.index), happened)
        expect("no state comes back", states, sorted(states, key=happened.index))
        await same_as_told(agent, told)
        require("nothing comes after the end", webhook.arrived.empty())


async def callbacks(agent):
    client = agent.blocking
    async with Webhook() as webhook:
        task = await agent.send(says("ask me"))

        def plain(config):
            # What is absent and what is empty are the same on the wires of protobuf.
            inner = config.push_notification_config.model_dump()
            return config.task_id, {name: value for name, value in inner.items() if value}

        async def create(path, **more):
            config = PushNotificationConfig(url=webhook.url(path), **more)
            wanted = TaskPushNotificationConfig(task_id=task.id, push_notification_config=config)
            created = await client.set_task_callback(wanted)
            expect(f"what was set for {path}", plain(created), plain(wanted))
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
        refusal = {"code": -32001, "status": 404, "grpc_status": "NOT_FOUND"}
        await agent.refused("a deleted one", get("one"), **refusal)
        await agent.delete_callback(task, "one")
        expect("the rest", await agent.list_callbacks(task), [two])

        await agent.send(says("blue", task=task))
        states, told = await notified(webhook, task, path="/two", authorization="Basic dXNlcjpwYXNz")
        expect("the answer", answer_of(told), "You chose blue.")
        await same_as_told(agent, told)
        require("nobody else hears of it", webhook.arrived.empty())


async def errors(agent):
    nobody = Task(id=str(uuid.uuid4()), context_id="none", status={"state": "working"})
    unknown = {"code": -32001, "status": 404, "grpc_status": "NOT_FOUND"}
    await agent.refused("get an unknown task", agent.get(nobody), **unknown)
    await agent.refused("cancel an unknown task", agent.cancel(nobody), **unknown)
    await agent.refused("send to an unknown task", agent.send(says("hello", task=nobody)), **unknown)
    done = await agent.send(says("hello"))
    late = {"code": -32002, "status": 409, "grpc_status": "FAILED_PRECONDITION"}
    await agent.refused("cancel a finished task", agent.cancel(done), **late)
    ended = {"code": -32004, "status": 501, "grpc_status": "FAILED_PRECONDITION"}
    await agent.refused("send to a finished task", agent.send(says("hello", task=done)), **ended)
    waiting = await agent.send(says("ask me"))
    elsewhere = says("blue", task=waiting)
    elsewhere.context_id = "another"
    wrong = {"code": -32602, "status": 422, "grpc_status": "INVALID_ARGUMENT"}
    await agent.refused("another context", agent.send(elsewhere), **wrong)
    private = agent.begin("hello", callback=PushNotificationConfig(id="private", url="http://10.0.0.1/"))
    await agent.refused("push to a private address", private, **wrong)


async def bare_message(agent):
    """Another agent, which answers with a message and no task."""
    async with OldAgent(f"{agent.root}/agents/conformance", agent.transport, True) as other:
        for client in (other.blocking, other.streaming):
            [reply] = [reply async for reply in client.send_message(says("tck-message-response"))]
            expect("its words", get_message_text(reply), "Direct message response")
            expect("whose it is", (reply.kind, reply.role, reply.task_id or None), ("message", Role.agent, None))


async def main(url, transport, several):
    async with OldAgent(url, transport, several) as agent:
        # It takes long and needs nobody, so it runs beside the others.
        silent = asyncio.create_task(silence(agent))

        async def ended(_):
            await silent

        checks = (
            ("the card is found at both places, and extended", cards),
            ("the card of 0.3 is signed", signed),
            ("a message is answered with a task", sends),
            ("an answer streams in growing pieces", streams),
            ("questions are answered in further turns", questions),
            ("failed and rejected tasks say why", failures),
            ("a running task is canceled", cancels),
            ("a running task is followed by two", resubscribes),
            ("notifications carry the task", notifies),
            ("callbacks are set, read, listed and deleted", callbacks),
            ("errors arrive as the client's own", errors),
        )
        if several:
            checks += (("an agent beside it answers with a message alone", bare_message),)
        checks += (("streams outlive the client's default timeout", ended),)
        try:
            return await run([(name, lambda check=check: check(agent)) for name, check in checks])
        finally:
            silent.cancel()


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:] == ["several"])))
