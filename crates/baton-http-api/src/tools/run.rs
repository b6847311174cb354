//! One round of a tool call: policy check, execution until the tool ends or asks, and response.

use super::{find, state::ToolCallState};
use crate::state::ApiState;
use axum::response::Response;
use baton_api::{ApiError, ApiErrorKind, QuestionEntry, ToolReply};
use baton_http::{Caller, RequestSpan, reply};
use baton_ports::{
    BoxFuture, SamplingRequest, SamplingResult, ToolHelper, ToolHost, ToolInvocation, ToolOutcome, ToolOutput,
};
use baton_rules::{CallAuthorization, PermissionContext, authorize_call};
use baton_telemetry::{
    OpenSpan, in_span,
    names::{self, operation},
};
use baton_types::{
    AgentSpec, AttributeKey, ErrorCode, Json, SpanKind, ToolAnswer, ToolAnswers, ToolCall, ToolInputRequest,
    TraceContext,
};

/// Input of a round.
pub(super) struct ToolCallRound<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: Json,
    pub(super) state: ToolCallState,
    pub(super) answers: Vec<ToolAnswer>,
    /// Span of the request.
    pub(super) span: RequestSpan,
}

/// Runs a tool if the policy allows it, or returns the questions to answer first.
pub(super) async fn run(
    shared: &ApiState,
    caller: &Caller,
    host: &dyn ToolHost,
    agent: &AgentSpec,
    round: ToolCallRound<'_>,
) -> Result<ToolReply, ApiError> {
    let tool = find::find_tool(host, agent, round.tool).await?;
    let call = ToolCall { id: shared.engine.fresh_id().into(), name: tool.name.clone(), arguments: round.arguments };
    let mut span = start_span(shared, agent, &call, round.span.context());
    let mut answers = ToolAnswers { answers: round.answers, state: round.state.tool };
    let approval = answers.take_approval().or(round.state.approved.then_some(true));
    // The caller names the tool explicitly, so it is included.
    let included = [tool.name.clone()];
    let session = PermissionContext::for_direct_call(agent, &included);
    let authorization = authorize_call(&agent.policy, &session, &tool, Some(&call.arguments), approval);
    span.set(names::BATON_DECISION, authorization.as_str());
    if let Some(refusal) = authorization.refusal(&call.name) {
        return Err(ApiError::new(ApiErrorKind::Forbidden, ErrorCode::TOOL_DENIED, refusal));
    }
    if authorization == CallAuthorization::ApprovalRequired {
        let request = ToolInputRequest { state: answers.state, ..ToolInputRequest::for_approval(&call.name) };
        return Ok(ask_reply(request, &ToolCallState::default()));
    }
    let approved = authorization == CallAuthorization::Approved;
    let answered = !answers.answers.is_empty() || answers.state.is_some();
    let trace = span.context().map(|context| context.to_string());
    let outcome = host.call(ToolInvocation {
        agent,
        tool: &tool,
        call: &call,
        principal: caller.principal(),
        task: None,
        trace: trace.as_deref(),
        answers: answered.then_some(&answers),
        helper: &SamplingUnavailable,
    });
    let outcome = in_span(span.context(), outcome).await;
    if let ToolOutcome::Done(ToolOutput { is_error: true, .. }) = &outcome {
        span.fail("tool_error", "");
    }
    Ok(match outcome {
        ToolOutcome::Done(done) => {
            ToolReply { output: Some(done.output), is_error: Some(done.is_error), ..ToolReply::default() }
        }
        ToolOutcome::InputRequired(input_request) => ask_reply(input_request, &ToolCallState { approved, tool: None }),
    })
}

/// Span of the call, a child of the request span.
fn start_span(shared: &ApiState, agent: &AgentSpec, call: &ToolCall, parent: Option<TraceContext>) -> OpenSpan {
    let tracer = &shared.http.options.tracer;
    let name = if tracer.is_on() { format!("{} {}", operation::EXECUTE_TOOL, call.name) } else { String::new() };
    let mut span = tracer.start(SpanKind::Internal, AttributeKey::from(name), parent);
    span.set(names::GEN_AI_OPERATION_NAME, operation::EXECUTE_TOOL);
    span.set_with(names::GEN_AI_TOOL_NAME, || call.name.clone());
    span.set_with(names::GEN_AI_TOOL_CALL_ID, || call.id.as_str().to_owned());
    span.set_with(names::GEN_AI_AGENT_NAME, || agent.name.as_str().to_owned());
    span
}

fn ask_reply(input_request: ToolInputRequest, settled: &ToolCallState) -> ToolReply {
    let state = ToolCallState { tool: input_request.state, ..settled.clone() };
    ToolReply {
        questions: input_request.questions.into_iter().map(QuestionEntry::from).collect(),
        state: Some(state.write()),
        ..ToolReply::default()
    }
}

/// Response to a round.
pub(super) fn respond(called: Result<ToolReply, ApiError>) -> Response {
    match called {
        Ok(reply) => reply::json(&reply),
        Err(error) => reply::error(&error),
    }
}

/// Parses a JSON object.
pub(super) fn object(text: &str, label: &str) -> Result<Json, ApiError> {
    let json = Json::parse(text)
        .map_err(|error| ApiError::new(ApiErrorKind::Parse, ErrorCode::INVALID_REQUEST, error.to_string()))?;
    if json.is_object() {
        return Ok(json);
    }
    let message = format!("{label} must be a JSON object, such as {{\"location\": \"Oakland\"}}");
    Err(ApiError::new(ApiErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, message))
}

/// Sampling is not available outside a run.
struct SamplingUnavailable;

impl ToolHelper for SamplingUnavailable {
    fn sample(&self, _: SamplingRequest) -> BoxFuture<'_, Result<SamplingResult, String>> {
        let message =
            "the tool requests model sampling, which is available only in a run of the agent or to an MCP client";
        Box::pin(std::future::ready(Err(message.to_owned())))
    }
}
