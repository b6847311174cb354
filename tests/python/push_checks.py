"""Notifications, and who gets them; for a2a-sdk 1.x."""

from google.protobuf.json_format import Parse

from a2a.types.a2a_pb2 import (
    AuthenticationInfo,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest,
    StreamResponse,
    TaskPushNotificationConfig,
)
from a2a.utils.errors import InvalidParamsError, TaskNotFoundError

from checking import expect, require
from conversation import COMPLETED, SUBMITTED, WORKING, Watched, answer_of, refused, says
from webhook import Webhook


def heard(notification, *, path, token="", authorization=None):
    """The event of a notification, read by the SDK, which knows no other members than the schema's."""
    expect("how it arrives", (notification.method, notification.path), ("POST", path))
    headers = notification.headers
    expect("its type", headers["content-type"], "application/a2a+json")
    expect("who sends it", headers.get("authorization"), authorization)
    expect("whose it is", headers.get("x-a2a-notification-token", ""), token)
    return Parse(notification.body, StreamResponse())


async def to_end(webhook, watched, **expected):
    """Takes notifications until the task is completed."""
    while watched.states[-1:] != [COMPLETED]:
        watched.take(heard(await webhook.next(), **expected))
    return watched


async def delivered(agent):
    async with Webhook() as webhook:
        config = TaskPushNotificationConfig(
            id="mine",
            url=webhook.url("/hooks/1?of=story"),
            token="a token",
            authentication=AuthenticationInfo(scheme="Bearer", credentials="c3Rvcnk="),
        )
        task = await agent.begin("tell me a story", task_push_notification_config=config)
        seen = {"path": "/hooks/1?of=story", "token": "a token", "authorization": "Bearer c3Rvcnk="}
        watched = await to_end(webhook, Watched(), **seen)
        expect("the task", watched.task.id, task.id)
        expect("kinds", watched.kinds, ["task", "status_update", "artifact_update", "status_update"])
        expect("states", watched.states, [SUBMITTED, WORKING, COMPLETED])
        answer_of(await agent.same_as_stored(watched))
        require("nothing comes after the end", webhook.arrived.empty())
        config.task_id = task.id
        got = await agent.blocking.get_task_push_notification_config(
            GetTaskPushNotificationConfigRequest(task_id=task.id, id="mine")
        )
        expect("the configuration", got, config)


async def repeated(agent):
    async with Webhook() as webhook:
        webhook.refuse_next = 1
        await agent.send(says("hello"), task_push_notification_config={"url": webhook.url("/again")})
        refusal = await webhook.next()
        watched = Watched()
        watched.take(heard(refusal, path="/again"))
        again = await webhook.next()
        # Each try is a span of its own.
        again.headers.pop("traceparent"), refusal.headers.pop("traceparent")
        expect("what was refused comes again", again, refusal)
        await to_end(webhook, watched, path="/again")
        expect("the rest comes once", watched.states, [SUBMITTED, WORKING, COMPLETED])
        await agent.same_as_stored(watched)


async def configured(agent):
    client = agent.blocking
    async with Webhook() as webhook:
        task = await agent.send(says("ask me"))

        async def create(path, **more):
            config = TaskPushNotificationConfig(task_id=task.id, url=webhook.url(path), **more)
            created = await client.create_task_push_notification_config(config)
            config.id = config.id or created.id
            # The client writes where it goes into what it is given.
            config.ClearField("tenant")
            expect(f"what was created for {path}", created, config)
            require("it has an id", created.id)
            return created

        async def get(id):
            request = GetTaskPushNotificationConfigRequest(task_id=task.id, id=id)
            return await client.get_task_push_notification_config(request)

        async def all(**more):
            request = ListTaskPushNotificationConfigsRequest(task_id=task.id, **more)
            return await client.list_task_push_notification_configs(request)

        async def delete(id):
            request = DeleteTaskPushNotificationConfigRequest(task_id=task.id, id=id)
            expect("the reply to a delete", await client.delete_task_push_notification_config(request), None)

        expect("none at first", list((await all()).configs), [])
        named = await create("/named", id="named", token="one")
        basic = AuthenticationInfo(scheme="Basic", credentials="dXNlcjpwYXNz")
        unnamed = await create("/unnamed", authentication=basic)
        for config in (named, unnamed):
            expect("one", await get(config.id), config)
        by_id = lambda configs: sorted(configs, key=lambda config: config.id)
        listed = await all()
        expect("both", by_id(listed.configs), by_id([named, unnamed]))
        expect("no further page", listed.next_page_token, "")

        changed = await create("/changed", id="named", token="two")
        expect("the same id again", await get("named"), changed)
        expect("how many there are", len((await all()).configs), 2)

        await delete("named")
        await refused("a deleted one", get("named"), TaskNotFoundError, "BTN-2014")
        expect("the rest", list((await all()).configs), [unnamed])
        await delete("named")

        # Whoever is registered late hears what happens from then on.
        seen = {"path": "/unnamed", "authorization": "Basic dXNlcjpwYXNz"}
        await agent.send(says("blue", task=task))
        watched = await to_end(webhook, Watched(known=task), **seen)
        stored = await agent.same_as_stored(watched)
        expect("states", watched.states, [WORKING, COMPLETED])
        expect("the answer", answer_of(stored), "You chose blue.")
        require("nobody else hears of it", webhook.arrived.empty())


async def turned_away(agent):
    client = agent.blocking
    waiting = await agent.send(says("ask me"))
    private = ("http://10.0.0.1/", "http://169.254.169.254/latest", "http://[::1]:9/")
    for url in (*private, "nowhere", "ftp://example.com/"):
        config = TaskPushNotificationConfig(task_id=waiting.id, url=url)
        create = client.create_task_push_notification_config(config)
        await refused(f"notifications to {url}", create, InvalidParamsError, "BTN-1006")
        sent = agent.send(says("hello"), task_push_notification_config={"url": url})
        await refused(f"a message with notifications to {url}", sent, InvalidParamsError, "BTN-1006")
    nowhere = client.create_task_push_notification_config(TaskPushNotificationConfig(task_id=waiting.id))
    await refused("notifications without a URL", nowhere, InvalidParamsError, "BTN-1001")
    listed = await client.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=waiting.id))
    expect("nothing was stored", list(listed.configs), [])

    unknown = {"task_id": "none"}
    for call, request in (
        (client.create_task_push_notification_config, TaskPushNotificationConfig(**unknown, url="http://127.0.0.1:9/")),
        (client.get_task_push_notification_config, GetTaskPushNotificationConfigRequest(**unknown, id="none")),
        (client.list_task_push_notification_configs, ListTaskPushNotificationConfigsRequest(**unknown)),
        (client.delete_task_push_notification_config, DeleteTaskPushNotificationConfigRequest(**unknown, id="none")),
    ):
        await refused(f"{call.__name__} for an unknown task", call(request), TaskNotFoundError, "BTN-2003")
