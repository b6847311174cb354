//! Authentication of all kinds of bearer tokens.

use crate::{
    Issuers, TokenRegistry,
    jwt::MAX_TOKEN,
    tokens::{PREFIX, same},
};
use baton_ports::{BoxFuture, Identified, Identity, Unidentified};
use baton_types::{Digest, Principal};
use std::sync::Arc;

/// Authenticates the owner token, tokens issued here, and JWTs of trusted issuers.
pub struct Gate {
    owner: Option<Owner>,
    tokens: TokenRegistry,
    issuers: Issuers,
}

struct Owner {
    /// The digest is sufficient to compare tokens.
    token: Digest,
    identified: Identified,
}

impl Gate {
    /// Creates the authenticator; `owner` is the token of the server's owner, if there is one.
    pub fn new(owner: Option<&str>, tokens: TokenRegistry, issuers: Issuers) -> Self {
        let owner = owner.filter(|token| !token.is_empty()).map(|token| Owner {
            token: Digest::of(token.as_bytes()),
            identified: Identified { principal: Arc::new(Principal::local()), credential: "owner".into() },
        });
        Self { owner, tokens, issuers }
    }

    async fn look(&self, bearer: &str) -> Result<Identified, Unidentified> {
        if bearer.len() > MAX_TOKEN {
            return Err(Unidentified::Malformed);
        }
        if let Some(owner) = &self.owner
            && same(&owner.token, &Digest::of(bearer.as_bytes()))
        {
            return Ok(owner.identified.clone());
        }
        if bearer.starts_with(PREFIX) {
            return self.tokens.identify(bearer);
        }
        self.issuers.identify(bearer).await
    }
}

impl Identity for Gate {
    fn identify<'a>(&'a self, bearer: &'a str) -> BoxFuture<'a, Result<Identified, Unidentified>> {
        Box::pin(self.look(bearer))
    }

    fn issuers(&self) -> Vec<String> {
        self.issuers.urls()
    }
}
