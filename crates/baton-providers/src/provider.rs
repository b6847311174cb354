//! A configured provider.

use crate::{
    KeyPair, ProviderKind, ProviderModel, Secret, address, client, embed::ProviderEmbedder, list, redact, sign::Signer,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_ports::{Embedder, Model, ModelError};
use baton_types::Clock;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// A provider with everything that a request to it needs.
#[derive(Clone, Debug)]
pub struct Provider {
    pub(crate) kind: ProviderKind,
    pub(crate) name: String,
    base_url: Option<String>,
    key: Option<Secret>,
    /// Signs requests with a key pair, which replaces the key.
    signer: Option<Signer>,
    key_setting: Option<String>,
    headers: BTreeMap<String, Secret>,
    region: Option<String>,
    /// Basic authentication header from the user name and password of the address.
    basic: Option<Secret>,
    /// Other secrets from the settings, to be redacted in texts of the provider.
    other_secrets: Vec<Secret>,
    pub(crate) streaming: bool,
    pub(crate) timeouts: ProviderTimeouts,
}

/// Timeouts for a provider.
#[derive(Clone, Copy, Debug)]
pub struct ProviderTimeouts {
    /// Until the answer starts; for the whole answer without streaming.
    pub first_byte: Duration,
    /// Between two pieces of a stream.
    pub idle: Duration,
    /// For the connection, including the TLS handshake.
    pub connect: Duration,
}

impl Default for ProviderTimeouts {
    fn default() -> Self {
        Self { first_byte: Duration::from_secs(300), idle: Duration::from_secs(120), connect: Duration::from_secs(10) }
    }
}

/// A model in the model list of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedModel {
    /// Model id in requests.
    pub id: String,
    /// Display name, if different from the id.
    pub title: Option<String>,
    /// Context window in tokens, if listed.
    pub window: Option<u64>,
    /// Maximum output tokens, if listed.
    pub max_output: Option<u64>,
}

