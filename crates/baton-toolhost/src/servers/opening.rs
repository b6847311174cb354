//! Protocol handshake with detection of the server's era.
//!
//! `server/discover` is sent first as a probe. A server that answers it uses the newer protocol. After any other
//! response or a timeout, `initialize` is sent on the same connection. If the connection closes, a new connection
//! starts with `initialize`. A late response to the probe still counts when `initialize` fails.

use super::{
    HostSettings,
    flights::{Flights, Notice},
    handler::Handler,
    lease::{Lease, PROBE_ID, answers_probe},
    spans::Spans,
};
use crate::{Attempt, Connect, ConnectError, Link, Target};
use baton_telemetry::{current, names};
use baton_types::{McpEra, TraceContext};
use rmcp::{
    RoleClient,
    model::{
        ClientJsonRpcMessage, ClientRequest, DiscoverRequest, DiscoverRequestParams, DiscoverResult, ErrorCode,
        ErrorData, JsonRpcMessage, ProtocolVersion, RequestId, RequestMetaObject, ServerPeerInfo, ServerResult,
    },
    service::{
        ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, RunningService, Service as _, serve_directly,
    },
    transport::Transport as _,
};
use std::{
    error::Error,
    io::{self, ErrorKind},
    sync::Arc,
    time::Duration,
};
use tokio::sync::mpsc;

/// Maximum queued change notices; one refresh covers any excess.
const MAX_NOTICES: usize = 64;

/// Maximum wait for the reason of a connection that cannot be written to.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Detected protocol era of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    Modern,
    Legacy,
}

/// A connection after the handshake.
pub(super) struct Opened {
    pub(super) service: RunningService<RoleClient, Handler>,
    pub(super) flights: Arc<Flights>,
    pub(super) notices: mpsc::Receiver<Notice>,
    pub(super) era: Era,
}

/// Result of the probe.
enum Probed {
    Modern(DiscoverResult),
    /// Not understood; the connection can be used for `initialize`.
    Legacy,
    /// No response yet.
    Silent,
    /// The connection is closed.
    Gone(ClientInitializeError),
    /// The server uses the newer protocol and rejects this client.
    Refused(ErrorData),
}

/// Opens connections to one server.
pub(super) struct Opener<'a> {
    pub(super) connect: &'a dyn Connect,
    pub(super) target: Target<'a>,
    pub(super) settings: &'a HostSettings,
}

