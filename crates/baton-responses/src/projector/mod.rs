//! Projection of task events and live text into a stream and a response object.

mod caller_servers;
mod calls;
mod end;
mod text;

use crate::{
    OutputItem, RequestRecord, Response, ResponseId, ResponseStatus, RunFailure, StreamEvent, StreamEventBody,
};
use baton_types::{
    GuardStage, MessageId, ModelNote, RunOptions, TaskEvent, TaskState, Timestamp, ToolExecution, ToolResult, Usage,
};
use calls::ProjectedCall;
use text::TextAttempt;

/// Turns the events of a task into one response: as a stream, and as the current object.
///
/// The object is derived from the journaled events only. Live text only makes the stream faster than the events; text
/// of a failed attempt is withdrawn when its item closes.
#[derive(Clone, Debug)]
pub struct ResponseProjector {
    response: Response,
    /// Number of the first event of the turn.
    first: u64,
    sequence: u64,
    phase: TurnPhase,
    task: String,
    /// Label of the agent's own tools, if no server is named.
    agent: String,
    /// Whether live text is ignored, because the journal contains it too.
    ignores_live_text: bool,
    hides_tools: bool,
    /// Whether only the result is shown to callers.
    autonomous: bool,
    has_run_tools: bool,
    custom: Vec<String>,
    run_options: RunOptions,
    execution: ToolExecution,
    /// Calls of the model's last turn.
    calls: Vec<ProjectedCall>,
    attempt: Option<TextAttempt>,
    /// Reasoning for a message that has not arrived yet.
    pending_reasoning: Option<(MessageId, String)>,
    /// Messages whose text was shown, and messages whose reasoning was shown.
    shown_messages: Vec<MessageId>,
    reasoned_messages: Vec<MessageId>,
    /// Caller servers whose tools are not shown yet, and the number of earlier lists.
    new_servers: Vec<String>,
    lists: u32,
    /// Whether the last answer was truncated by a limit.
    is_truncated: bool,
    /// Failure of the turn.
    failure: Option<RunFailure>,
    /// Whether the answer to a question is recognised by the resent chat.
    is_chat: bool,
    /// Whether the task waits for an answer that can still be given.
    awaits_answer: bool,
    usage: Usage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnPhase {
    Before,
    Open,
    Over,
}

impl ResponseProjector {
    /// A projector for the turn with this id.
    pub fn new(id: &ResponseId, created: Timestamp, agent: &str, note: &RequestRecord) -> Self {
        Self {
            response: Response::new(id.to_string(), created.as_millis().div_euclid(1000), agent, note),
            first: id.event_number,
            sequence: 0,
            phase: TurnPhase::Before,
            task: id.task.to_string(),
            agent: agent.to_owned(),
            ignores_live_text: note.background,
            hides_tools: note.hides_tools,
            autonomous: false,
            has_run_tools: false,
            custom: note.custom.clone(),
            run_options: RunOptions::default(),
            execution: ToolExecution::default(),
            calls: Vec::new(),
            attempt: None,
            pending_reasoning: None,
            shown_messages: Vec::new(),
            reasoned_messages: Vec::new(),
            new_servers: Vec::new(),
            lists: 0,
            is_truncated: false,
            failure: None,
            is_chat: note.conversation_digest.is_some(),
            awaits_answer: false,
            usage: Usage::default(),
        }
    }

    /// Sequence number of the next event.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The first events of every stream; call it once, before any other event.
    pub fn begin(&mut self) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        self.emit_response(&mut out, "response.created");
        if self.response.status == ResponseStatus::Queued {
            self.emit_response(&mut out, "response.queued");
        } else {
            self.emit_response(&mut out, "response.in_progress");
        }
        out
    }

