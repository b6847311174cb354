//! A receiver of notifications that can fail in every way, go away, and come back at the same address.

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

/// Below the ports that systems give to outgoing connections: one of those could take the address during an outage, or
/// even connect to itself.
const PORTS: std::ops::Range<u64> = 15_000..32_000;

/// Ports that are tried.
const TRIES: u64 = 100;

/// Longer than the longest pause between two tries at a notification.
const PATIENCE: Duration = Duration::from_secs(90);

/// What a receiver does about a notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conduct {
    /// Answers with this status.
    Answer(u16),
    /// Answers with this status and says where to go instead.
    Redirect(u16, String),
    /// Ends the connection without a word.
    HangUp,
    /// Says nothing until it is told to behave differently, and hangs up then.
    Hang,
}

/// A notification that arrived.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Where it was sent to.
    pub path: String,
    /// By name in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body; a string when it is not JSON.
    pub body: Value,
    /// What the receiver did about it.
    pub conduct: Conduct,
}

impl Arrival {
    /// Whether the receiver took it.
    pub fn is_taken(&self) -> bool {
        matches!(self.conduct, Conduct::Answer(200..=299))
    }
}

/// A receiver of notifications; it takes all of them unless told otherwise.
pub struct Webhook {
    address: SocketAddr,
    shared: Arc<Shared>,
    serving: Option<JoinHandle<()>>,
}

type Behaviour = Box<dyn FnMut(&Arrival) -> Conduct + Send>;

struct Shared {
    state: Mutex<State>,
    /// Changes with every arrival.
    arrived: watch::Sender<usize>,
    /// Changes with every other behaviour.
    behaviour: watch::Sender<u64>,
}

struct State {
    behave: Behaviour,
    arrivals: Vec<Arrival>,
    connections: usize,
}

impl Webhook {
    /// Opens a receiver at a port that stays its own.
    pub async fn open(ip: IpAddr) -> Result<Self> {
        let hasher = RandomState::new();
        for number in 0..TRIES {
            let port = PORTS.start + hasher.hash_one(number) % (PORTS.end - PORTS.start);
            let address = SocketAddr::new(ip, u16::try_from(port)?);
            if let Ok(listener) = TcpListener::bind(address).await {
                let state = State { behave: Box::new(|_| Conduct::Answer(204)), arrivals: Vec::new(), connections: 0 };
                let shared = Arc::new(Shared {
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

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Decides what to do about every notification from now on; those that hang are hung up on.
    pub fn behave(&self, behave: impl FnMut(&Arrival) -> Conduct + Send + 'static) {
        self.shared.lock().behave = Box::new(behave);
        self.shared.behaviour.send_modify(|version| *version += 1);
    }

    /// Goes away: connections break, and new ones are refused by the system.
    pub async fn close(&mut self) {
        if let Some(serving) = self.serving.take() {
            serving.abort();
            // The listener is gone once the task is.
            let _ = serving.await;
        }
    }

    /// Goes away, and returns after so long.
    pub async fn away(&mut self, length: Duration) {
        self.close().await;
        tokio::time::sleep(length).await;
    }

    /// Comes back at the same address.
    pub async fn reopen(&mut self) -> Result<()> {
        self.close().await;
        let listener = TcpListener::bind(self.address).await;
        let listener = listener.with_context(|| format!("{} was taken meanwhile", self.address))?;
        self.serving = Some(tokio::spawn(accept(listener, Arc::clone(&self.shared))));
        Ok(())
    }

    /// Everything that arrived, in order.
    pub fn arrivals(&self) -> Vec<Arrival> {
        self.shared.lock().arrivals.clone()
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.shared.lock().connections
    }

    /// Waits until enough has arrived.
    pub async fn until(&self, what: &str, mut enough: impl FnMut(&[Arrival]) -> bool) -> Result<()> {
        let mut arrived = self.shared.arrived.subscribe();
        let shared = &self.shared;
        let waiting = arrived.wait_for(|_| enough(&shared.lock().arrivals));
        let ended = tokio::time::timeout(PATIENCE, waiting).await.map(|found| found.is_ok());
        match ended {
            Ok(true) => Ok(()),
            _ => bail!("{what} did not come within {PATIENCE:?}; {} arrived", self.shared.lock().arrivals.len()),
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

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the arrival together with the decision about it.
    fn note(&self, mut arrival: Arrival) -> Conduct {
        let mut state = self.lock();
        let conduct = (state.behave)(&arrival);
        arrival.conduct = conduct.clone();
        state.arrivals.push(arrival);
        let count = state.arrivals.len();
        drop(state);
        self.arrived.send_replace(count);
        conduct
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
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

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let service = service_fn(|request| take(request, &shared));
    // A connection may end in any way; what arrived over it counts.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn take(request: Request<Incoming>, shared: &Shared) -> Result<Response<Full<Bytes>>> {
    let (head, body) = request.into_parts();
    let bytes = body.collect().await?.to_bytes();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes())));
    let arrival = Arrival {
        path: head.uri.path().to_owned(),
        headers: headers.collect(),
        body: serde_json::from_slice(&bytes).unwrap_or_else(|_| Value::String(text(&bytes))),
        conduct: Conduct::Hang,
    };
    let mut behaviour = shared.behaviour.subscribe();
    let mut reply = Response::new(Full::default());
    match shared.note(arrival) {
        Conduct::Answer(status) => *reply.status_mut() = StatusCode::from_u16(status)?,
        Conduct::Redirect(status, location) => {
            *reply.status_mut() = StatusCode::from_u16(status)?;
            reply.headers_mut().insert(header::LOCATION, location.parse()?);
        }
        Conduct::HangUp => bail!("hung up"),
        Conduct::Hang => {
            behaviour.changed().await?;
            bail!("hung up at last")
        }
    }
    Ok(reply)
}
