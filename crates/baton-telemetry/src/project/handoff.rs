//! Spans of handoffs: one each, from creation to end; message and result only if content is captured.

use super::span_draft::{SpanDraft, nanos, span_event};
use crate::{
    SpanOrigin,
    ids::handoff_context,
    names::{self, operation},
};
use baton_types::{Handoff, HandoffEvent, HandoffStatus, Priority, Span, SpanEvent, SpanKind, Timestamp, TraceContext};

/// Projection of one handoff to a span.
#[derive(Clone, Debug, Default)]
pub struct HandoffSpans {
    handoff: Option<Box<Handoff>>,
    status_events: Vec<SpanEvent>,
}

/// Maximum number of status events per handoff; a receiver could ask without end.
const MAX_STATUS_EVENTS: usize = 64;

impl HandoffSpans {
    /// Applies the next event; returns the span when the handoff ends.
    pub fn apply(&mut self, at: Timestamp, event: &HandoffEvent, origin: &SpanOrigin) -> Option<Span> {
        match event {
            HandoffEvent::Created(handoff) => {
                self.handoff = Some(handoff.clone());
                None
            }
            HandoffEvent::Rerouted { channel, reason, .. } => {
                let handoff = self.handoff.as_deref_mut()?;
                (handoff.channel, handoff.channel_reason) = (*channel, Some(*reason));
                if self.status_events.len() < MAX_STATUS_EVENTS {
                    let attributes = vec![
                        (names::HANDOFF_CHANNEL.into(), channel.as_str().into()),
                        (names::HANDOFF_CHANNEL_REASON.into(), reason.as_str().into()),
                    ];
                    self.status_events.push(span_event(at, "handoff.rerouted", attributes));
                }
                None
            }
            HandoffEvent::StatusChanged { to, result, error, .. } => {
                if self.status_events.len() < MAX_STATUS_EVENTS {
                    let attributes = vec![(names::HANDOFF_STATUS.into(), to.as_str().into())];
                    self.status_events.push(span_event(at, status_event_name(*to), attributes));
                }
                let handoff = self.handoff.as_deref().filter(|_| to.is_terminal())?;
                let mut draft = draft(handoff, at);
                draft.set(names::HANDOFF_STATUS, to.as_str());
                // Message, result and error come from agents and their callers, so they are content.
                let error = error.as_ref().filter(|_| origin.settings.content.on_spans());
                if origin.settings.content.on_spans() {
                    draft.set_text(names::HANDOFF_TASK, &handoff.task);
                    draft.set_text(names::HANDOFF_INPUTS, handoff.inputs.as_str());
                    if let Some(result) = result {
                        draft.set_text(names::HANDOFF_RESULT, result.as_str());
                        draft.set_text(names::GEN_AI_TOOL_CALL_RESULT, result.as_str());
                    }
                }
                if let Some(error) = error {
                    draft.set_text(names::HANDOFF_ERROR, error);
                }
                if !matches!(to, HandoffStatus::Completed | HandoffStatus::Cancelled) {
                    let ended = || format!("the handoff ended as {}", to.as_str());
                    draft.fail(to.as_str(), error.cloned().unwrap_or_else(ended));
                }
                draft.events = std::mem::take(&mut self.status_events);
                Some(draft.finish(origin))
            }
        }
    }
}

fn draft(handoff: &Handoff, at: Timestamp) -> SpanDraft {
    let caller_context = handoff.trace.as_deref().and_then(TraceContext::parse);
    let context = handoff_context(caller_context, &handoff.id);
    let parent = caller_context.map(|caller| caller.span);
    let mut draft = SpanDraft::new(operation::HANDOFF_REQUEST, SpanKind::Producer, context, parent)
        .between(nanos(handoff.created_at), nanos(at));
    draft.set(names::GEN_AI_OPERATION_NAME, operation::HANDOFF_REQUEST);
    draft.set(names::AGENT_ID, handoff.from_agent.to_string());
    draft.set(names::HANDOFF_ID, handoff.id.to_string());
    draft.set(names::HANDOFF_FROM_AGENT, handoff.from_agent.to_string());
    draft.set(names::HANDOFF_TO_AGENT, handoff.to_agent.to_string());
    draft.set(names::HANDOFF_CAPABILITY_ID, handoff.capability_id.clone());
    draft.set(names::HANDOFF_PRIORITY, priority(handoff.priority));
    draft.set(names::HANDOFF_TIMEOUT_MS, handoff.timeout_ms);
    draft.set(names::HANDOFF_CHANNEL, handoff.channel.as_str());
    if let Some(reason) = handoff.channel_reason {
        draft.set(names::HANDOFF_CHANNEL_REASON, reason.as_str());
    }
    draft.set(names::GEN_AI_TOOL_TYPE, "agent_handoff");
    draft.set(names::GEN_AI_TRANSFER_TARGET_NAME, handoff.to_agent.to_string());
    draft.set(names::GEN_AI_TRANSFER_MODE, "return_to_caller");
    draft.set(names::AGENT_SESSION_ID, handoff.child_context.to_string());
    if let Some(task) = &handoff.parent_task {
        draft.set(names::TASK_ID, task.to_string());
    }
    draft
}

fn priority(priority: Priority) -> &'static str {
    match priority {
        Priority::Critical => "critical",
        Priority::High => "high",
        Priority::Normal => "normal",
        Priority::Low => "low",
    }
}

fn status_event_name(to: HandoffStatus) -> &'static str {
    match to {
        HandoffStatus::Pending => "handoff.created",
        HandoffStatus::Accepted => "handoff.accepted",
        HandoffStatus::InProgress => "handoff.status_update",
        HandoffStatus::InputRequired => "handoff.input_required",
        HandoffStatus::Completed => "handoff.completed",
        HandoffStatus::Failed => "handoff.failed",
        HandoffStatus::Timeout => "handoff.timeout",
        HandoffStatus::Cancelled => "handoff.cancelled",
        HandoffStatus::Rejected => "handoff.rejected",
    }
}
