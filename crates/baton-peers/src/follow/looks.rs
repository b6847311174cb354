//! Subscribing to and polling a task, and the meaning of refusals.

use super::driver::{Follow, How};
use crate::{CallError, Heard, Hearing};
use baton_ports::PeerError;
use baton_wire::a2a::v1::{ErrorKind, GetTaskRequest, SubscribeToTaskRequest, Task};
use futures_util::{FutureExt as _, StreamExt as _};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Maximum wait for proof that a stream resumed from the requested event.
const PROOF: Duration = Duration::from_secs(2);

/// Maximum number of refusals to stream an existing task.
const REFUSALS: u32 = 3;

/// Maximum number of early events compared with the full task.
const EARLY: usize = 1024;

/// Maximum number of attempts to read the full task before the received state is accepted.
const TRUTHS: u32 = 3;

impl Follow {
    pub(super) async fn subscribe(&mut self) -> Result<(), PeerError> {
        let mut with = self.with.clone();
        with.last_event = self.seen.last_event().map(str::to_owned);
        let request = SubscribeToTaskRequest { id: self.id().into(), ..SubscribeToTaskRequest::default() };
        match self.client.binding().subscribe(request, &with).await {
            Ok(hearing) => {
                self.seen.reconnected();
                if self.client.abilities().snapshots {
                    self.hearing = Some(hearing);
                } else {
                    self.join(hearing, with.last_event.is_some()).await?;
                }
                Ok(())
            }
            Err(error) if error.is_refusal() || is_unknown_method(&error) => self.refused(&error).await,
            Err(error) => {
                tracing::debug!(%error, "a remote agent's task could not be subscribed to");
                self.asked_for = error.retry_after();
                Ok(())
            }
        }
    }

    /// Handles a refused subscription: the task has ended, does not exist, or is not streamed. The full task decides.
    pub(super) async fn refused(&mut self, error: &CallError) -> Result<(), PeerError> {
        self.refusals += 1;
        let task = match self.get().await {
            Ok(task) => task,
            Err(error) if is_missing(&error) => return self.miss(&error),
            Err(error) => {
                self.asked_for = error.retry_after();
                return Ok(());
            }
        };
        // A starting peer may have its tasks before it can stream them, and a resumed stream is the best source of
        // missed events.
        let insists = is_ended(error) || is_unknown_method(error) || self.refusals >= REFUSALS;
        if !insists && (is_missing(error) || self.seen.last_event().is_some()) {
            return Ok(());
        }
        if insists {
            self.how = How::Looks;
        }
        self.take(Heard::unnamed(task.into()));
        Ok(())
    }

    /// Polls the full task.
    pub(super) async fn look(&mut self) -> Result<(), PeerError> {
        match self.get().await {
            Ok(task) => {
                self.take(Heard::unnamed(task.into()));
                Ok(())
            }
            Err(error) if is_missing(&error) => self.miss(&error),
            Err(error) => {
                tracing::debug!(%error, "a remote agent's task could not be read");
                self.asked_for = error.retry_after();
                Ok(())
            }
        }
    }

    /// Reads the full task for verification; `None` if it is not available.
    pub(super) async fn truth(&mut self) -> Option<Task<'static>> {
        for attempt in 0..TRUTHS {
            match self.get().await {
                Ok(task) => return Some(task),
                Err(error) => tracing::debug!(%error, "a remote agent's task could not be read for verification"),
            }
            sleep(Duration::from_millis(200) * (attempt + 1)).await;
        }
        None
    }

    /// Joins a stream that does not start with the task: the task is read separately.
    async fn join(&mut self, mut hearing: Hearing, numbered: bool) -> Result<(), PeerError> {
        let mut early = Vec::new();
        if numbered && let Ok(Some(Ok(first))) = timeout(PROOF, hearing.next()).await {
            if first.item.task.is_some() {
                self.take(first);
                self.hearing = Some(hearing);
                return Ok(());
            }
            early.push(first);
        }
        let task = match self.get().await {
            Ok(task) => task,
            Err(error) if is_missing(&error) => return self.miss(&error),
            Err(error) => {
                self.asked_for = error.retry_after();
                return Ok(());
            }
        };
        let mut ended = false;
        while early.len() < EARLY && !ended {
            match hearing.next().now_or_never() {
                Some(Some(Ok(heard))) => early.push(heard),
                Some(_) => ended = true,
                None => break,
            }
        }
        self.take(Heard::unnamed(task.into()));
        for heard in early {
            self.hear(heard).await;
        }
        self.hearing = Some(hearing).filter(|_| !ended);
        Ok(())
    }

    async fn get(&mut self) -> Result<Task<'static>, CallError> {
        let request = GetTaskRequest { id: self.id().into(), ..GetTaskRequest::default() };
        let task = self.client.binding().get(request, &self.with).await?;
        self.alive = Instant::now();
        Ok(task)
    }

    fn id(&self) -> String {
        self.seen.task().unwrap_or_default().to_owned()
    }
}

/// The task does not exist.
pub(crate) fn is_missing(error: &CallError) -> bool {
    is(error, ErrorKind::TaskNotFound)
}

/// The task has ended, or the operation is not supported.
pub(crate) fn is_ended(error: &CallError) -> bool {
    is(error, ErrorKind::UnsupportedOperation) || is(error, ErrorKind::TaskNotCancelable)
}

/// The peer does not know the operation.
pub(crate) fn is_unknown_method(error: &CallError) -> bool {
    is(error, ErrorKind::MethodNotFound) || matches!(error, CallError::Refused { status: 405 | 501, .. })
}

fn is(error: &CallError, kind: ErrorKind) -> bool {
    matches!(error, CallError::Refused { code, .. } if *code == kind.rpc_code())
}
