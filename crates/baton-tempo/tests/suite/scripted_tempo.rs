//! A scripted Tempo.

use super::fixtures::FakeClock;
use axum::{Router, body::Body, extract::Request, response::Response};
use baton_outbound::{AddressPolicy, GuardedClient};
use baton_tempo::{TempoOptions, TempoSpans};
use http::{HeaderMap, StatusCode, header};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use tokio::{net::TcpListener, task::JoinHandle};

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) path: String,
    pub(crate) pairs: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
}

impl ReceivedRequest {
    pub(crate) fn pair(&self, name: &str) -> &str {
        self.pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    pub(crate) fn number(&self, name: &str) -> u64 {
        self.pair(name).parse().unwrap_or_else(|_| panic!("{name} is a number in {self:?}"))
    }
}

/// A scripted reply.
pub(crate) enum ScriptedReply {
    Json(String),
    Protobuf(Vec<u8>),
    Status(StatusCode, &'static str),
    /// A status with a text derived from the request.
    StatusText(StatusCode, String),
    RetryAfter(&'static str),
    Nothing,
}

type Script = Arc<dyn Fn(&ReceivedRequest) -> ScriptedReply + Send + Sync>;

pub(crate) struct ScriptedTempo {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<ReceivedRequest>>>,
    server: JoinHandle<()>,
}

impl ScriptedTempo {
    pub(crate) async fn start(script: impl Fn(&ReceivedRequest) -> ScriptedReply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (script, log): (Script, _) = (Arc::new(script), Arc::clone(&asked));
        let router = Router::new().fallback(move |request: Request| answer(request, Arc::clone(&script), log.clone()));
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("serves");
        });
        Self { url, asked, server }
    }

    pub(crate) fn asked(&self) -> Vec<ReceivedRequest> {
        self.asked.lock().clone()
    }

    /// The store with minimal retry delays.
    pub(crate) fn store(&self, clock: &Arc<FakeClock>) -> TempoSpans {
        self.store_with(clock, |_| {})
    }

    pub(crate) fn store_with(&self, clock: &Arc<FakeClock>, change: impl FnOnce(&mut TempoOptions)) -> TempoSpans {
        let client = GuardedClient::new(AddressPolicy::public_only(), &baton_outbound::OutboundOptions::default());
        let mut options = TempoOptions { retry_delay: Duration::from_millis(1), ..TempoOptions::with_url(&self.url) };
        change(&mut options);
        TempoSpans::new(&client.expect("a client"), &options, clock.clone()).expect("an address")
    }
}

impl Drop for ScriptedTempo {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(request: Request, script: Script, log: Arc<Mutex<Vec<ReceivedRequest>>>) -> Response {
    let (head, _) = request.into_parts();
    let pairs = form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    let asked = ReceivedRequest { path: head.uri.path().to_owned(), pairs, headers: head.headers };
    log.lock().push(asked.clone());
    let response = Response::builder();
    let response = match script(&asked) {
        ScriptedReply::Json(body) => response.header(header::CONTENT_TYPE, "application/json").body(Body::from(body)),
        ScriptedReply::Protobuf(body) => {
            response.header(header::CONTENT_TYPE, "application/protobuf").body(Body::from(body))
        }
        ScriptedReply::Status(status, text) => response.status(status).body(Body::from(text)),
        ScriptedReply::StatusText(status, text) => response.status(status).body(Body::from(text)),
        ScriptedReply::RetryAfter(seconds) => response
            .status(StatusCode::TOO_MANY_REQUESTS)
            .header(header::RETRY_AFTER, seconds)
            .body(Body::from("too many outstanding requests")),
        ScriptedReply::Nothing => std::future::pending().await,
    };
    response.expect("a response")
}
