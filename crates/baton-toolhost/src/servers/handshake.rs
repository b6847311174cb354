//! Protocol handshake with detection of the server's era.
//!
//! `server/discover` is sent first as a probe. A server that answers it uses the newer protocol. After any other
//! response or a timeout, `initialize` is sent on the same connection. If the connection closes, a new connection
//! starts with `initialize`. A late response to the probe still counts when `initialize` fails.

use super::{
    HostSettings,
    handler::McpClientHandler,
    in_flight_requests::{InFlightRequests, ServerNotice},
    lease::{PROBE_ID, TransportLease, answers_probe},
    spans::RequestSpans,
};
use crate::{BoxedTransport, ConnectAttempt, ConnectError, ConnectTarget, ServerConnector, transport::DirectCalls};
use baton_telemetry::{current_span, names};
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
const CLOSE_REASON_TIMEOUT: Duration = Duration::from_secs(1);

/// Detected protocol era of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProtocolEra {
    Modern,
    Legacy,
}

/// A connection after the handshake.
pub(super) struct NegotiatedConnection {
    pub(super) service: RunningService<RoleClient, McpClientHandler>,
    pub(super) in_flight: Arc<InFlightRequests>,
    pub(super) notices: mpsc::Receiver<ServerNotice>,
    pub(super) era: ProtocolEra,
    /// Calls without the service, if the transport and the protocol permit them.
    pub(super) direct: Option<Arc<DirectCalls>>,
}

/// Result of the probe.
enum ProbeResult {
    Modern(DiscoverResult),
    /// Not understood; the connection can be used for `initialize`.
    Legacy,
    /// No response yet.
    Silent,
    /// The connection is closed.
    Closed(ClientInitializeError),
    /// The server uses the newer protocol and rejects this client.
    Rejected(ErrorData),
}

/// Opens connections to one server.
pub(super) struct ServerHandshake<'a> {
    pub(super) connect: &'a dyn ServerConnector,
    pub(super) target: ConnectTarget<'a>,
    pub(super) settings: &'a HostSettings,
}

