"""Prints the facts of a published protobuf schema: one line per field, enum value and operation.

Usage: schema_facts.py MODULE   where MODULE holds the compiled schema of an installed package, such as
                                a2a.types.a2a_pb2 (a2a-sdk 1.x) or a2a.grpc.a2a_pb2 (a2a-sdk 0.3.x)

The output is compared with Baton's schemas. Generate it again when a package adds fields:

    python tests/python/schema_facts.py a2a.types.a2a_pb2 > crates/baton-proto/tests/facts/lf.a2a.v1.txt
    python tests/python/schema_facts.py a2a.grpc.a2a_pb2 > crates/baton-proto/tests/facts/a2a.v1.txt

It contains only names, numbers and types; a line is

    Message.field = number:type[:repeated][:optional][:oneof=name]:json=name
    Enum.VALUE = number
    Service.Rpc = request -> [stream ]reply
"""

import importlib
import sys

from google.protobuf import descriptor_pb2


def type_of(field):
    kind = descriptor_pb2.FieldDescriptorProto.Type
    return field.type_name.lstrip(".") or kind.Name(field.type).removeprefix("TYPE_").lower()


def message_facts(message, path):
    name = f"{path}{message.name}"
    if not message.field:
        yield f"{name} = empty"
    for field in message.field:
        facts = [str(field.number), type_of(field)]
        if field.label == descriptor_pb2.FieldDescriptorProto.LABEL_REPEATED:
            facts.append("repeated")
        if field.proto3_optional:
            facts.append("optional")
        elif field.HasField("oneof_index"):
            facts.append(f"oneof={message.oneof_decl[field.oneof_index].name}")
        facts.append(f"json={field.json_name}")
        yield f"{name}.{field.name} = {':'.join(facts)}"
    for nested in message.nested_type:
        yield from message_facts(nested, f"{name}.")
    for enum in message.enum_type:
        yield from enum_facts(enum, f"{name}.")


def enum_facts(enum, path):
    for value in enum.value:
        yield f"{path}{enum.name}.{value.name} = {value.number}"


def service_facts(service):
    for rpc in service.method:
        reply = ("stream " if rpc.server_streaming else "") + rpc.output_type.lstrip(".")
        request = ("stream " if rpc.client_streaming else "") + rpc.input_type.lstrip(".")
        yield f"{service.name}.{rpc.name} = {request} -> {reply}"


def main(module):
    schema = descriptor_pb2.FileDescriptorProto()
    importlib.import_module(module).DESCRIPTOR.CopyToProto(schema)
    facts = []
    for message in schema.message_type:
        facts.extend(message_facts(message, ""))
    for enum in schema.enum_type:
        facts.extend(enum_facts(enum, ""))
    for service in schema.service:
        facts.extend(service_facts(service))
    print("\n".join(sorted(facts)))


if __name__ == "__main__":
    main(sys.argv[1])
