//! Issuer configuration.

use crate::jwt::Algorithm;
use baton_outbound::Target;
use baton_rules::AccessScope;

/// An issuer whose tokens are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuerConfig {
    /// URL, exactly as in the `iss` of its tokens.
    pub issuer: String,
    /// Accepted audiences; a token must contain one of them.
    pub audience: Vec<String>,
    /// URL of the keys; found by OpenID Connect discovery if not set.
    pub jwks_url: Option<String>,
    /// Tenant of its subjects; the issuer URL if not set.
    pub tenant: Option<String>,
    /// Accepted algorithms; all supported ones if empty.
    pub algorithms: Vec<Algorithm>,
    /// Maximum scopes of its tokens.
    pub scopes: Vec<String>,
    /// Claim that selects the scopes of a token; without it a token has all of `scopes`.
    pub scope_claim: Option<String>,
}

/// Invalid issuer configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IssuerError {
    /// A setting is invalid.
    #[error("the issuer '{issuer}' {problem}")]
    Setting {
        /// Issuer URL.
        issuer: String,
        /// The problem.
        problem: String,
    },
    /// There are too many issuers.
    #[error("there are {0} issuers; at most {1} are allowed")]
    TooMany(usize, usize),
    /// The client for fetching keys cannot be created.
    #[error("the keys of issuers cannot be fetched: {0}")]
    Client(String),
}

impl IssuerConfig {
    /// Rejects settings that can never work or would accept tokens for other services.
    pub(super) fn check(&self) -> Result<(), IssuerError> {
        let wrong = |problem: String| IssuerError::Setting { issuer: self.issuer.clone(), problem };
        for (name, url) in [("URL", Some(&self.issuer)), ("jwks_url", self.jwks_url.as_ref())] {
            let Some(url) = url else { continue };
            let target = Target::parse(url).map_err(|error| wrong(format!("has an unusable {name}: {error}")))?;
            if !target.is_secure() {
                tracing::warn!(
                    issuer = self.issuer,
                    "this issuer's keys are fetched without TLS; an attacker who changes them can impersonate any caller"
                );
            }
        }
        if self.audience.is_empty() || self.audience.iter().any(String::is_empty) {
            return Err(wrong(
                "needs an audience: without one, tokens for other services would be accepted".to_owned(),
            ));
        }
        for scope in &self.scopes {
            AccessScope::parse(scope).map_err(|error| wrong(format!("has an unusable scope: {error}")))?;
        }
        Ok(())
    }

    /// Whether the algorithm is accepted.
    pub(super) fn accepts(&self, algorithm: Algorithm) -> bool {
        self.algorithms.is_empty() || self.algorithms.contains(&algorithm)
    }

    /// Hosts in the configuration.
    pub(super) fn hosts(&self) -> impl Iterator<Item = String> {
        [Some(&self.issuer), self.jwks_url.as_ref()].into_iter().flatten().filter_map(|url| host(url))
    }
}

/// Host of a URL; an IPv6 address without brackets.
pub(super) fn host(url: &str) -> Option<String> {
    let url: http::Uri = url.parse().ok()?;
    Some(url.host()?.trim_start_matches('[').trim_end_matches(']').to_owned())
}
