//! Projection of task events and live text into a stream and a response object.

mod calls;
mod end;
mod guests;
mod text;

use crate::{Body, Note, OutputItem, Response, ResponseId, ResponseStatus, RunFailure, StreamEvent};
use baton_types::{
    GuardStage, MessageId, ModelNote, TaskEvent, TaskState, Timestamp, ToolExecution, ToolResult, Usage, Wishes,
};
use calls::Call;
use text::Attempt;

/// Turns the events of a task into one response: as a stream, and as the current object.
///
/// The object is derived from the journaled events only. Live text only makes the stream faster than the events; text
/// of a failed attempt is withdrawn when its item closes.
#[derive(Clone, Debug)]
pub struct Projector {
    response: Response,
    /// Number of the first event of the turn.
    first: u64,
    sequence: u64,
    standing: Standing,
    task: String,
    /// Label of the agent's own tools, if no server is named.
    agent: String,
    /// Whether live text is ignored, because the journal contains it too.
    kept: bool,
    hides_tools: bool,
    /// Whether only the result is shown to callers.
    autonomous: bool,
    acted: bool,
    custom: Vec<String>,
    wishes: Wishes,
    execution: ToolExecution,
    /// Calls of the model's last turn.
    calls: Vec<Call>,
    attempt: Option<Attempt>,
    /// Reasoning for a message that has not arrived yet.
    thought: Option<(MessageId, String)>,
    /// Messages whose text was shown, and messages whose reasoning was shown.
    shown: Vec<MessageId>,
    reasoned: Vec<MessageId>,
    /// Caller servers whose tools are not shown yet, and the number of earlier lists.
    met: Vec<String>,
    lists: u32,
    /// Whether the last answer was truncated by a limit.
    cut: bool,
    /// Failure of the turn.
    failure: Option<RunFailure>,
    /// Whether the answer to a question is recognised by the resent chat.
    is_chat: bool,
    /// Whether the task waits for an answer that can still be given.
    waits: bool,
    usage: Usage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Before,
    Open,
    Over,
}

impl Projector {
    /// A projector for the turn with this id.
    pub fn new(id: &ResponseId, created: Timestamp, agent: &str, note: &Note) -> Self {
        Self {
            response: Response::begun(id.to_string(), created.as_millis().div_euclid(1000), agent, note),
            first: id.at,
            sequence: 0,
            standing: Standing::Before,
            task: id.task.to_string(),
            agent: agent.to_owned(),
            kept: note.background,
            hides_tools: note.hides_tools,
            autonomous: false,
            acted: false,
            custom: note.custom.clone(),
            wishes: Wishes::default(),
            execution: ToolExecution::default(),
            calls: Vec::new(),
            attempt: None,
            thought: None,
            shown: Vec::new(),
            reasoned: Vec::new(),
            met: Vec::new(),
            lists: 0,
            cut: false,
            failure: None,
            is_chat: note.conversation_digest.is_some(),
            waits: false,
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
        self.whole(&mut out, "response.created");
        if self.response.status == ResponseStatus::Queued {
            self.whole(&mut out, "response.queued");
        } else {
            self.whole(&mut out, "response.in_progress");
        }
        out
    }

    /// Handles a task event; all events from number 1 on, in order.
    pub fn event(&mut self, number: u64, at: Timestamp, event: &TaskEvent) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        if self.standing == Standing::Before && number >= self.first {
            self.standing = Standing::Open;
        }
        match self.standing {
            Standing::Over => {}
            Standing::Before => self.learn(event),
            Standing::Open => {
                self.learn(event);
                self.show(&mut out, at, event);
            }
        }
        out
    }

    /// Handles a live text delta that starts at `offset` bytes.
    pub fn delta(&mut self, message: &MessageId, attempt: u32, offset: usize, text: &str) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        if self.standing == Standing::Open && !self.kept {
            self.wrote(&mut out, message, attempt, offset, text);
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
        self.standing == Standing::Over
    }

    /// Whether a tool has run in the turn, so that a retry might repeat a side effect.
    pub fn has_acted(&self) -> bool {
        self.acted
    }

    /// Failure of the turn.
    pub fn failure(&self) -> Option<&RunFailure> {
        self.failure.as_ref()
    }

