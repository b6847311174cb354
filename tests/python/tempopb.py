"""Tempo's messages with their published names and numbers, for strict decoding.

Traces and attributes in them are OpenTelemetry's messages, which have the same encoding.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

KEY_VALUE = "opentelemetry.proto.common.v1.KeyValue"
RESOURCE_SPANS = "opentelemetry.proto.trace.v1.ResourceSpans"

# Message: fields as (number, name, type); a type in brackets is repeated, {} is a map with string keys.
MESSAGES = {
    "SearchResponse": [(1, "traces", "[TraceSearchMetadata]"), (2, "metrics", "SearchMetrics")],
    "TraceSearchMetadata": [
        (1, "traceID", "string"),
        (2, "rootServiceName", "string"),
        (3, "rootTraceName", "string"),
        (4, "startTimeUnixNano", "uint64"),
        (5, "durationMs", "uint32"),
        (6, "spanSet", "SpanSet"),
        (7, "spanSets", "[SpanSet]"),
        (8, "serviceStats", "{ServiceStats}"),
    ],
    "ServiceStats": [(1, "spanCount", "uint32"), (2, "errorCount", "uint32")],
    "SpanSet": [(1, "spans", "[Span]"), (2, "matched", "uint32"), (3, "attributes", f"[{KEY_VALUE}]")],
    "Span": [
        (1, "spanID", "string"),
        (2, "name", "string"),
        (3, "startTimeUnixNano", "uint64"),
        (4, "durationNanos", "uint64"),
        (5, "attributes", f"[{KEY_VALUE}]"),
    ],
    "SearchMetrics": [
        (1, "inspectedTraces", "uint32"),
        (2, "inspectedBytes", "uint64"),
        (3, "totalBlocks", "uint32"),
        (4, "completedJobs", "uint32"),
        (5, "totalJobs", "uint32"),
        (6, "totalBlockBytes", "uint64"),
        (7, "inspectedSpans", "uint64"),
    ],
    "MetadataMetrics": [
        (1, "inspectedBytes", "uint64"),
        (2, "totalJobs", "uint32"),
        (3, "completedJobs", "uint32"),
        (4, "totalBlocks", "uint32"),
        (5, "totalBlockBytes", "uint64"),
    ],
    "SearchTagsResponse": [(1, "tagNames", "[string]"), (2, "metrics", "MetadataMetrics")],
    "SearchTagsV2Response": [(1, "scopes", "[SearchTagsV2Scope]"), (2, "metrics", "MetadataMetrics")],
    "SearchTagsV2Scope": [(1, "name", "string"), (2, "tags", "[string]")],
    "SearchTagValuesResponse": [(1, "tagValues", "[string]"), (2, "metrics", "MetadataMetrics")],
    "SearchTagValuesV2Response": [(1, "tagValues", "[TagValue]"), (2, "metrics", "MetadataMetrics")],
    "TagValue": [(1, "type", "string"), (2, "value", "string")],
    "Trace": [(1, "resourceSpans", f"[{RESOURCE_SPANS}]")],
    "TraceByIDResponse": [
        (1, "trace", "Trace"),
        (2, "metrics", "TraceByIDMetrics"),
        (3, "status", "int32"),
        (4, "message", "string"),
    ],
    "TraceByIDMetrics": [(1, "inspectedBytes", "uint64")],
}

Field = descriptor_pb2.FieldDescriptorProto
SCALARS = {
    "string": Field.TYPE_STRING,
    "uint32": Field.TYPE_UINT32,
    "uint64": Field.TYPE_UINT64,
    "int32": Field.TYPE_INT32,
}


def _set_type(field, kind):
    if kind in SCALARS:
        field.type = SCALARS[kind]
    else:
        field.type = Field.TYPE_MESSAGE
        field.type_name = f".{kind}" if "." in kind else f".tempopb.{kind}"


def _build_classes():
    file = descriptor_pb2.FileDescriptorProto(name="tempo.proto", package="tempopb", syntax="proto3")
    file.dependency.extend([common_pb2.DESCRIPTOR.name, trace_pb2.DESCRIPTOR.name])
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, field_name, kind in fields:
            field = message.field.add(name=field_name, number=number, json_name=field_name)
            repeated = kind[0] in "[{"
            field.label = Field.LABEL_REPEATED if repeated else Field.LABEL_OPTIONAL
            if kind.startswith("{"):
                entry = message.nested_type.add(name=field_name[0].upper() + field_name[1:] + "Entry")
                entry.options.map_entry = True
                _set_type(entry.field.add(name="key", number=1, label=Field.LABEL_OPTIONAL), "string")
                _set_type(entry.field.add(name="value", number=2, label=Field.LABEL_OPTIONAL), kind.strip("{}"))
                _set_type(field, f"tempopb.{name}.{entry.name}")
            else:
                _set_type(field, kind.strip("[]"))
    pool = descriptor_pool.Default()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"tempopb.{name}")) for name in MESSAGES
    }


CLASSES = _build_classes()


def from_json(name, text):
    """Reads JSON; a member that Tempo does not have is an error."""
    return json_format.Parse(text, CLASSES[name](), ignore_unknown_fields=False)


def from_bytes(name, data):
    """Reads binary; a field that Tempo does not have is an error."""
    message = CLASSES[name].FromString(data)
    if message.ByteSize() != len(data) or _known(message).SerializeToString() != message.SerializeToString():
        raise ValueError(f"{name} has fields that Tempo does not know")
    return message


def _known(message):
    copy = type(message)()
    copy.CopyFrom(message)
    copy.DiscardUnknownFields()
    return copy
