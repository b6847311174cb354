//! Signed cards: verification and caching.

use crate::world::{configured, engine, options};
use axum::{Router, body::Body};
use baton_identity::{CardVerificationError, SigningKeys, TrustedKeys, verify_card};
use baton_ports::{CardSignature, CardSigner};
use baton_proto::{v1::pb as v1, v03::pb as v03};
use baton_server::app;
use baton_types::Json;
use baton_wire::a2a::v1::AgentCard;
use http::{HeaderMap, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tower::ServiceExt as _;

/// Signs with real keys and counts signatures.
struct CountingSigner {
    keys: SigningKeys,
    signed: AtomicUsize,
}

impl CountingSigner {
    fn new() -> Arc<Self> {
        let directory = tempfile::tempdir().unwrap();
        Arc::new(Self { keys: SigningKeys::open(directory.path()).unwrap(), signed: AtomicUsize::new(0) })
    }

    fn trusted(&self) -> TrustedKeys {
        TrustedKeys::from_jwks(&self.keys.keys()).unwrap()
    }

    fn signed(&self) -> usize {
        self.signed.load(Ordering::Relaxed)
    }
}

impl CardSigner for CountingSigner {
    fn sign(&self, payload: &[u8], jku: &str) -> Result<Vec<CardSignature>, String> {
        self.signed.fetch_add(1, Ordering::Relaxed);
        self.keys.sign(payload, jku)
    }

    fn keys(&self) -> Json {
        self.keys.keys()
    }
}

fn served(signer: &Arc<CountingSigner>, agents: &[&str]) -> Router {
    let signer: Arc<dyn CardSigner> = signer.clone();
    app(
        engine(agents),
        configured(options(), |options| {
            options.signer = Some(signer);
            options.http.allow_hosts = vec!["*".to_owned()];
        }),
    )
}

struct FullResponse {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl FullResponse {
    fn header(&self, name: header::HeaderName) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

async fn ask(app: &Router, request: Request<Body>) -> FullResponse {
    let response = app.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    FullResponse { status: parts.status, headers: parts.headers, text }
}

async fn get(app: &Router, path: &str, headers: &[(&str, &str)]) -> FullResponse {
    let mut request = Request::builder().uri(path);
    if headers.iter().all(|(name, _)| *name != "host") {
        request = request.header(header::HOST, "127.0.0.1:8700");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    ask(app, request.body(Body::empty()).unwrap()).await
}

async fn rpc(app: &Router, method: &str) -> String {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{}}}}"#);
    let request = Request::post("/agents/weather").header("host", "127.0.0.1:8700");
    let request = request.header("content-type", "application/json").body(body.into()).unwrap();
    let reply: Json = Json::parse(&ask(app, request).await.text).unwrap();
    reply.to_value()["result"].to_string()
}

#[tokio::test]
async fn every_card_can_be_checked_with_the_published_keys() {
    let signer = CountingSigner::new();
    let app = served(&signer, &["weather"]);
    let mut trusted = TrustedKeys::from_thumbprints(signer.keys.thumbprints());
    let keys = get(&app, "/.well-known/jwks.json", &[]).await;
    assert_eq!(trusted.admit(&Json::parse(&keys.text).unwrap()), Ok(2));

    let mut documents = Vec::new();
    for path in [
        "/.well-known/agent-card.json",
        "/agents/weather/.well-known/agent-card.json",
        "/agents/weather/.well-known/agent.json",
        "/agents/weather/extendedAgentCard",
        "/agents/weather/v1/card",
        "/agents/weather/agent/authenticatedExtendedCard",
    ] {
        documents.push((path, get(&app, path, &[]).await.text));
    }
    for method in ["GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard"] {
        documents.push((method, rpc(&app, method).await));
    }
    for (place, document) in documents {
        let verified = verify_card(&document, &trusted).unwrap_or_else(|error| panic!("{place}: {error}\n{document}"));
        let card: AgentCard = verified.card.read().unwrap();
        assert_eq!(card.name, "The weather agent", "{place}");
        for header in baton_identity::signature_headers(&document).unwrap() {
            assert_eq!(header.jku.as_deref(), Some("http://127.0.0.1:8700/.well-known/jwks.json"));
        }
    }
}

#[tokio::test]
async fn grpc_carries_the_signatures_of_its_version() {
    let signer = CountingSigner::new();
    let app = served(&signer, &["weather"]);
    let origin = http::Uri::from_static("http://127.0.0.1:8700");
    let mut new = v1::a2a_service_client::A2aServiceClient::with_origin(app.clone(), origin.clone());
    let card = new.get_extended_agent_card(v1::GetExtendedAgentCardRequest::default()).await.unwrap().into_inner();
    let card: AgentCard = card.try_into().unwrap();
    let verified = verify_card(&serde_json::to_string(&card).unwrap(), &signer.trusted()).unwrap();
    assert_eq!(verified.kid, signer.keys.thumbprints()[0]);

    // Messages of 0.3 have no field for the signed content.
    let mut old = v03::a2a_service_client::A2aServiceClient::with_origin(app, origin);
    let card = old.get_agent_card(v03::GetAgentCardRequest::default()).await.unwrap().into_inner();
    assert!(card.signatures.is_empty());
}

#[tokio::test]
async fn card_is_signed_once_and_its_etag_ignores_signatures() {
    let signer = CountingSigner::new();
    let app = served(&signer, &["weather"]);
    let path = "/agents/weather/.well-known/agent-card.json";
    let first = get(&app, path, &[]).await;
    let times = signer.signed();
    let again = get(&app, path, &[]).await;
    assert_eq!((again.text.as_str(), signer.signed()), (first.text.as_str(), times));
    // Another host name has another card.
    let other = get(&app, path, &[("host", "agents.example.com")]).await;
    assert!(signer.signed() > times);
    assert_ne!(other.header(header::ETAG), first.header(header::ETAG));

    // After a restart the signature bytes differ, but the card and its ETag are equal.
    let restarted = served(&signer, &["weather"]);
    let later = get(&restarted, path, &[]).await;
    assert_ne!(later.text, first.text);
    let tag = first.header(header::ETAG);
    assert!(tag.starts_with("W/"));
    assert_eq!(later.header(header::ETAG), tag);
    let times = signer.signed();
    for known in [tag, tag.trim_start_matches("W/")] {
        let unchanged = get(&restarted, path, &[("if-none-match", known)]).await;
        assert_eq!((unchanged.status, unchanged.text.as_str()), (StatusCode::NOT_MODIFIED, ""));
    }
    assert_eq!(signer.signed(), times);
    // Other keys change the ETag, so caches do not keep signatures of removed keys.
    let rekeyed = served(&CountingSigner::new(), &["weather"]);
    assert_eq!(get(&rekeyed, path, &[("if-none-match", tag)]).await.status, StatusCode::OK);
}

#[tokio::test]
async fn signature_cache_evicts_the_oldest_host_names() {
    let signer = CountingSigner::new();
    let app = served(&signer, &["weather"]);
    let path = "/agents/weather/.well-known/agent-card.json";
    for name in 0..1100 {
        get(&app, path, &[("host", &format!("agent-{name}.example.com"))]).await;
    }
    let times = signer.signed();
    get(&app, path, &[("host", "agent-1099.example.com")]).await;
    assert_eq!(signer.signed(), times, "the last signature is cached");
    let forgotten = get(&app, path, &[("host", "agent-0.example.com")]).await;
    assert!(signer.signed() > times, "the first signature is evicted");
    verify_card(&forgotten.text, &signer.trusted()).unwrap();
}

#[tokio::test]
async fn keys_are_published_for_caches() {
    let signer = CountingSigner::new();
    let app = served(&signer, &["weather", "other"]);
    for path in
        ["/.well-known/jwks.json", "/agents/weather/.well-known/jwks.json", "/agents/other/.well-known/jwks.json"]
    {
        let keys = get(&app, path, &[]).await;
        assert_eq!((keys.status, keys.text.as_str()), (StatusCode::OK, signer.keys.keys().as_str()), "{path}");
        assert_eq!(keys.header(header::CONTENT_TYPE), "application/jwk-set+json");
        assert_eq!(keys.header(header::CACHE_CONTROL), "public, max-age=300");
        let unchanged = get(&app, path, &[("if-none-match", keys.header(header::ETAG))]).await;
        assert_eq!((unchanged.status, unchanged.text.as_str()), (StatusCode::NOT_MODIFIED, ""));
    }
    assert_eq!(get(&app, "/agents/nobody/.well-known/jwks.json", &[]).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn cards_are_unsigned_without_keys() {
    let app = app(engine(&["weather"]), options());
    let card = get(&app, "/.well-known/agent-card.json", &[]).await;
    assert_eq!(verify_card(&card.text, &CountingSigner::new().trusted()), Err(CardVerificationError::Unsigned));
    assert!(!card.header(header::ETAG).starts_with("W/"));
    for path in ["/.well-known/jwks.json", "/agents/weather/.well-known/jwks.json"] {
        assert_eq!(get(&app, path, &[]).await.status, StatusCode::NOT_FOUND);
    }
}
