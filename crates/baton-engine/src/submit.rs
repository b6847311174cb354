//! Starts a task with a message.

use crate::{
    EngineError, SendCommand,
    claims::IdempotencyGuard,
    engine::EngineInner,
    error_codes,
    live::{LiveTask, head_of},
    pins::PinnedDefinition,
    send::{CommitExtras, ListenMode, QueuedSend, SendSubscription, internal},
};
use baton_ports::Write;
use baton_rules::{TaskRecord, check_caller_tools, parse_tool_calls, parse_tool_results, resolve_mode};
use baton_types::{
    ContextId, JournalEvent, Message, ParentLink, Principal, RunId, RunOptions, SessionEntry, StreamId, TaskEvent,
    TaskId, ToolCall, ToolExecution, ToolResult,
};
use std::sync::Arc;

/// A task to be created.
pub(crate) struct NewTask {
    pub(crate) id: TaskId,
    pub(crate) event: TaskEvent,
    pub(crate) run_options: Option<Box<RunOptions>>,
    pub(crate) first_of_context: bool,
    pub(crate) trace: Option<Arc<str>>,
}

impl EngineInner {
    pub(crate) fn submit(
        self: &Arc<Self>,
        principal: &Arc<Principal>,
        mut command: SendCommand,
        key: Option<IdempotencyGuard>,
        pinned: &PinnedDefinition,
        listen: ListenMode,
    ) -> Result<QueuedSend, EngineError> {
        check_results(&command.message, &command.history)?;
        if command.if_generation.is_some_and(|generation| generation != 0) {
            return Err(EngineError::GenerationMismatch { task: "".into(), actual: 0 });
        }
        let id = TaskId::from(self.ports.ids.next_id());
        let push = command.push.take().map(|config| self.begin_first_push_config(&id, config)).transpose()?;
        let extras = CommitExtras { push, key };
        let mut commit = extras.to_commit(self, principal, &id, 0)?;
        let first_of_context = command.message.context.is_none() && command.history.is_empty();
        let context = command.message.context.clone().unwrap_or_else(|| ContextId::from(self.ports.ids.next_id()));
        let imported =
            self.import_history(principal, &command.agent, &context, std::mem::take(&mut command.history))?;
        let tool_execution = command.tool_execution.unwrap_or(pinned.spec.tool_execution);
        let autonomous = resolve_mode(&pinned.spec, command.autonomous, &command.message, tool_execution)?;
        check_caller_tools(&pinned.spec, autonomous, command.run_options.as_deref())?;
        let event = TaskEvent::Submitted {
            autonomous,
            message: command.message.with_task(&context, &id),
            context,
            agent: command.agent,
            tool_execution,
            parent: None,
            depth: command.depth,
        };
        let new = NewTask { id, event, run_options: command.run_options, first_of_context, trace: command.trace };
        let (live, task, write) = self.create(principal, new, pinned)?;
        if let Some((_, record)) = &imported {
            live.lock().session = Some(Some(Arc::clone(record)));
        }
        let subscription = SendSubscription::open(&live.feed, listen, 0);
        let receipt = match listen {
            // A sender that waits only for the end does not need an earlier acknowledgement.
            ListenMode::Settled if extras.is_empty() && imported.is_none() => {
                live.set_pending_write(write);
                None
            }
            _ => {
                commit.writes.extend(imported.map(|(opened, _)| opened));
                commit.writes.push(write);
                Some(extras.hold_with(self, self.journal().append(commit)))
            }
        };
        Ok(QueuedSend { live, task, receipt, drive: true, subscription })
    }

    /// Creates a task with its first run started, and the write that stores it.
    pub(crate) fn create(
        self: &Arc<Self>,
        principal: &Arc<Principal>,
        new: NewTask,
        pinned: &PinnedDefinition,
    ) -> Result<(Arc<LiveTask>, TaskRecord, Write), EngineError> {
        let NewTask { id, event, run_options, first_of_context, trace } = new;
        let at = self.ports.clock.now();
        let impossible = |illegal: baton_rules::IllegalTransition| internal(&illegal.to_string());
        let mut task = TaskRecord::from_submission(id.clone(), at, &event).map_err(impossible)?;
        let submitted = task.clone();
        let mut start: Vec<TaskEvent> =
            run_options.into_iter().map(|options| TaskEvent::RunOptionsSet { options }).collect();
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
            facts: std::iter::once(event).chain(start).map(JournalEvent::Task).collect(),
            head: head_of(&task),
            snapshot: None,
        };
        let live = Arc::new(LiveTask::new(task, 1, Arc::clone(principal), feed));
        {
            let mut cell = live.lock();
            (cell.driven, cell.unused_attempt, cell.first_of_context, cell.trace) =
                (true, open, first_of_context, trace);
            cell.session = Some(pinned.session.clone());
        }
        self.live.lock().insert(id, Arc::clone(&live));
        Ok((live, submitted, write))
    }

    /// Events that start a run. Without open calls it starts with a model call.
    pub(crate) fn start_run(&self, task: &TaskRecord, pinned: &PinnedDefinition) -> Vec<TaskEvent> {
        let mut events = vec![TaskEvent::RunStarted {
            run: RunId::from(self.ports.ids.next_id()),
            agent: pinned.digest.clone(),
            deadline: self.ports.clock.now().after(pinned.spec.limits.deadline),
            autonomous: pinned.spec.autonomous,
        }];
        if task.open_calls().next().is_none() {
            let message = self.ports.ids.next_id().into();
            events.push(TaskEvent::AttemptStarted { message, turn: 1, attempt: 1 });
        }
        events
    }
}

/// Checks the tool results of a first message: only calls at the end of the given history may have results.
fn check_results(message: &Message, history: &[SessionEntry]) -> Result<(), EngineError> {
    let open = history.last().map(|entry| parse_tool_calls(&entry.message)).unwrap_or_default();
    let is_open = |result: &ToolResult| open.iter().any(|call| call.id == result.call);
    let (code, field, detail) = match parse_tool_results(message) {
        Ok(results) if results.iter().all(is_open) && open.iter().all(|call| has_result(&results, call)) => {
            return Ok(());
        }
        Ok(_) if open.is_empty() => (
            error_codes::TOOL_RESULT_UNKNOWN,
            "message.taskId".to_owned(),
            "tool results need the id of the task that asked for them".to_owned(),
        ),
        Ok(_) => (
            error_codes::TOOL_RESULT_UNKNOWN,
            "message.parts".to_owned(),
            "every call at the end of the history needs one result, and no other results are allowed".to_owned(),
        ),
        Err(error) => (error_codes::TOOL_RESULT_INVALID, format!("message.parts.{}", error.field), error.detail),
    };
    Err(EngineError::Invalid { code, field, detail })
}

fn has_result(results: &[ToolResult], call: &ToolCall) -> bool {
    results.iter().any(|result| result.call == call.id)
}

/// The submitted event of a child task. A handoff target runs its own tools.
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
