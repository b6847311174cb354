//! End of a turn: with an answer, a question or neither.

use super::{ResponseProjector, TurnPhase, text::TextRole};
use crate::{
    IncompleteDetails, McpApprovalAnswer, OutputItem, ResponseError, ResponseStatus, RunFailure, StreamEvent,
    StreamEventBody,
};
use baton_types::{CallId, ErrorCode, FailureReason, Json, Message, PartContent, TaskState, Timestamp, ToolCall};
use serde::Deserialize;

/// Requests in a status message, in addition to its text.
#[derive(Default, Deserialize)]
struct StatusRequests {
    #[serde(default)]
    tool_calls: Vec<RequestedCall>,
    #[serde(default)]
    input_requests: Vec<RequestedInput>,
}

#[derive(Deserialize)]
struct RequestedCall {
    call_id: CallId,
    name: String,
    arguments: Json,
}

#[derive(Deserialize)]
struct RequestedInput {
    call_id: Option<CallId>,
    agent: Option<String>,
    tool: Option<String>,
    approval: Option<Json>,
}

impl ResponseProjector {
    pub(super) fn end(
        &mut self,
        out: &mut Vec<StreamEvent>,
        at: Timestamp,
        state: TaskState,
        message: Option<&Message>,
        reason: Option<&FailureReason>,
    ) {
        let is_new = |this: &Self, message: &Message| !this.shown_messages.contains(&message.id);
        match state {
            TaskState::Completed => {
                if let Some(message) = message.filter(|message| is_new(self, message)) {
                    self.answer(out, message);
                }
            }
            TaskState::Rejected => {
                if let Some(message) = message.filter(|message| is_new(self, message)) {
                    self.emit_message(out, message, TextRole::Refusal);
                }
            }
            TaskState::InputRequired | TaskState::AuthRequired => {
                self.abandon(out);
                if let Some(message) = message {
                    self.emit_requests(out, message);
                }
            }
            _ => {}
        }
        self.abandon(out);
        self.emit_reasoning(out);
        self.close_open_calls(out);
        self.phase = TurnPhase::Over;
        self.response.usage = Some(self.usage.into());
        match state {
            TaskState::Failed => self.fail(out, reason),
            TaskState::Canceled => {
                // There is no event for a cancellation; clients read the status of the object.
                self.response.status = ResponseStatus::Cancelled;
                self.emit_response(out, "response.incomplete");
            }
            _ if self.is_truncated => self.finish_incomplete(out, "max_output_tokens"),
            _ => {
                self.response.status = ResponseStatus::Completed;
                self.response.completed_at = Some(at.as_millis().div_euclid(1000));
                self.emit_response(out, "response.completed");
            }
        }
    }

    fn finish_incomplete(&mut self, out: &mut Vec<StreamEvent>, reason: &'static str) {
        self.response.status = ResponseStatus::Incomplete;
        self.response.incomplete_details = Some(IncompleteDetails { reason });
        self.emit_response(out, "response.incomplete");
    }

    fn fail(&mut self, out: &mut Vec<StreamEvent>, reason: Option<&FailureReason>) {
        if reason.is_some_and(|reason| reason.code == ErrorCode::TURN_LIMIT.code) {
            self.finish_incomplete(out, "max_turns");
            return;
        }
        let internal = || FailureReason::new(ErrorCode::INTERNAL.code, ErrorCode::INTERNAL.title);
        let reason = reason.cloned().unwrap_or_else(internal);
        let failure = RunFailure::from_reason(&reason);
        let error = failure.error();
        let body =
            StreamEventBody::Error { code: error.code.clone(), message: error.message.clone(), param: None, error };
        self.emit(out, "error", body);
        self.response.status = ResponseStatus::Failed;
        self.response.error = Some(ResponseError { code: reason.code, message: reason.detail });
        self.failure = Some(failure);
        self.emit_response(out, "response.failed");
    }

    /// Shows the pending requests of the task: client tool calls, approvals or questions in text. Requests of
    /// downstream agents are included and answered by the same call ids.
    fn emit_requests(&mut self, out: &mut Vec<StreamEvent>, message: &Message) {
        let mut requests = StatusRequests::default();
        for part in &message.parts {
            let PartContent::Data(data) = &part.content else { continue };
            let more: StatusRequests = data.read().unwrap_or_default();
            requests.tool_calls.extend(more.tool_calls);
            requests.input_requests.extend(more.input_requests);
        }
        let is_approval = |request: &RequestedInput| request.approval.is_some() && request.call_id.is_some();
        let in_doubt =
            |this: &Self, id: &CallId| this.calls.iter().any(|projected| projected.call.id == *id && projected.started);
        let asks_user = self.calls.iter().any(|projected| projected.call.name == "ask_user");
        let shows_text = asks_user
            || requests.tool_calls.iter().any(|call| in_doubt(self, &call.call_id))
            || requests.input_requests.iter().any(|request| !is_approval(request))
            || requests.tool_calls.is_empty() && requests.input_requests.is_empty();
        if shows_text && !self.shown_messages.contains(&message.id) && !message.text().is_empty() {
            self.emit_message(out, message, TextRole::Answer);
        }
        self.awaits_answer = requests.input_requests.iter().any(is_approval) || shows_text && self.is_chat;
        for RequestedCall { call_id, name, arguments } in requests.tool_calls {
            if !in_doubt(self, &call_id) && name != "ask_user" {
                self.emit_client_call(out, &ToolCall { id: call_id, name, arguments });
            }
        }
        for request in requests.input_requests {
            let (Some(call), Some(arguments)) = (request.call_id, request.approval) else { continue };
            let name = request.tool.unwrap_or_default();
            let own =
                |this: &Self| this.caller_server_tool(&name).unwrap_or_else(|| (this.agent.clone(), name.clone()));
            let (server_label, name) = match request.agent {
                Some(agent) if agent != self.agent => (agent, name),
                _ => own(self),
            };
            let item = OutputItem::McpApprovalRequest {
                id: McpApprovalAnswer::request_id(&self.task, call.as_str()),
                server_label,
                name,
                arguments: arguments.as_str().to_owned(),
            };
            self.emit_approval_request(out, item);
        }
    }
}
