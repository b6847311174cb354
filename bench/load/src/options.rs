//! What was asked for on the command line.

use crate::protocol::{Protocol, Spoken};
use std::{net::SocketAddr, time::Duration};

/// Which operation is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `SendMessage`, waiting for the task to complete; a response that is not streamed.
    Send,
    /// `SendStreamingMessage`, to the end of the stream; a response that is.
    Stream,
    /// `SendMessage` with `returnImmediately`.
    Submit,
}

/// More in a second could not be sent one by one.
const MAX_RATE: f64 = 100_000.0;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// After this many requests.
    Count(u64),
    /// After this long.
    Time {
        /// Not counted.
        warmup: Duration,
        /// Counted.
        measured: Duration,
    },
}

/// One measurement.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the server listens.
    pub address: SocketAddr,
    /// The path of the endpoint, without a slash at its end unless it is nothing else.
    pub path: String,
    /// What is spoken.
    pub spoken: Spoken,
    /// Which operation; MCP has one.
    pub mode: Mode,
    /// Connections at the same time.
    pub connections: usize,
    /// When to stop.
    pub limit: Limit,
    /// Requests per second, whatever the answers do; without it, each connection sends when it has its answer.
    pub rate: Option<f64>,
    /// What is said, before the number of the request.
    pub text: String,
    /// The model that a response is asked of.
    pub model: String,
    /// What a server answers that cannot echo.
    pub expect: Option<String>,
}

impl Options {
    /// Reads the arguments, without the program's name.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut url, mut mode, mut connections) = (None, Mode::Send, 1);
        let (mut seconds, mut warmup, mut count) = (5.0, 1.0, None);
        let (mut text, mut model, mut expect) = ("hello".to_owned(), "echo".to_owned(), None);
        let mut rate = None;
        let mut spoken = "jsonrpc".to_owned();
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
            let wrong = || format!("{name} {value}: not understood");
            match name.as_str() {
                "--url" => url = Some(value),
                "--mode" => {
                    mode = match value.as_str() {
                        "send" => Mode::Send,
                        "stream" => Mode::Stream,
                        "submit" => Mode::Submit,
                        _ => return Err(wrong()),
                    }
                }
                "--protocol" => spoken = value,
                "--connections" => connections = value.parse().map_err(|_| wrong())?,
                "--seconds" => seconds = value.parse().map_err(|_| wrong())?,
                "--warmup" => warmup = value.parse().map_err(|_| wrong())?,
                "--count" => count = Some(value.parse().map_err(|_| wrong())?),
                "--rate" => rate = Some(value.parse().map_err(|_| wrong())?),
                "--text" => text = value,
                "--model" => model = value,
                "--expect" => expect = Some(value),
                _ => return Err(format!("{name}: unknown option")),
            }
        }
        let (address, path) = split_url(&url.ok_or("--url is required")?)?;
        let spoken = Spoken::named(&spoken).ok_or_else(|| format!("--protocol {spoken}: not understood"))?;
        if mode == Mode::Submit && spoken != Spoken::A2a(Protocol::JSON_RPC) {
            return Err("--mode submit speaks jsonrpc only".to_owned());
        }
        if rate.is_some_and(|rate: f64| !(rate > 0.0 && rate <= MAX_RATE)) {
            return Err(format!("--rate needs a number up to {MAX_RATE}"));
        }
        let limit = match count {
            Some(count) => Limit::Count(count),
            None => Limit::Time { warmup: Duration::from_secs_f64(warmup), measured: Duration::from_secs_f64(seconds) },
        };
        Ok(Self { address, path, spoken, mode, connections, limit, rate, text, model, expect })
    }
}

/// Only plain HTTP on loopback: a benchmark over a network measures the network.
fn split_url(url: &str) -> Result<(SocketAddr, String), String> {
    let rest = url.strip_prefix("http://").ok_or_else(|| format!("{url}: only http:// is spoken"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let address: SocketAddr =
        host.replace("localhost", "127.0.0.1").parse().map_err(|_| format!("{url}: needs an address and a port"))?;
    if !address.ip().is_loopback() {
        return Err(format!("{url}: only loopback is measured"));
    }
    Ok((address, format!("/{}", path.trim_end_matches('/'))))
}
