//! A message for an agent: a new task, or the next word in an old one.

use crate::{
    Engine, EngineError, FeedItem, SendCommand, Sent, Subscription, TaskRef,
    engine::Inner,
    hub::Feed,
    live::{LiveTask, Stopped, head_of},
    pins::Pinned,
    run::asking,
};
use baton_ports::{Commit, JournalError, Receipt, Write};
use baton_rules::{Task, asked_of_caller, hear, results_in};
use baton_types::{
    ContextId, ErrorCode, Fact, Message, ParentLink, Principal, RunId, StreamId, TaskEvent, TaskId, TaskState,
    TaskView, ToolExecution,
};
use std::sync::Arc;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

/// A send that is queued: the journal will have it when the receipt resolves.
pub(crate) struct Queued {
    pub(crate) live: Arc<LiveTask>,
    /// The task as the send left it.
    pub(crate) task: Task,
    /// `None` when the run itself queues the send with what it does first.
    pub(crate) receipt: Option<Receipt>,
    /// A driver must be started.
    pub(crate) drive: bool,
    ears: Ears,
}

/// What the sender wants to hear afterwards.
#[derive(Clone, Copy)]
enum Listen {
    Nothing,
    Settled,
    Everything,
}

/// Opened before anything is queued, so that nothing can be missed.
#[derive(Default)]
struct Ears {
    settled: Option<oneshot::Receiver<Result<u64, EngineError>>>,
    queue: Option<mpsc::Receiver<FeedItem>>,
}

impl Ears {
    /// `version` is what is true before the send.
    fn open(feed: &Feed, listen: Listen, version: u64) -> Self {
        match listen {
            Listen::Nothing => Self::default(),
            Listen::Settled => Self { settled: Some(feed.settled(version)), queue: None },
            Listen::Everything => Self { settled: None, queue: feed.attach() },
        }
    }
}

/// A task to be created.
pub(crate) struct NewTask {
    pub(crate) id: TaskId,
    pub(crate) event: TaskEvent,
    pub(crate) first_of_context: bool,
    pub(crate) trace: Option<Arc<str>>,
}

impl Engine {
    /// Sends and returns as soon as the journal has it.
    pub async fn send(&self, principal: &Arc<Principal>, command: SendCommand) -> Result<Sent, EngineError> {
        let queued = self.inner.queue(principal, command, Listen::Nothing).await?;
        let task = Arc::new(queued.task.view());
        self.inner.acknowledge(queued).await?;
        Ok(Sent { task })
    }

    /// Sends and waits until the task ends or needs input.
    pub async fn send_and_settle(
        &self,
        principal: &Arc<Principal>,
        command: SendCommand,
    ) -> Result<Arc<TaskView>, EngineError> {
        let mut queued = self.inner.queue(principal, command, Listen::Settled).await?;
        let live = Arc::clone(&queued.live);
        let settled = queued.ears.settled.take().ok_or(EngineError::ShuttingDown)?;
        self.inner.start(queued);
        let number = settled.await.map_err(|_| EngineError::ShuttingDown)??;
        {
            let cell = live.lock();
            if cell.task.version == number {
                return Ok(Arc::new(cell.task.view()));
            }
        }
        // Somebody has queued more since; what the journal has is the truth.
        let task = TaskRef { task: live.id.clone(), agent: None };
        Ok(Arc::new(self.inner.load(principal, &task).await?.view()))
    }

    /// Sends and follows; the stream ends when the task ends or needs input.
    pub async fn send_and_follow(
        &self,
        principal: &Arc<Principal>,
        command: SendCommand,
    ) -> Result<Subscription, EngineError> {
        let mut queued = self.inner.queue(principal, command, Listen::Everything).await?;
        let queue = queued.ears.queue.take().ok_or(EngineError::ShuttingDown)?;
        let (feed, task) = (Arc::clone(&queued.live.feed), queued.task.clone());
        self.inner.acknowledge(queued).await?;
        Ok(Subscription::of_send(&self.inner, &task, feed, queue))
    }
}

