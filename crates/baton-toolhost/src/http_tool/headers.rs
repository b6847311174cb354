//! Headers of a definition, with secret references resolved.

use baton_types::{AgentResources, ErrorCode};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use std::sync::Arc;

const SECRET_PREFIX: &str = "env://";
/// Shorter secrets are not redacted: they are too likely to occur in a response by chance.
const MIN_REDACTED_LEN: usize = 8;
/// Headers that belong to the connection, not to the request.
const CONNECTION_HEADERS: [HeaderName; 8] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::EXPECT,
];

/// Looks up a variable by name.
pub(super) type VariableLookup = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Secret lookup at call time.
#[derive(Clone)]
pub(super) struct SecretResolver {
    /// Agent resources whose variables take precedence.
    agent_resources: Option<Arc<AgentResources>>,
    fallback: Arc<VariableLookup>,
}

/// Secrets carried by a request; redacted in the response.
#[derive(Default)]
pub(super) struct RequestSecrets(Vec<String>);

/// Invalid headers of a definition; never shows a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HeaderProblem {
    #[error(
        "{code}: the environment variable {name}, a secret of the header '{header}', is not set\nWhat to do: tell the \
         user that the tool is not set up; {name} has to be set where Baton runs, or in the agent's .env.",
        code = ErrorCode::SECRET_MISSING.code
    )]
    Secret { name: String, header: String },
    #[error("the header '{0}' of its definition cannot be sent; its author has to correct it")]
    Header(String),
}

impl SecretResolver {
    pub(super) fn new(look_up: Arc<VariableLookup>) -> Self {
        Self { agent_resources: None, fallback: look_up }
    }

    /// The same lookup, with the variables of an agent taking precedence.
    pub(super) fn with_agent(&self, own: Arc<AgentResources>) -> Self {
        Self { agent_resources: Some(own), fallback: Arc::clone(&self.fallback) }
    }

    fn get(&self, name: &str) -> Option<String> {
        let is_set = |value: &String| !value.trim().is_empty();
        let own = self.agent_resources.as_ref().and_then(|resources| resources.variables.0.get(name).cloned());
        own.filter(is_set).or_else(|| (self.fallback)(name).filter(is_set))
    }

    /// Adds the headers of a definition to a request.
    pub(super) fn add_to(
        &self,
        headers: &mut HeaderMap,
        written: &[(String, String)],
        request_secrets: &mut RequestSecrets,
    ) -> Result<(), HeaderProblem> {
        for (name, value) in written {
            let wrong = || HeaderProblem::Header(name.clone());
            let header: HeaderName = name.parse().map_err(|_| wrong())?;
            if CONNECTION_HEADERS.contains(&header) {
                return Err(wrong());
            }
            let (text, is_secret) = self.expand_value(name, value, request_secrets)?;
            let mut value = HeaderValue::from_str(&text).map_err(|_| wrong())?;
            value.set_sensitive(is_secret);
            headers.insert(header, value);
        }
        Ok(())
    }

    fn expand_value(
        &self,
        header: &str,
        value: &str,
        request_secrets: &mut RequestSecrets,
    ) -> Result<(String, bool), HeaderProblem> {
        let (mut text, mut rest, mut is_secret) = (String::new(), value, false);
        while let Some((before, after)) = rest.split_once(SECRET_PREFIX) {
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
            let (name, after) = after.split_at(end);
            if name.is_empty() {
                return Err(HeaderProblem::Header(header.to_owned()));
            }
            let missing = || HeaderProblem::Secret { name: name.to_owned(), header: header.to_owned() };
            let secret = self.get(name).ok_or_else(missing)?;
            // Variables read from a file often end with a line break.
            let secret = secret.trim();
            text.push_str(before);
            text.push_str(secret);
            request_secrets.0.push(secret.to_owned());
            (rest, is_secret) = (after, true);
        }
        text.push_str(rest);
        Ok((text, is_secret))
    }
}

impl RequestSecrets {
    /// Redacts the secrets of the request in a response text.
    pub(super) fn redact(&self, text: String) -> String {
        let hidden = self.0.iter().filter(|secret| secret.len() >= MIN_REDACTED_LEN);
        hidden.fold(text, |text, secret| if text.contains(secret) { text.replace(secret, "[secret]") } else { text })
    }
}
