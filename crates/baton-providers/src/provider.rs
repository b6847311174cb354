//! A provider, ready to be asked.

use crate::{
    KeyPair, ProviderKind, ProviderModel, Secret, address, client, embed::ProviderEmbedder, list, redact, sign::Signer,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_ports::{Clock, Embedder, Model, ModelError};
use http::{HeaderMap, HeaderName, HeaderValue};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// A provider with all that a request to it needs.
#[derive(Clone, Debug)]
pub struct Provider {
    pub(crate) kind: ProviderKind,
    pub(crate) name: String,
    base_url: Option<String>,
    key: Option<Secret>,
    /// Signs requests with a pair of keys, which then stands for the key.
    signer: Option<Signer>,
    key_from: Option<String>,
    headers: BTreeMap<String, Secret>,
    region: Option<String>,
    /// The name and the password of an address, as a header has them.
    basic: Option<Secret>,
    /// What else of its settings nobody may see in what it says.
    hidden: Vec<Secret>,
    pub(crate) streaming: bool,
    pub(crate) patience: Patience,
}

/// How long a provider is waited for.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Until the answer begins; the whole answer, when it does not come as a stream.
    pub first: Duration,
    /// Between two pieces of a stream.
    pub next: Duration,
    /// For the connection, with all that makes it a safe one.
    pub connect: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { first: Duration::from_secs(300), next: Duration::from_secs(120), connect: Duration::from_secs(10) }
    }
}

/// A model that a provider says it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedModel {
    /// What it is asked for by.
    pub id: String,
    /// Its name to show, when it has another one.
    pub title: Option<String>,
    /// Tokens that fit its window, when the list says so.
    pub window: Option<u64>,
    /// Tokens that it writes at most, when the list says so.
    pub max_output: Option<u64>,
}

