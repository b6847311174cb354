"""An echo agent on the official Python A2A server: JSON-RPC, tasks in memory, uvicorn.

Prints its URL on stdout and serves until it is killed. Every message becomes a task that is submitted, works, gives
one text artifact and completes, which is what Baton's echo agent does too.
"""

import socket

import uvicorn
from a2a.helpers import get_message_text, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette


class Echo(AgentExecutor):
    async def execute(self, context, event_queue):
        task = context.current_task or new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        parts = [new_text_part("echo: " + get_message_text(context.message))]
        await updater.add_artifact(parts, append=False, last_chunk=True)
        await updater.complete(updater.new_agent_message(parts))

    async def cancel(self, context, event_queue):
        raise NotImplementedError


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    url = "http://127.0.0.1:%d/" % listener.getsockname()[1]
    card = AgentCard(
        name="echo",
        description="Says what it was told.",
        version="1.0.0",
        supported_interfaces=[AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="echo", name="Echo", description="Says what it was told.", tags=["echo"])],
    )
    handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=card)
    app = Starlette(routes=create_jsonrpc_routes(handler, "/"))
    print(url, flush=True)
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