impl ServerHandshake<'_> {
    /// Opens a connection; `detected` is the era detected before.
    pub(super) async fn open(&self, detected: Option<ProtocolEra>) -> Result<NegotiatedConnection, ConnectError> {
        match (self.target.server.era, detected) {
            (McpEra::Legacy, _) | (McpEra::Auto, Some(ProtocolEra::Legacy)) => {
                self.legacy(ConnectAttempt::Initialize).await
            }
            (McpEra::Modern, _) | (McpEra::Auto, Some(ProtocolEra::Modern)) => self.modern().await,
            (McpEra::Auto, None) => self.probe().await,
        }
    }

    async fn modern(&self) -> Result<NegotiatedConnection, ConnectError> {
        let mut link = self.connect.open(self.target, ConnectAttempt::Discover).await?;
        match self.discover(&mut link, None).await {
            ProbeResult::Modern(result) if supports_modern(&result) => Ok(self.serve(link, result)),
            ProbeResult::Closed(failure) => Err(self.handshake_error(&failure)),
            ProbeResult::Rejected(error) => Err(self.refused(&error)),
            ProbeResult::Modern(_) | ProbeResult::Legacy | ProbeResult::Silent => Err(ConnectError::Failed {
                reason: "it does not support MCP 2026-07-28".to_owned(),
                hint: format!("remove the era from its entry in {}, or update the server", self.target.server.file),
            }),
        }
    }

    async fn probe(&self) -> Result<NegotiatedConnection, ConnectError> {
        let mut link = self.connect.open(self.target, ConnectAttempt::Discover).await?;
        match self.discover(&mut link, Some(self.settings.probe_timeout)).await {
            ProbeResult::Modern(result) if supports_modern(&result) => return Ok(self.serve(link, result)),
            ProbeResult::Modern(_) | ProbeResult::Legacy | ProbeResult::Silent => {}
            ProbeResult::Rejected(error) => return Err(self.refused(&error)),
            ProbeResult::Closed(failure) => {
                if let login @ ConnectError::NeedsLogin { .. } = self.handshake_error(&failure) {
                    return Err(login);
                }
                drop(link);
                self.clear_fault();
                return self.legacy(ConnectAttempt::Initialize).await;
            }
        }
        match self.initialize(link).await {
            // Some servers exit when they read the probe, even late.
            Err(failure) if is_closed(&failure) => {
                self.clear_fault();
                self.legacy(ConnectAttempt::Initialize).await
            }
            Err(failure) => self.try_older_transport(failure).await,
            Ok(opened) => Ok(opened),
        }
    }

    async fn legacy(&self, attempt: ConnectAttempt) -> Result<NegotiatedConnection, ConnectError> {
        let link = self.connect.open(self.target, attempt).await?;
        match self.initialize(link).await {
            Ok(opened) => Ok(opened),
            Err(failure) if attempt == ConnectAttempt::Older => Err(self.handshake_error(&failure)),
            Err(failure) => self.try_older_transport(failure).await,
        }
    }

    async fn try_older_transport(&self, failure: ClientInitializeError) -> Result<NegotiatedConnection, ConnectError> {
        if !self.connect.has_older_transport(self.target, &failure) {
            return Err(self.handshake_error(&failure));
        }
        let link = self.connect.open(self.target, ConnectAttempt::Older).await?;
        self.initialize(link).await.map_err(|failure| self.handshake_error(&failure))
    }

    /// Sends `server/discover` and waits for the response, with an optional timeout.
    async fn discover(&self, link: &mut BoxedTransport, max_wait: Option<Duration>) -> ProbeResult {
        let mut span = self.spans().begin("server/discover", None, current_span());
        let probed = self.send_probe(link, max_wait, span.context()).await;
        if let ProbeResult::Closed(_) | ProbeResult::Rejected(_) | ProbeResult::Silent = &probed {
            span.fail("not_answered", "the server did not report its capabilities");
        }
        probed
    }

    async fn send_probe(
        &self,
        link: &mut BoxedTransport,
        max_wait: Option<Duration>,
        trace: Option<TraceContext>,
    ) -> ProbeResult {
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
                return ProbeResult::Closed(ClientInitializeError::transport::<BoxedTransport>(
                    error,
                    "send discover request",
                ));
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
                            let failure =
                                ClientInitializeError::transport::<BoxedTransport>(error, "send discover request");
                            return ProbeResult::Closed(failure);
                        }
                    }
                    JsonRpcMessage::Response(response) if answers_probe(&response.id) => {
                        return match response.result {
                            ServerResult::DiscoverResult(result) => ProbeResult::Modern(result),
                            _ => ProbeResult::Legacy,
                        };
                    }
                    JsonRpcMessage::Error(error) if error.id.as_ref().is_none_or(answers_probe) => {
                        return match error.error.code {
                            ErrorCode::HEADER_MISMATCH | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => {
                                ProbeResult::Rejected(error.error)
                            }
                            _ => ProbeResult::Legacy,
                        };
                    }
                    _ => {}
                }
            }
            ProbeResult::Closed(ClientInitializeError::ConnectionClosed("discover response".to_owned()))
        };
        match max_wait {
            Some(max_wait) => tokio::time::timeout(max_wait, answered).await.unwrap_or(ProbeResult::Silent),
            None => answered.await,
        }
    }

    fn serve(&self, link: BoxedTransport, result: DiscoverResult) -> NegotiatedConnection {
        let (handler, in_flight, notices) = self.handler();
        let version = ProtocolVersion::V_2026_07_28;
        let direct = link.remote().cloned();
        let direct = direct.map(|remote| DirectCalls::new(remote, version.clone(), handler.implementation.clone()));
        let lease = TransportLease::new(link, Arc::clone(&in_flight), self.target.log.clone());
        let service = serve_directly(handler, lease, Some(ServerPeerInfo::from_discover_result(version, result)));
        NegotiatedConnection { service, in_flight, notices, era: ProtocolEra::Modern, direct }
    }

    async fn initialize(&self, link: BoxedTransport) -> Result<NegotiatedConnection, ClientInitializeError> {
        let mut span = self.spans().begin("initialize", None, current_span());
        let opened = self.run_initialize(link).await;
        match &opened {
            Ok(opened) => {
                let version = opened.service.peer().peer_info().map(|info| info.protocol_version.to_string());
                span.set_some(names::MCP_PROTOCOL_VERSION, version);
            }
            Err(_) => span.fail("not_answered", "the server could not be opened"),
        }
        opened
    }

    async fn run_initialize(&self, link: BoxedTransport) -> Result<NegotiatedConnection, ClientInitializeError> {
        let (handler, in_flight, notices) = self.handler();
        let lease = TransportLease::new(link, Arc::clone(&in_flight), self.target.log.clone());
        let (returned, late) = (lease.return_slot(), lease.late_probe_result());
        match handler.serve_with_lifecycle(lease, ClientLifecycleMode::Initialize).await {
            Ok(service) => {
                let speaks = service.peer().peer_info().map(|info| info.protocol_version.clone());
                let is_legacy = speaks.is_none_or(|version| version.has_initialize());
                let era = if is_legacy { ProtocolEra::Legacy } else { ProtocolEra::Modern };
                Ok(NegotiatedConnection { service, in_flight, notices, era, direct: None })
            }
            Err(failure) => {
                let (mut link, late) = (returned.lock().take(), late.lock().take());
                if let (Some(link), true) = (&mut link, is_closed(&failure)) {
                    // A connection that cannot be written to may still deliver the reason of its end.
                    let _ = tokio::time::timeout(CLOSE_REASON_TIMEOUT, link.receive()).await;
                }
                match (link, late.filter(supports_modern)) {
                    (Some(link), Some(result)) => Ok(self.serve(link, result)),
                    _ => Err(failure),
                }
            }
        }
    }

    fn spans(&self) -> RequestSpans {
        RequestSpans::new(self.settings, self.target.server)
    }

    fn handler(&self) -> (McpClientHandler, Arc<InFlightRequests>, mpsc::Receiver<ServerNotice>) {
        let (notices, noticed) = mpsc::channel(MAX_NOTICES);
        let in_flight = InFlightRequests::new(notices);
        let handler = McpClientHandler {
            in_flight: Arc::clone(&in_flight),
            implementation: self.settings.implementation.clone(),
        };
        (handler, in_flight, noticed)
    }

    /// Clears the fault, which the probe caused.
    fn clear_fault(&self) {
        let _ = self.target.log.take_fault();
    }

    fn refused(&self, error: &ErrorData) -> ConnectError {
        ConnectError::Failed {
            reason: format!("it refused to report its capabilities: {}", error.message),
            hint: "update the server, or write `era: legacy` into its entry".to_owned(),
        }
    }

    /// User-facing error of a failed handshake; of the server's data it quotes only the error message.
    fn handshake_error(&self, failure: &ClientInitializeError) -> ConnectError {
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