impl Provider {
    /// A provider at its usual address, by the name that its user gave it.
    pub fn new(kind: ProviderKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            base_url: None,
            key: None,
            signer: None,
            key_from: None,
            headers: BTreeMap::new(),
            region: None,
            basic: None,
            hidden: Vec::new(),
            streaming: true,
            patience: Patience::default(),
        }
    }

    /// Another address; a missing scheme or version is added. A name and a password in it become a header.
    #[must_use]
    pub fn with_base_url(mut self, url: &str) -> Self {
        let (url, login) = address::without_login(url);
        self.hidden = address::values(&url).map(Secret::new).collect();
        self.basic = login.map(|(name, password)| {
            self.hidden.push(Secret::new(&password));
            Secret::new(&format!("Basic {}", STANDARD.encode(format!("{name}:{password}"))))
        });
        self.base_url = Some(address::normal_base(self.kind, &url));
        self
    }

    /// The key, and the setting that it came from, which errors name instead of it.
    #[must_use]
    pub fn with_key(mut self, key: Secret, from: impl Into<String>) -> Self {
        (self.key, self.signer) = (Some(key), None);
        self.key_from = Some(from.into());
        self
    }

    /// A pair of keys that signs every request instead, dated by this clock; only Bedrock knows what to do with it.
    #[must_use]
    pub fn with_key_pair(mut self, pair: KeyPair, from: impl Into<String>, clock: Arc<dyn Clock>) -> Self {
        (self.key, self.signer) = (None, Some(Signer { pair, clock }));
        self.key_from = Some(from.into());
        self
    }

    /// A header that every request has besides.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: Secret) -> Self {
        self.headers.insert(name.into(), value);
        self
    }

    /// The region of Bedrock.
    #[must_use]
    pub fn with_region(mut self, region: impl Into<String>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// Answers in one piece, for servers that cannot stream.
    #[must_use]
    pub fn without_streaming(mut self) -> Self {
        self.streaming = false;
        self
    }

    /// How long it is waited for.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// How it is spoken to.
    pub fn kind(&self) -> ProviderKind {
        self.kind
    }

    /// What its user calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is, without a secret; none when a compatible server was not given an address.
    pub fn base_url(&self) -> Option<String> {
        self.base_url.clone().or_else(|| address::default_base(self.kind, self.region.as_deref()))
    }

    /// One of its models.
    pub fn model(&self, name: &str) -> Arc<dyn Model> {
        Arc::new(ProviderModel::new(self.clone(), name))
    }

    /// The models that it has now; also the cheapest way to learn whether the key is good.
    pub async fn list(&self) -> Result<Vec<ListedModel>, ModelError> {
        list::list(self).await
    }

    /// One of its models that turn texts into vectors.
    pub fn embedder(&self, model: &str) -> Result<Arc<dyn Embedder>, ModelError> {
        if self.kind.embeds() {
            return Ok(Arc::new(ProviderEmbedder::new(self.clone(), model)));
        }
        Err(ModelError::Configuration(format!("{} has no models that turn texts into vectors", self.name)))
    }

    /// The address, once it is sure that there is one and that what it asks for is there.
    pub(crate) fn ready(&self) -> Result<String, ModelError> {
        let Some(base) = self.base_url() else {
            return Err(ModelError::Configuration(format!("the provider {} has no base URL", self.name)));
        };
        let has_key = self.key.is_some() || self.signs();
        if self.kind.needs_key() && !has_key && self.base_url.is_none() && self.headers.is_empty() {
            let variables = self.kind.variables().join(" or ");
            return Err(ModelError::Configuration(format!("{} has no key; set {variables}", self.name)));
        }
        Ok(base)
    }

    /// Every header of a request, the one with the key included.
    pub(crate) fn request_headers(&self) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        let uses_bearer = !matches!(self.kind, ProviderKind::Anthropic | ProviderKind::Gemini);
        if let Some(basic) = self.basic.as_ref().filter(|_| self.key.is_none() || !uses_bearer) {
            headers.push(("authorization".to_owned(), basic.reveal().to_owned()));
        }
        if let Some(key) = self.key.as_ref().map(Secret::reveal).filter(|key| !key.is_empty()) {
            headers.push(match self.kind {
                ProviderKind::Anthropic => ("x-api-key".to_owned(), key.to_owned()),
                ProviderKind::Gemini => ("x-goog-api-key".to_owned(), key.to_owned()),
                _ => ("authorization".to_owned(), format!("Bearer {key}")),
            });
        }
        if self.kind == ProviderKind::Anthropic {
            headers.push(("anthropic-version".to_owned(), "2023-06-01".to_owned()));
        }
        for (name, value) in &self.headers {
            headers.retain(|(given, _)| !given.eq_ignore_ascii_case(name));
            headers.push((name.clone(), value.reveal().to_owned()));
        }
        headers
    }

    /// The same, ready to be sent and not to be shown.
    pub(crate) fn header_map(&self) -> Result<HeaderMap, ModelError> {
        let unusable = || ModelError::Configuration(format!("a header of {} cannot be sent", self.name));
        let mut headers = HeaderMap::new();
        for (name, value) in self.request_headers() {
            let name: HeaderName = name.parse().map_err(|_| unusable())?;
            let mut value: HeaderValue = value.parse().map_err(|_| unusable())?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }

    /// Whether its requests are signed.
    pub(crate) fn signs(&self) -> bool {
        self.kind == ProviderKind::Bedrock && self.signer.is_some()
    }

    /// Signs a request, when that is how this provider is asked.
    pub(crate) fn sign(&self, request: &mut reqwest::Request) -> Result<(), ModelError> {
        let Some(signer) = self.signer.as_ref().filter(|_| self.signs()) else { return Ok(()) };
        let host = request.url().host_str().unwrap_or_default().to_owned();
        let region = address::region(&host).or(self.region.as_deref()).unwrap_or(address::USUAL_REGION);
        let unsignable = |_| ModelError::Configuration(format!("a request to {} cannot be signed", self.name));
        signer.sign(region, request).map_err(unsignable)
    }

    /// A foreign text without this provider's secrets.
    pub(crate) fn shown(&self, text: &str) -> String {
        let pair = self.signer.iter().flat_map(|signer| signer.pair.secrets());
        let settings = self.headers.values().chain(&self.basic).chain(&self.hidden);
        redact::shown(text, self.key.iter().chain(pair).chain(settings))
    }

    /// Where somebody looks who is told that the key is wrong.
    pub(crate) fn key_source(&self) -> String {
        match &self.key_from {
            Some(from) => from.clone(),
            None => self.kind.variables().first().map_or_else(|| "its key".to_owned(), |&it| it.to_owned()),
        }
    }

    /// The client that requests go through; providers that are as patient share its connections.
    pub(crate) fn http(&self) -> Result<reqwest::Client, ModelError> {
        self.http_to(&self.base_url().unwrap_or_default())
    }

    /// The same for an address that is not its own.
    pub(crate) fn http_to(&self, url: &str) -> Result<reqwest::Client, ModelError> {
        client::shared(url, self.patience.connect).map_err(ModelError::Configuration)
    }
}
