"""Push notifications and their configurations; for a2a-sdk 1.x."""

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
from conversation import COMPLETED, SUBMITTED, WORKING, StreamedTask, answer_of, expect_error, says
from webhook import Webhook


def parse_notification(notification, *, path, token="", authorization=None):
    """The event of a notification; the SDK's parser rejects members that the schema does not have."""
    expect("method and path", (notification.method, notification.path), ("POST", path))
    headers = notification.headers
    expect("the content type", headers["content-type"], "application/a2a+json")
    expect("the authorization", headers.get("authorization"), authorization)
    expect("the notification token", headers.get("x-a2a-notification-token", ""), token)
    return Parse(notification.body, StreamResponse())


async def to_end(webhook, streamed, **expected):
    """Reads notifications until the task is completed."""
    while streamed.states[-1:] != [COMPLETED]:
        streamed.take(parse_notification(await webhook.next(), **expected))
    return streamed


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
        streamed = await to_end(webhook, StreamedTask(), **seen)
        expect("the task", streamed.task.id, task.id)
        expect("kinds", streamed.kinds, ["task", "status_update", "artifact_update", "status_update"])
        expect("states", streamed.states, [SUBMITTED, WORKING, COMPLETED])
        answer_of(await agent.same_as_stored(streamed))
        require("no notification after the end", webhook.arrived.empty())
        config.task_id = task.id
        got = await agent.blocking.get_task_push_notification_config(
            GetTaskPushNotificationConfigRequest(task_id=task.id, id="mine")
        )
        expect("the configuration", got, config)


async def repeated(agent):
    async with Webhook() as webhook:
        webhook.refuse_next = 1
        await agent.send(says("hello"), task_push_notification_config={"url": webhook.url("/again")})
        rejected = await webhook.next()
        streamed = StreamedTask()
        streamed.take(parse_notification(rejected, path="/again"))
        again = await webhook.next()
        # Each attempt has its own span.
        again.headers.pop("traceparent"), rejected.headers.pop("traceparent")
        expect("the rejected notification is repeated", again, rejected)
        await to_end(webhook, streamed, path="/again")
        expect("each state is delivered once", streamed.states, [SUBMITTED, WORKING, COMPLETED])
        await agent.same_as_stored(streamed)


async def configured(agent):
    client = agent.blocking
    async with Webhook() as webhook:
        task = await agent.send(says("ask me"))

        async def create(path, **more):
            config = TaskPushNotificationConfig(task_id=task.id, url=webhook.url(path), **more)
            created = await client.create_task_push_notification_config(config)
            config.id = config.id or created.id
            # The client sets `tenant` in the given request.
            config.ClearField("tenant")
            expect(f"the configuration created for {path}", created, config)
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
        expect("the number of configurations", len((await all()).configs), 2)

        await delete("named")
        await expect_error("a deleted one", get("named"), TaskNotFoundError, "BTN-2014")
        expect("the rest", list((await all()).configs), [unnamed])
        await delete("named")

        # A late configuration receives the events from then on.
        seen = {"path": "/unnamed", "authorization": "Basic dXNlcjpwYXNz"}
        await agent.send(says("blue", task=task))
        streamed = await to_end(webhook, StreamedTask(known=task), **seen)
        stored = await agent.same_as_stored(streamed)
        expect("states", streamed.states, [WORKING, COMPLETED])
        expect("the answer", answer_of(stored), "You chose blue.")
        require("no other notifications", webhook.arrived.empty())


async def forbidden_addresses(agent):
    client = agent.blocking
    waiting = await agent.send(says("ask me"))
    private = ("http://10.0.0.1/", "http://169.254.169.254/latest", "http://[::1]:9/")
    for url in (*private, "nowhere", "ftp://example.com/"):
        config = TaskPushNotificationConfig(task_id=waiting.id, url=url)
        create = client.create_task_push_notification_config(config)
        await expect_error(f"notifications to {url}", create, InvalidParamsError, "BTN-1006")
        sent = agent.send(says("hello"), task_push_notification_config={"url": url})
        await expect_error(f"a message with notifications to {url}", sent, InvalidParamsError, "BTN-1006")
    without_url = client.create_task_push_notification_config(TaskPushNotificationConfig(task_id=waiting.id))
    await expect_error("notifications without a URL", without_url, InvalidParamsError, "BTN-1001")
    listed = await client.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=waiting.id))
    expect("nothing was stored", list(listed.configs), [])

    unknown = {"task_id": "none"}
    for call, request in (
        (client.create_task_push_notification_config, TaskPushNotificationConfig(**unknown, url="http://127.0.0.1:9/")),
        (client.get_task_push_notification_config, GetTaskPushNotificationConfigRequest(**unknown, id="none")),
        (client.list_task_push_notification_configs, ListTaskPushNotificationConfigsRequest(**unknown)),
        (client.delete_task_push_notification_config, DeleteTaskPushNotificationConfigRequest(**unknown, id="none")),
    ):
        await expect_error(f"{call.__name__} for an unknown task", call(request), TaskNotFoundError, "BTN-2003")
