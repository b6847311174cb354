//! Claims of a token and their validity.

use baton_ports::TokenRejection;
use baton_types::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Maximum clock skew between issuer and server in seconds.
const LEEWAY: f64 = 60.0;
/// Maximum bytes of a subject, as in OpenID Connect.
const MAX_SUBJECT: usize = 255;

/// The used claims.
#[derive(Deserialize)]
pub(crate) struct Claims {
    iss: Option<String>,
    sub: Option<String>,
    aud: Option<Audience>,
    exp: Option<f64>,
    nbf: Option<f64>,
    iat: Option<f64>,
    #[serde(skip)]
    all: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl Claims {
    /// Parses claims; rejects duplicate members, because other parsers may use the other value.
    pub(super) fn parse(payload: &[u8]) -> Result<Self, TokenRejection> {
        let claims: Self = serde_json::from_slice(payload).map_err(|_| TokenRejection::Malformed)?;
        let all = serde_json::from_slice(payload).map_err(|_| TokenRejection::Malformed)?;
        Ok(Self { all, ..claims })
    }

    /// `iss` claim.
    pub(crate) fn issuer(&self) -> Option<&str> {
        self.iss.as_deref()
    }

    /// Whether the token's audience contains one of these.
    pub(crate) fn has_audience(&self, accepted: &[String]) -> bool {
        match &self.aud {
            None => false,
            Some(Audience::One(audience)) => accepted.contains(audience),
            Some(Audience::Several(audiences)) => audiences.iter().any(|audience| accepted.contains(audience)),
        }
    }

    /// Checks `exp`, `nbf` and `iat` against the current time.
    pub(crate) fn check_time(&self, now: Timestamp) -> Result<(), TokenRejection> {
        #[expect(clippy::cast_precision_loss, reason = "current times in milliseconds are exact in 53 bits")]
        let now = now.as_millis() as f64 / 1000.0;
        if self.exp.ok_or(TokenRejection::Malformed)? + LEEWAY <= now {
            return Err(TokenRejection::Expired);
        }
        let begins = self.nbf.into_iter().chain(self.iat).fold(f64::NEG_INFINITY, f64::max);
        if begins - LEEWAY > now { Err(TokenRejection::NotYetValid) } else { Ok(()) }
    }

    /// `sub` claim.
    pub(crate) fn subject(&self) -> Result<&str, TokenRejection> {
        let fits =
            |subject: &&str| (1..=MAX_SUBJECT).contains(&subject.len()) && !subject.chars().any(char::is_control);
        self.sub.as_deref().filter(fits).ok_or(TokenRejection::Malformed)
    }

    /// Values of a claim: an array, or space-separated text as in OAuth scopes.
    pub(crate) fn claim_values(&self, claim: &str) -> Vec<&str> {
        match self.all.get(claim) {
            Some(Value::String(text)) => text.split(' ').filter(|word| !word.is_empty()).collect(),
            Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }
}
