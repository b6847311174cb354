"""Agent cards; for a2a-sdk 1.x."""

import httpx

from a2a.client import A2ACardResolver
from a2a.types.a2a_pb2 import AgentCard, GetExtendedAgentCardRequest
from google.protobuf.json_format import ParseDict

from checking import expect, require
from talk_checks import TOOL_EXECUTION


async def public(agent):
    authority = agent.root.removeprefix("http://")
    wanted = [(agent.url, "JSONRPC", "1.0", ""), (agent.url, "HTTP+JSON", "1.0", "")]
    # A gRPC address has no path, so the tenant selects one of several agents.
    wanted += [(authority, "GRPC", "1.0", "flows" if agent.several else "")]
    wanted += [(agent.url, "JSONRPC", "0.3", ""), (agent.url, "HTTP+JSON", "0.3", "")]
    wanted += [] if agent.several else [(authority, "GRPC", "0.3", "")]

    async with httpx.AsyncClient() as http:
        card = await A2ACardResolver(http, agent.url).get_agent_card()
        expect("name and version", (card.name, card.version), ("Flows", "1.0.0"))
        served = card.supported_interfaces
        interfaces = [(one.url, one.protocol_binding, one.protocol_version, one.tenant) for one in served]
        expect("interfaces", interfaces, wanted)
        offered = card.capabilities
        require("it supports streaming and push notifications", offered.streaming and offered.push_notifications)
        require("there is an extended card", offered.extended_agent_card)
        require("it offers tool execution", TOOL_EXECUTION in [extension.uri for extension in offered.extensions])
        require("no extension is required", not any(extension.required for extension in offered.extensions))
        expect("skills", [(skill.id, list(skill.tags)) for skill in card.skills], [("flows", ["test"])])

        address = f"{agent.url}/.well-known/agent-card.json"
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
        expect("a card with another ETag", (changed.status_code, changed.json()), (200, first.json()))
        sole = await http.get(f"{agent.root}/.well-known/agent-card.json")
        if agent.several:
            expect("no card at the root of several agents", sole.status_code, 404)
        else:
            expect("the card of the only agent", sole.json(), first.json())


async def strict(agent):
    """A client that requests a version gets a card without members that are unknown to the schema of the version."""
    async with httpx.AsyncClient(headers={"A2A-Version": "1.0"}) as http:
        for address in (agent.address, agent.url, f"{agent.url}/.well-known/agent-card.json"):
            reply = (await http.get(address)).raise_for_status()
            expect("the Vary header", reply.headers["vary"], "Host, A2A-Version, Accept-Encoding")
            card = ParseDict(reply.json(), AgentCard(), ignore_unknown_fields=False)
            expect("versions", {one.protocol_version for one in card.supported_interfaces}, {"1.0"})


async def extended(agent):
    async with httpx.AsyncClient(headers={"A2A-Version": "1.0"}) as http:
        public = await A2ACardResolver(http, agent.url).get_agent_card()
    client = await agent.client()
    try:
        card = await client.get_extended_agent_card(GetExtendedAgentCardRequest())
    finally:
        await client.close()
    added = [(skill.id, list(skill.tags)) for skill in card.skills[1:]]
    expect("its additional skills", added, [("tool:get_weather", ["tool"]), ("tool:get_time", ["tool"])])
    del card.skills[1:]
    # Each card has its own signatures.
    for one in (card, public):
        require("it is signed", one.signatures)
        one.ClearField("signatures")
    expect("the rest", card, public)
