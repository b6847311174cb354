//! A configured provider.

use crate::{
    KeyPair, ProviderModel, Secret, address, client,
    embed::ProviderEmbedder,
    list,
    protocol::{ProviderProtocol, protocol_for},
    redact,
    sign::Signer,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_ports::{Embedder, Model, ModelError};
use baton_types::{Clock, CredentialRule, ProviderKind};
use http::{HeaderMap, HeaderName, HeaderValue};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// A provider with everything that a request to it needs.
#[derive(Clone, Debug)]
pub struct Provider {
    kind: ProviderKind,
    name: String,
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
        self.base_url = Some(address::complete_base(self.protocol(), &url));
        self
    }

    /// Sets the key, and the name of its setting, which errors show instead.
    #[must_use]
    pub fn with_key(mut self, key: Secret, from: impl Into<String>) -> Self {
        (self.key, self.signer) = (Some(key), None);
        self.key_setting = Some(from.into());
        self
    }

    /// Sets a key pair that signs every request instead, dated by this clock; used only by protocols with signatures.
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

    /// Sets the cloud region, which is a part of some addresses and signatures.
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

    /// Implementation of the protocol.
    pub(crate) fn protocol(&self) -> &'static dyn ProviderProtocol {
        protocol_for(self.kind)
    }

    /// Name chosen by the user.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Address without secrets; `None` for a compatible server without an address.
    pub fn base_url(&self) -> Option<String> {
        self.base_url.clone().or_else(|| self.protocol().default_base(self.region.as_deref()))
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
        let rules = self.protocol().embeddings();
        let rules = rules.ok_or_else(|| ModelError::Configuration(format!("{} has no embedding models", self.name)))?;
        Ok(Arc::new(ProviderEmbedder::new(self.clone(), model, rules)))
    }

    /// The address, after checking that the address and the required key are configured.
    pub(crate) fn checked_base_url(&self) -> Result<String, ModelError> {
        let Some(base) = self.base_url() else {
            return Err(ModelError::Configuration(format!("the provider {} has no base URL", self.name)));
        };
        let needs_key = self.kind.rules().credentials != CredentialRule::Optional;
        let has_key = self.key.is_some() || self.signs_requests();
        if needs_key && !has_key && self.base_url.is_none() && self.headers.is_empty() {
            return Err(ModelError::Configuration(format!("{} has no key; set {}", self.name, self.key_source())));
        }
        Ok(base)
    }

    /// All headers of a request, including the key.
    pub(crate) fn request_headers(&self) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        let key = self.key.as_ref().map(Secret::reveal).filter(|key| !key.is_empty());
        let key_header = key.map(|key| self.protocol().key_header(key));
        let is_authorized = key_header.as_ref().is_some_and(|(name, _)| *name == "authorization");
        if let Some(basic) = self.basic.as_ref().filter(|_| !is_authorized) {
            headers.push(("authorization".to_owned(), basic.reveal().to_owned()));
        }
        let fixed = self.protocol().fixed_headers().iter().map(|(name, value)| (*name, (*value).to_owned()));
        headers.extend(key_header.into_iter().chain(fixed).map(|(name, value)| (name.to_owned(), value)));
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
    fn signs_requests(&self) -> bool {
        self.signer.is_some() && self.kind.rules().credentials == CredentialRule::KeyOrKeyPair
    }

    /// Signs a request, if this provider requires it.
    pub(crate) fn sign(&self, request: &mut reqwest::Request) -> Result<(), ModelError> {
        let host = request.url().host_str().unwrap_or_default().to_owned();
        let scope = self.protocol().signing_scope(&host, self.region.as_deref());
        let Some((signer, scope)) = self.signer.as_ref().zip(scope) else { return Ok(()) };
        let unsignable = |_| ModelError::Configuration(format!("a request to {} cannot be signed", self.name));
        signer.sign(scope, request).map_err(unsignable)
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
            None => self.kind.key_variables().next().unwrap_or("its key").to_owned(),
        }
    }

    /// HTTP client for requests; providers with the same connection timeout share its connections.
    pub(crate) fn http_client(&self) -> Result<reqwest::Client, ModelError> {
        client::shared_client(&self.base_url().unwrap_or_default(), self.timeouts.connect)
            .map_err(ModelError::Configuration)
    }
}
