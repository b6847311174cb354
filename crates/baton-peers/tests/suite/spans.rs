//! Requests to peers are traced: a client span each, and its context in a header and in the message.

use crate::{
    baton_server::BatonServer,
    fixtures::peer_request,
    loopback::loopback_client,
    scripted_server::{Answer, ScriptedServer},
};
use baton_peers::{
    A2aDialect, Anonymous, BindingChoice, CardReadOutcome, ChosenInterface, FetchedCard, LocalPeerRegistry, PeerConfig,
    PeerConnector, PeerHub, PeerInterface, PeerRegistryOptions, connect,
};
use baton_ports::{BoxFuture, PeerGateway as _, PeerRegistryError, PeerRequest};
use baton_telemetry::{SpanOrigin, SpanSink, TelemetrySettings, Tracer};
use baton_types::{Json, Span, SpanKind, SpanStatus, TraceContext};
use baton_wire::a2a::v1::{AgentCard, AgentInterface};
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[derive(Default)]
struct SpanCollector {
    spans: Mutex<Vec<Span>>,
    count: AtomicU64,
}

impl SpanCollector {
    fn tracer(self: &Arc<Self>) -> Tracer {
        Tracer::new(Arc::<Self>::clone(self), SpanOrigin::new(TelemetrySettings::default(), "test"))
    }

    fn take(&self) -> Vec<Span> {
        std::mem::take(&mut self.spans.lock())
    }
}

impl SpanSink for SpanCollector {
    fn emit(&self, span: Span) {
        self.spans.lock().push(span);
    }

    fn now(&self) -> u64 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }

    fn random_bytes(&self) -> [u8; 16] {
        (u128::from(self.count.fetch_add(1, Ordering::Relaxed)) + 1).to_be_bytes()
    }
}

/// Connector with one interface of a streaming peer.
struct SingleInterface {
    binding: BindingChoice,
    dialect: A2aDialect,
    url: String,
    tenant: Option<String>,
}

impl PeerConnector for SingleInterface {
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        _: Option<&'a FetchedCard>,
    ) -> BoxFuture<'a, Result<CardReadOutcome, PeerRegistryError>> {
        let mut card = AgentCard { name: "Peer".to_owned(), ..AgentCard::default() };
        card.capabilities.streaming = Some(true);
        let read = FetchedCard { card, url: config.url.clone(), etag: None, signed_by: None };
        Box::pin(ready(Ok(CardReadOutcome::Read(Box::new(read)))))
    }

    fn bind(&self, _: &PeerConfig, _: &AgentCard) -> Result<PeerInterface, PeerRegistryError> {
        let (binding, dialect) = (self.binding, self.dialect);
        let interface = AgentInterface {
            url: self.url.clone(),
            protocol_binding: binding.card_name().to_owned(),
            tenant: self.tenant.clone(),
            protocol_version: dialect.to_string(),
        };
        Ok(PeerInterface {
            binding: connect(&ChosenInterface { binding, dialect, interface }, &loopback_client(), Arc::new(Anonymous))
                .unwrap(),
            endpoint: self.url.clone(),
            protocol: binding.card_name().to_owned(),
            version: dialect.to_string(),
        })
    }
}

fn hub(reach: SingleInterface, tracer: Tracer) -> PeerHub {
    let config = PeerConfig { name: Some("peer".into()), ..PeerConfig::at(reach.url.clone()) };
    let options =
        PeerRegistryOptions { configured: vec![config], file: None, locals: None, connector: Arc::new(reach) };
    PeerHub::new(Arc::new(LocalPeerRegistry::open(options).expect("a book")), None).with_tracer(tracer)
}

fn traced(text: &str) -> PeerRequest {
    let mut peer_request = peer_request(text);
    peer_request.trace = Some(PARENT.into());
    peer_request.message.metadata = Some(Json::parse(r#"{"b":1.0,"a":2}"#).unwrap());
    peer_request
}

fn text<'a>(span: &'a Span, key: &str) -> &'a str {
    span.attribute(key).unwrap_or_else(|| panic!("{key} of {span:?}")).as_text().unwrap()
}

