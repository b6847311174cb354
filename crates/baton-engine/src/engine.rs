//! The handle that surfaces hold.

use crate::{EngineError, ListTasks, SendCommand, Sent, Subscription, TaskPage, TaskRef};
use baton_ports::{AgentSource, Clock, Ids, Journal, Models, StoredEvent, ToolHost};
use baton_types::{Principal, TaskView};
use std::{sync::Arc, time::Duration};

/// Bounds of the engine.
#[derive(Clone, Debug)]
pub struct Options {
    /// Runs at the same time; more wait their turn.
    pub max_runs: usize,
    /// Handoffs in a chain.
    pub max_handoff_depth: usize,
    /// A handoff without its own deadline fails after this long.
    pub handoff_timeout: Duration,
    /// Who holds leases; unique per process.
    pub holder: String,
}

/// The world that the engine drives.
#[derive(Clone)]
pub struct Ports {
    /// Where facts become true.
    pub journal: Arc<dyn Journal>,
    /// Who answers.
    pub models: Arc<dyn Models>,
    /// Who acts.
    pub tools: Arc<dyn ToolHost>,
    /// Who is served.
    pub agents: Arc<dyn AgentSource>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Fresh ids.
    pub ids: Arc<dyn Ids>,
}

/// Cheap to clone; every surface has one.
#[derive(Clone)]
pub struct Engine {}

#[allow(unused_variables, clippy::unused_async, clippy::unimplemented)]
impl Engine {
    /// An engine at rest; call [`Engine::recover`] to take up unfinished runs.
    pub fn new(options: Options, ports: Ports) -> Self {
        unimplemented!()
    }
    /// Takes up every unfinished run under a new epoch; returns how many.
    pub async fn recover(&self) -> Result<usize, EngineError> {
        unimplemented!()
    }
    /// Sends and returns as soon as the journal has it.
    pub async fn send(&self, principal: &Arc<Principal>, command: SendCommand) -> Result<Sent, EngineError> {
        unimplemented!()
    }
    /// Sends and waits until the task ends or needs input.
    pub async fn send_and_settle(
        &self,
        principal: &Arc<Principal>,
        command: SendCommand,
    ) -> Result<Arc<TaskView>, EngineError> {
        unimplemented!()
    }
    /// Sends and follows; the stream ends when the task ends or needs input (`AuthRequired` keeps it open).
    pub async fn send_and_follow(
        &self,
        principal: &Arc<Principal>,
        command: SendCommand,
    ) -> Result<Subscription, EngineError> {
        unimplemented!()
    }
    /// One task.
    pub async fn task(&self, principal: &Arc<Principal>, task: &TaskRef) -> Result<Arc<TaskView>, EngineError> {
        unimplemented!()
    }
    /// A page of the caller's tasks.
    pub async fn tasks(&self, principal: &Arc<Principal>, query: &ListTasks) -> Result<TaskPage, EngineError> {
        unimplemented!()
    }
    /// Cancels, and returns when the journal has it; canceling a canceled task is fine.
    pub async fn cancel(&self, principal: &Arc<Principal>, task: &TaskRef) -> Result<Arc<TaskView>, EngineError> {
        unimplemented!()
    }
    /// Follows a task to its end. With a cursor: the task as of that event, then every event after it (also of an ended
    /// task). Without: the task as it is, then live; an ended task is refused with `TaskFinished`.
    pub async fn subscribe(
        &self,
        principal: &Arc<Principal>,
        task: &TaskRef,
        cursor: Option<u64>,
    ) -> Result<Subscription, EngineError> {
        unimplemented!()
    }
    /// Stored events of a task with numbers above `after`.
    pub async fn events(
        &self,
        principal: &Arc<Principal>,
        task: &TaskRef,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Arc<StoredEvent>>, EngineError> {
        unimplemented!()
    }
    /// Whether new work is accepted and the journal works.
    pub fn ready(&self) -> bool {
        unimplemented!()
    }
    /// Stops taking work and lets runs reach their next journaled event, for at most `bound`.
    pub async fn shutdown(&self, bound: Duration) {
        unimplemented!()
    }
}
