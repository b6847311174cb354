//! Trusted issuers with scripted documents and a manual clock.

use crate::signer::Signer;
use baton_identity::{IssuerConfig, IssuerDocuments, Issuers};
use baton_ports::{AuthenticatedCaller, BoxFuture, TokenRejection};
use baton_types::{Clock, Timestamp};
use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};
use tokio::sync::Semaphore;

/// Start time of every test, in seconds.
pub(crate) const NOW: i64 = 1_800_000_000;
pub(crate) const ISSUER: &str = "https://id.example";
pub(crate) const KEYS: &str = "https://id.example/keys";
pub(crate) const MINUTE: i64 = 60;
pub(crate) const HOUR: i64 = 3_600;

pub(crate) struct ManualClock(AtomicI64);

impl ManualClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(NOW * 1_000)))
    }

    pub(crate) fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000, Ordering::AcqRel);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Acquire))
    }
}

/// Scripted documents; records the requests.
pub(crate) struct Site {
    documents: Mutex<HashMap<String, String>>,
    asked: Mutex<Vec<String>>,
    /// Each reply needs a permit.
    pub(crate) open: Semaphore,
}

impl Site {
    pub(crate) fn put(&self, url: &str, document: &Value) {
        self.documents.lock().insert(url.to_owned(), document.to_string());
    }

    pub(crate) fn publish<'a>(&self, signers: impl IntoIterator<Item = &'a Signer>) {
        let keys: Vec<_> = signers.into_iter().map(|signer| signer.public_jwk(&json!({}))).collect();
        self.put(KEYS, &json!({ "keys": keys }));
    }

    /// Makes every document unavailable.
    pub(crate) fn go_away(&self) {
        self.documents.lock().clear();
    }

    /// The URLs requested since the last call.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock())
    }
}

impl IssuerDocuments for Site {
    fn get<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Bytes, String>> {
        Box::pin(async move {
            self.asked.lock().push(url.to_owned());
            let _permit = self.open.acquire().await.unwrap();
            let found = self.documents.lock().get(url).cloned();
            found.map(Bytes::from).ok_or_else(|| "the issuer is away".to_owned())
        })
    }
}

pub(crate) struct IssuerFixture {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) site: Arc<Site>,
    pub(crate) issuers: Arc<Issuers>,
}

pub(crate) fn config() -> IssuerConfig {
    IssuerConfig {
        issuer: ISSUER.to_owned(),
        audience: vec!["baton".to_owned(), "https://baton.example".to_owned()],
        jwks_url: Some(KEYS.to_owned()),
        tenant: None,
        algorithms: Vec::new(),
        scopes: vec!["call".to_owned()],
        scope_claim: None,
    }
}

impl IssuerFixture {
    /// Trusts these issuers, without any documents yet.
    pub(crate) fn trusting(configs: Vec<IssuerConfig>) -> Self {
        let clock = ManualClock::new();
        let open = Semaphore::new(Semaphore::MAX_PERMITS);
        let site = Arc::new(Site { documents: Mutex::default(), asked: Mutex::default(), open });
        let documents: Arc<dyn IssuerDocuments> = site.clone();
        let issuers = Issuers::new(configs, &documents, clock.clone()).unwrap();
        Self { clock, site, issuers: Arc::new(issuers) }
    }

    /// Trusts the default issuer, which has published the keys of these signers.
    pub(crate) fn with<'a>(signers: impl IntoIterator<Item = &'a Signer>) -> Self {
        let fixture = Self::trusting(vec![config()]);
        fixture.site.publish(signers);
        fixture
    }

    pub(crate) async fn identify(&self, token: &str) -> Result<AuthenticatedCaller, TokenRejection> {
        self.issuers.identify(token).await
    }

    /// The verdict on the token.
    pub(crate) async fn verify(&self, token: &str) -> Result<(), TokenRejection> {
        self.identify(token).await.map(drop)
    }
}

/// Currently valid claims, changed by the members of `change`; `null` removes a claim.
pub(crate) fn claims(change: &Value) -> Value {
    let mut claims = json!({"iss": ISSUER, "aud": "baton", "sub": "ann", "exp": NOW + HOUR});
    for (name, value) in change.as_object().into_iter().flatten() {
        if value.is_null() {
            claims.as_object_mut().unwrap().remove(name);
        } else {
            claims[name] = value.clone();
        }
    }
    claims
}