    /// Handles a task event; all events from number 1 on, in order.
    pub fn event(&mut self, number: u64, at: Timestamp, event: &TaskEvent) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        if self.phase == TurnPhase::Before && number >= self.first {
            self.phase = TurnPhase::Open;
        }
        match self.phase {
            TurnPhase::Over => {}
            TurnPhase::Before => self.update_state(event),
            TurnPhase::Open => {
                self.update_state(event);
                self.emit_event(&mut out, at, event);
            }
        }
        out
    }

    /// Handles a live text delta that starts at `offset` bytes.
    pub fn delta(&mut self, message: &MessageId, attempt: u32, offset: usize, text: &str) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        if self.phase == TurnPhase::Open && !self.ignores_live_text {
            self.append_text(&mut out, message, attempt, offset, text);
        }
        out
    }

    /// Handles all live text so far.
    pub fn open_text(&mut self, message: &MessageId, attempt: u32, text: &str) -> Vec<StreamEvent> {
        self.delta(message, attempt, 0, text)
    }

    /// The current response.
    pub fn response(&self) -> &Response {
        &self.response
    }

    /// Whether the stream is complete.
    pub fn is_over(&self) -> bool {
        self.phase == TurnPhase::Over
    }

    /// Whether a tool has run in the turn, so that a retry might repeat a side effect.
    pub fn has_run_tools(&self) -> bool {
        self.has_run_tools
    }

    /// Failure of the turn.
    pub fn failure(&self) -> Option<&RunFailure> {
        self.failure.as_ref()
    }

    /// Whether the turn ended with a question that can still be answered, so that its task must be kept.
    pub fn awaits_answer(&self) -> bool {
        self.awaits_answer
    }

    /// Updates the state that is needed whether or not the turn is shown.
    fn update_state(&mut self, event: &TaskEvent) {
        match event {
            TaskEvent::Submitted { tool_execution, autonomous, .. } => {
                self.execution = *tool_execution;
                self.autonomous |= autonomous;
            }
            TaskEvent::RunOptionsSet { options } => {
                self.record_new_servers(&options.servers);
                let RunOptions { tools, tool_choice: calls, servers, .. } = (**options).clone();
                self.run_options = RunOptions { tools, tool_choice: calls, servers, ..RunOptions::default() };
            }
            TaskEvent::MessageReceived { results, .. } => {
                self.calls.retain(|projected| !is_answered(projected, results));
            }
            TaskEvent::RunStarted { autonomous, .. } => self.autonomous |= autonomous,
            TaskEvent::AttemptStarted { .. } => self.calls.clear(),
            TaskEvent::ToolsCalled { calls, .. } => {
                self.calls =
                    calls.iter().map(|call| ProjectedCall::new(call, self.caller_server_tool(&call.name))).collect();
            }
            TaskEvent::GuardrailChecked {
                stage: GuardStage::ToolCall,
                call: Some(id),
                content: Some(arguments),
                ..
            } => {
                if let Some(projected) = self.find_call(id) {
                    projected.call.arguments = arguments.clone();
                }
            }
            TaskEvent::ToolInputReceived { call, answers } => {
                if let (Some(projected), Some(_)) = (self.find_call(call), answers.approval()) {
                    projected.required_approval = true;
                }
            }
            // Open calls of one turn are not items of another.
            TaskEvent::StatusChanged { .. } if self.phase == TurnPhase::Before => {
                self.calls.iter_mut().for_each(|projected| projected.started = false);
            }
            TaskEvent::ToolFinished { result } if self.phase == TurnPhase::Before => {
                self.calls.retain(|projected| projected.call.id != result.call);
            }
            _ => {}
        }
    }

    fn emit_event(&mut self, out: &mut Vec<StreamEvent>, at: Timestamp, event: &TaskEvent) {
        match event {
            TaskEvent::RunStarted { .. } if self.response.status == ResponseStatus::Queued => {
                self.response.status = ResponseStatus::InProgress;
                self.emit_response(out, "response.in_progress");
            }
            TaskEvent::RunOptionsSet { .. } => self.list_tools(out),
            TaskEvent::AttemptStarted { message, attempt, .. } => self.begin_attempt(out, message, *attempt),
            TaskEvent::TextFlushed { message, attempt, offset, text } => {
                self.append_text(out, message, *attempt, usize::try_from(*offset).unwrap_or(usize::MAX), text);
            }
            TaskEvent::ModelNoted { note: ModelNote::Repaired { usage, .. } | ModelNote::Used { usage, .. } } => {
                self.count(*usage);
            }
            TaskEvent::Compacted { compaction } => self.count(compaction.usage),
            TaskEvent::ReasoningProduced { message, reasoning } => self.record_reasoning(out, message, reasoning),
            TaskEvent::ToolsCalled { message, usage, .. } => {
                self.count(*usage);
                self.emit_commentary(out, message);
            }
            TaskEvent::ToolStarted { call, server, .. } => {
                self.has_run_tools = true;
                self.start_call(out, call, server.as_deref());
            }
            TaskEvent::HandoffSent { call, agent, .. } => {
                self.has_run_tools = true;
                self.start_handoff(out, call, agent.as_str());
            }
            TaskEvent::ToolFinished { result } => self.finish_call(out, result),
            TaskEvent::Answered { message, usage } => {
                self.count(*usage);
                self.answer(out, message);
            }
            TaskEvent::StatusChanged { state, message, reason }
                if state.is_terminal() || state.is_interrupted() || *state == TaskState::Completed =>
            {
                self.end(out, at, *state, message.as_ref(), reason.as_ref());
            }
            _ => {}
        }
    }

    fn count(&mut self, usage: Usage) {
        self.usage = self.usage.plus(usage);
    }

    /// Emits an event with the next sequence number.
    fn emit(&mut self, out: &mut Vec<StreamEvent>, kind: &'static str, body: StreamEventBody) {
        out.push(StreamEvent { kind, sequence_number: self.sequence, body });
        self.sequence += 1;
    }

    /// Emits an event with the whole response object.
    fn emit_response(&mut self, out: &mut Vec<StreamEvent>, kind: &'static str) {
        let response = Box::new(self.response.clone());
        self.emit(out, kind, StreamEventBody::Response { response });
    }

    /// Appends an item to the output.
    fn add(&mut self, out: &mut Vec<StreamEvent>, item: OutputItem) -> usize {
        let output_index = self.response.output.len();
        self.response.output.push(item.clone());
        self.emit(out, "response.output_item.added", StreamEventBody::Item { output_index, item });
        output_index
    }

    /// Replaces an item with its final state.
    fn close(&mut self, out: &mut Vec<StreamEvent>, output_index: usize, item: OutputItem) {
        if let Some(slot) = self.response.output.get_mut(output_index) {
            *slot = item.clone();
        }
        self.emit(out, "response.output_item.done", StreamEventBody::Item { output_index, item });
    }

    fn find_call(&mut self, id: &baton_types::CallId) -> Option<&mut ProjectedCall> {
        self.calls.iter_mut().find(|projected| projected.call.id == *id)
    }
}

fn is_answered(projected: &ProjectedCall, results: &[ToolResult]) -> bool {
    results.iter().any(|result| result.call == projected.call.id)
}
