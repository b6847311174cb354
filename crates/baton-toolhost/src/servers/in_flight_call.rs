//! A request in flight, until it ends or the server asks a question.

use super::{
    CallObserver, ServerError,
    connection::ServerConnection,
    in_flight_requests::{InFlightEvent, InFlightGuard},
    redact::redact_secrets,
};
use rmcp::{
    RoleClient,
    model::{ErrorData, InputRequest, ServerResult},
    service::{RequestHandle, ServiceError},
};
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, OwnedSemaphorePermit, mpsc, oneshot},
    time::{Instant, sleep_until},
};

/// Progress of a request.
pub(super) enum CallStep {
    Done(ServerResult),
    InputRequired { key: String, request: InputRequest, reply: oneshot::Sender<Result<Value, ErrorData>> },
}

/// Permit to be in flight.
pub(super) struct CallPermit {
    pub(super) _lock: CallLock,
    pub(super) _room: OwnedSemaphorePermit,
}

/// Shared with other calls, or exclusive on a connection whose calls run one at a time.
pub(super) enum CallLock {
    Shared { _lock: OwnedRwLockReadGuard<()> },
    Exclusive { _lock: OwnedRwLockWriteGuard<()> },
}

/// A request in flight; dropping it cancels it at the server.
pub(super) struct InFlightCall {
    handle: Option<RequestHandle<RoleClient>>,
    events: mpsc::Receiver<InFlightEvent>,
    guard: InFlightGuard,
    connection: Arc<ServerConnection>,
    _permit: CallPermit,
    idle: Duration,
    remaining: Duration,
    question_count: u32,
}

impl InFlightCall {
    pub(super) fn new(
        connection: Arc<ServerConnection>,
        handle: RequestHandle<RoleClient>,
        guard: InFlightGuard,
        events: mpsc::Receiver<InFlightEvent>,
        permit: CallPermit,
        (idle, total): (Duration, Duration),
    ) -> Self {
        Self {
            handle: Some(handle),
            events,
            guard,
            connection,
            _permit: permit,
            idle,
            remaining: total,
            question_count: 0,
        }
    }

    /// The connection of the request.
    pub(super) fn connection(&self) -> &Arc<ServerConnection> {
        &self.connection
    }

    /// Runs until the result or a question; the time between two runs does not count against the timeouts.
    pub(super) async fn drive(&mut self, listener: Option<&dyn CallObserver>) -> Result<CallStep, ServerError> {
        let started = Instant::now();
        let step = self.next_step(started, listener).await;
        self.remaining = self.remaining.saturating_sub(started.elapsed());
        if !matches!(step, Ok(CallStep::InputRequired { .. }) | Err(ServerError::TimedOut { .. })) {
            self.handle = None;
        }
        step
    }

    async fn next_step(
        &mut self,
        started: Instant,
        listener: Option<&dyn CallObserver>,
    ) -> Result<CallStep, ServerError> {
        let total = started + self.remaining;
        let mut idle = started + self.idle;
        loop {
            let Some(handle) = self.handle.as_mut() else { return Err(ServerError::Expired) };
            tokio::select! {
                biased;
                Some(event) = self.events.recv() => {
                    idle = Instant::now() + self.idle;
                    if let Some(step) = self.handle_event(event, listener) {
                        return Ok(step);
                    }
                }
                answer = &mut handle.rx => {
                    return match answer {
                        Ok(Ok(result)) => Ok(CallStep::Done(result)),
                        Ok(Err(error)) => Err(self.connection.failure(error)),
                        Err(_) => Err(self.connection.broken()),
                    };
                }
                () = self.guard.in_flight().closed().cancelled() => {
                    return match handle.rx.try_recv() {
                        Ok(Ok(result)) => Ok(CallStep::Done(result)),
                        Ok(Err(ServiceError::McpError(error))) => Err(self.connection.failure(ServiceError::McpError(error))),
                        _ => Err(self.connection.broken()),
                    };
                }
                () = sleep_until(idle.min(total)) => {
                    let limit = if idle < total { self.idle } else { self.connection.limits().total };
                    return Err(ServerError::TimedOut { server: self.connection.server().to_owned(), limit });
                }
            }
        }
    }

    fn handle_event(&mut self, event: InFlightEvent, listener: Option<&dyn CallObserver>) -> Option<CallStep> {
        match event {
            InFlightEvent::Progress(progress) => {
                if let Some(listener) = listener
                    && let Some(progress) = redact_secrets(progress, self.connection.log())
                {
                    listener.progress(progress);
                }
                None
            }
            InFlightEvent::Log(message) => {
                if let Some(listener) = listener
                    && let Some(message) = redact_secrets(message, self.connection.log())
                {
                    listener.log(message);
                }
                None
            }
            InFlightEvent::Question { request, reply } => {
                self.question_count += 1;
                let kind = match request {
                    InputRequest::CreateMessage(_) => "sampling",
                    InputRequest::ListRoots(_) => "roots",
                    _ => "elicitation",
                };
                Some(CallStep::InputRequired { key: format!("{kind}-{}", self.question_count), request, reply })
            }
        }
    }
}

impl Drop for InFlightCall {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        // Without a runtime the connection is closing as well, and no cancellation is needed.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { handle.cancel(Some("the call was canceled".to_owned())).await });
        }
    }
}
