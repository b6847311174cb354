//! One request to one target, and what its answer means.

mod answer;
mod grpc;
mod http;
mod line;

use crate::{Protocol, Route, Signal, pack::Packed};
use baton_outbound::{Shown, Target};
use line::Line;
use std::time::Duration;
use tokio::{net::TcpStream, sync::OnceCell};

/// How long somebody who listens may take to open.
const KNOCK: Duration = Duration::from_secs(1);
/// Bytes of a message that nobody finds too large, before it is compressed.
const SMALL: usize = 64 * 1024;

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// The target has it, but for so many items, for which it gave a reason.
    Taken { rejected: u64, said: String },
    /// Not now; perhaps it said when.
    Later { after: Option<Duration>, why: String },
    /// Not so much at once.
    TooLarge(String),
    /// Not so much at once, or not so often: it does not say which.
    Exhausted(String),
    /// Never: what was sent is not what it takes.
    Refused(String),
    /// Whatever is sent, until somebody changes the settings here or there.
    Misplaced(String),
    /// Something went wrong there, perhaps because of what was sent.
    Broken(String),
}

/// Brings bodies to one address.
pub(crate) struct Courier {
    signal: Signal,
    route: Route,
    /// What requests show that nobody may read in what is answered.
    shown: Shown,
    /// Whether it is looked first if anybody listens there at all.
    knocks: bool,
    line: OnceCell<Line>,
}

impl Courier {
    /// A courier to where somebody was named.
    pub(crate) fn new(signal: Signal, route: Route) -> Self {
        Self { signal, shown: Shown::of(&route.headers), route, knocks: false, line: OnceCell::new() }
    }

    /// A courier to where perhaps nobody is: finding that out must cost nothing.
    pub(crate) fn knocking(signal: Signal, route: Route) -> Self {
        Self { knocks: true, ..Self::new(signal, route) }
    }

    pub(crate) fn route(&self) -> &Route {
        &self.route
    }

    /// Looks whether anybody listens, where that is not certain: preparing what would be sent costs more.
    pub(crate) async fn knock(&self) -> Result<(), String> {
        if self.knocks && !self.line.initialized() { knock(&self.route.url).await } else { Ok(()) }
    }

    /// Sends what was packed for this route.
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

/// Whether somebody listens; a client would read all certificates of the system before it finds out.
async fn knock(url: &str) -> Result<(), String> {
    let target = Target::parse(url).map_err(|error| error.to_string())?;
    let connecting = TcpStream::connect((target.host(), target.port()));
    match tokio::time::timeout(KNOCK, connecting).await {
        Ok(connected) => connected.map(drop).map_err(|error| error.to_string()),
        Err(_) => Err("nobody answers".to_owned()),
    }
}
