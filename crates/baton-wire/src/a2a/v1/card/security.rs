//! How callers show who they are.

use crate::de;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One way to show who is calling; exactly one member is set.
///
/// Members of older dialects beside it are ignored, because cards are served as the union of several versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecurityScheme {
    /// A secret in a header, a query parameter or a cookie.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "api_key_security_scheme",
        deserialize_with = "de::maybe_object"
    )]
    pub api_key_security_scheme: Option<ApiKeySecurityScheme>,
    /// The `Authorization` header.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "http_auth_security_scheme",
        deserialize_with = "de::maybe_object"
    )]
    pub http_auth_security_scheme: Option<HttpAuthSecurityScheme>,
    /// OAuth 2.0.
    #[serde(
        rename = "oauth2SecurityScheme",
        skip_serializing_if = "Option::is_none",
        alias = "oauth2_security_scheme",
        deserialize_with = "de::maybe_object"
    )]
    pub oauth2_security_scheme: Option<OAuth2SecurityScheme>,
    /// `OpenID` Connect.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "open_id_connect_security_scheme",
        deserialize_with = "de::maybe_object"
    )]
    pub open_id_connect_security_scheme: Option<OpenIdConnectSecurityScheme>,
    /// A client certificate.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "mtls_security_scheme",
        deserialize_with = "de::maybe_object"
    )]
    pub mtls_security_scheme: Option<MutualTlsSecurityScheme>,
}

/// A secret in a header, a query parameter or a cookie.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApiKeySecurityScheme {
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `query`, `header` or `cookie`.
    #[serde(deserialize_with = "de::or_default")]
    pub location: String,
    /// The name of the header, parameter or cookie.
    #[serde(deserialize_with = "de::or_default")]
    pub name: String,
}

/// The `Authorization` header.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HttpAuthSecurityScheme {
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Such as `Bearer`.
    #[serde(deserialize_with = "de::or_default")]
    pub scheme: String,
    /// Such as `JWT`.
    #[serde(skip_serializing_if = "Option::is_none", alias = "bearer_format")]
    pub bearer_format: Option<String>,
}

/// OAuth 2.0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OAuth2SecurityScheme {
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How tokens are had.
    #[serde(deserialize_with = "de::or_default")]
    pub flows: OAuthFlows,
    /// The authorization server's metadata.
    #[serde(rename = "oauth2MetadataUrl", skip_serializing_if = "Option::is_none", alias = "oauth2_metadata_url")]
    pub oauth2_metadata_url: Option<String>,
}

/// `OpenID` Connect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OpenIdConnectSecurityScheme {
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The discovery document.
    #[serde(alias = "open_id_connect_url", deserialize_with = "de::or_default")]
    pub open_id_connect_url: String,
}

/// A client certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MutualTlsSecurityScheme {
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// How tokens are had; exactly one member is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OAuthFlows {
    /// A person allows it in a browser.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "authorization_code",
        deserialize_with = "de::maybe_object"
    )]
    pub authorization_code: Option<AuthorizationCodeFlow>,
    /// The program has its own credentials.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "client_credentials",
        deserialize_with = "de::maybe_object"
    )]
    pub client_credentials: Option<ClientCredentialsFlow>,
    /// A person allows it on another device.
    #[serde(skip_serializing_if = "Option::is_none", alias = "device_code", deserialize_with = "de::maybe_object")]
    pub device_code: Option<DeviceCodeFlow>,
    /// Deprecated by the specification, still on the wire.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub implicit: Option<ImplicitFlow>,
    /// Deprecated by the specification, still on the wire.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub password: Option<PasswordFlow>,
}

/// A person allows it in a browser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AuthorizationCodeFlow {
    /// Where the person is sent.
    #[serde(alias = "authorization_url", deserialize_with = "de::or_default")]
    pub authorization_url: String,
    /// Where the code is exchanged.
    #[serde(alias = "token_url", deserialize_with = "de::or_default")]
    pub token_url: String,
    /// Where tokens are renewed.
    #[serde(skip_serializing_if = "Option::is_none", alias = "refresh_url")]
    pub refresh_url: Option<String>,
    /// What may be asked for, with descriptions.
    #[serde(deserialize_with = "de::or_default")]
    pub scopes: BTreeMap<String, String>,
    /// Whether the code is bound to its requester.
    #[serde(skip_serializing_if = "std::ops::Not::not", alias = "pkce_required", deserialize_with = "de::or_default")]
    pub pkce_required: bool,
}

/// The program has its own credentials.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClientCredentialsFlow {
    /// Where tokens are had.
    #[serde(alias = "token_url", deserialize_with = "de::or_default")]
    pub token_url: String,
    /// Where tokens are renewed.
    #[serde(skip_serializing_if = "Option::is_none", alias = "refresh_url")]
    pub refresh_url: Option<String>,
    /// What may be asked for, with descriptions.
    #[serde(deserialize_with = "de::or_default")]
    pub scopes: BTreeMap<String, String>,
}

/// A person allows it on another device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceCodeFlow {
    /// Where the device asks for its code.
    #[serde(alias = "device_authorization_url", deserialize_with = "de::or_default")]
    pub device_authorization_url: String,
    /// Where tokens are had.
    #[serde(alias = "token_url", deserialize_with = "de::or_default")]
    pub token_url: String,
    /// Where tokens are renewed.
    #[serde(skip_serializing_if = "Option::is_none", alias = "refresh_url")]
    pub refresh_url: Option<String>,
    /// What may be asked for, with descriptions.
    #[serde(deserialize_with = "de::or_default")]
    pub scopes: BTreeMap<String, String>,
}

/// Tokens straight from the browser; deprecated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImplicitFlow {
    /// Where the person is sent.
    #[serde(alias = "authorization_url", deserialize_with = "de::or_default")]
    pub authorization_url: String,
    /// Where tokens are renewed.
    #[serde(skip_serializing_if = "Option::is_none", alias = "refresh_url")]
    pub refresh_url: Option<String>,
    /// What may be asked for, with descriptions.
    #[serde(deserialize_with = "de::or_default")]
    pub scopes: BTreeMap<String, String>,
}

/// Tokens for a name and a password; deprecated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PasswordFlow {
    /// Where tokens are had.
    #[serde(alias = "token_url", deserialize_with = "de::or_default")]
    pub token_url: String,
    /// Where tokens are renewed.
    #[serde(skip_serializing_if = "Option::is_none", alias = "refresh_url")]
    pub refresh_url: Option<String>,
    /// What may be asked for, with descriptions.
    #[serde(deserialize_with = "de::or_default")]
    pub scopes: BTreeMap<String, String>,
}

/// Schemes that are needed together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecurityRequirement {
    /// Scopes by the name of the scheme.
    #[serde(deserialize_with = "de::or_default")]
    pub schemes: BTreeMap<String, Scopes>,
}

/// What a caller must be allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scopes {
    /// The scopes.
    #[serde(deserialize_with = "de::or_default")]
    pub list: Vec<String>,
}
