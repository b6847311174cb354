"""Verifies or signs cards with the official client; for a2a-sdk 1.x.

Usage: signed_cards.py check URL         every card of the agent at URL, over every binding, with the published keys
       signed_cards.py read CARD KEYS    the card in a file, with the keys in another
       signed_cards.py sign              prints a key and cards signed with it, as JSON
"""

import asyncio
import json
import sys

import grpc
import httpx

from a2a.client import A2ACardResolver, ClientConfig, create_client
from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.types.a2a_pb2 import AgentCard, GetExtendedAgentCardRequest
from a2a.utils.signing import (
    InvalidSignaturesError,
    ProtectedHeader,
    create_agent_card_signer,
    create_signature_verifier,
)
from cryptography.hazmat.primitives.asymmetric import ec
from google.protobuf.json_format import ParseDict
from jwt import PyJWK
from jwt.algorithms import ECAlgorithm

from checking import CheckFailure, expect, require, run

ALGORITHMS = ["ES256", "EdDSA"]
BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"]


def verifier(keys, *algorithms):
    by_id = {key["kid"]: PyJWK.from_dict(key) for key in keys["keys"]}
    return create_signature_verifier(lambda kid, jku: by_id[kid], list(algorithms) or ALGORITHMS)


def verify(card, keys):
    """Checks that the signatures are valid, also with each algorithm alone, and invalid after a change."""
    for algorithms in (ALGORITHMS, ["ES256"], ["EdDSA"]):
        verifier(keys, *algorithms)(card)
    changed = AgentCard()
    changed.CopyFrom(card)
    changed.description += "."
    try:
        verifier(keys)(changed)
    except InvalidSignaturesError:
        return
    raise CheckFailure("the signature of a changed card is valid")


async def check(url):
    root = url.split("/agents/")[0]
    async with httpx.AsyncClient() as http:
        keys = (await http.get(f"{root}/.well-known/jwks.json")).raise_for_status().json()
        expect("the keys", [(key["alg"], key["use"]) for key in keys["keys"]], [("ES256", "sig"), ("EdDSA", "sig")])
        below = (await http.get(f"{url}/.well-known/jwks.json")).raise_for_status().json()
        expect("the keys below the agent", below, keys)
        urls = set()

        def find_key(kid, jku):
            urls.add(jku)
            return next(PyJWK.from_dict(key) for key in keys["keys"] if key["kid"] == kid)

        verify_signature = create_signature_verifier(find_key, ALGORITHMS)
        card = await A2ACardResolver(http, url).get_agent_card(signature_verifier=verify_signature)
        expect("the key URLs", urls, {f"{root}/.well-known/jwks.json"})
        verify(card, keys)

    for binding in BINDINGS:
        config = {"grpc_channel_factory": grpc.aio.insecure_channel} if binding == "GRPC" else {}
        client = await create_client(url, ClientConfig(supported_protocol_bindings=[binding], **config))
        try:
            request = GetExtendedAgentCardRequest()
            extended = await client.get_extended_agent_card(request, signature_verifier=verify_signature)
        finally:
            await client.close()
        require(f"the extended card over {binding} has more skills", len(extended.skills) > len(card.skills))
        verify(extended, keys)


def read(card, keys):
    with open(card, encoding="utf-8") as card, open(keys, encoding="utf-8") as keys:
        verify(ParseDict(json.load(card), AgentCard(), ignore_unknown_fields=True), json.load(keys))


def sign():
    key = ec.generate_private_key(ec.SECP256R1())
    public = {**ECAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": "key of the test", "alg": "ES256"}
    sign = create_agent_card_signer(key, ProtectedHeader(kid=public["kid"], alg="ES256", jku=None, typ="JOSE"))
    interface = {"url": "https://agents.example.com", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    whole = {
        "name": "Zürich 🦀",
        "description": "Says \"what\" the weather is\n",
        "version": "1",
        "supportedInterfaces": [interface, {**interface, "protocolVersion": "0.3"}],
        "capabilities": {
            "streaming": False,
            "extensions": [{"uri": "https://example.com/x", "params": {"n": 1e21, "f": 0.1, "i": 42, "e": {}, "s": ""}}],
        },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "s", "name": "S", "description": "Skill", "tags": ["t"]}],
        "iconUrl": "https://example.com/icon.png",
    }
    # Required members that are empty; the client does not sign them.
    sparse = {**whole, "description": "", "skills": [{"id": "s", "name": "S", "tags": []}]}
    guarded = {
        **whole,
        "securitySchemes": {
            "bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer", "bearerFormat": ""}},
            "certificate": {"mtlsSecurityScheme": {}},
        },
        "securityRequirements": [{"schemes": {"bearer": {"list": []}}}, {"schemes": {"bearer": {"list": ["read"]}}}],
    }
    cards = [agent_card_to_dict(sign(ParseDict(card, AgentCard()))) for card in (whole, sparse, guarded)]
    print(json.dumps({"keys": {"keys": [public]}, "cards": cards}))


async def main(command, *arguments):
    if command == "sign":
        sign()
        return 0

    async def checked():
        if command == "check":
            await check(*arguments)
        else:
            read(*arguments)

    return await run([(" ".join((command, *arguments)), checked)])


sys.exit(asyncio.run(main(*sys.argv[1:])))
