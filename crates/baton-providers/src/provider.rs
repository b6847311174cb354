//! A provider, ready to be asked.

use crate::{ProviderKind, ProviderModel, Secret, address, client, embed::ProviderEmbedder, list, redact};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_ports::{Embedder, Model, ModelError};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// A provider with all that a request to it needs.
#[derive(Clone, Debug)]
pub struct Provider {
    pub(crate) kind: ProviderKind,
    pub(crate) name: String,
    base_url: Option<String>,
    key: Option<Secret>,
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
        self.key = Some(key);
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
        if self.kind.needs_key() && self.key.is_none() && self.base_url.is_none() && self.headers.is_empty() {
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

    /// A foreign text without this provider's secrets.
    pub(crate) fn shown(&self, text: &str) -> String {
        redact::shown(text, self.key.iter().chain(self.headers.values()).chain(&self.basic).chain(&self.hidden))
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
        let base = self.base_url().unwrap_or_default();
        client::shared(&base, self.patience.connect).map_err(ModelError::Configuration)
    }
}
