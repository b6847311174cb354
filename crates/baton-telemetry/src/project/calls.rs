//! Spans of tool calls and of their questions.

use super::{
    span_draft::{SpanDraft, nanos},
    task::TaskSpans,
};
use crate::{
    SpanOrigin, ids,
    names::{self, operation},
};
use baton_types::{
    AnswerAction, CallId, HandoffId, Json, Span, SpanId, SpanKind, Timestamp, ToolCall, ToolResult, TraceContext,
};

#[derive(Clone, Debug)]
pub(super) struct OpenCall {
    pub(super) id: CallId,
    pub(super) name: String,
    pub(super) arguments: Json,
    /// Time of the request, then of the start.
    pub(super) start: u64,
    /// Context and parent span, once it has started in a run.
    pub(super) context: Option<(TraceContext, SpanId)>,
    pub(super) handoff: Option<HandoffId>,
    /// The MCP server that runs it.
    pub(super) server: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct OpenQuestion {
    pub(super) call: CallId,
    pub(super) number: u64,
    pub(super) start: u64,
    pub(super) run: TraceContext,
    pub(super) approval: bool,
    pub(super) count: usize,
}

impl TaskSpans {
    pub(super) fn begin_call(&mut self, at: Timestamp, id: &CallId, handoff: Option<&HandoffId>) {
        let Some(run) = &self.run else { return };
        let span = ids::call_span(&self.task, &run.id, run.turn, id);
        let context = (run.context.with_span(span), run.context.span);
        if let Some(call) = self.calls.iter_mut().find(|call| call.id == *id) {
            // A restart after a crash continues the same call.
            call.context.get_or_insert(context);
            call.handoff = handoff.cloned();
            call.start = nanos(at);
        }
    }

    /// Ends the span of a call that asks a question; the answers start a new span.
    pub(super) fn end_call_span(
        &mut self,
        at: Timestamp,
        id: &CallId,
        outcome: &'static str,
        origin: &SpanOrigin,
        out: &mut Vec<Span>,
    ) {
        let Some(call) = self.calls.iter_mut().find(|call| call.id == *id) else { return };
        let Some((context, parent)) = call.context.take() else { return };
        let call = call.clone();
        let mut draft = self.call(&call, context, parent, at);
        draft.set(names::BATON_OUTCOME, outcome);
        out.push(draft.finish(origin));
    }

    /// Ends all open calls and questions when the task has ended.
    pub(super) fn abandon(&mut self, at: Timestamp, origin: &SpanOrigin, out: &mut Vec<Span>) {
        let pending: Vec<CallId> = self.questions.iter().map(|question| question.call.clone()).collect();
        for call in pending {
            self.end_question(at, &call, "unanswered", origin, out);
        }
        for call in std::mem::take(&mut self.calls) {
            if let Some((context, parent)) = call.context {
                let mut draft = self.call(&call, context, parent, at);
                draft.set(names::BATON_OUTCOME, "abandoned");
                out.push(draft.finish(origin));
            }
        }
    }

    pub(super) fn finish_call(&mut self, at: Timestamp, result: &ToolResult, origin: &SpanOrigin, out: &mut Vec<Span>) {
        self.end_question(at, &result.call, "unanswered", origin, out);
        let Some(index) = self.calls.iter().position(|call| call.id == result.call) else { return };
        let call = self.calls.swap_remove(index);
        let begun = call.context.is_some();
        if let Some(run) = self.run.as_mut().filter(|_| begun) {
            run.tool_calls += 1;
        }
        let context = call.context.or_else(|| {
            let run = self.run.as_ref()?;
            let span = ids::call_span(&self.task, &run.id, run.turn, &call.id);
            Some((run.context.with_span(span), run.context.span))
        });
        let Some((context, parent)) = context else { return };
        let mut draft = self.call(&call, context, parent, at);
        if !begun {
            draft.set(names::BATON_OUTCOME, "did_not_run");
        }
        if result.is_error {
            draft.fail("tool_error", "the tool failed");
        }
        if origin.settings.content.on_spans() {
            draft.set_text(names::GEN_AI_TOOL_CALL_ARGUMENTS, call.arguments.as_str());
            draft.set_text(names::GEN_AI_TOOL_CALL_RESULT, result.output.as_str());
        }
        out.push(draft.finish(origin));
    }

    /// Draft with the attributes of all spans of a tool call.
    fn call(&self, call: &OpenCall, context: TraceContext, parent: SpanId, at: Timestamp) -> SpanDraft {
        let name = format!("{} {}", operation::EXECUTE_TOOL, call.name);
        let mut draft = self.draft(name, SpanKind::Internal, context, Some(parent)).between(call.start, nanos(at));
        draft.set(names::GEN_AI_OPERATION_NAME, operation::EXECUTE_TOOL);
        draft.set(names::GEN_AI_TOOL_NAME, call.name.clone());
        draft.set(names::GEN_AI_TOOL_CALL_ID, call.id.to_string());
        match &call.handoff {
            Some(handoff) => {
                draft.set(names::GEN_AI_TOOL_TYPE, "agent_handoff");
                draft.set(names::HANDOFF_ID, handoff.to_string());
            }
            None => draft.set(names::GEN_AI_TOOL_TYPE, "function"),
        }
        // This span also represents the MCP call; there is no nested span.
        if let Some(server) = &call.server {
            draft.set(names::MCP_METHOD_NAME, "tools/call");
            draft.set(names::MCP_SERVER_NAME, server.clone());
        }
        draft
    }

    /// Ends the question of a call, if there is one.
    pub(super) fn end_question(
        &mut self,
        at: Timestamp,
        call: &CallId,
        decision: &'static str,
        origin: &SpanOrigin,
        out: &mut Vec<Span>,
    ) {
        let Some(index) = self.questions.iter().position(|question| question.call == *call) else { return };
        let question = self.questions.swap_remove(index);
        let tool = self.calls.iter().find(|open| open.id == *call).map(|open| open.name.clone());
        let name = if question.approval { "approval" } else { "input" };
        let context = question.run.with_span(ids::question_span(&self.task, question.number));
        let mut draft =
            self.draft(name, SpanKind::Internal, context, Some(question.run.span)).between(question.start, nanos(at));
        draft.set(names::GEN_AI_TOOL_CALL_ID, call.to_string());
        if let Some(tool) = tool {
            draft.set(names::GEN_AI_TOOL_NAME, tool);
        }
        draft.set(names::APPROVAL_DECISION, decision);
        draft.set(names::APPROVAL_QUESTIONS, u64::try_from(question.count).unwrap_or(u64::MAX));
        out.push(draft.finish(origin));
    }
}

impl OpenCall {
    pub(super) fn new(call: &ToolCall, at: Timestamp) -> Self {
        Self {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            start: nanos(at),
            context: None,
            handoff: None,
            server: None,
        }
    }
}

pub(super) fn decision(mut actions: impl Iterator<Item = AnswerAction> + Clone) -> &'static str {
    let for_session = actions.clone().any(|action| action == AnswerAction::AcceptForSession);
    match actions.all(AnswerAction::is_accepted) {
        true if for_session => "allow_session",
        true => "allow",
        false => "deny",
    }
}
