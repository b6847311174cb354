//! Discovery of the authorization server.

use super::{Authorizer, Challenge, LoginError, authorizer::AuthorizerState, vault::RegisteredClient};
use rmcp::transport::auth::{AuthorizationMetadata, OAuthClientConfig};

/// Capabilities of an authorization server.
pub(super) struct IssuerCapabilities {
    /// Whether the metadata was discovered, not guessed.
    pub(super) is_discovered: bool,
    /// Whether it accepts client metadata documents.
    pub(super) allows_client_documents: bool,
    /// Supported grant types; `None` when unspecified.
    grants: Option<Vec<String>>,
}

impl IssuerCapabilities {
    fn from_metadata(metadata: &AuthorizationMetadata, is_discovered: bool) -> Self {
        let more = &metadata.additional_fields;
        let string_list = |name: &str| {
            let list = more.get(name)?.as_array()?;
            Some(list.iter().filter_map(|word| word.as_str()).map(str::to_owned).collect())
        };
        let takes_documents = more.get("client_id_metadata_document_supported").and_then(serde_json::Value::as_bool);
        Self {
            is_discovered,
            allows_client_documents: takes_documents.unwrap_or_default(),
            grants: string_list("grant_types_supported"),
        }
    }

    /// Whether the authorization code grant is supported or unspecified.
    pub(super) fn allows_authorization_code(&self) -> bool {
        self.grants.as_ref().is_none_or(|grants| grants.iter().any(|grant| grant == "authorization_code"))
    }

    /// Whether the client credentials grant is listed as supported.
    pub(super) fn allows_client_credentials(&self) -> bool {
        self.grants.as_ref().is_some_and(|grants| grants.iter().any(|grant| grant == "client_credentials"))
    }
}

impl Authorizer {
    /// Discovers the current authorization server. After a change of server, credentials of the previous one are not
    /// used.
    pub(super) async fn discover_issuer(
        &self,
        state: &mut AuthorizerState,
        challenge: Option<&Challenge>,
    ) -> Result<(), LoginError> {
        let manager = self.manager(state).await?;
        let found = manager.resolve_metadata_from_challenge(challenge.and_then(Challenge::header)).await?;
        let prepared = IssuerCapabilities::from_metadata(&found.metadata, found.source.is_discovered());
        let issuer = found.metadata.issuer.clone().unwrap_or_else(|| found.metadata.token_endpoint.clone());
        manager.set_metadata(found.metadata);
        self.vault.switch_issuer(&issuer).await?;
        if let Some(client) = self.known_client() {
            manager.configure_client(client_config(&client))?;
        }
        state.issuer = Some(prepared);
        Ok(())
    }

    /// The client named by the definition, or the one registered before.
    pub(super) fn known_client(&self) -> Option<RegisteredClient> {
        let issued = self.vault.issued();
        match &self.account.oauth.client_id {
            Some(id) => {
                let redirect = issued.client.map_or_else(|| self.account.url.clone(), |client| client.redirect);
                Some(RegisteredClient { id: id.clone(), secret: self.secret.clone(), redirect })
            }
            None => issued.client,
        }
    }
}

pub(super) fn client_config(client: &RegisteredClient) -> OAuthClientConfig {
    let config = OAuthClientConfig::new(client.id.clone(), client.redirect.clone());
    match &client.secret {
        Some(secret) => config.with_client_secret(secret.clone()),
        None => config,
    }
}
