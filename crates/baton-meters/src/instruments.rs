//! Table of all instruments, collected in [`ALL`].

use baton_telemetry::names;
use baton_types::{
    Instrument, InstrumentKind,
    InstrumentKind::{Counter, Gauge},
};

const NANOS: u64 = 1_000_000_000;

/// Buckets of the conventions for model operations.
const MODEL_SECONDS: InstrumentKind = InstrumentKind::Histogram {
    bounds: &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
    per_unit: NANOS,
};

/// Buckets of the conventions for MCP.
const MCP_SECONDS: InstrumentKind = InstrumentKind::Histogram {
    bounds: &[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0],
    per_unit: NANOS,
};

/// Buckets of the conventions for HTTP requests.
const REQUEST_SECONDS: InstrumentKind = InstrumentKind::Histogram {
    bounds: &[0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0],
    per_unit: NANOS,
};

/// Work of agents and people takes from milliseconds to hours.
const WORK_SECONDS: InstrumentKind = InstrumentKind::Histogram {
    bounds: &[0.01, 0.05, 0.25, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14_400.0, 86_400.0],
    per_unit: NANOS,
};

/// Buckets of the conventions for tokens.
const TOKENS: InstrumentKind = InstrumentKind::Histogram {
    bounds: &[
        1.0,
        4.0,
        16.0,
        64.0,
        256.0,
        1024.0,
        4096.0,
        16_384.0,
        65_536.0,
        262_144.0,
        1_048_576.0,
        4_194_304.0,
        16_777_216.0,
        67_108_864.0,
    ],
    per_unit: 1,
};

/// Calls per run: usually a few, hundreds in a loop.
const CALLS: InstrumentKind = InstrumentKind::Histogram {
    bounds: &[0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0, 128.0, 256.0],
    per_unit: 1,
};

/// `gen_ai.token.type`: `input` or `output`.
pub const TOKEN_TYPE: &str = "gen_ai.token.type";
/// Marks the overflow series of an instrument.
pub const OVERFLOW: &str = "otel.metric.overflow";

macro_rules! instruments {
    ($($id:ident = $name:literal, $unit:literal, $kind:expr, [$($label:expr),*], $help:literal;)*) => {
        $(#[doc = concat!("`", $name, "`: ", $help)]
        pub static $id: Instrument =
            Instrument { name: $name, unit: $unit, kind: $kind, labels: &[$($label),*], help: $help };)*

        /// All instruments, in display order.
        pub static ALL: &[&Instrument] = &[$(&$id),*];
    };
}

