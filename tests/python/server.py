"""A test agent on the official server of A2A 1.0; words.py lists its keywords.

Usage: server.py BINDING [quiet]

BINDING is the binding in the card: JSONRPC, HTTP+JSON or GRPC. `quiet` disables streaming. Prints one line of JSON with
its URL when it is ready, and one for each notification that it sent. Ends when stdin ends.
"""

import asyncio
import sys
from types import SimpleNamespace

import grpc
from starlette.applications import Starlette

from a2a.helpers import get_message_text, new_task_from_user_message, new_text_message, new_text_part
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.request_handlers.grpc_handler import GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Role, a2a_pb2_grpc

from serving import listen, notifier, serve
from words import WordsExecutor

SDK = SimpleNamespace(
    text_of=get_message_text,
    part=new_text_part,
    new_task=new_task_from_user_message,
    message=lambda text, context_id: new_text_message(text, context_id=context_id, role=Role.ROLE_AGENT),
)


def card(binding, url, streaming):
    return AgentCard(
        name="Words",
        description="Does what it is told.",
        version="1.0.0",
        supported_interfaces=[AgentInterface(url=url, protocol_binding=binding, protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=streaming, push_notifications=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="words", name="Words", description="Does what it is told.", tags=["test"])],
    )


async def main(binding, streaming):
    listener, url = listen()
    grpc_server = grpc.aio.server()
    grpc_address = "127.0.0.1:%d" % grpc_server.add_insecure_port("127.0.0.1:0")
    agent_card = card(binding, grpc_address if binding == "GRPC" else url, streaming)
    configs = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=WordsExecutor(SDK),
        task_store=InMemoryTaskStore(),
        agent_card=agent_card,
        push_config_store=configs,
        push_sender=BasePushNotificationSender(notifier(), configs),
    )
    routes = create_agent_card_routes(agent_card)
    match binding:
        case "JSONRPC":
            routes += create_jsonrpc_routes(handler, "/")
        case "HTTP+JSON":
            routes += create_rest_routes(handler)
        case "GRPC":
            a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), grpc_server)
            await grpc_server.start()
    await serve(Starlette(routes=routes), listener, url)
    await grpc_server.stop(None)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    asyncio.run(main(sys.argv[1], sys.argv[2:] != ["quiet"]))
