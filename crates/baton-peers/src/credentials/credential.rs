//! The ways to show who is calling.

use super::{SecretError, SecretRef};

/// What is shown to a peer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Credential {
    /// Nothing.
    #[default]
    None,
    /// `Authorization: Bearer`.
    Bearer(SecretRef),
    /// A key under a name of the peer's.
    ApiKey {
        /// Where it stands.
        place: KeyPlace,
        /// Its name there.
        name: String,
        /// The key.
        secret: SecretRef,
    },
    /// `Authorization: Basic`.
    Basic {
        /// The user.
        user: String,
        /// The password.
        secret: SecretRef,
    },
    /// A token that an authorization server gives to us as a client (OAuth 2.0 client credentials).
    OAuth2(ClientCredentials),
}

/// Where an API key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    /// In a header.
    Header,
    /// In the query of the URL.
    Query,
    /// In a cookie.
    Cookie,
}

/// How a token is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCredentials {
    /// Where tokens are given. It comes from the operator, never from a card, which could send our secret anywhere.
    pub token_url: String,
    /// Who we are there.
    pub client_id: String,
    /// What proves it.
    pub secret: SecretRef,
    /// What the token is to allow.
    pub scopes: Vec<String>,
    /// For whom the token is, where servers want to know.
    pub audience: Option<String>,
    /// How the secret is shown.
    pub secret_place: SecretPlace,
}

/// How a client shows its secret to an authorization server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecretPlace {
    /// In the `Authorization` header (`client_secret_basic`).
    #[default]
    Header,
    /// In the form (`client_secret_post`).
    Form,
}

impl Credential {
    /// Whether nothing is shown.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Whether the secret can be had now.
    pub fn check(&self) -> Result<(), SecretError> {
        let secret = match self {
            Self::None => return Ok(()),
            Self::Bearer(secret) | Self::ApiKey { secret, .. } | Self::Basic { secret, .. } => secret,
            Self::OAuth2(grant) => &grant.secret,
        };
        secret.resolve().map(drop)
    }
}
