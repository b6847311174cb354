//! Records metrics from ended spans.

use crate::{record::Meters, table::Label};
use baton_telemetry::{
    SpanObserver,
    names::{self, operation},
};
use baton_types::{Span, SpanKind};

/// Attributes of a span that metrics use, extracted in one pass.
#[derive(Default)]
struct SpanLabels<'a> {
    operation: Label<'a>,
    provider: Label<'a>,
    model: Label<'a>,
    agent: Label<'a>,
    tool: Label<'a>,
    tool_type: Label<'a>,
    task_state: Label<'a>,
    error: Label<'a>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    model_calls: Option<u64>,
    tool_calls: Option<u64>,
    mcp_method: Label<'a>,
    mcp_server: Label<'a>,
    http_method: Label<'a>,
    http_route: Label<'a>,
    http_status: Label<'a>,
    http_scheme: Label<'a>,
    handoff_from: Label<'a>,
    handoff_to: Label<'a>,
    handoff_status: Label<'a>,
    approval: Label<'a>,
    /// Outcome of a call that did not complete.
    outcome: Label<'a>,
    permission: Label<'a>,
}

impl<'a> SpanLabels<'a> {
    fn from_span(span: &'a Span) -> Self {
        let mut seen = Self::default();
        for (key, value) in &span.attributes {
            let label = match key.as_ref() {
                names::GEN_AI_OPERATION_NAME => &mut seen.operation,
                names::GEN_AI_PROVIDER_NAME => &mut seen.provider,
                names::GEN_AI_REQUEST_MODEL | names::AGENT_MODEL => &mut seen.model,
                names::GEN_AI_AGENT_NAME | names::AGENT_NAME => &mut seen.agent,
                names::GEN_AI_TOOL_NAME => &mut seen.tool,
                names::GEN_AI_TOOL_TYPE => &mut seen.tool_type,
                names::TASK_STATE => &mut seen.task_state,
                names::ERROR_TYPE => &mut seen.error,
                names::MCP_METHOD_NAME => &mut seen.mcp_method,
                names::MCP_SERVER_NAME => &mut seen.mcp_server,
                names::HTTP_REQUEST_METHOD => &mut seen.http_method,
                names::HTTP_ROUTE => &mut seen.http_route,
                names::HTTP_RESPONSE_STATUS_CODE => &mut seen.http_status,
                names::URL_SCHEME => &mut seen.http_scheme,
                names::HANDOFF_FROM_AGENT => &mut seen.handoff_from,
                names::HANDOFF_TO_AGENT => &mut seen.handoff_to,
                names::HANDOFF_STATUS => &mut seen.handoff_status,
                names::APPROVAL_DECISION => &mut seen.approval,
                names::BATON_OUTCOME => &mut seen.outcome,
                names::BATON_DECISION => &mut seen.permission,
                _ => {
                    let count = match key.as_ref() {
                        names::GEN_AI_USAGE_INPUT_TOKENS => &mut seen.input_tokens,
                        names::GEN_AI_USAGE_OUTPUT_TOKENS => &mut seen.output_tokens,
                        names::RUN_MODEL_CALLS => &mut seen.model_calls,
                        names::RUN_TOOL_CALLS => &mut seen.tool_calls,
                        _ => continue,
                    };
                    *count = value.as_int().and_then(|count| u64::try_from(count).ok());
                    continue;
                }
            };
            *label = Label::from_value(value);
        }
        seen.fill_from_name(&span.name);
        seen
    }

    /// Legacy attributes lack operation, model and tool; the span name supplies them.
    fn fill_from_name(&mut self, name: &'a str) {
        if self.operation != Label::None {
            return;
        }
        let (first, rest) = name.split_once(' ').unwrap_or((name, ""));
        let named = match first {
            operation::CHAT => &mut self.model,
            operation::INVOKE_AGENT => &mut self.agent,
            operation::EXECUTE_TOOL => &mut self.tool,
            operation::HANDOFF_REQUEST => return self.operation = Label::Text(operation::HANDOFF_REQUEST),
            _ => return,
        };
        *named = named.or(Label::text(rest));
        self.operation = Label::text(first);
    }

    /// Whether the tool was executed: false if it was denied or asks for approval first.
    fn was_executed(&self) -> bool {
        !matches!(self.outcome, Label::Text("did_not_run" | "asks"))
            && !matches!(self.permission, Label::Text("deny" | "declined" | "ask"))
    }
}

/// Call it once per span.
impl SpanObserver for Meters {
    fn observe(&self, span: &Span) {
        let (seen, took) = (SpanLabels::from_span(span), span.duration());
        let SpanLabels { operation, provider, model, agent, tool, error, .. } = seen;
        let serves = span.kind == SpanKind::Server;
        match operation {
            // Work behind a request has its own spans.
            _ if serves => {}
            Label::Text(operation::CHAT) => {
                self.model.record([operation, provider, model, error], took);
                let tokens = [("input", seen.input_tokens), ("output", seen.output_tokens)];
                for (kind, tokens) in tokens.into_iter().filter_map(|(kind, tokens)| Some((kind, tokens?))) {
                    self.tokens.record([operation, provider, model, Label::Text(kind)], tokens);
                }
            }
            Label::Text(operation::INVOKE_AGENT) => {
                let labels = [agent, seen.task_state, error];
                self.agent.record(labels, took);
                for (table, calls) in [(&self.agent_models, seen.model_calls), (&self.agent_tools, seen.tool_calls)] {
                    if let Some(calls) = calls {
                        table.record(labels, calls);
                    }
                }
            }
            Label::Text(operation::EXECUTE_TOOL) if seen.was_executed() => {
                self.tool.record([tool, agent, seen.tool_type, error], took);
            }
            Label::Text(operation::HANDOFF_REQUEST) => {
                self.handoff.record([seen.handoff_from, seen.handoff_to, seen.handoff_status], took);
            }
            _ => {}
        }
        if seen.approval != Label::None && span.name == "approval" {
            self.approval.record([seen.approval], took);
        }
        if seen.mcp_method != Label::None && serves {
            // Callers can invent tool names; only successful calls prove that the tool exists.
            let tool = if error == Label::None { tool } else { Label::None };
            self.mcp_server.record([seen.mcp_method, tool, error], took);
        } else if seen.mcp_method != Label::None && seen.was_executed() {
            self.mcp_client.record([seen.mcp_method, seen.mcp_server, tool, error], took);
        }
        if seen.http_method != Label::None && serves {
            let labels = [seen.http_method, seen.http_route, seen.http_status, seen.http_scheme, error];
            self.http.record(labels, took);
        }
    }
}