    /// Whether the turn ended with a question that can still be answered, so that its task must be kept.
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// Updates the state that is needed whether or not the turn is shown.
    fn learn(&mut self, event: &TaskEvent) {
        match event {
            TaskEvent::Submitted { tool_execution, autonomous, .. } => {
                self.execution = *tool_execution;
                self.autonomous |= autonomous;
            }
            TaskEvent::Wished { wishes } => {
                self.meet(&wishes.servers);
                let Wishes { tools, calls, servers, .. } = (**wishes).clone();
                self.wishes = Wishes { tools, calls, servers, ..Wishes::default() };
            }
            TaskEvent::Said { results, .. } => self.calls.retain(|known| !is_answered(known, results)),
            TaskEvent::RunStarted { autonomous, .. } => self.autonomous |= autonomous,
            TaskEvent::AttemptStarted { .. } => self.calls.clear(),
            TaskEvent::ToolsCalled { calls, .. } => {
                self.calls = calls.iter().map(|call| Call::new(call, self.at_guest(&call.name))).collect();
            }
            TaskEvent::Guarded { stage: GuardStage::ToolCall, call: Some(id), content: Some(arguments), .. } => {
                if let Some(known) = self.known(id) {
                    known.call.arguments = arguments.clone();
                }
            }
            TaskEvent::ToolAnswered { call, answers } => {
                if let (Some(known), Some(_)) = (self.known(call), answers.approval()) {
                    known.was_asked = true;
                }
            }
            // Open calls of one turn are not items of another.
            TaskEvent::StatusChanged { .. } if self.standing == Standing::Before => {
                self.calls.iter_mut().for_each(|known| known.started = false);
            }
            TaskEvent::ToolFinished { result } if self.standing == Standing::Before => {
                self.calls.retain(|known| known.call.id != result.call);
            }
            _ => {}
        }
    }

    fn show(&mut self, out: &mut Vec<StreamEvent>, at: Timestamp, event: &TaskEvent) {
        match event {
            TaskEvent::RunStarted { .. } if self.response.status == ResponseStatus::Queued => {
                self.response.status = ResponseStatus::InProgress;
                self.whole(out, "response.in_progress");
            }
            TaskEvent::Wished { .. } => self.list_tools(out),
            TaskEvent::AttemptStarted { message, attempt, .. } => self.begin_attempt(out, message, *attempt),
            TaskEvent::Wrote { message, attempt, offset, text } => {
                self.wrote(out, message, *attempt, usize::try_from(*offset).unwrap_or(usize::MAX), text);
            }
            TaskEvent::ModelNoted { note: ModelNote::Repaired { usage, .. } | ModelNote::Used { usage, .. } } => {
                self.count(*usage);
            }
            TaskEvent::Compacted { compaction } => self.count(compaction.usage),
            TaskEvent::Reasoned { message, reasoning } => self.think(out, message, reasoning),
            TaskEvent::ToolsCalled { message, usage, .. } => {
                self.count(*usage);
                self.say_beside_calls(out, message);
            }
            TaskEvent::ToolStarted { call, server, .. } => {
                self.acted = true;
                self.start_call(out, call, server.as_deref());
            }
            TaskEvent::HandoffSent { call, agent, .. } => {
                self.acted = true;
                self.hand_over(out, call, agent.as_str());
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
    fn emit(&mut self, out: &mut Vec<StreamEvent>, kind: &'static str, body: Body) {
        out.push(StreamEvent { kind, sequence_number: self.sequence, body });
        self.sequence += 1;
    }

    /// Emits an event with the whole response object.
    fn whole(&mut self, out: &mut Vec<StreamEvent>, kind: &'static str) {
        let response = Box::new(self.response.clone());
        self.emit(out, kind, Body::Response { response });
    }

    /// Appends an item to the output.
    fn add(&mut self, out: &mut Vec<StreamEvent>, item: OutputItem) -> usize {
        let output_index = self.response.output.len();
        self.response.output.push(item.clone());
        self.emit(out, "response.output_item.added", Body::Item { output_index, item });
        output_index
    }

    /// Replaces an item with its final state.
    fn close(&mut self, out: &mut Vec<StreamEvent>, output_index: usize, item: OutputItem) {
        if let Some(place) = self.response.output.get_mut(output_index) {
            *place = item.clone();
        }
        self.emit(out, "response.output_item.done", Body::Item { output_index, item });
    }

    fn known(&mut self, id: &baton_types::CallId) -> Option<&mut Call> {
        self.calls.iter_mut().find(|known| known.call.id == *id)
    }
}

fn is_answered(known: &Call, results: &[ToolResult]) -> bool {
    results.iter().any(|result| result.call == known.call.id)
}