impl Provider {
    /// Creates a provider at its default address, under the name chosen by the user.
    pub fn new(kind: ProviderKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            base_url: None,
            key: None,
            signer: None,
            key_setting: None,
            headers: BTreeMap::new(),
            region: None,
            basic: None,
            other_secrets: Vec::new(),
            streaming: true,
            timeouts: ProviderTimeouts::default(),
        }
    }

    /// Sets the address; a missing scheme or version is added. A user name and password in it become a header.
    #[must_use]
    pub fn with_base_url(mut self, url: &str) -> Self {
        let (url, login) = address::without_login(url);
        self.other_secrets = address::query_values(&url).map(Secret::new).collect();
        self.basic = login.map(|(name, password)| {
            self.other_secrets.push(Secret::new(&password));
            Secret::new(&format!("Basic {}", STANDARD.encode(format!("{name}:{password}"))))
        });
        self.base_url = Some(address::complete_base(self.kind, &url));
        self
    }

    /// Sets the key, and the name of its setting, which errors show instead.
    #[must_use]
    pub fn with_key(mut self, key: Secret, from: impl Into<String>) -> Self {
        (self.key, self.signer) = (Some(key), None);
        self.key_setting = Some(from.into());
        self
    }

    /// Sets a key pair that signs every request instead, dated by this clock; used only with Bedrock.
    #[must_use]
    pub fn with_key_pair(mut self, pair: KeyPair, from: impl Into<String>, clock: Arc<dyn Clock>) -> Self {
        (self.key, self.signer) = (None, Some(Signer { pair, clock }));
        self.key_setting = Some(from.into());
        self
    }

    /// Adds a header to every request.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: Secret) -> Self {
        self.headers.insert(name.into(), value);
        self
    }

    /// Sets the Bedrock region.
    #[must_use]
    pub fn with_region(mut self, region: impl Into<String>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// Disables streaming, for servers that do not support it.
    #[must_use]
    pub fn without_streaming(mut self) -> Self {
        self.streaming = false;
        self
    }

    /// Sets the timeouts.
    #[must_use]
    pub fn with_timeouts(mut self, timeouts: ProviderTimeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Protocol.
    pub fn kind(&self) -> ProviderKind {
        self.kind
    }

    /// Name chosen by the user.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Address without secrets; `None` for a compatible server without an address.
    pub fn base_url(&self) -> Option<String> {
        self.base_url.clone().or_else(|| address::default_base(self.kind, self.region.as_deref()))
    }

    /// A model of this provider.
    pub fn model(&self, name: &str) -> Arc<dyn Model> {
        Arc::new(ProviderModel::new(self.clone(), name))
    }

    /// Lists the current models; also the cheapest check of the key.
    pub async fn list(&self) -> Result<Vec<ListedModel>, ModelError> {
        list::list(self).await
    }

    /// An embedding model of this provider.
    pub fn embedder(&self, model: &str) -> Result<Arc<dyn Embedder>, ModelError> {
        if self.kind.embeds() {
            return Ok(Arc::new(ProviderEmbedder::new(self.clone(), model)));
        }
        Err(ModelError::Configuration(format!("{} has no embedding models", self.name)))
    }

    /// The address, after checking that the address and the required key are configured.
    pub(crate) fn checked_base_url(&self) -> Result<String, ModelError> {
        let Some(base) = self.base_url() else {
            return Err(ModelError::Configuration(format!("the provider {} has no base URL", self.name)));
        };
        let has_key = self.key.is_some() || self.signs_requests();
        if self.kind.needs_key() && !has_key && self.base_url.is_none() && self.headers.is_empty() {
            let variables = self.kind.variables().join(" or ");
            return Err(ModelError::Configuration(format!("{} has no key; set {variables}", self.name)));
        }
        Ok(base)
    }

    /// All headers of a request, including the key.
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
            headers.retain(|(existing, _)| !existing.eq_ignore_ascii_case(name));
            headers.push((name.clone(), value.reveal().to_owned()));
        }
        headers
    }

    /// The headers of a request, marked as sensitive.
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

    /// Whether requests are signed.
    pub(crate) fn signs_requests(&self) -> bool {
        self.kind == ProviderKind::Bedrock && self.signer.is_some()
    }

    /// Signs a request, if this provider requires it.
    pub(crate) fn sign(&self, request: &mut reqwest::Request) -> Result<(), ModelError> {
        let Some(signer) = self.signer.as_ref().filter(|_| self.signs_requests()) else { return Ok(()) };
        let host = request.url().host_str().unwrap_or_default().to_owned();
        let region = address::region(&host).or(self.region.as_deref()).unwrap_or(address::DEFAULT_REGION);
        let unsignable = |_| ModelError::Configuration(format!("a request to {} cannot be signed", self.name));
        signer.sign(region, request).map_err(unsignable)
    }

    /// External text with the secrets of this provider redacted.
    pub(crate) fn redact(&self, text: &str) -> String {
        let pair = self.signer.iter().flat_map(|signer| signer.pair.secrets());
        let settings = self.headers.values().chain(&self.basic).chain(&self.other_secrets);
        redact::redact_secrets(text, self.key.iter().chain(pair).chain(settings))
    }

    /// Name of the setting to check when the key is rejected.
    pub(crate) fn key_source(&self) -> String {
        match &self.key_setting {
            Some(from) => from.clone(),
            None => self.kind.variables().first().map_or_else(|| "its key".to_owned(), |&it| it.to_owned()),
        }
    }

    /// HTTP client for requests; providers with the same connection timeout share its connections.
    pub(crate) fn http_client(&self) -> Result<reqwest::Client, ModelError> {
        self.http_client_for(&self.base_url().unwrap_or_default())
    }

    /// HTTP client for another address.
    pub(crate) fn http_client_for(&self, url: &str) -> Result<reqwest::Client, ModelError> {
        client::shared_client(url, self.timeouts.connect).map_err(ModelError::Configuration)
    }
}
