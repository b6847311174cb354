//! A request in flight, until it ends or the server asks a question.

use super::{
    CallObserver, ServerError,
    connection::ServerConnection,
    in_flight_requests::{InFlightEvent, InFlightGuard},
    redact::redact_secrets,
};
use crate::transport::DirectOutcome;
use baton_ports::BoxFuture;
use rmcp::{
    RoleClient,
    model::{ClientRequest, ErrorData, InputRequest, RequestMetaObject, ServerResult},
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

/// Exchange of a request and its response.
pub(super) enum CallExchange {
    /// Without the service of the MCP library; dropping it cancels the call.
    Direct(BoxFuture<'static, DirectOutcome>),
    /// Through the service.
    Service(RequestHandle<RoleClient>),
}

/// End of an exchange.
#[expect(clippy::large_enum_variant, reason = "the value is taken apart at once, and a box would cost an allocation")]
enum ExchangeOutcome {
    Ended(Result<ServerResult, ServiceError>),
    /// The service continues with the reply.
    Handed(Box<ClientRequest>),
}

impl CallExchange {
    /// Waits for the end. Cancel-safe.
    async fn outcome(&mut self) -> ExchangeOutcome {
        match self {
            Self::Direct(call) => match call.await {
                DirectOutcome::Answered(result) => ExchangeOutcome::Ended(Ok(ServerResult::CallToolResult(result))),
                DirectOutcome::Handed(request) => ExchangeOutcome::Handed(request),
            },
            Self::Service(handle) => {
                ExchangeOutcome::Ended((&mut handle.rx).await.unwrap_or(Err(ServiceError::TransportClosed)))
            }
        }
    }

    /// The result, if it arrived before the connection closed.
    fn try_result(&mut self) -> Option<Result<ServerResult, ServiceError>> {
        match self {
            Self::Direct(_) => None,
            Self::Service(handle) => handle.rx.try_recv().ok(),
        }
    }
}

/// A request in flight; dropping it cancels it at the server.
pub(super) struct InFlightCall {
    exchange: Option<CallExchange>,
    /// Messages of the server; only the service delivers them.
    events: Option<mpsc::Receiver<InFlightEvent>>,
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
        exchange: CallExchange,
        guard: InFlightGuard,
        events: Option<mpsc::Receiver<InFlightEvent>>,
        permit: CallPermit,
        (idle, total): (Duration, Duration),
    ) -> Self {
        Self {
            exchange: Some(exchange),
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
            self.exchange = None;
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
            let Some(exchange) = self.exchange.as_mut() else { return Err(ServerError::Expired) };
            tokio::select! {
                biased;
                Some(event) = receive(&mut self.events) => {
                    idle = Instant::now() + self.idle;
                    if let Some(step) = self.handle_event(event, listener) {
                        return Ok(step);
                    }
                }
                outcome = exchange.outcome() => match outcome {
                    ExchangeOutcome::Ended(Ok(result)) => return Ok(CallStep::Done(result)),
                    ExchangeOutcome::Ended(Err(error)) => return Err(self.connection.failure(error)),
                    ExchangeOutcome::Handed(request) => {
                        self.exchange = None;
                        self.events = Some(self.guard.open_events());
                        let handle = Box::pin(self.connection.send(*request, RequestMetaObject::new())).await?;
                        self.exchange = Some(CallExchange::Service(handle));
                    }
                },
                () = self.guard.in_flight().closed().cancelled() => {
                    return match exchange.try_result() {
                        Some(Ok(result)) => Ok(CallStep::Done(result)),
                        Some(Err(error @ ServiceError::McpError(_))) => Err(self.connection.failure(error)),
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

async fn receive(events: &mut Option<mpsc::Receiver<InFlightEvent>>) -> Option<InFlightEvent> {
    match events {
        Some(events) => events.recv().await,
        None => std::future::pending().await,
    }
}

impl Drop for InFlightCall {
    fn drop(&mut self) {
        let Some(CallExchange::Service(handle)) = self.exchange.take() else { return };
        // Without a runtime the connection is closing as well, and no cancellation is needed.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { handle.cancel(Some("the call was canceled".to_owned())).await });
        }
    }
}
