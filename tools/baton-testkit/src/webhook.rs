//! A push notification receiver with configurable faults that can be closed and reopened at the same address.

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    hash::{BuildHasher as _, RandomState},
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::{JoinHandle, JoinSet},
};

/// Below the range of ephemeral ports: an outgoing connection could otherwise take the port while the receiver is
/// closed, or even connect to itself.
const PORTS: std::ops::Range<u64> = 15_000..32_000;

/// Upper bound of ports to try.
const MAX_PORT_ATTEMPTS: u64 = 100;

/// Longer than the longest retry delay of a notification.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(90);

/// Reaction of a receiver to a notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebhookReaction {
    /// Responds with this status.
    Answer(u16),
    /// Responds with this status and this `Location`.
    Redirect(u16, String),
    /// Closes the connection without a response.
    HangUp,
    /// Does not respond until the behaviour changes, then closes the connection.
    Hang,
}

/// A received notification.
#[derive(Clone, Debug)]
pub struct WebhookArrival {
    /// Request path.
    pub path: String,
    /// Headers by lower-case name.
    pub headers: BTreeMap<String, String>,
    /// The body; a string if it is not JSON.
    pub body: Value,
    /// Reaction of the receiver.
    pub reaction: WebhookReaction,
}

impl WebhookArrival {
    /// Whether the receiver accepted it.
    pub fn is_accepted(&self) -> bool {
        matches!(self.reaction, WebhookReaction::Answer(200..=299))
    }
}

/// A push notification receiver; by default it accepts all notifications.
pub struct Webhook {
    address: SocketAddr,
    shared: Arc<WebhookCore>,
    serving: Option<JoinHandle<()>>,
}

type ReactionFunction = Box<dyn FnMut(&WebhookArrival) -> WebhookReaction + Send>;

struct WebhookCore {
    state: Mutex<WebhookState>,
    /// Changes with every arrival.
    arrived: watch::Sender<usize>,
    /// Changes when the behaviour is replaced.
    behaviour: watch::Sender<u64>,
}

struct WebhookState {
    behave: ReactionFunction,
    arrivals: Vec<WebhookArrival>,
    connections: usize,
}

impl Webhook {
    /// Opens a receiver on a port outside the ephemeral range.
    pub async fn open(ip: IpAddr) -> Result<Self> {
        let hasher = RandomState::new();
        for number in 0..MAX_PORT_ATTEMPTS {
            let port = PORTS.start + hasher.hash_one(number) % (PORTS.end - PORTS.start);
            let address = SocketAddr::new(ip, u16::try_from(port)?);
            if let Ok(listener) = TcpListener::bind(address).await {
                let state = WebhookState {
                    behave: Box::new(|_| WebhookReaction::Answer(204)),
                    arrivals: Vec::new(),
                    connections: 0,
                };
                let shared = Arc::new(WebhookCore {
                    state: Mutex::new(state),
                    arrived: watch::Sender::new(0),
                    behaviour: watch::Sender::new(0),
                });
                let serving = Some(tokio::spawn(accept(listener, Arc::clone(&shared))));
                return Ok(Self { address, shared, serving });
            }
        }
        bail!("no free port at {ip}")
    }

    /// URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets the reaction to notifications from now on; hanging requests are closed.
    pub fn set_reaction(&self, behave: impl FnMut(&WebhookArrival) -> WebhookReaction + Send + 'static) {
        self.shared.lock().behave = Box::new(behave);
        self.shared.behaviour.send_modify(|version| *version += 1);
    }

    /// Closes the receiver: open connections break, new ones are refused by the system.
    pub async fn close(&mut self) {
        if let Some(serving) = self.serving.take() {
            serving.abort();
            // The listener is dropped with the task.
            let _ = serving.await;
        }
    }

    /// Closes the receiver and returns after the given time.
    pub async fn close_for(&mut self, length: Duration) {
        self.close().await;
        tokio::time::sleep(length).await;
    }

    /// Reopens the receiver at the same address.
    pub async fn reopen(&mut self) -> Result<()> {
        self.close().await;
        let listener = TcpListener::bind(self.address).await;
        let listener = listener.with_context(|| format!("{} is in use now", self.address))?;
        self.serving = Some(tokio::spawn(accept(listener, Arc::clone(&self.shared))));
        Ok(())
    }

    /// All received notifications, in order.
    pub fn arrivals(&self) -> Vec<WebhookArrival> {
        self.shared.lock().arrivals.clone()
    }

    /// Number of accepted connections.
    pub fn connections(&self) -> usize {
        self.shared.lock().connections
    }

    /// Waits until the received notifications satisfy `enough`.
    pub async fn wait_until(&self, subject: &str, mut enough: impl FnMut(&[WebhookArrival]) -> bool) -> Result<()> {
        let mut arrived = self.shared.arrived.subscribe();
        let shared = &self.shared;
        let waiting = arrived.wait_for(|_| enough(&shared.lock().arrivals));
        let ended = tokio::time::timeout(ARRIVAL_TIMEOUT, waiting).await.map(|found| found.is_ok());
        match ended {
            Ok(true) => Ok(()),
            _ => bail!(
                "{subject} did not arrive within {ARRIVAL_TIMEOUT:?}; {} notifications arrived",
                self.shared.lock().arrivals.len()
            ),
        }
    }
}

impl Drop for Webhook {
    fn drop(&mut self) {
        if let Some(serving) = &self.serving {
            serving.abort();
        }
    }
}

impl WebhookCore {
    fn lock(&self) -> std::sync::MutexGuard<'_, WebhookState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the arrival together with the reaction to it.
    fn record(&self, mut arrival: WebhookArrival) -> WebhookReaction {
        let mut state = self.lock();
        let conduct = (state.behave)(&arrival);
        arrival.reaction = conduct.clone();
        state.arrivals.push(arrival);
        let count = state.arrivals.len();
        drop(state);
        self.arrived.send_replace(count);
        conduct
    }
}

async fn accept(listener: TcpListener, shared: Arc<WebhookCore>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { return };
                shared.lock().connections += 1;
                connections.spawn(serve(stream, Arc::clone(&shared)));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(stream: TcpStream, shared: Arc<WebhookCore>) {
    let service = service_fn(|request| handle_request(request, &shared));
    // Connection errors are expected; the recorded arrivals count.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn handle_request(request: Request<Incoming>, shared: &WebhookCore) -> Result<Response<Full<Bytes>>> {
    let (head, body) = request.into_parts();
    let bytes = body.collect().await?.to_bytes();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes())));
    let arrival = WebhookArrival {
        path: head.uri.path().to_owned(),
        headers: headers.collect(),
        body: serde_json::from_slice(&bytes).unwrap_or_else(|_| Value::String(text(&bytes))),
        reaction: WebhookReaction::Hang,
    };
    let mut behaviour = shared.behaviour.subscribe();
    let mut reply = Response::new(Full::default());
    match shared.record(arrival) {
        WebhookReaction::Answer(status) => *reply.status_mut() = StatusCode::from_u16(status)?,
        WebhookReaction::Redirect(status, location) => {
            *reply.status_mut() = StatusCode::from_u16(status)?;
            reply.headers_mut().insert(header::LOCATION, location.parse()?);
        }
        WebhookReaction::HangUp => bail!("connection closed"),
        WebhookReaction::Hang => {
            behaviour.changed().await?;
            bail!("connection closed after hanging")
        }
    }
    Ok(reply)
}
