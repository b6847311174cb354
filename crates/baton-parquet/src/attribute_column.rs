//! Attributes that have their own column.

use baton_telemetry::names;

/// An attribute that has its own column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeColumn {
    /// Attribute key; the column name has underscores instead of dots.
    pub key: &'static str,
    /// Type of the column.
    pub kind: ColumnKind,
}

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text; other values are converted to text.
    Text,
    /// Integers; other values appear only in the attribute map.
    Whole,
    /// Floating-point numbers.
    Number,
}

impl AttributeColumn {
    /// Name of the column.
    pub fn column(&self) -> String {
        self.key.replace('.', "_")
    }
}

const fn text(key: &'static str) -> AttributeColumn {
    AttributeColumn { key, kind: ColumnKind::Text }
}

const fn integer(key: &'static str) -> AttributeColumn {
    AttributeColumn { key, kind: ColumnKind::Whole }
}

const fn number(key: &'static str) -> AttributeColumn {
    AttributeColumn { key, kind: ColumnKind::Number }
}

/// Attributes with their own column, in column order. An attribute of the resource is used if the span does not have
/// it.
pub const ATTRIBUTE_COLUMNS: &[AttributeColumn] = &[
    text(names::PROJECT_ID),
    text(names::AGENT_ID),
    text(names::AGENT_SESSION_ID),
    text(names::GEN_AI_OPERATION_NAME),
    text(names::GEN_AI_PROVIDER_NAME),
    text(names::GEN_AI_REQUEST_MODEL),
    text(names::GEN_AI_RESPONSE_MODEL),
    text(names::GEN_AI_AGENT_ID),
    text(names::GEN_AI_AGENT_NAME),
    text(names::GEN_AI_CONVERSATION_ID),
    text(names::GEN_AI_TOOL_NAME),
    text(names::GEN_AI_TOOL_TYPE),
    text(names::GEN_AI_TOOL_CALL_ID),
    integer(names::GEN_AI_USAGE_INPUT_TOKENS),
    integer(names::GEN_AI_USAGE_OUTPUT_TOKENS),
    integer("gen_ai.usage.cache_read.input_tokens"),
    integer(names::GEN_AI_USAGE_CACHE_CREATION),
    integer("gen_ai.usage.reasoning.output_tokens"),
    number("gen_ai.usage.cost"),
    text(names::HANDOFF_ID),
    text(names::HANDOFF_FROM_AGENT),
    text(names::HANDOFF_TO_AGENT),
    text(names::HANDOFF_CAPABILITY_ID),
    text(names::HANDOFF_STATUS),
    text("insight.id"),
    text("insight.type"),
    text("insight.summary"),
    number("insight.confidence"),
    text(names::TASK_ID),
    text(names::TASK_STATE),
    text(names::RUN_ID),
    text(names::ERROR_TYPE),
    text(names::HTTP_REQUEST_METHOD),
    text(names::HTTP_ROUTE),
    integer(names::HTTP_RESPONSE_STATUS_CODE),
    text(names::MCP_METHOD_NAME),
    text(names::MCP_SERVER_NAME),
];