instruments! {
    TOKEN_USAGE = "gen_ai.client.token.usage", "{token}", TOKENS,
        [names::GEN_AI_OPERATION_NAME, names::GEN_AI_PROVIDER_NAME, names::GEN_AI_REQUEST_MODEL, TOKEN_TYPE],
        "Input and output tokens of model calls.";
    MODEL_DURATION = "gen_ai.client.operation.duration", "s", MODEL_SECONDS,
        [names::GEN_AI_OPERATION_NAME, names::GEN_AI_PROVIDER_NAME, names::GEN_AI_REQUEST_MODEL, names::ERROR_TYPE],
        "Duration of model calls.";
    AGENT_DURATION = "gen_ai.invoke_agent.duration", "s", WORK_SECONDS,
        [names::GEN_AI_AGENT_NAME, names::TASK_STATE, names::ERROR_TYPE],
        "Duration of agent runs, by the resulting task state.";
    AGENT_MODEL_CALLS = "gen_ai.invoke_agent.inference_calls", "{call}", CALLS,
        [names::GEN_AI_AGENT_NAME, names::TASK_STATE, names::ERROR_TYPE],
        "Model calls per agent run.";
    AGENT_TOOL_CALLS = "gen_ai.invoke_agent.tool_calls", "{call}", CALLS,
        [names::GEN_AI_AGENT_NAME, names::TASK_STATE, names::ERROR_TYPE],
        "Executed tool calls per agent run.";
    TOOL_DURATION = "gen_ai.execute_tool.duration", "s", MODEL_SECONDS,
        [names::GEN_AI_TOOL_NAME, names::GEN_AI_AGENT_NAME, names::GEN_AI_TOOL_TYPE, names::ERROR_TYPE],
        "Duration of executed tool calls.";
    MCP_CLIENT_DURATION = "mcp.client.operation.duration", "s", MCP_SECONDS,
        [names::MCP_METHOD_NAME, names::MCP_SERVER_NAME, names::GEN_AI_TOOL_NAME, names::ERROR_TYPE],
        "Duration of requests to MCP servers.";
    MCP_SERVER_DURATION = "mcp.server.operation.duration", "s", MCP_SECONDS,
        [names::MCP_METHOD_NAME, names::GEN_AI_TOOL_NAME, names::ERROR_TYPE],
        "Duration of requests from MCP clients.";
    HTTP_DURATION = "http.server.request.duration", "s", REQUEST_SECONDS,
        [
            names::HTTP_REQUEST_METHOD,
            names::HTTP_ROUTE,
            names::HTTP_RESPONSE_STATUS_CODE,
            names::URL_SCHEME,
            names::ERROR_TYPE
        ],
        "Duration of HTTP requests, including the whole stream.";
    HANDOFF_DURATION = "baton.handoff.duration", "s", WORK_SECONDS,
        [names::HANDOFF_FROM_AGENT, names::HANDOFF_TO_AGENT, names::HANDOFF_STATUS],
        "Duration of handoffs, by final status.";
    APPROVAL_DURATION = "baton.approval.duration", "s", WORK_SECONDS,
        [names::APPROVAL_DECISION],
        "Time until an approval was decided, by decision.";
    APPROVALS_WAITING = "baton.approvals.waiting", "{task}", Gauge, [],
        "Tasks that wait for an approval or other input.";
    TASKS_OPEN = "baton.tasks.open", "{task}", Gauge, [names::TASK_STATE],
        "Open tasks by state: submitted tasks wait for a run, working tasks have one, others wait for input.";
    JOURNAL_EVENTS = "baton.journal.events", "{event}", Counter, [],
        "Events written to the journal.";
    JOURNAL_COMMITS = "baton.journal.commits", "{commit}", Counter, [],
        "Commits written to the journal.";
    JOURNAL_QUEUE = "baton.journal.queue", "{commit}", Gauge, [],
        "Commits waiting to be written to disk.";
    JOURNAL_BYTES = "baton.journal.size", "By", Gauge, [],
        "Size of the journal on disk.";
    SPANS_KEPT = "baton.spans.kept", "{span}", Gauge, [],
        "Spans in the span store.";
    SPANS_IN_MEMORY = "baton.spans.memory", "{span}", Gauge, [],
        "Spans in memory that are not yet written to a block.";
    SPANS_DROPPED = "baton.spans.dropped", "{span}", Counter, [],
        "Spans of this process that were dropped.";
    SPAN_BYTES = "baton.spans.size", "By", Gauge, [],
        "Size of the span store on disk.";
    SPAN_BLOCKS = "baton.spans.blocks", "{block}", Gauge, [],
        "Blocks in the span store.";
    SIGNALS_DISCARDED = "baton.otlp.discarded", "{item}", Counter, ["signal"],
        "Received metric points and log records, which are not stored.";
    EXPORT_SENT = "baton.export.sent", "{item}", Counter, ["target", "signal"],
        "Spans, log records and metric points accepted by a target.";
    EXPORT_FAILED = "baton.export.failed", "{item}", Counter, ["target", "signal"],
        "Spans, log records and metric points permanently rejected by a target.";
    EXPORT_DROPPED = "baton.export.dropped", "{item}", Counter, ["target", "signal"],
        "Spans, log records and metric points dropped because the queue was full.";
    EXPORT_WAITING = "baton.export.waiting", "By", Gauge, ["target", "signal"],
        "Bytes queued for a target.";
    EXPORT_BLOCKED = "baton.export.blocked", "{target}", Gauge, ["target", "signal"],
        "Whether a target rejects all data until its configuration is changed.";
}
