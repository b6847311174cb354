//! Where to send, and how.

use crate::standing::place;
use http::HeaderMap;
use std::{fmt, path::PathBuf, time::Duration};

/// How long a request may take unless somebody says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signal {
    /// Spans.
    Traces,
    /// What meters show.
    Metrics,
    /// Lines of the log.
    Logs,
}

impl Signal {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Traces, Self::Metrics, Self::Logs];

    /// Its name in addresses, and in configurations.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Metrics => "metrics",
            Self::Logs => "logs",
        }
    }

    /// The method that takes it over gRPC.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Traces => "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
            Self::Metrics => "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
            Self::Logs => "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
        }
    }
}

/// How requests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// gRPC.
    Grpc,
    /// HTTP with protobuf.
    Http,
    /// HTTP with JSON.
    Json,
}

impl Protocol {
    /// The words that everybody uses for them.
    pub const WORDS: [(&str, Self); 3] =
        [("grpc", Self::Grpc), ("http/protobuf", Self::Http), ("http/json", Self::Json)];

    /// The protocol that an address means when nobody says which.
    pub fn of_address(url: &str) -> Self {
        let authority = url.rsplit("//").next().unwrap_or(url).split('/').next().unwrap_or_default();
        if authority.ends_with(":4317") { Self::Grpc } else { Self::Http }
    }
}

/// Whether bodies are made smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// They are.
    #[default]
    Gzip,
    /// They are not.
    None,
}

/// Where one signal goes.
#[derive(Clone, PartialEq, Eq)]
pub struct Route {
    /// The whole address; over gRPC only its origin matters.
    pub url: String,
    /// How requests are made.
    pub protocol: Protocol,
    /// Whether bodies are made smaller.
    pub compression: Compression,
    /// What every request says as well.
    pub headers: HeaderMap,
    /// How long a request may take.
    pub timeout: Duration,
    /// A PEM file with authorities to trust besides those of the system.
    pub certificate: Option<PathBuf>,
    /// PEM files with a certificate of our own and its key.
    pub identity: Option<(PathBuf, PathBuf)>,
}

impl Route {
    /// A route to that address, with the usual settings.
    pub fn to(url: impl Into<String>, protocol: Protocol) -> Self {
        Self {
            url: url.into(),
            protocol,
            compression: Compression::default(),
            headers: HeaderMap::new(),
            timeout: TIMEOUT,
            certificate: None,
            identity: None,
        }
    }

    /// The address of a signal below an address for all of them.
    pub fn below(endpoint: &str, protocol: Protocol, signal: Signal) -> String {
        match protocol {
            Protocol::Grpc => endpoint.to_owned(),
            Protocol::Http | Protocol::Json => format!("{}/v1/{}", endpoint.trim_end_matches('/'), signal.as_str()),
        }
    }
}

/// Without what may be secret: the values of headers, and all of the address but its origin.
impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route")
            .field("place", &place(&self.url))
            .field("protocol", &self.protocol)
            .field("compression", &self.compression)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("timeout", &self.timeout)
            .field("certificate", &self.certificate)
            .finish_non_exhaustive()
    }
}

/// Somebody who is sent what Baton keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportTarget {
    /// What it is called; its place in the log goes by this name: letters, digits, dashes and underscores.
    pub name: String,
    /// Which signals it is sent, and where to.
    pub routes: Vec<(Signal, Route)>,
    /// Whether it may see what models and tools read and wrote; as everybody else when not given.
    pub content: Option<bool>,
    /// Whether nobody named it: then nothing is held for it, and nobody is told when it is not there.
    pub assumed: bool,
}

impl ExportTarget {
    /// Where a signal goes.
    pub fn route(&self, signal: Signal) -> Option<&Route> {
        self.routes.iter().find(|(other, _)| *other == signal).map(|(_, route)| route)
    }
}
