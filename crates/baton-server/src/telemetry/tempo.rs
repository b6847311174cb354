//! Span queries to the local store, a remote Tempo server, or both.

use crate::{HeaderText, ServerError, TempoMode, TempoServer, fresh_id, tools};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use baton_outbound::AddressPolicy;
use baton_peers::{Credential, SecretError};
use baton_span_ports::SpanStore;
use baton_system::SystemClock;
use baton_tempo::{TeeOptions, TeeSpans, TempoOptions, TempoReadStore, TempoSpans};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use std::{sync::Arc, time::Duration};

/// Timeout of a merged query. Tempo has a shorter timeout, so that its partial results can be used.
const QUERY_TIMEOUT: Duration = Duration::from_secs(10);
const MERGE_BUDGET: Duration = Duration::from_secs(1);

/// Retries in tee mode, where local results can be returned without Tempo.
const TEE_RETRIES: u32 = 1;

/// The configured Tempo server, if any.
pub(crate) struct TempoSource(Option<(Arc<TempoSpans>, TempoServer)>);

impl TempoSource {
    /// Creates the client; the server is not contacted yet.
    pub(crate) fn from_options(server: Option<&TempoServer>) -> Result<Self, ServerError> {
        let Some(tempo) = server.cloned() else { return Ok(Self(None)) };
        let client = tools::client(AddressPolicy::public_only())?;
        let shown = tempo.clone();
        let mut options = TempoOptions::with_url(&tempo.url);
        options.headers = Arc::new(move || headers(&shown));
        options.hop_id = fresh_id();
        if tempo.mode == TempoMode::Tee {
            options.timeout = QUERY_TIMEOUT.saturating_sub(MERGE_BUDGET);
            options.retries = TEE_RETRIES;
        }
        let spans = TempoSpans::new(&client, &options, Arc::new(SystemClock)).map_err(|error| {
            let hint = "Set telemetry.tempo.url or TEMPO_URL to a URL such as http://tempo.example.com:3200.";
            ServerError::Tempo { reason: error.to_string(), hint }
        })?;
        Ok(Self(Some((Arc::new(spans), tempo))))
    }

    /// The span store for queries; spans are always written to `local`.
    pub(crate) fn combine_with(self, local: Arc<dyn SpanStore>) -> Arc<dyn SpanStore> {
        let Some((spans, tempo)) = self.0 else { return local };
        match tempo.mode {
            TempoMode::Tempo => Arc::new(TempoReadStore::new(local, spans)),
            TempoMode::Tee => {
                let options = TeeOptions { hot: tempo.hot, timeout: QUERY_TIMEOUT, ..TeeOptions::default() };
                Arc::new(TeeSpans::new(local, spans, Arc::new(SystemClock), options))
            }
        }
    }
}

/// Headers of every request; secrets are resolved each time.
fn headers(tempo: &TempoServer) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    let missing = |error: SecretError| error.to_string();
    let value = |text: &str| HeaderValue::from_str(text).map_err(|_| "invalid header value".to_owned());
    let hidden = |text: &str| {
        let mut value = value(text)?;
        value.set_sensitive(true);
        Ok::<_, String>(value)
    };
    if let Some(tenant) = &tempo.tenant {
        headers.insert("x-scope-orgid", value(tenant)?);
    }
    match &tempo.credential {
        Credential::Bearer(secret) => {
            let secret = secret.resolve().map_err(missing)?;
            headers.insert(header::AUTHORIZATION, hidden(&format!("Bearer {}", secret.expose()))?);
        }
        Credential::Basic { user, secret } => {
            let secret = secret.resolve().map_err(missing)?;
            let pair = BASE64_STANDARD.encode(format!("{user}:{}", secret.expose()));
            headers.insert(header::AUTHORIZATION, hidden(&format!("Basic {pair}"))?);
        }
        Credential::None | Credential::ApiKey { .. } | Credential::OAuth2(_) => {}
    }
    for (name, text) in &tempo.headers {
        let name: HeaderName = name.parse().map_err(|_| "invalid header name".to_owned())?;
        let value = match text {
            HeaderText::Plain(text) => value(text)?,
            HeaderText::Secret(secret) => hidden(secret.resolve().map_err(missing)?.expose())?,
        };
        headers.insert(name, value);
    }
    Ok(headers)
}