/// In every binding and dialect, the span of the server is a child of the client's span.
#[tokio::test]
async fn client_and_server_share_one_trace() {
    let parent = TraceContext::parse(PARENT).unwrap();
    for binding in BindingChoice::ALL {
        for dialect in [A2aDialect::V1, A2aDialect::V03] {
            let spans = Arc::new(SpanCollector::default());
            let served = BatonServer::traced(&["echo"], spans.tracer()).await;
            let url = if binding == BindingChoice::Grpc { served.url("") } else { served.url("/agents/echo") };
            let port = served.address.port();
            let reach = SingleInterface { binding, dialect, url, tenant: None };
            let hub = hub(reach, spans.tracer());
            let mut words = hub.send_message(&"peer".into(), traced("Hello")).await.unwrap();
            while let Some(word) = words.next().await {
                word.unwrap();
            }
            drop(words);
            served.stopped().await;
            let spans = spans.take();
            let of = |kind| spans.iter().find(|span| span.kind == kind && span.name == "SendStreamingMessage").unwrap();
            let (ours, theirs) = (of(SpanKind::Client), of(SpanKind::Server));
            assert_eq!((ours.trace, ours.parent), (parent.trace, Some(parent.span)), "{binding:?} {dialect}");
            assert_eq!((theirs.trace, theirs.parent), (parent.trace, Some(ours.id)), "{binding:?} {dialect}");
            for key in ["a2a.method.name", "a2a.message.id", "a2a.task.id", "a2a.task.state", "a2a.protocol.version"] {
                assert_eq!(text(ours, key), text(theirs, key), "{binding:?} {dialect} {key}");
            }
            assert_eq!(text(ours, "a2a.task.state"), "TASK_STATE_COMPLETED");
            assert_eq!((text(ours, "gen_ai.agent.name"), text(theirs, "gen_ai.agent.name")), ("peer", "echo"));
            assert_eq!(text(ours, "server.address"), "127.0.0.1");
            assert_eq!(ours.attribute("server.port").unwrap().as_int(), Some(i64::from(port)));
            assert_eq!(ours.status, SpanStatus::Unset);
        }
    }
}

/// Header and message metadata name the same span; other metadata is unchanged.
#[tokio::test]
async fn header_and_metadata_carry_the_same_span() {
    for (binding, dialect) in [(BindingChoice::JsonRpc, A2aDialect::V1), (BindingChoice::HttpJson, A2aDialect::V03)] {
        for is_on in [true, false] {
            let spans = Arc::new(SpanCollector::default());
            let server = ScriptedServer::start(|_| Answer::new(404, "secret words of the peer")).await;
            let reach = SingleInterface { binding, dialect, url: server.url("/base?key=secret"), tenant: None };
            let hub = hub(reach, if is_on { spans.tracer() } else { Tracer::off() });
            let refused = hub.send_message(&"peer".into(), traced("secret")).await;
            assert!(refused.is_err());
            let request = server.received().remove(0);
            if !is_on {
                assert_eq!(request.header("traceparent"), Some(PARENT), "the incoming context is forwarded");
                assert!(request.body.contains(r#""metadata":{"b":1.0,"a":2}"#), "{}", request.body);
                continue;
            }
            let span = spans.take().remove(0);
            let context = TraceContext::new(span.trace, span.id).to_string();
            assert_eq!(request.header("traceparent"), Some(context.as_str()));
            let metadata = format!(r#""metadata":{{"b":1.0,"a":2,"traceparent":"{context}"}}"#);
            assert!(request.body.contains(&metadata), "{}", request.body);
            assert_eq!(span.status, SpanStatus::Error);
            assert_eq!(span.attribute("http.response.status_code").unwrap().as_int(), Some(404));
            assert!(!format!("{span:?}").contains("secret"), "{span:?}");
        }
    }
}
