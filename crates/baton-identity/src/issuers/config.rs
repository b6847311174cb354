//! What an operator says of an issuer.

use crate::jwt::Algorithm;
use baton_outbound::Target;
use baton_rules::Scope;

/// An issuer whose tokens are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuerConfig {
    /// Its URL, exactly as the `iss` of its tokens.
    pub issuer: String,
    /// The audiences that mean this Baton; a token must be for one of them.
    pub audience: Vec<String>,
    /// Where its keys are; found by OpenID Connect discovery when not given.
    pub jwks_url: Option<String>,
    /// The tenant of its subjects; the issuer's URL when not given.
    pub tenant: Option<String>,
    /// How its tokens may be signed; in any way that is known here when empty.
    pub algorithms: Vec<Algorithm>,
    /// The most that its tokens may do.
    pub scopes: Vec<String>,
    /// The claim that says which part of `scopes` a token has; all of it when not given.
    pub scope_claim: Option<String>,
}

/// An issuer that cannot be trusted as configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IssuerError {
    /// One of its settings is wrong.
    #[error("the issuer '{issuer}' {problem}")]
    Setting {
        /// Which issuer.
        issuer: String,
        /// What is wrong with it.
        problem: String,
    },
    /// There are too many.
    #[error("there are {0} issuers; {1} are accepted")]
    TooMany(usize, usize),
    /// Their keys cannot be fetched at all.
    #[error("issuers cannot be asked for their keys: {0}")]
    Client(String),
}

impl IssuerConfig {
    /// Refuses what could never work, or would accept tokens for anybody.
    pub(super) fn check(&self) -> Result<(), IssuerError> {
        let wrong = |problem: String| IssuerError::Setting { issuer: self.issuer.clone(), problem };
        for (name, url) in [("URL", Some(&self.issuer)), ("jwks_url", self.jwks_url.as_ref())] {
            let Some(url) = url else { continue };
            let target = Target::parse(url).map_err(|error| wrong(format!("has an unusable {name}: {error}")))?;
            if !target.is_secure() {
                tracing::warn!(
                    issuer = self.issuer,
                    "this issuer's keys travel without TLS; whoever can change them can be anybody"
                );
            }
        }
        if self.audience.is_empty() || self.audience.iter().any(String::is_empty) {
            return Err(wrong(
                "needs an audience: without one, tokens for other services would be accepted".to_owned(),
            ));
        }
        for scope in &self.scopes {
            Scope::parse(scope).map_err(|error| wrong(format!("has an unusable scope: {error}")))?;
        }
        Ok(())
    }

    /// Whether the operator accepts this kind of signature.
    pub(super) fn accepts(&self, algorithm: Algorithm) -> bool {
        self.algorithms.is_empty() || self.algorithms.contains(&algorithm)
    }

    /// The hosts that the operator named.
    pub(super) fn hosts(&self) -> impl Iterator<Item = String> {
        [Some(&self.issuer), self.jwks_url.as_ref()].into_iter().flatten().filter_map(|url| host(url))
    }
}

/// The host of a URL, an IPv6 address without its brackets.
pub(super) fn host(url: &str) -> Option<String> {
    let url: http::Uri = url.parse().ok()?;
    Some(url.host()?.trim_start_matches('[').trim_end_matches(']').to_owned())
}
