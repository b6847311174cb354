//! Asking a peer for its stream or its task, and what its refusals mean.

use super::driver::{Follow, How};
use crate::{CallError, Heard, Hearing};
use baton_ports::PeerError;
use baton_wire::a2a::v1::{ErrorKind, GetTaskRequest, SubscribeToTaskRequest, Task};
use futures_util::{FutureExt as _, StreamExt as _};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long a stream that was asked to go on from an event may take to show that it does.
const PROOF: Duration = Duration::from_secs(2);

/// How often a peer may say that it does not stream a task which it has.
const REFUSALS: u32 = 3;

/// Most events that are looked through for what the task in full has already.
const EARLY: usize = 1024;

/// How often the task in full is asked for before it is believed as heard.
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

    /// The task has ended, there is none, or the peer does not stream it: the task in full tells.
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
        // A peer that is starting may have its tasks before it streams them, and what was missed is told best there.
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

    /// Looks at the task in full.
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

    /// The task in full, to be sure; `None` when it cannot be had.
    pub(super) async fn truth(&mut self) -> Option<Task<'static>> {
        for attempt in 0..TRUTHS {
            match self.get().await {
                Ok(task) => return Some(task),
                Err(error) => tracing::debug!(%error, "a remote agent's task could not be read to make sure"),
            }
            sleep(Duration::from_millis(200) * (attempt + 1)).await;
        }
        None
    }

    /// Takes a stream up that does not begin with the task: the task is read beside it.
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

/// The peer has no such task.
pub(crate) fn is_missing(error: &CallError) -> bool {
    is(error, ErrorKind::TaskNotFound)
}

/// The task has ended, or the peer does not do this.
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