impl Opener<'_> {
    /// Opens a connection; `known` is the era detected before.
    pub(super) async fn open(&self, known: Option<Era>) -> Result<Opened, ConnectError> {
        match (self.target.server.era, known) {
            (McpEra::Legacy, _) | (McpEra::Auto, Some(Era::Legacy)) => self.legacy(Attempt::Initialize).await,
            (McpEra::Modern, _) | (McpEra::Auto, Some(Era::Modern)) => self.modern().await,
            (McpEra::Auto, None) => self.probe().await,
        }
    }

    async fn modern(&self) -> Result<Opened, ConnectError> {
        let mut link = self.connect.open(self.target, Attempt::Discover).await?;
        match self.discover(&mut link, None).await {
            Probed::Modern(result) if supports_modern(&result) => Ok(self.serve(link, result)),
            Probed::Gone(failure) => Err(self.explained(&failure)),
            Probed::Refused(error) => Err(self.refused(&error)),
            Probed::Modern(_) | Probed::Legacy | Probed::Silent => Err(ConnectError::Failed {
                reason: "it does not support MCP 2026-07-28".to_owned(),
                hint: format!("remove the era from its entry in {}, or update the server", self.target.server.file),
            }),
        }
    }

    async fn probe(&self) -> Result<Opened, ConnectError> {
        let mut link = self.connect.open(self.target, Attempt::Discover).await?;
        match self.discover(&mut link, Some(self.settings.probe)).await {
            Probed::Modern(result) if supports_modern(&result) => return Ok(self.serve(link, result)),
            Probed::Modern(_) | Probed::Legacy | Probed::Silent => {}
            Probed::Refused(error) => return Err(self.refused(&error)),
            Probed::Gone(failure) => {
                if let login @ ConnectError::NeedsLogin { .. } = self.explained(&failure) {
                    return Err(login);
                }
                drop(link);
                self.forgive();
                return self.legacy(Attempt::Initialize).await;
            }
        }
        match self.initialize(link).await {
            // Some servers exit when they read the probe, even late.
            Err(failure) if is_closed(&failure) => {
                self.forgive();
                self.legacy(Attempt::Initialize).await
            }
            Err(failure) => self.older(failure).await,
            Ok(opened) => Ok(opened),
        }
    }

    async fn legacy(&self, attempt: Attempt) -> Result<Opened, ConnectError> {
        let link = self.connect.open(self.target, attempt).await?;
        match self.initialize(link).await {
            Ok(opened) => Ok(opened),
            Err(failure) if attempt == Attempt::Older => Err(self.explained(&failure)),
            Err(failure) => self.older(failure).await,
        }
    }

    async fn older(&self, failure: ClientInitializeError) -> Result<Opened, ConnectError> {
        if !self.connect.has_older(self.target, &failure) {
            return Err(self.explained(&failure));
        }
        let link = self.connect.open(self.target, Attempt::Older).await?;
        self.initialize(link).await.map_err(|failure| self.explained(&failure))
    }

    /// Sends `server/discover` and waits for the response, with an optional timeout.
    async fn discover(&self, link: &mut Link, patience: Option<Duration>) -> Probed {
        let mut span = self.spans().begin("server/discover", None, current());
        let probed = self.discovered(link, patience, span.context()).await;
        if let Probed::Gone(_) | Probed::Refused(_) | Probed::Silent = &probed {
            span.fail("not_answered", "the server did not report its capabilities");
        }
        probed
    }

    async fn discovered(&self, link: &mut Link, patience: Option<Duration>, trace: Option<TraceContext>) -> Probed {
        let info = self.handler().0.get_info();
        let mut request = DiscoverRequest::new(DiscoverRequestParams {});
        let version = ProtocolVersion::V_2026_07_28;
        let mut meta = RequestMetaObject::with_client_context(version, info.client_info, info.capabilities);
        if let Some(trace) = trace {
            meta.set_traceparent(trace.to_string());
        }
        request.extensions.insert(meta);
        let message =
            ClientJsonRpcMessage::request(ClientRequest::DiscoverRequest(request), RequestId::Number(PROBE_ID));
        let answered = async {
            let mut is_repeated = false;
            if let Err(error) = link.send(message.clone()).await {
                return Probed::Gone(ClientInitializeError::transport::<Link>(error, "send discover request"));
            }
            while let Some(received) = link.receive().await {
                match received {
                    // A gateway may learn its protocol version from the first request that it rejects.
                    JsonRpcMessage::Error(error)
                        if error.id.as_ref().is_none_or(answers_probe)
                            && offers_modern(&error.error)
                            && !is_repeated =>
                    {
                        is_repeated = true;
                        if let Err(error) = link.send(message.clone()).await {
                            let failure = ClientInitializeError::transport::<Link>(error, "send discover request");
                            return Probed::Gone(failure);
                        }
                    }
                    JsonRpcMessage::Response(response) if answers_probe(&response.id) => {
                        return match response.result {
                            ServerResult::DiscoverResult(result) => Probed::Modern(result),
                            _ => Probed::Legacy,
                        };
                    }
                    JsonRpcMessage::Error(error) if error.id.as_ref().is_none_or(answers_probe) => {
                        return match error.error.code {
                            ErrorCode::HEADER_MISMATCH | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => {
                                Probed::Refused(error.error)
                            }
                            _ => Probed::Legacy,
                        };
                    }
                    _ => {}
                }
            }
            Probed::Gone(ClientInitializeError::ConnectionClosed("discover response".to_owned()))
        };
        match patience {
            Some(patience) => tokio::time::timeout(patience, answered).await.unwrap_or(Probed::Silent),
            None => answered.await,
        }
    }

    fn serve(&self, link: Link, result: DiscoverResult) -> Opened {
        let (handler, flights, notices) = self.handler();
        let lease = Lease::new(link, Arc::clone(&flights), self.target.log.clone());
        let info = ServerPeerInfo::from_discover_result(ProtocolVersion::V_2026_07_28, result);
        let service = serve_directly(handler, lease, Some(info));
        Opened { service, flights, notices, era: Era::Modern }
    }

    async fn initialize(&self, link: Link) -> Result<Opened, ClientInitializeError> {
        let mut span = self.spans().begin("initialize", None, current());
        let opened = self.initialized(link).await;
        match &opened {
            Ok(opened) => {
                let version = opened.service.peer().peer_info().map(|info| info.protocol_version.to_string());
                span.set_some(names::MCP_PROTOCOL_VERSION, version);
            }
            Err(_) => span.fail("not_answered", "the server could not be opened"),
        }
        opened
    }

    async fn initialized(&self, link: Link) -> Result<Opened, ClientInitializeError> {
        let (handler, flights, notices) = self.handler();
        let lease = Lease::new(link, Arc::clone(&flights), self.target.log.clone());
        let (returned, late) = (lease.returned(), lease.late());
        match handler.serve_with_lifecycle(lease, ClientLifecycleMode::Initialize).await {
            Ok(service) => {
                let speaks = service.peer().peer_info().map(|info| info.protocol_version.clone());
                let is_legacy = speaks.is_none_or(|version| version.has_initialize());
                let era = if is_legacy { Era::Legacy } else { Era::Modern };
                Ok(Opened { service, flights, notices, era })
            }
            Err(failure) => {
                let (mut link, late) = (returned.lock().take(), late.lock().take());
                if let (Some(link), true) = (&mut link, is_closed(&failure)) {
                    // A connection that cannot be written to may still deliver the reason of its end.
                    let _ = tokio::time::timeout(LAST_WORDS, link.receive()).await;
                }
                match (link, late.filter(supports_modern)) {
                    (Some(link), Some(result)) => Ok(self.serve(link, result)),
                    _ => Err(failure),
                }
            }
        }
    }

    fn spans(&self) -> Spans {
        Spans::new(self.settings, self.target.server)
    }

    fn handler(&self) -> (Handler, Arc<Flights>, mpsc::Receiver<Notice>) {
        let (notices, noticed) = mpsc::channel(MAX_NOTICES);
        let flights = Flights::new(notices);
        let handler = Handler { flights: Arc::clone(&flights), implementation: self.settings.implementation.clone() };
        (handler, flights, noticed)
    }

    /// Clears the fault, which the probe caused.
    fn forgive(&self) {
        let _ = self.target.log.take_fault();
    }

    fn refused(&self, error: &ErrorData) -> ConnectError {
        ConnectError::Failed {
            reason: format!("it refused to report its capabilities: {}", error.message),
            hint: "update the server, or write `era: legacy` into its entry".to_owned(),
        }
    }

    /// User-facing error of a failed handshake; of the server's data it quotes only the error message.
    fn explained(&self, failure: &ClientInitializeError) -> ConnectError {
        if let Some(better) = self.connect.explain(self.target, failure) {
            return better;
        }
        let server = self.target.server;
        if failure.is_authorization_required() {
            return ConnectError::NeedsLogin {
                reason: "it requires a login".to_owned(),
                hint: format!("log in at the server, or put a token into its headers in {}", server.file),
            };
        }
        let fault = self.target.log.take_fault();
        let reason = match failure {
            closed if is_closed(closed) => {
                fault.unwrap_or_else(|| "it closed the connection before it was ready".to_owned())
            }
            ClientInitializeError::JsonRpcError(error) => format!("it refused to start: {}", error.message),
            ClientInitializeError::TransportError { error, .. } => {
                fault.unwrap_or_else(|| format!("it could not be reached: {}", error.error))
            }
            _ => fault.unwrap_or_else(|| "it answered something that is not MCP".to_owned()),
        };
        ConnectError::Failed { reason, hint: format!("see its log, and check its entry in {}", server.file) }
    }
}

/// Whether the other side closed the connection, detected by a read or a write.
fn is_closed(failure: &ClientInitializeError) -> bool {
    match failure {
        ClientInitializeError::ConnectionClosed(_) => true,
        ClientInitializeError::TransportError { error, .. } => {
            let closed = [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset, ErrorKind::NotConnected];
            let mut next: Option<&(dyn Error + 'static)> = Some(error.error.as_ref());
            while let Some(error) = next {
                if error.downcast_ref::<io::Error>().is_some_and(|error| closed.contains(&error.kind())) {
                    return true;
                }
                next = error.source();
            }
            false
        }
        _ => false,
    }
}

fn supports_modern(result: &DiscoverResult) -> bool {
    result.supported_versions.contains(&ProtocolVersion::V_2026_07_28)
}

/// Whether a version rejection lists the requested version as supported.
fn offers_modern(error: &ErrorData) -> bool {
    let supported = error.data.as_ref().and_then(|data| data.get("supported")?.as_array());
    error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        && supported
            .is_some_and(|versions| versions.iter().any(|version| version == ProtocolVersion::V_2026_07_28.as_str()))
}
