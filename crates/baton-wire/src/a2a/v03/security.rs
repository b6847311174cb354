//! Authentication schemes in the form of `OpenAPI` 3.

use crate::{a2a::v1, de};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Schemes that are required together: scopes by scheme name.
pub type Security = BTreeMap<String, Vec<String>>;

/// One authentication scheme; `type` determines the relevant members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecurityScheme {
    /// `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`.
    #[serde(rename = "type", deserialize_with = "de::or_default")]
    pub kind: String,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For `apiKey`: `query`, `header` or `cookie`.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// For `apiKey`: name of the header, parameter or cookie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// For `http`: scheme, such as `Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// For `http`: token format, such as `JWT`.
    #[serde(skip_serializing_if = "Option::is_none", alias = "bearer_format")]
    pub bearer_format: Option<String>,
    /// For `oauth2`: supported flows.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub flows: Option<v1::OAuthFlows>,
    /// For `oauth2`: URL of the authorization server's metadata.
    #[serde(skip_serializing_if = "Option::is_none", rename = "oauth2MetadataUrl", alias = "oauth2_metadata_url")]
    pub oauth2_metadata_url: Option<String>,
    /// For `openIdConnect`: URL of the discovery document.
    #[serde(skip_serializing_if = "Option::is_none", alias = "open_id_connect_url")]
    pub open_id_connect_url: Option<String>,
}

impl SecurityScheme {
    /// The scheme in 1.0; empty if the type is unknown.
    pub fn into_v1(self) -> v1::SecurityScheme {
        let (mut scheme, description) = (v1::SecurityScheme::default(), self.description);
        match self.kind.as_str() {
            "apiKey" => {
                scheme.api_key_security_scheme = Some(v1::ApiKeySecurityScheme {
                    description,
                    location: self.location.unwrap_or_default(),
                    name: self.name.unwrap_or_default(),
                });
            }
            "http" => {
                scheme.http_auth_security_scheme = Some(v1::HttpAuthSecurityScheme {
                    description,
                    scheme: self.scheme.unwrap_or_default(),
                    bearer_format: self.bearer_format,
                });
            }
            "oauth2" => {
                scheme.oauth2_security_scheme = Some(v1::OAuth2SecurityScheme {
                    description,
                    flows: self.flows.unwrap_or_default(),
                    oauth2_metadata_url: self.oauth2_metadata_url,
                });
            }
            "openIdConnect" => {
                scheme.open_id_connect_security_scheme = Some(v1::OpenIdConnectSecurityScheme {
                    description,
                    open_id_connect_url: self.open_id_connect_url.unwrap_or_default(),
                });
            }
            "mutualTLS" => scheme.mtls_security_scheme = Some(v1::MutualTlsSecurityScheme { description }),
            _ => {}
        }
        scheme
    }

    fn with_kind(kind: &str, description: Option<String>) -> Self {
        Self { kind: kind.to_owned(), description, ..Self::default() }
    }
}

impl From<v1::SecurityScheme> for SecurityScheme {
    fn from(scheme: v1::SecurityScheme) -> Self {
        if let Some(key) = scheme.api_key_security_scheme {
            let (location, name) = (Some(key.location), Some(key.name));
            return Self { location, name, ..Self::with_kind("apiKey", key.description) };
        }
        if let Some(http) = scheme.http_auth_security_scheme {
            let scheme = Some(http.scheme);
            return Self { scheme, bearer_format: http.bearer_format, ..Self::with_kind("http", http.description) };
        }
        if let Some(oauth) = scheme.oauth2_security_scheme {
            let mut flows = oauth.flows;
            flows.device_code = None;
            if let Some(flow) = &mut flows.authorization_code {
                flow.pkce_required = false;
            }
            return Self {
                flows: Some(flows),
                oauth2_metadata_url: oauth.oauth2_metadata_url,
                ..Self::with_kind("oauth2", oauth.description)
            };
        }
        if let Some(connect) = scheme.open_id_connect_security_scheme {
            let open_id_connect_url = Some(connect.open_id_connect_url);
            return Self { open_id_connect_url, ..Self::with_kind("openIdConnect", connect.description) };
        }
        Self::with_kind("mutualTLS", scheme.mtls_security_scheme.and_then(|certificate| certificate.description))
    }
}

/// Converts requirements to 1.0.
pub(super) fn requirements_into_v1(security: Vec<Security>) -> Vec<v1::SecurityRequirement> {
    let wrap = |schemes: Security| v1::SecurityRequirement {
        schemes: schemes.into_iter().map(|(name, list)| (name, v1::Scopes { list })).collect(),
    };
    security.into_iter().map(wrap).collect()
}

/// Converts requirements from 1.0.
pub(super) fn requirements_from_v1(requirements: Vec<v1::SecurityRequirement>) -> Vec<Security> {
    let to_security =
        |one: v1::SecurityRequirement| one.schemes.into_iter().map(|(name, scopes)| (name, scopes.list)).collect();
    requirements.into_iter().map(to_security).collect()
}
