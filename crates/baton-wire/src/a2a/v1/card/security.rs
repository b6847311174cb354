//! Authentication schemes.

use crate::de;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One authentication scheme; exactly one member is set.
///
/// Members of older dialects are ignored, because cards are served as the union of several versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecurityScheme {
    /// API key in a header, a query parameter or a cookie.
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

/// API key in a header, a query parameter or a cookie.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApiKeySecurityScheme {
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `query`, `header` or `cookie`.
    #[serde(deserialize_with = "de::or_default")]
    pub location: String,
    /// Name of the header, parameter or cookie.
    #[serde(deserialize_with = "de::or_default")]
    pub name: String,
}

/// The `Authorization` header.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HttpAuthSecurityScheme {
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Scheme, such as `Bearer`.
    #[serde(deserialize_with = "de::or_default")]
    pub scheme: String,
    /// Token format, such as `JWT`.
    #[serde(skip_serializing_if = "Option::is_none", alias = "bearer_format")]
    pub bearer_format: Option<String>,
}

/// OAuth 2.0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OAuth2SecurityScheme {
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Supported flows.
    #[serde(deserialize_with = "de::or_default")]
    pub flows: OAuthFlows,
    /// URL of the authorization server's metadata.
    #[serde(rename = "oauth2MetadataUrl", skip_serializing_if = "Option::is_none", alias = "oauth2_metadata_url")]
    pub oauth2_metadata_url: Option<String>,
}

/// `OpenID` Connect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OpenIdConnectSecurityScheme {
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// URL of the discovery document.
    #[serde(alias = "open_id_connect_url", deserialize_with = "de::or_default")]
    pub open_id_connect_url: String,
}

/// A client certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MutualTlsSecurityScheme {
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// OAuth 2.0 flows; exactly one member is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OAuthFlows {
    /// Authorization code flow: a person consents in a browser.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "authorization_code",
        deserialize_with = "de::maybe_object"
    )]
    pub authorization_code: Option<AuthorizationCodeFlow>,
    /// Client credentials flow: the client authenticates itself.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "client_credentials",
        deserialize_with = "de::maybe_object"
    )]
    pub client_credentials: Option<ClientCredentialsFlow>,
    /// Device code flow: a person consents on another device.
    #[serde(skip_serializing_if = "Option::is_none", alias = "device_code", deserialize_with = "de::maybe_object")]
    pub device_code: Option<DeviceCodeFlow>,
    /// Deprecated by the specification, still on the wire.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub implicit: Option<ImplicitFlow>,
    /// Deprecated by the specification, still on the wire.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub password: Option<PasswordFlow>,
}

/// Authorization code flow: a person consents in a browser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AuthorizationCodeFlow {
    /// Authorization endpoint.
    #[serde(alias = "authorization_url", deserialize_with = "de::or_default")]
    pub authorization_url: String,
    /// Token endpoint.
    #[serde(alias = "token_url", deserialize_with = "de::or_default")]
    pub token_url: String,
    /// Refresh endpoint.
    #[serde(skip_serializing_if = "Option::is_none", alias = "refresh_url")]
    pub refresh_url: Option<String>,
    /// Available scopes with descriptions.
    #[serde(deserialize_with = "de::or_default")]
    pub scopes: BTreeMap<String, String>,
    /// Whether PKCE is required.
    #[serde(skip_serializing_if = "std::ops::Not::not", alias = "pkce_required", deserialize_with = "de::or_default")]
    pub pkce_required: bool,
}

/// Client credentials flow: the client authenticates itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClientCredentialsFlow {
    /// Token endpoint.
    #[serde(alias = "token_url", deserialize_with = "de::or_default")]
    pub token_url: String,
    /// Refresh endpoint.
    #[serde(skip_serializing_if = "Option::is_none", alias = "refresh_url")]
    pub refresh_url: Option<String>,
    /// Available scopes with descriptions.
    #[serde(deserialize_with = "de::or_default")]
    pub scopes: BTreeMap<String, String>,
}

/// Device code flow: a person consents on another device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceCodeFlow {
    /// Device authorization endpoint.
    #[serde(alias = "device_authorization_url", deserialize_with = "de::or_default")]
    pub device_authorization_url: String,
    /// Token endpoint.
    #[serde(alias = "token_url", deserialize_with = "de::or_default")]
    pub token_url: String,
    /// Refresh endpoint.
    #[serde(skip_serializing_if = "Option::is_none", alias = "refresh_url")]
    pub refresh_url: Option<String>,
    /// Available scopes with descriptions.
    #[serde(deserialize_with = "de::or_default")]
    pub scopes: BTreeMap<String, String>,
}

/// Implicit flow; deprecated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImplicitFlow {
    /// Authorization endpoint.
    #[serde(alias = "authorization_url", deserialize_with = "de::or_default")]
    pub authorization_url: String,
    /// Refresh endpoint.
    #[serde(skip_serializing_if = "Option::is_none", alias = "refresh_url")]
    pub refresh_url: Option<String>,
    /// Available scopes with descriptions.
    #[serde(deserialize_with = "de::or_default")]
    pub scopes: BTreeMap<String, String>,
}

/// Password flow; deprecated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PasswordFlow {
    /// Token endpoint.
    #[serde(alias = "token_url", deserialize_with = "de::or_default")]
    pub token_url: String,
    /// Refresh endpoint.
    #[serde(skip_serializing_if = "Option::is_none", alias = "refresh_url")]
    pub refresh_url: Option<String>,
    /// Available scopes with descriptions.
    #[serde(deserialize_with = "de::or_default")]
    pub scopes: BTreeMap<String, String>,
}

/// Schemes that are required together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecurityRequirement {
    /// Scopes by scheme name.
    #[serde(deserialize_with = "de::or_default")]
    pub schemes: BTreeMap<String, Scopes>,
}

/// Required scopes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scopes {
    /// The scopes.
    #[serde(deserialize_with = "de::or_default")]
    pub list: Vec<String>,
}
