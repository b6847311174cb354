"""A test agent on the official server of A2A 0.3; words.py lists its keywords.

Usage: old_server.py BINDING [quiet]

BINDING is the binding in the card: JSONRPC, HTTP+JSON or GRPC. `quiet` disables streaming. Prints one line of JSON with
its URL when it is ready, and one for each notification that it sent. Ends when stdin ends.
"""

import asyncio
import sys
from types import SimpleNamespace

import grpc

from a2a.grpc import a2a_pb2_grpc
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentSkill, Part, TextPart
from a2a.utils import get_message_text, new_agent_text_message, new_task

from serving import listen, notifier, serve
from words import WordsExecutor

SDK = SimpleNamespace(
    text_of=get_message_text,
    part=lambda text: Part(root=TextPart(text=text)),
    new_task=new_task,
    message=new_agent_text_message,
)


def card(binding, url, streaming):
    return AgentCard(
        name="Old Words",
        description="Does what it is told.",
        version="1.0.0",
        url=url,
        preferred_transport=binding,
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
        push_config_store=configs,
        push_sender=BasePushNotificationSender(notifier(), configs),
    )
    match binding:
        case "HTTP+JSON":
            app = A2ARESTFastAPIApplication(agent_card=agent_card, http_handler=handler).build()
        case "GRPC":
            a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(agent_card, handler), grpc_server)
            await grpc_server.start()
            # The URL serves only the card.
            app = A2AStarletteApplication(agent_card=agent_card, http_handler=handler).build()
        case _:
            app = A2AStarletteApplication(agent_card=agent_card, http_handler=handler).build()
    await serve(app, listener, url)
    await grpc_server.stop(None)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    asyncio.run(main(sys.argv[1], sys.argv[2:] != ["quiet"]))
