//! Kinds of credentials.

use super::{SecretError, SecretRef};

/// Credential for requests to a peer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Credential {
    /// No credential.
    #[default]
    None,
    /// `Authorization: Bearer`.
    Bearer(SecretRef),
    /// An API key.
    ApiKey {
        /// Location of the key.
        place: ApiKeyLocation,
        /// Name of the header, query parameter or cookie.
        name: String,
        /// The key.
        secret: SecretRef,
    },
    /// `Authorization: Basic`.
    Basic {
        /// User name.
        user: String,
        /// Password.
        secret: SecretRef,
    },
    /// An access token from an authorization server (OAuth 2.0 client credentials).
    OAuth2(ClientCredentials),
}

/// Location of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyLocation {
    /// In a header.
    Header,
    /// In the query of the URL.
    Query,
    /// In a cookie.
    Cookie,
}

/// OAuth 2.0 client credentials grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCredentials {
    /// URL of the token endpoint. It comes from the operator, never from a card, which could send the secret anywhere.
    pub token_url: String,
    /// Client id.
    pub client_id: String,
    /// Client secret.
    pub secret: SecretRef,
    /// Requested scopes.
    pub scopes: Vec<String>,
    /// Audience of the token, for servers that require it.
    pub audience: Option<String>,
    /// How the client secret is sent.
    pub secret_place: ClientSecretLocation,
}

/// How the client secret is sent to the authorization server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientSecretLocation {
    /// In the `Authorization` header (`client_secret_basic`).
    #[default]
    Header,
    /// In the form (`client_secret_post`).
    Form,
}

impl Credential {
    /// Whether there is no credential.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Checks that the secret is available.
    pub fn check(&self) -> Result<(), SecretError> {
        let secret = match self {
            Self::None => return Ok(()),
            Self::Bearer(secret) | Self::ApiKey { secret, .. } | Self::Basic { secret, .. } => secret,
            Self::OAuth2(grant) => &grant.secret,
        };
        secret.resolve().map(drop)
    }
}
