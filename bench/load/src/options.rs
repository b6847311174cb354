//! Command-line options.

use crate::protocol::{A2aProtocol, LoadProtocol};
use std::{net::SocketAddr, time::Duration};

/// The measured operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadMode {
    /// `SendMessage` until the task completes; a response without streaming.
    Send,
    /// `SendStreamingMessage` to the end of the stream; a streamed response.
    Stream,
    /// `SendMessage` with `returnImmediately`.
    Submit,
}

/// Upper bound of the rate, in requests per second.
const MAX_RATE: f64 = 100_000.0;

/// End of the measurement.
#[derive(Clone, Copy, Debug)]
pub enum LoadLimit {
    /// After this number of requests.
    Count(u64),
    /// After this time.
    Time {
        /// Warm-up time, not measured.
        warmup: Duration,
        /// Measured time.
        measured: Duration,
    },
}

impl LoadLimit {
    /// Whether request `number` is beyond the limit; time limits are extended by `max_wait`.
    pub fn is_reached(self, number: u64, elapsed: Duration, max_wait: Duration) -> bool {
        match self {
            Self::Count(count) => number >= count,
            Self::Time { warmup, measured } => elapsed >= warmup + measured + max_wait,
        }
    }

    /// Whether a reply at this time since the start counts.
    pub fn is_measured(self, elapsed: Duration) -> bool {
        match self {
            Self::Count(_) => true,
            Self::Time { warmup, measured } => (warmup..warmup + measured).contains(&elapsed),
        }
    }
}

/// Options of one measurement.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Address of the server.
    pub address: SocketAddr,
    /// Path of the endpoint, without a trailing slash unless it is the root.
    pub path: String,
    /// Protocol.
    pub protocol: LoadProtocol,
    /// Operation; MCP has only one.
    pub mode: LoadMode,
    /// Concurrent connections.
    pub connections: usize,
    /// End of the measurement.
    pub limit: LoadLimit,
    /// Requests per second, regardless of response times; without it, each connection sends its next request after the
    /// response.
    pub rate: Option<f64>,
    /// Text of each message, before the request number.
    pub text: String,
    /// Model of a response request.
    pub model: String,
    /// Expected answer of a server that cannot echo.
    pub expect: Option<String>,
}

impl LoadOptions {
    /// Parses the arguments, without the program name.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut url, mut mode, mut connections) = (None, LoadMode::Send, 1);
        let (mut seconds, mut warmup, mut count) = (5.0, 1.0, None);
        let (mut text, mut model, mut expect) = ("hello".to_owned(), "echo".to_owned(), None);
        let mut rate = None;
        let mut protocol = "jsonrpc".to_owned();
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
            let invalid = || format!("{name} {value}: invalid value");
            match name.as_str() {
                "--url" => url = Some(value),
                "--mode" => {
                    mode = match value.as_str() {
                        "send" => LoadMode::Send,
                        "stream" => LoadMode::Stream,
                        "submit" => LoadMode::Submit,
                        _ => return Err(invalid()),
                    }
                }
                "--protocol" => protocol = value,
                "--connections" => connections = value.parse().map_err(|_| invalid())?,
                "--seconds" => seconds = value.parse().map_err(|_| invalid())?,
                "--warmup" => warmup = value.parse().map_err(|_| invalid())?,
                "--count" => count = Some(value.parse().map_err(|_| invalid())?),
                "--rate" => rate = Some(value.parse().map_err(|_| invalid())?),
                "--text" => text = value,
                "--model" => model = value,
                "--expect" => expect = Some(value),
                _ => return Err(format!("{name}: unknown option")),
            }
        }
        let (address, path) = split_url(&url.ok_or("--url is required")?)?;
        let protocol = LoadProtocol::parse(&protocol).ok_or_else(|| format!("--protocol {protocol}: invalid value"))?;
        if mode == LoadMode::Submit && protocol != LoadProtocol::A2a(A2aProtocol::JSON_RPC) {
            return Err("--mode submit requires --protocol jsonrpc".to_owned());
        }
        if rate.is_some_and(|rate: f64| !(rate > 0.0 && rate <= MAX_RATE)) {
            return Err(format!("--rate needs a number up to {MAX_RATE}"));
        }
        let limit = match count {
            Some(count) => LoadLimit::Count(count),
            None => {
                LoadLimit::Time { warmup: Duration::from_secs_f64(warmup), measured: Duration::from_secs_f64(seconds) }
            }
        };
        Ok(Self { address, path, protocol, mode, connections, limit, rate, text, model, expect })
    }
}

/// Accepts plain HTTP on loopback only: a benchmark over a network measures the network.
fn split_url(url: &str) -> Result<(SocketAddr, String), String> {
    let rest = url.strip_prefix("http://").ok_or_else(|| format!("{url}: only http:// is supported"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let address: SocketAddr =
        host.replace("localhost", "127.0.0.1").parse().map_err(|_| format!("{url}: needs an address and a port"))?;
    if !address.ip().is_loopback() {
        return Err(format!("{url}: only loopback addresses are supported"));
    }
    Ok((address, format!("/{}", path.trim_end_matches('/'))))
}
