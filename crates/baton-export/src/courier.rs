//! Sends one request to one target and interprets the response.

mod answer;
mod grpc;
mod http;
mod line;

use crate::{Protocol, Route, Signal, pack::Packed};
use baton_outbound::{SecretRedactor, Target};
use line::Line;
use std::time::Duration;
use tokio::{net::TcpStream, sync::OnceCell};

/// Timeout of the connection probe.
const KNOCK: Duration = Duration::from_secs(1);
/// Size before compression below which a message is never too large.
const SMALL: usize = 64 * 1024;

/// Outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// Accepted, except for `rejected` items, with the reason.
    Taken { rejected: u64, said: String },
    /// Temporary failure, with the requested retry delay if any.
    Later { after: Option<Duration>, why: String },
    /// The request is too large.
    TooLarge(String),
    /// The request is too large or the rate limit is reached; the target does not distinguish.
    Exhausted(String),
    /// The payload is permanently rejected.
    Refused(String),
    /// All requests fail until a setting is changed here or at the target.
    Misplaced(String),
    /// Server error, possibly caused by the payload.
    Broken(String),
}

/// Sends request bodies to one address.
pub(crate) struct Courier {
    signal: Signal,
    route: Route,
    /// Redacts the secrets of requests from responses.
    shown: SecretRedactor,
    /// Whether to probe for a listener before connecting.
    knocks: bool,
    line: OnceCell<Line>,
}

impl Courier {
    /// Sender for a configured target.
    pub(crate) fn new(signal: Signal, route: Route) -> Self {
        Self {
            signal,
            shown: SecretRedactor::from_headers(&route.headers),
            route,
            knocks: false,
            line: OnceCell::new(),
        }
    }

    /// Sender for a default target, which may not exist: checking for it must be cheap.
    pub(crate) fn knocking(signal: Signal, route: Route) -> Self {
        Self { knocks: true, ..Self::new(signal, route) }
    }

    pub(crate) fn route(&self) -> &Route {
        &self.route
    }

    /// Probes for a listener if this is a default target: preparing a request costs more.
    pub(crate) async fn knock(&self) -> Result<(), String> {
        if self.knocks && !self.line.initialized() { knock(&self.route.url).await } else { Ok(()) }
    }

    /// Sends a body encoded for this route.
    pub(crate) async fn deliver(&self, packed: &Packed) -> Delivery {
        if let Err(why) = self.knock().await {
            return Delivery::Later { after: None, why };
        }
        let line = match self.line.get_or_try_init(|| Line::open(&self.route, self.signal)).await {
            Ok(line) => line,
            Err(why) => return Delivery::Misplaced(why),
        };
        let delivered = async {
            match self.route.protocol {
                Protocol::Grpc => grpc::send(line, &self.route, &self.shown, packed.body.clone()).await,
                Protocol::Http | Protocol::Json => {
                    http::send(line, &self.route, &self.shown, packed.body.clone()).await
                }
            }
        };
        match tokio::time::timeout(self.route.timeout, delivered).await {
            Ok(Delivery::Exhausted(why)) if packed.length <= SMALL => Delivery::Later { after: None, why },
            Ok(delivery) => delivery,
            Err(_) => {
                Delivery::Later { after: None, why: format!("no answer within {} ms", self.route.timeout.as_millis()) }
            }
        }
    }
}

/// Checks for a TCP listener; a full client would first load the system's certificates.
async fn knock(url: &str) -> Result<(), String> {
    let target = Target::parse(url).map_err(|error| error.to_string())?;
    let connecting = TcpStream::connect((target.host(), target.port()));
    match tokio::time::timeout(KNOCK, connecting).await {
        Ok(connected) => connected.map(drop).map_err(|error| error.to_string()),
        Err(_) => Err("the connection timed out".to_owned()),
    }
}
