"""An echo agent on the official Python A2A server: every binding of 1.0 and 0.3, tasks in memory, uvicorn and grpcio.

Usage: server.py [URL]   (with a URL, the answer is that of the agent at this URL)

Prints its URL and, after a space, its gRPC address on stdout, and serves until it is killed. Every message becomes a
task that is submitted, works, emits one text artifact and completes, as with Baton's echo agent.
"""

import socket
import sys

import grpc
import uvicorn
import uvloop
from a2a.client import create_client
from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler
from a2a.helpers import (
    get_message_text,
    get_stream_response_text,
    new_task_from_user_message,
    new_text_message,
    new_text_part,
)
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.request_handlers.grpc_handler import GrpcHandler
from a2a.server.routes import create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Role,
    SendMessageRequest,
    a2a_pb2_grpc,
)
from starlette.applications import Starlette


class EchoExecutor(AgentExecutor):
    async def execute(self, context, event_queue):
        task = context.current_task or new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        parts = [new_text_part(await self.answer(get_message_text(context.message)))]
        await updater.add_artifact(parts, append=False, last_chunk=True)
        await updater.complete(updater.new_agent_message(parts))

    async def answer(self, text):
        return "echo: " + text

    async def cancel(self, context, event_queue):
        raise NotImplementedError


class ForwardExecutor(EchoExecutor):
    """Asks another agent with the official client."""

    def __init__(self, url):
        self.url, self.client = url, None

    async def answer(self, text):
        # Its card is known: this program serves none.
        self.client = self.client or await create_client(card(self.url, self.url))
        request, answer = SendMessageRequest(message=new_text_message(text, role=Role.ROLE_USER)), ""
        async for event in self.client.send_message(request):
            if event.HasField("artifact_update"):
                answer = get_stream_response_text(event)
        return answer


def card(url, grpc_address):
    spoken = [("JSONRPC", url), ("HTTP+JSON", url.rstrip("/")), ("GRPC", grpc_address)]
    interfaces = [
        AgentInterface(url=place, protocol_binding=binding, protocol_version=version)
        for version in ("1.0", "0.3")
        for binding, place in spoken
    ]
    return AgentCard(
        name="echo",
        description="Says what it was told.",
        version="1.0.0",
        supported_interfaces=interfaces,
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="echo", name="Echo", description="Says what it was told.", tags=["echo"])],
    )


async def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    url = "http://127.0.0.1:%d/" % listener.getsockname()[1]
    grpc_server = grpc.aio.server()
    grpc_address = "127.0.0.1:%d" % grpc_server.add_insecure_port("127.0.0.1:0")
    handler = DefaultRequestHandler(
        agent_executor=ForwardExecutor(sys.argv[1]) if sys.argv[1:] else EchoExecutor(), task_store=InMemoryTaskStore(), agent_card=card(url, grpc_address)
    )
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), grpc_server)
    a2a_v0_3_pb2_grpc.add_A2AServiceServicer_to_server(CompatGrpcHandler(handler), grpc_server)
    await grpc_server.start()
    jsonrpc = create_jsonrpc_routes(handler, "/", enable_v0_3_compat=True)
    app = Starlette(routes=jsonrpc + create_rest_routes(handler, enable_v0_3_compat=True))
    print(url, f"http://{grpc_address}/", flush=True)
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    uvloop.run(main())
