//! A stream and a response object out of the events of a task and live text.

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

/// Turns the events of a task into one response: as a stream, and as the object that is there at any moment.
///
/// The object follows from the journaled events alone. Live text only makes the stream show earlier what an event says
/// later; what it showed of an attempt that came to nothing is taken back when the item closes.
#[derive(Clone, Debug)]
pub struct Projector {
    response: Response,
    /// The number of the first event of the turn.
    first: u64,
    sequence: u64,
    standing: Standing,
    task: String,
    /// Whose tools are the agent's own, when no server is named.
    agent: String,
    /// Whether live text is passed over, because the journal has it too.
    kept: bool,
    hides_tools: bool,
    /// Whether callers see nothing but the result.
    autonomous: bool,
    acted: bool,
    custom: Vec<String>,
    wishes: Wishes,
    execution: ToolExecution,
    /// Calls of the last turn of the model.
    calls: Vec<Call>,
    attempt: Option<Attempt>,
    /// What was thought about a message that is not there yet.
    thought: Option<(MessageId, String)>,
    /// Messages whose text has been shown, and those about which thoughts have been.
    shown: Vec<MessageId>,
    reasoned: Vec<MessageId>,
    /// Servers of the caller's whose tools are still to be shown, and how many lists came before.
    met: Vec<String>,
    lists: u32,
    /// Whether the last answer was broken off by a limit.
    cut: bool,
    /// Why the turn failed.
    failure: Option<RunFailure>,
    /// Whether the answer to a question in words is found by the chat that is sent again.
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
    /// For the turn that the id names.
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

    /// The number that the next event has.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The events with which every stream begins; ask for them once, before anything is fed.
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

    /// An event of the task; all from number 1 on, in order.
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

    /// More of the open text, after `offset` bytes.
    pub fn delta(&mut self, message: &MessageId, attempt: u32, offset: usize, text: &str) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        if self.standing == Standing::Open && !self.kept {
            self.wrote(&mut out, message, attempt, offset, text);
        }
        out
    }

    /// All of the open text so far.
    pub fn open_text(&mut self, message: &MessageId, attempt: u32, text: &str) -> Vec<StreamEvent> {
        self.delta(message, attempt, 0, text)
    }

    /// The response as it is now.
    pub fn response(&self) -> &Response {
        &self.response
    }

    /// Whether nothing more can come.
    pub fn is_over(&self) -> bool {
        self.standing == Standing::Over
    }

    /// Whether a tool has run in the turn, so that asking again might do something twice.
    pub fn has_acted(&self) -> bool {
        self.acted
    }

    /// Why the turn failed.
    pub fn failure(&self) -> Option<&RunFailure> {
        self.failure.as_ref()
    }

    /// Whether the turn ended with a question whose answer can still be given, so that its task has to stay.
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// What has to be known of an event whether or not its turn is shown.
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
            // What one turn left open is no item of another.
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

    /// Emits an event with the next number.
    fn emit(&mut self, out: &mut Vec<StreamEvent>, kind: &'static str, body: Body) {
        out.push(StreamEvent { kind, sequence_number: self.sequence, body });
        self.sequence += 1;
    }

    /// Emits an event that carries the whole object.
    fn whole(&mut self, out: &mut Vec<StreamEvent>, kind: &'static str) {
        let response = Box::new(self.response.clone());
        self.emit(out, kind, Body::Response { response });
    }

    /// Puts an item at the end of the output.
    fn add(&mut self, out: &mut Vec<StreamEvent>, item: OutputItem) -> usize {
        let output_index = self.response.output.len();
        self.response.output.push(item.clone());
        self.emit(out, "response.output_item.added", Body::Item { output_index, item });
        output_index
    }

    /// Says what an item has become.
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
