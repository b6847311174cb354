//! Tokens for one server: stored, refreshed or newly issued.

use super::{
    Browser, Challenge, LoginError,
    discovery::IssuerCapabilities,
    http::GuardedOauthClient,
    vault::{CredentialVault, VaultCredentialStore},
};
use baton_outbound::GuardedClient;
use baton_types::McpOauth;
use rmcp::transport::auth::{AuthError, AuthorizationManager};
use std::{fmt, path::Path, sync::Arc};
use tokio::sync::Mutex;

/// Server and client settings of a login.
#[derive(Clone, Debug)]
pub struct OauthAccount {
    /// Agent that owns the server.
    pub agent: String,
    /// The server's key in the agent's definition.
    pub server: String,
    /// The server's address.
    pub url: String,
    /// OAuth settings of the definition.
    pub oauth: McpOauth,
    /// HTTPS address of the client metadata document, if any.
    pub client_document: Option<String>,
}

/// Obtains and stores the tokens for one server.
///
/// One request at a time refreshes the token or logs in; the others wait and use the same token.
pub struct Authorizer {
    pub(super) account: OauthAccount,
    pub(super) secret: Option<String>,
    pub(super) vault: Arc<CredentialVault>,
    pub(super) client: GuardedClient,
    pub(super) browser: Option<Arc<dyn Browser>>,
    pub(super) state: Mutex<AuthorizerState>,
}

#[derive(Default)]
pub(super) struct AuthorizerState {
    pub(super) manager: Option<AuthorizationManager>,
    /// Metadata of the authorization server, once discovered.
    pub(super) issuer: Option<IssuerCapabilities>,
    /// Token from the last refresh: if the server rejects it too, another refresh is pointless.
    pub(super) refreshed_token: Option<String>,
}

/// Omits secrets.
impl fmt::Debug for Authorizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorizer")
            .field("agent", &self.account.agent)
            .field("server", &self.account.server)
            .finish_non_exhaustive()
    }
}

impl Authorizer {
    /// Stores credentials in `folder`. The client decides which authorization servers may be called; `env://NAME` in
    /// the client secret is resolved with `variables`.
    pub fn new(
        account: OauthAccount,
        folder: &Path,
        client: GuardedClient,
        variables: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, LoginError> {
        let secret = match &account.oauth.client_secret {
            Some(written) => Some(resolve_secret(written, variables)?),
            None => None,
        };
        let vault = Arc::new(CredentialVault::open(folder, &account.agent, &account.server, &account.url)?);
        Ok(Self { account, secret, vault, client, browser: None, state: Mutex::default() })
    }

    /// Adds a browser for logins while requests wait.
    #[must_use]
    pub fn with_browser(mut self, browser: Arc<dyn Browser>) -> Self {
        self.browser = Some(browser);
        self
    }

    /// Callback port from the definition, else from the registered redirect address.
    pub fn callback_port(&self) -> Option<u16> {
        let registered = self.vault.issued().client.map(|client| client.redirect);
        let port = registered.and_then(|redirect| baton_outbound::Target::parse(&redirect).ok()).map(|to| to.port());
        self.account.oauth.callback_port.or(port)
    }

    /// The token to send, refreshed when it is about to expire; `None` when not logged in.
    pub async fn token(&self) -> Result<Option<String>, LoginError> {
        if self.vault.token().is_none() {
            return Ok(None);
        }
        let mut state = self.state.lock().await;
        let first = self.manager(&mut state).await?.get_access_token().await;
        let token = match first {
            // A refresh needs the metadata of the authorization server.
            Err(AuthError::InternalError(_)) if state.issuer.is_none() => {
                self.discover_issuer(&mut state, None).await?;
                self.manager(&mut state).await?.get_access_token().await
            }
            other => other,
        };
        match token {
            Ok(token) => Ok(Some(token)),
            Err(AuthError::AuthorizationRequired) => Ok(None),
            Err(error) if LoginError::is_unknown_client(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A token that satisfies the challenge to a request sent with the token `sent`.
    pub async fn satisfy_challenge(&self, sent: Option<&str>, challenge: &Challenge) -> Result<String, LoginError> {
        let mut state = self.state.lock().await;
        // Another request or process may have obtained a token already.
        let before = self.vault.token();
        self.vault.reload()?;
        let is_new = |token: &String| sent.map_or(before.as_ref() != Some(token), |sent| sent != token);
        if let Some(token) = self.vault.token().filter(is_new) {
            return Ok(token);
        }
        self.discover_issuer(&mut state, Some(challenge)).await?;
        if challenge.is_step_up() {
            let requested = self.vault.issued().asked;
            if challenge.scopes().iter().all(|scope| requested.contains(scope)) {
                let scopes = challenge.scopes().join(" ");
                return Err(LoginError::failed(format!(
                    "the server requires scopes that were already requested ({scopes})"
                )));
            }
        } else if sent.is_some()
            && sent != state.refreshed_token.as_deref()
            && let Some(token) = self.refresh(&mut state).await?
        {
            return Ok(token);
        }
        self.authorize(&mut state, challenge).await
    }

    /// Refreshes the token; `None` when only a login helps.
    async fn refresh(&self, state: &mut AuthorizerState) -> Result<Option<String>, LoginError> {
        if self.vault.token().is_none() {
            return Ok(None);
        }
        match self.manager(state).await?.refresh_token().await {
            Ok(_) => {
                state.refreshed_token = self.vault.token();
                Ok(state.refreshed_token.clone())
            }
            Err(error) if LoginError::is_unknown_client(&error) => {
                self.vault.update(|issued| (issued.client, issued.credentials) = (None, None)).await?;
                Ok(None)
            }
            Err(
                AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) | AuthError::InternalError(_),
            ) => {
                self.vault.update(|issued| issued.credentials = None).await?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(super) async fn manager<'a>(
        &self,
        state: &'a mut AuthorizerState,
    ) -> Result<&'a mut AuthorizationManager, LoginError> {
        if state.manager.is_none() {
            let http = Arc::new(GuardedOauthClient(self.client.clone()));
            let created = AuthorizationManager::new_with_oauth_http_client(self.account.url.as_str(), http).await;
            let mut manager = created?;
            manager.set_credential_store(VaultCredentialStore(Arc::clone(&self.vault)));
            state.manager = Some(manager);
            state.issuer = None;
        }
        state.manager.as_mut().ok_or_else(|| LoginError::failed("no authorization manager is available"))
    }
}

fn resolve_secret(written: &str, variables: &dyn Fn(&str) -> Option<String>) -> Result<String, LoginError> {
    let wrong = |reason: String| LoginError::Failed { reason };
    let name = written.strip_prefix("env://").ok_or_else(|| {
        wrong("the client secret must have the form env://NAME, with the value in that variable".to_owned())
    })?;
    variables(name).ok_or_else(|| wrong(format!("the variable {name} of the client secret is not set")))
}