impl Inner {
    async fn queue(
        self: &Arc<Self>,
        principal: &Arc<Principal>,
        command: SendCommand,
        listen: Listen,
    ) -> Result<Queued, EngineError> {
        self.accepting()?;
        let spec =
            self.ports.agents.agent(&command.agent).ok_or_else(|| EngineError::AgentNotFound(command.agent.clone()))?;
        let pinned = self.pins.pin(self.journal(), &spec).await?;
        match command.message.task.clone() {
            None => self.submit(principal, command, &pinned, listen),
            Some(task) => self.go_on(principal, &task, command, &pinned, listen).await,
        }
    }

    fn submit(
        self: &Arc<Self>,
        principal: &Arc<Principal>,
        command: SendCommand,
        pinned: &Pinned,
        listen: Listen,
    ) -> Result<Queued, EngineError> {
        refuse_results(&command.message)?;
        let id = TaskId::from(self.ports.ids.fresh());
        let first_of_context = command.message.context.is_none();
        let context = command.message.context.clone().unwrap_or_else(|| ContextId::from(self.ports.ids.fresh()));
        let event = TaskEvent::Submitted {
            message: command.message.within(&context, &id),
            context,
            agent: command.agent,
            tool_execution: command.tool_execution.unwrap_or(pinned.spec.tool_execution),
            parent: None,
        };
        let new = NewTask { id, event, first_of_context, trace: command.trace };
        let (live, task, write) = self.create(principal, new, pinned)?;
        let ears = Ears::open(&live.feed, listen, 0);
        let receipt = match listen {
            // Whoever waits for the end only has no use for an earlier acknowledgement.
            Listen::Settled => {
                live.begin_held(write);
                None
            }
            Listen::Nothing | Listen::Everything => {
                Some(self.journal().append(Commit { writes: vec![write], outbox: Vec::new() }))
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
        let NewTask { id, event, first_of_context, trace } = new;
        let at = self.ports.clock.now();
        let impossible = |illegal: baton_rules::Illegal| internal(&illegal.to_string());
        let mut task = Task::submitted(id.clone(), at, &event).map_err(impossible)?;
        let submitted = task.clone();
        let start = self.start_run(&task, pinned);
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
        }];
        if task.open_calls().next().is_none() {
            let message = self.ports.ids.fresh().into();
            events.push(TaskEvent::AttemptStarted { message, turn: 1, attempt: 1 });
        }
        events
    }

    async fn go_on(
        self: &Arc<Self>,
        principal: &Arc<Principal>,
        task: &TaskId,
        command: SendCommand,
        pinned: &Pinned,
        listen: Listen,
    ) -> Result<Queued, EngineError> {
        let task = TaskRef { task: task.clone(), agent: Some(command.agent.clone()) };
        loop {
            let live = self.open(principal, &task).await?;
            match self.say(&live, &command, pinned, listen) {
                Ok(queued) => return Ok(queued),
                Err(Refused::Retired) => {}
                Err(Refused::Because(error)) => {
                    self.rest(&live);
                    return Err(error);
                }
            }
        }
    }

