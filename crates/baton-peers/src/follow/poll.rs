//! Subscribing to and polling a task, and the meaning of refusals.

use super::driver::{FollowMode, TaskFollower};
use crate::{BindingEvent, BindingEventStream, CallError};
use baton_ports::PeerError;
use baton_wire::a2a::v1::{ErrorKind, GetTaskRequest, SubscribeToTaskRequest, Task};
use futures_util::{FutureExt as _, StreamExt as _};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Maximum wait for proof that a stream resumed from the requested event.
const RESUME_PROOF_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum number of refusals to stream an existing task.
const MAX_STREAM_REFUSALS: u32 = 3;

/// Maximum number of early events compared with the full task.
const MAX_EARLY_EVENTS: usize = 1024;

/// Maximum number of attempts to read the full task before the received state is accepted.
const MAX_TASK_READS: u32 = 3;

impl TaskFollower {
    pub(super) async fn subscribe(&mut self) -> Result<(), PeerError> {
        let mut with = self.with.clone();
        with.last_event = self.seen.last_event().map(str::to_owned);
        let request = SubscribeToTaskRequest { id: self.id().into(), ..SubscribeToTaskRequest::default() };
        match self.client.binding().subscribe(request, &with).await {
            Ok(stream) => {
                self.seen.reconnected();
                if self.client.capabilities().snapshots {
                    self.stream = Some(stream);
                } else {
                    self.join_stream(stream, with.last_event.is_some()).await?;
                }
                Ok(())
            }
            Err(error) if error.is_refusal() || is_unknown_method(&error) => self.handle_refusal(&error).await,
            Err(error) => {
                tracing::debug!(%error, "a remote agent's task could not be subscribed to");
                self.retry_after = error.retry_after();
                Ok(())
            }
        }
    }

    /// Handles a refused subscription: the task has ended, does not exist, or is not streamed. The full task decides.
    pub(super) async fn handle_refusal(&mut self, error: &CallError) -> Result<(), PeerError> {
        self.refusals += 1;
        let task = match self.get().await {
            Ok(task) => task,
            Err(error) if is_missing(&error) => return self.record_not_found(&error),
            Err(error) => {
                self.retry_after = error.retry_after();
                return Ok(());
            }
        };
        // A starting peer may have its tasks before it can stream them, and a resumed stream is the best source of
        // missed events.
        let insists = is_ended(error) || is_unknown_method(error) || self.refusals >= MAX_STREAM_REFUSALS;
        if !insists && (is_missing(error) || self.seen.last_event().is_some()) {
            return Ok(());
        }
        if insists {
            self.mode = FollowMode::Polling;
        }
        self.take(BindingEvent::unnamed(task.into()));
        Ok(())
    }

    /// Polls the full task.
    pub(super) async fn poll_task(&mut self) -> Result<(), PeerError> {
        match self.get().await {
            Ok(task) => {
                self.take(BindingEvent::unnamed(task.into()));
                Ok(())
            }
            Err(error) if is_missing(&error) => self.record_not_found(&error),
            Err(error) => {
                tracing::debug!(%error, "a remote agent's task could not be read");
                self.retry_after = error.retry_after();
                Ok(())
            }
        }
    }

    /// Reads the full task for verification; `None` if it is not available.
    pub(super) async fn read_full_task(&mut self) -> Option<Task<'static>> {
        for attempt in 0..MAX_TASK_READS {
            match self.get().await {
                Ok(task) => return Some(task),
                Err(error) => tracing::debug!(%error, "a remote agent's task could not be read for verification"),
            }
            sleep(Duration::from_millis(200) * (attempt + 1)).await;
        }
        None
    }

    /// Joins a stream that does not start with the task: the task is read separately.
    async fn join_stream(&mut self, mut stream: BindingEventStream, numbered: bool) -> Result<(), PeerError> {
        let mut early = Vec::new();
        if numbered && let Ok(Some(Ok(first))) = timeout(RESUME_PROOF_TIMEOUT, stream.next()).await {
            if first.item.task.is_some() {
                self.take(first);
                self.stream = Some(stream);
                return Ok(());
            }
            early.push(first);
        }
        let task = match self.get().await {
            Ok(task) => task,
            Err(error) if is_missing(&error) => return self.record_not_found(&error),
            Err(error) => {
                self.retry_after = error.retry_after();
                return Ok(());
            }
        };
        let mut ended = false;
        while early.len() < MAX_EARLY_EVENTS && !ended {
            match stream.next().now_or_never() {
                Some(Some(Ok(event))) => early.push(event),
                Some(_) => ended = true,
                None => break,
            }
        }
        self.take(BindingEvent::unnamed(task.into()));
        for event in early {
            self.handle_event(event).await;
        }
        self.stream = Some(stream).filter(|_| !ended);
        Ok(())
    }

    async fn get(&mut self) -> Result<Task<'static>, CallError> {
        let request = GetTaskRequest { id: self.id().into(), ..GetTaskRequest::default() };
        let task = self.client.binding().get(request, &self.with).await?;
        self.last_activity = Instant::now();
        Ok(task)
    }

    fn id(&self) -> String {
        self.seen.task().unwrap_or_default().to_owned()
    }
}

/// The task does not exist.
pub(crate) fn is_missing(error: &CallError) -> bool {
    has_kind(error, ErrorKind::TaskNotFound)
}

/// The task has ended, or the operation is not supported.
pub(crate) fn is_ended(error: &CallError) -> bool {
    has_kind(error, ErrorKind::UnsupportedOperation) || has_kind(error, ErrorKind::TaskNotCancelable)
}

/// The peer does not know the operation.
pub(crate) fn is_unknown_method(error: &CallError) -> bool {
    has_kind(error, ErrorKind::MethodNotFound) || matches!(error, CallError::Refused { status: 405 | 501, .. })
}

fn has_kind(error: &CallError, kind: ErrorKind) -> bool {
    matches!(error, CallError::Refused { code, .. } if *code == kind.rpc_code())
}
