//! A message that begins a task.

use crate::{
    EngineError, SendCommand,
    claims::HeldKey,
    engine::Inner,
    live::{LiveTask, head_of},
    pins::Pinned,
    send::{Ears, Enclosed, Listen, Queued, internal},
};
use baton_ports::Write;
use baton_rules::{Task, calls_in, mode_of, results_in, takes_callers_tools};
use baton_types::{
    ContextId, ErrorCode, Fact, Message, ParentLink, Principal, RunId, SessionEntry, StreamId, TaskEvent, TaskId,
    ToolCall, ToolExecution, ToolResult, Wishes,
};
use std::sync::Arc;

/// A task to be created.
pub(crate) struct NewTask {
    pub(crate) id: TaskId,
    pub(crate) event: TaskEvent,
    pub(crate) wishes: Option<Box<Wishes>>,
    pub(crate) first_of_context: bool,
    pub(crate) trace: Option<Arc<str>>,
}

impl Inner {
    pub(crate) fn submit(
        self: &Arc<Self>,
        principal: &Arc<Principal>,
        mut command: SendCommand,
        key: Option<HeldKey>,
        pinned: &Pinned,
        listen: Listen,
    ) -> Result<Queued, EngineError> {
        check_results(&command.message, &command.history)?;
        if command.if_generation.is_some_and(|generation| generation != 0) {
            return Err(EngineError::GenerationMismatch { task: "".into(), actual: 0 });
        }
        let id = TaskId::from(self.ports.ids.fresh());
        let push = command.push.take().map(|config| self.place_new(&id, config)).transpose()?;
        let enclosed = Enclosed { push, key };
        let mut commit = enclosed.beside(self, principal, &id, 0)?;
        let first_of_context = command.message.context.is_none() && command.history.is_empty();
        let context = command.message.context.clone().unwrap_or_else(|| ContextId::from(self.ports.ids.fresh()));
        let taken_over = self.taken_over(principal, &command.agent, &context, std::mem::take(&mut command.history))?;
        let tool_execution = command.tool_execution.unwrap_or(pinned.spec.tool_execution);
        let autonomous = mode_of(&pinned.spec, command.autonomous, &command.message, tool_execution)?;
        takes_callers_tools(&pinned.spec, autonomous, command.wishes.as_deref())?;
        let event = TaskEvent::Submitted {
            autonomous,
            message: command.message.within(&context, &id),
            context,
            agent: command.agent,
            tool_execution,
            parent: None,
            depth: command.depth,
        };
        let new = NewTask { id, event, wishes: command.wishes, first_of_context, trace: command.trace };
        let (live, task, write) = self.create(principal, new, pinned)?;
        if let Some((_, record)) = &taken_over {
            live.lock().session = Some(Some(Arc::clone(record)));
        }
        let ears = Ears::open(&live.feed, listen, 0);
        let receipt = match listen {
            // Whoever waits for the end only has no use for an earlier acknowledgement.
            Listen::Settled if enclosed.is_empty() && taken_over.is_none() => {
                live.begin_held(write);
                None
            }
            _ => {
                commit.writes.extend(taken_over.map(|(opened, _)| opened));
                commit.writes.push(write);
                Some(enclosed.seal(self, self.journal().append(commit)))
            }
        };
        Ok(Queued { live, task, receipt, drive: true, ears })
    }

    /// A new task with its first run begun, and the write that makes it true.
    pub(crate) fn create(
        self: &Arc<Self>,
        principal: &Arc<Principal>,
        new: NewTask,
        pinned: &Pinned,
    ) -> Result<(Arc<LiveTask>, Task, Write), EngineError> {
        let NewTask { id, event, wishes, first_of_context, trace } = new;
        let at = self.ports.clock.now();
        let impossible = |illegal: baton_rules::Illegal| internal(&illegal.to_string());
        let mut task = Task::submitted(id.clone(), at, &event).map_err(impossible)?;
        let submitted = task.clone();
        let mut start: Vec<TaskEvent> = wishes.into_iter().map(|wishes| TaskEvent::Wished { wishes }).collect();
        start.extend(self.start_run(&task, pinned));
        for event in &start {
            task.apply(at, event).map_err(impossible)?;
        }
        let feed = self.hub.feed(&id);
        let run = task.run.as_ref().map(|run| run.id.clone());
        let open = task.run.as_ref().and_then(|run| run.open.clone());
        if let Some(open) = &open {
            feed.begin_text(open, 1);
        }
        let write = Write {
            stream: StreamId::Task(id.clone()),
            expected_version: 0,
            epoch: 1,
            principal: Arc::clone(principal),
            run,
            trace: trace.clone(),
            at,
            facts: std::iter::once(event).chain(start).map(Fact::Task).collect(),
            head: head_of(&task),
            snapshot: None,
        };
        let live = Arc::new(LiveTask::new(task, 1, Arc::clone(principal), feed));
        {
            let mut cell = live.lock();
            (cell.driven, cell.begun, cell.first_of_context, cell.trace) = (true, open, first_of_context, trace);
            cell.session = Some(pinned.session.clone());
        }
        self.live.lock().insert(id, Arc::clone(&live));
        Ok((live, submitted, write))
    }

    /// The events with which a run takes a task up: it always begins by asking the model.
    pub(crate) fn start_run(&self, task: &Task, pinned: &Pinned) -> Vec<TaskEvent> {
        let mut events = vec![TaskEvent::RunStarted {
            run: RunId::from(self.ports.ids.fresh()),
            agent: pinned.digest.clone(),
            deadline: self.ports.clock.now().after(pinned.spec.limits.deadline),
            autonomous: pinned.spec.autonomous,
        }];
        if task.open_calls().next().is_none() {
            let message = self.ports.ids.fresh().into();
            events.push(TaskEvent::AttemptStarted { message, turn: 1, attempt: 1 });
        }
        events
    }
}

/// Results answer the calls of a task, so a message that begins one carries none but those that the history before it lacks.
fn check_results(message: &Message, history: &[SessionEntry]) -> Result<(), EngineError> {
    let open = history.last().map(|entry| calls_in(&entry.message)).unwrap_or_default();
    let is_open = |result: &ToolResult| open.iter().any(|call| call.id == result.call);
    let (code, field, detail) = match results_in(message) {
        Ok(results) if results.iter().all(is_open) && open.iter().all(|call| has(&results, call)) => return Ok(()),
        Ok(_) if open.is_empty() => (
            ErrorCode::TOOL_RESULT_UNKNOWN,
            "message.taskId".to_owned(),
            "tool results need the id of the task that asked for them".to_owned(),
        ),
        Ok(_) => (
            ErrorCode::TOOL_RESULT_UNKNOWN,
            "message.parts".to_owned(),
            "every call at the end of the history needs one result, and nothing else has any".to_owned(),
        ),
        Err(error) => (ErrorCode::TOOL_RESULT_INVALID, format!("message.parts.{}", error.field), error.detail),
    };
    Err(EngineError::Invalid { code, field, detail })
}

fn has(results: &[ToolResult], call: &ToolCall) -> bool {
    results.iter().any(|result| result.call == call.id)
}

/// A child's way back, and the mode in which it works: a receiver runs its own tools.
pub(crate) fn submitted_child(
    parent: ParentLink,
    context: ContextId,
    agent: baton_types::AgentName,
    message: Message,
    depth: u32,
    autonomous: bool,
) -> TaskEvent {
    let tool_execution = ToolExecution::Agent;
    TaskEvent::Submitted { context, agent, message, tool_execution, parent: Some(parent), depth, autonomous }
}