    fn say(
        self: &Arc<Self>,
        live: &Arc<LiveTask>,
        command: &SendCommand,
        pinned: &Pinned,
        listen: Listen,
    ) -> Result<Queued, Refused> {
        let mut cell = live.lock();
        let task = &cell.task;
        if task.state.is_terminal() {
            let finished = EngineError::TaskFinished { task: live.id.clone(), state: task.state };
            return Err(Refused::Because(finished));
        }
        if command.message.context.as_ref().is_some_and(|context| *context != task.context) {
            return Err(Refused::Because(EngineError::Invalid {
                code: ErrorCode::CONTEXT_MISMATCH,
                field: "message.contextId".to_owned(),
                detail: format!("task '{}' belongs to context '{}'", live.id, task.context),
            }));
        }
        let message = command.message.clone().within(&task.context, &live.id);
        let heard = hear(task, message).map_err(|refused| {
            Refused::Because(EngineError::Invalid { code: refused.code, field: refused.field, detail: refused.detail })
        })?;
        let mut after = task.clone();
        let now = self.ports.clock.now();
        after.apply(now, &heard.event).map_err(|illegal| Refused::Because(internal(&illegal.to_string())))?;
        let mut events = vec![heard.event];
        if heard.resumes {
            events.extend(self.start_run(&after, pinned));
        } else if task.state == TaskState::InputRequired {
            let asked = asked_of_caller(&after, &pinned.spec);
            events.push(asking(&self.ports, &after, &asked));
        }
        let drive = heard.resumes && !cell.driven;
        cell.driven |= drive;
        cell.trace = command.trace.clone().or(cell.trace.take());
        let ears = Ears::open(&live.feed, listen, cell.task.version);
        let receipt = live.commit_locked(&mut cell, self.journal(), &*self.ports.clock, events, Vec::new());
        let receipt = receipt.map_err(|stopped| match stopped {
            Stopped::Retired => Refused::Retired,
            Stopped::Illegal(illegal) => Refused::Because(internal(&illegal.to_string())),
        })?;
        if heard.resumes {
            cell.begun = cell.task.run.as_ref().and_then(|run| run.open.clone());
        }
        let task = cell.task.clone();
        drop(cell);
        Ok(Queued { live: Arc::clone(live), task, receipt: Some(receipt), drive, ears })
    }

    /// Starts the run, which also sees to the receipt.
    fn start(self: &Arc<Self>, queued: Queued) {
        if queued.drive {
            self.spawn_driver(queued.live, queued.receipt);
        } else if let Some(receipt) = queued.receipt {
            self.see_through(queued.live, receipt);
        }
    }

    /// Starts the run at once, and returns when the journal has the send.
    async fn acknowledge(self: &Arc<Self>, queued: Queued) -> Result<(), EngineError> {
        let Queued { live, receipt: Some(receipt), drive, .. } = queued else { return Ok(()) };
        if !drive {
            let seen_through = self.see_through(live, receipt).await;
            return Ok(seen_through.map_err(|_| EngineError::ShuttingDown)??);
        }
        self.spawn_driver(Arc::clone(&live), None);
        if let Err(error) = receipt.await {
            self.broke(&live, &error);
            return Err(error.into());
        }
        Ok(())
    }

    /// Awaits a receipt that no driver awaits, also when the sender hangs up meanwhile.
    fn see_through(self: &Arc<Self>, live: Arc<LiveTask>, receipt: Receipt) -> JoinHandle<Result<(), JournalError>> {
        let inner = Arc::clone(self);
        self.drivers.spawn(async move {
            match receipt.await {
                Ok(_) => inner.rest(&live),
                Err(error) => {
                    inner.broke(&live, &error);
                    return Err(error);
                }
            }
            Ok(())
        })
    }
}

/// Results answer the calls of a task, so a message that begins one cannot carry any.
fn refuse_results(message: &Message) -> Result<(), EngineError> {
    let (code, field, detail) = match results_in(message) {
        Ok(results) if results.is_empty() => return Ok(()),
        Ok(_) => (
            ErrorCode::TOOL_RESULT_UNKNOWN,
            "message.taskId".to_owned(),
            "tool results need the id of the task that asked for them".to_owned(),
        ),
        Err(error) => (ErrorCode::TOOL_RESULT_INVALID, format!("message.parts.{}", error.field), error.detail),
    };
    Err(EngineError::Invalid { code, field, detail })
}

enum Refused {
    Retired,
    Because(EngineError),
}

/// An inconsistency inside Baton, not the caller's doing.
pub(crate) fn internal(detail: &str) -> EngineError {
    EngineError::Invalid { code: ErrorCode::INTERNAL, field: String::new(), detail: detail.to_owned() }
}

/// A child's way back, and the mode in which it works: a receiver runs its own tools.
pub(crate) fn submitted_child(
    parent: ParentLink,
    context: ContextId,
    agent: baton_types::AgentName,
    message: Message,
) -> TaskEvent {
    TaskEvent::Submitted { context, agent, message, tool_execution: ToolExecution::Agent, parent: Some(parent) }
}
