//! Export targets and routes.

use crate::health::url_origin;
use http::HeaderMap;
use std::{fmt, path::PathBuf, time::Duration};

/// Default timeout of a request.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// An OTLP signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signal {
    /// Spans.
    Traces,
    /// Metrics.
    Metrics,
    /// Log lines.
    Logs,
}

impl Signal {
    /// All signals.
    pub const ALL: [Self; 3] = [Self::Traces, Self::Metrics, Self::Logs];

    /// Name in URLs and in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Metrics => "metrics",
            Self::Logs => "logs",
        }
    }

    /// gRPC method of the signal.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Traces => "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
            Self::Metrics => "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
            Self::Logs => "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
        }
    }
}

/// OTLP transport protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OtlpProtocol {
    /// gRPC.
    Grpc,
    /// HTTP with protobuf.
    Http,
    /// HTTP with JSON.
    Json,
}

impl OtlpProtocol {
    /// Configuration names of the protocols.
    pub const NAMES: [(&str, Self); 3] =
        [("grpc", Self::Grpc), ("http/protobuf", Self::Http), ("http/json", Self::Json)];

    /// Default protocol of an address: gRPC for port 4317, otherwise HTTP.
    pub fn from_url(url: &str) -> Self {
        let authority = url.rsplit("//").next().unwrap_or(url).split('/').next().unwrap_or_default();
        if authority.ends_with(":4317") { Self::Grpc } else { Self::Http }
    }
}

/// Compression of request bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// gzip.
    #[default]
    Gzip,
    /// No compression.
    None,
}

/// Destination of one signal.
#[derive(Clone, PartialEq, Eq)]
pub struct Route {
    /// Full URL; gRPC uses only its origin.
    pub url: String,
    /// Transport protocol.
    pub protocol: OtlpProtocol,
    /// Compression of request bodies.
    pub compression: Compression,
    /// Headers of every request.
    pub headers: HeaderMap,
    /// Timeout of a request.
    pub timeout: Duration,
    /// PEM file with additional trusted root certificates.
    pub certificate: Option<PathBuf>,
    /// PEM files of the client certificate and its key.
    pub identity: Option<(PathBuf, PathBuf)>,
}

impl Route {
    /// Route to this URL with default settings.
    pub fn new(url: impl Into<String>, protocol: OtlpProtocol) -> Self {
        Self {
            url: url.into(),
            protocol,
            compression: Compression::default(),
            headers: HeaderMap::new(),
            timeout: DEFAULT_TIMEOUT,
            certificate: None,
            identity: None,
        }
    }

    /// URL of a signal below a common endpoint.
    pub fn signal_url(endpoint: &str, protocol: OtlpProtocol, signal: Signal) -> String {
        match protocol {
            OtlpProtocol::Grpc => endpoint.to_owned(),
            OtlpProtocol::Http | OtlpProtocol::Json => {
                format!("{}/v1/{}", endpoint.trim_end_matches('/'), signal.as_str())
            }
        }
    }
}

/// Omits secrets: header values and all of the URL except its origin.
impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route")
            .field("place", &url_origin(&self.url))
            .field("protocol", &self.protocol)
            .field("compression", &self.compression)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("timeout", &self.timeout)
            .field("certificate", &self.certificate)
            .finish_non_exhaustive()
    }
}

/// A destination for exported telemetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportTarget {
    /// Name of the target and of its log position: letters, digits, dashes and underscores.
    pub name: String,
    /// Exported signals and their destinations.
    pub routes: Vec<(Signal, Route)>,
    /// Whether content of models and tools is exported; `None` uses the global default.
    pub content: Option<bool>,
    /// Whether this is the default target: no data is retained for it, and failures are not logged as warnings.
    pub is_default: bool,
}

impl ExportTarget {
    /// Destination of a signal.
    pub fn route(&self, signal: Signal) -> Option<&Route> {
        self.routes.iter().find(|(other, _)| *other == signal).map(|(_, route)| route)
    }
}
