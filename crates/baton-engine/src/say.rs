//! A message that goes on with a task.

use crate::{
    EngineError, SendCommand, TaskRef,
    claims::HeldKey,
    engine::Inner,
    live::{LiveTask, Standing, Stopped},
    pins::Pinned,
    run::asking,
    send::{Ears, Enclosed, Listen, Queued, internal},
};
use baton_ports::JournalError;
use baton_rules::{asked_of_caller, hear, keeps_mode, takes_callers_tools};
use baton_types::{AgentSpec, ErrorCode, Principal, StreamId, TaskEvent, TaskId, TaskState};
use std::sync::Arc;

enum Refused {
    Retired,
    Because(EngineError),
}

impl Inner {
    pub(crate) async fn go_on(
        self: &Arc<Self>,
        principal: &Arc<Principal>,
        task: &TaskId,
        mut command: SendCommand,
        key: Option<HeldKey>,
        spec: &Arc<AgentSpec>,
        listen: Listen,
    ) -> Result<Queued, EngineError> {
        let task = TaskRef { task: task.clone(), agent: Some(command.agent.clone()) };
        let mut enclosed = Enclosed { push: None, key };
        if let Some(config) = command.push.take() {
            self.load(principal, &task).await?;
            enclosed.push = Some(self.place_on(&task.task, config).await?);
        }
        self.would_be_heard(principal, &task, &command.message).await?;
        loop {
            let live = self.open(principal, &task).await?;
            let (context, held) = {
                let cell = live.lock();
                (cell.task.context.clone(), cell.task.wishes.clone())
            };
            let wishes = command.wishes.as_deref().or(held.as_deref());
            let pinned = match self.pin(&live.owner, spec, Some(&context), wishes).await {
                Ok(pinned) => pinned,
                Err(error) => {
                    self.rest(&live);
                    return Err(error);
                }
            };
            match self.say(&live, &command, &enclosed, &pinned, listen) {
                Ok(mut queued) => {
                    queued.receipt = queued.receipt.map(|receipt| enclosed.seal(self, receipt));
                    return Ok(queued);
                }
                // Whoever gave it up forgets it as well, but not always first.
                Err(Refused::Retired) => self.retire(&live),
                Err(Refused::Because(error)) => {
                    self.rest(&live);
                    if self.is_true(&live).await? {
                        return Err(error);
                    }
                }
            }
        }
    }

    /// Whether the journal has what the memory says, once it has answered: a refusal must not rest on what a crash could
    /// take back, nor on what the journal refused and nobody has noticed yet. If not, the task is to be opened anew.
    async fn is_true(self: &Arc<Self>, live: &Arc<LiveTask>) -> Result<bool, EngineError> {
        let (version, epoch) = live.lock().position();
        match live.flush(self.journal()) {
            None => self.synced().await?,
            Some(receipt) => {
                let seen_through = self.see_through(Arc::clone(live), receipt).await;
                seen_through.map_err(|_| EngineError::ShuttingDown)??;
            }
        }
        let stream = StreamId::Task(live.id.clone());
        let missing = || EngineError::TaskNotFound(live.id.clone());
        let head = self.journal().load(None, &stream).await?.ok_or_else(missing)?.head;
        if head.epoch == epoch && head.version >= version {
            return Ok(true);
        }
        if live.lock().standing == Standing::Current {
            let conflict = JournalError::Conflict { stream, expected: version, actual: head.version };
            self.broke(live, &conflict);
            return Err(conflict.into());
        }
        Ok(false)
    }

    fn say(
        self: &Arc<Self>,
        live: &Arc<LiveTask>,
        command: &SendCommand,
        enclosed: &Enclosed,
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
        if command.if_generation.is_some_and(|generation| generation != task.generation) {
            let (task, actual) = (live.id.clone(), task.generation);
            return Err(Refused::Because(EngineError::GenerationMismatch { task, actual }));
        }
        keeps_mode(task, &pinned.spec, &command.message).map_err(|refused| Refused::Because(refused.into()))?;
        let autonomous = task.autonomous || pinned.spec.autonomous;
        takes_callers_tools(&pinned.spec, autonomous, command.wishes.as_deref())
            .map_err(|refused| Refused::Because(refused.into()))?;
        let message = command.message.clone().within(&task.context, &live.id);
        let heard = hear(task, message, self.ports.clock.now()).map_err(|refused| Refused::Because(refused.into()))?;
        let mut after = task.clone();
        let now = self.ports.clock.now();
        let mut events = heard.events;
        events.extend(command.wishes.clone().map(|wishes| TaskEvent::Wished { wishes }));
        for event in &events {
            after.apply(now, event).map_err(|illegal| Refused::Because(internal(&illegal.to_string())))?;
        }
        if heard.resumes {
            events.extend(self.start_run(&after, pinned));
        } else if task.state == TaskState::InputRequired {
            let asked = asked_of_caller(&after, &pinned.spec);
            events.push(asking(&self.ports, &after, &asked));
        }
        let beside = enclosed.beside(self, &live.owner, &live.id, task.version).map_err(Refused::Because)?;
        let drive = heard.resumes && !cell.driven;
        cell.driven |= drive;
        // One question is one trace, however often it is answered in between.
        cell.trace = cell.trace.take().or(command.trace.clone());
        let ears = Ears::open(&live.feed, listen, cell.task.version);
        let receipt = live.commit_locked(&mut cell, self.journal(), &*self.ports.clock, events, beside);
        let receipt = receipt.map_err(|stopped| match stopped {
            Stopped::Retired => Refused::Retired,
            Stopped::Illegal(illegal) => Refused::Because(internal(&illegal.to_string())),
        })?;
        if heard.resumes {
            cell.begun = cell.task.run.as_ref().and_then(|run| run.open.clone());
            cell.session = Some(pinned.session.clone());
        }
        let task = cell.task.clone();
        drop(cell);
        if heard.resumes {
            self.tell_parent(&task);
        } else if !heard.passed.is_empty() {
            self.pass_down_beside(live);
        }
        Ok(Queued { live: Arc::clone(live), task, receipt: Some(receipt), drive, ears })
    }
}
