//! Sends one request to one target and interprets the response.

mod answer;
mod connection;
mod grpc;
mod http;

use crate::{OtlpProtocol, Route, Signal, request_body::ExportRequestBody};
use baton_outbound::{SecretRedactor, Target};
use connection::TargetConnection;
use std::time::Duration;
use tokio::{net::TcpStream, sync::OnceCell};

/// Timeout of the connection probe.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);
/// Size before compression below which a message is never too large.
const SMALL_MESSAGE_BYTES: usize = 64 * 1024;

/// Outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExportOutcome {
    /// Accepted, except for `rejected` items, with the reason.
    Accepted { rejected: u64, message: String },
    /// Temporary failure, with the requested retry delay if any.
    RetryLater { after: Option<Duration>, reason: String },
    /// The request is too large.
    TooLarge(String),
    /// The request is too large or the rate limit is reached; the target does not distinguish.
    Exhausted(String),
    /// The payload is permanently rejected.
    Rejected(String),
    /// All requests fail until a setting is changed here or at the target.
    Misconfigured(String),
    /// Server error, possibly caused by the payload.
    ServerError(String),
}

/// Sends request bodies to one address.
pub(crate) struct OtlpSender {
    signal: Signal,
    route: Route,
    /// Redacts the secrets of requests from responses.
    redactor: SecretRedactor,
    /// Whether to probe for a listener before connecting.
    probes_first: bool,
    connection: OnceCell<TargetConnection>,
}

impl OtlpSender {
    /// Sender for a configured target.
    pub(crate) fn new(signal: Signal, route: Route) -> Self {
        Self {
            signal,
            redactor: SecretRedactor::from_headers(&route.headers),
            route,
            probes_first: false,
            connection: OnceCell::new(),
        }
    }

    /// Sender for a default target, which may not exist: checking for it must be cheap.
    pub(crate) fn with_probe(signal: Signal, route: Route) -> Self {
        Self { probes_first: true, ..Self::new(signal, route) }
    }

    pub(crate) fn route(&self) -> &Route {
        &self.route
    }

    /// Probes for a listener if this is a default target: preparing a request costs more.
    pub(crate) async fn probe(&self) -> Result<(), String> {
        if self.probes_first && !self.connection.initialized() { probe_url(&self.route.url).await } else { Ok(()) }
    }

    /// Sends a body encoded for this route.
    pub(crate) async fn send(&self, packed: &ExportRequestBody) -> ExportOutcome {
        if let Err(reason) = self.probe().await {
            return ExportOutcome::RetryLater { after: None, reason };
        }
        let line = match self.connection.get_or_try_init(|| TargetConnection::open(&self.route, self.signal)).await {
            Ok(line) => line,
            Err(reason) => return ExportOutcome::Misconfigured(reason),
        };
        let delivered = async {
            match self.route.protocol {
                OtlpProtocol::Grpc => grpc::send(line, &self.route, &self.redactor, packed.body.clone()).await,
                OtlpProtocol::Http | OtlpProtocol::Json => {
                    http::send(line, &self.route, &self.redactor, packed.body.clone()).await
                }
            }
        };
        match tokio::time::timeout(self.route.timeout, delivered).await {
            Ok(ExportOutcome::Exhausted(reason)) if packed.length <= SMALL_MESSAGE_BYTES => {
                ExportOutcome::RetryLater { after: None, reason }
            }
            Ok(delivery) => delivery,
            Err(_) => ExportOutcome::RetryLater {
                after: None,
                reason: format!("no answer within {} ms", self.route.timeout.as_millis()),
            },
        }
    }
}

/// Checks for a TCP listener; a full client would first load the system's certificates.
async fn probe_url(url: &str) -> Result<(), String> {
    let target = Target::parse(url).map_err(|error| error.to_string())?;
    let connecting = TcpStream::connect((target.host(), target.port()));
    match tokio::time::timeout(PROBE_TIMEOUT, connecting).await {
        Ok(connected) => connected.map(drop).map_err(|error| error.to_string()),
        Err(_) => Err("the connection timed out".to_owned()),
    }
}
