//! A request in flight, until it ends or the server asks a question.

use super::{
    CallEvents, ServerError,
    connection::Connection,
    flights::{FlightEvent, FlightGuard},
    hidden::without_secrets,
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
pub(super) enum Step {
    Done(ServerResult),
    Asks { key: String, request: InputRequest, reply: oneshot::Sender<Result<Value, ErrorData>> },
}

/// Permit to be in flight.
pub(super) struct Turn {
    pub(super) _lock: Lock,
    pub(super) _room: OwnedSemaphorePermit,
}

/// Shared with other calls, or exclusive on a connection whose calls run one at a time.
pub(super) enum Lock {
    Shared { _lock: OwnedRwLockReadGuard<()> },
    Alone { _lock: OwnedRwLockWriteGuard<()> },
}

/// A request in flight; dropping it cancels it at the server.
pub(super) struct Running {
    handle: Option<RequestHandle<RoleClient>>,
    events: mpsc::Receiver<FlightEvent>,
    flight: FlightGuard,
    connection: Arc<Connection>,
    _turn: Turn,
    idle: Duration,
    left: Duration,
    asked: u32,
}

impl Running {
    pub(super) fn new(
        connection: Arc<Connection>,
        handle: RequestHandle<RoleClient>,
        flight: FlightGuard,
        events: mpsc::Receiver<FlightEvent>,
        turn: Turn,
        (idle, total): (Duration, Duration),
    ) -> Self {
        Self { handle: Some(handle), events, flight, connection, _turn: turn, idle, left: total, asked: 0 }
    }

    /// The connection of the request.
    pub(super) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// Runs until the result or a question; the time between two runs does not count against the timeouts.
    pub(super) async fn drive(&mut self, listener: Option<&dyn CallEvents>) -> Result<Step, ServerError> {
        let began = Instant::now();
        let step = self.until_step(began, listener).await;
        self.left = self.left.saturating_sub(began.elapsed());
        if !matches!(step, Ok(Step::Asks { .. }) | Err(ServerError::TimedOut { .. })) {
            self.handle = None;
        }
        step
    }

    async fn until_step(&mut self, began: Instant, listener: Option<&dyn CallEvents>) -> Result<Step, ServerError> {
        let total = began + self.left;
        let mut idle = began + self.idle;
        loop {
            let Some(handle) = self.handle.as_mut() else { return Err(ServerError::Expired) };
            tokio::select! {
                biased;
                Some(event) = self.events.recv() => {
                    idle = Instant::now() + self.idle;
                    if let Some(step) = self.hear(event, listener) {
                        return Ok(step);
                    }
                }
                answer = &mut handle.rx => {
                    return match answer {
                        Ok(Ok(result)) => Ok(Step::Done(result)),
                        Ok(Err(error)) => Err(self.connection.failure(error)),
                        Err(_) => Err(self.connection.broken()),
                    };
                }
                () = self.flight.flights().closed().cancelled() => {
                    return match handle.rx.try_recv() {
                        Ok(Ok(result)) => Ok(Step::Done(result)),
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

    fn hear(&mut self, event: FlightEvent, listener: Option<&dyn CallEvents>) -> Option<Step> {
        match event {
            FlightEvent::Progress(progress) => {
                if let Some(listener) = listener
                    && let Some(progress) = without_secrets(progress, self.connection.log())
                {
                    listener.progress(progress);
                }
                None
            }
            FlightEvent::Log(message) => {
                if let Some(listener) = listener
                    && let Some(message) = without_secrets(message, self.connection.log())
                {
                    listener.log(message);
                }
                None
            }
            FlightEvent::Ask { request, reply } => {
                self.asked += 1;
                let kind = match request {
                    InputRequest::CreateMessage(_) => "sampling",
                    InputRequest::ListRoots(_) => "roots",
                    _ => "elicitation",
                };
                Some(Step::Asks { key: format!("{kind}-{}", self.asked), request, reply })
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        // Without a runtime the connection is closing as well, and no cancellation is needed.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { handle.cancel(Some("the call was canceled".to_owned())).await });
        }
    }
}
