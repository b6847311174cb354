//! Authentication of all kinds of bearer tokens.

use crate::{
    Issuers, TokenRegistry,
    jwt::MAX_TOKEN,
    tokens::{PREFIX, constant_time_eq},
};
use baton_ports::{AuthenticatedCaller, Authenticator, BoxFuture, TokenRejection};
use baton_types::{Digest, Principal};
use std::sync::Arc;

/// Authenticates the owner token, tokens issued here, and JWTs of trusted issuers.
pub struct BearerAuthenticator {
    owner: Option<OwnerCredential>,
    tokens: TokenRegistry,
    issuers: Issuers,
}

struct OwnerCredential {
    /// The digest is sufficient to compare tokens.
    token: Digest,
    identified: AuthenticatedCaller,
}

impl BearerAuthenticator {
    /// Creates the authenticator; `owner` is the token of the server's owner, if there is one.
    pub fn new(owner: Option<&str>, tokens: TokenRegistry, issuers: Issuers) -> Self {
        let owner = owner.filter(|token| !token.is_empty()).map(|token| OwnerCredential {
            token: Digest::compute(token.as_bytes()),
            identified: AuthenticatedCaller { principal: Arc::new(Principal::local()), credential: "owner".into() },
        });
        Self { owner, tokens, issuers }
    }

    async fn authenticate(&self, bearer: &str) -> Result<AuthenticatedCaller, TokenRejection> {
        if bearer.len() > MAX_TOKEN {
            return Err(TokenRejection::Malformed);
        }
        if let Some(owner) = &self.owner
            && constant_time_eq(&owner.token, &Digest::compute(bearer.as_bytes()))
        {
            return Ok(owner.identified.clone());
        }
        if bearer.starts_with(PREFIX) {
            return self.tokens.identify(bearer);
        }
        self.issuers.identify(bearer).await
    }
}

impl Authenticator for BearerAuthenticator {
    fn authenticate<'a>(&'a self, bearer: &'a str) -> BoxFuture<'a, Result<AuthenticatedCaller, TokenRejection>> {
        Box::pin(self.authenticate(bearer))
    }

    fn issuers(&self) -> Vec<String> {
        self.issuers.urls()
    }
}
