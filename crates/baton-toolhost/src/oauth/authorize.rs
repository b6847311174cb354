//! Login: interactive in a browser, or with client credentials.

use super::{Authorizer, Browser, Challenge, LoginError, authorizer::AuthorizerState, vault::RegisteredClient};
use rmcp::transport::auth::{AuthorizationRequest, AuthorizationSession, ClientCredentialsConfig};

/// Client name displayed by authorization servers.
const CLIENT_NAME: &str = "Baton";

/// Whether to register the client again when its authorization server no longer recognizes it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Registration {
    MayBeOld,
    IsNew,
}

impl Authorizer {
    /// Logs in with every scope requested so far.
    pub(super) async fn authorize(
        &self,
        state: &mut AuthorizerState,
        challenge: &Challenge,
    ) -> Result<String, LoginError> {
        let defaults: Vec<&str> = self.account.oauth.scopes.iter().map(String::as_str).collect();
        let chosen = self.manager(state).await?.select_initial_scopes(&defaults).await;
        let mut scopes = self.vault.issued().scopes;
        for scope in chosen {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        self.vault.update(|issued| issued.scopes.clone_from(&scopes)).await?;
        let (allows_login, allows_secret) = match &state.issuer {
            Some(prepared) => (prepared.allows_authorization_code(), prepared.allows_client_credentials()),
            None => (true, false),
        };
        let by_itself = self.account.oauth.client_id.as_deref().zip(self.secret.as_deref()).filter(|_| allows_secret);
        let authorized = match (&self.browser, by_itself) {
            (Some(browser), None) => self.log_in_with_browser(state, browser.as_ref(), &scopes).await,
            (Some(browser), Some(_)) if allows_login => {
                self.log_in_with_browser(state, browser.as_ref(), &scopes).await
            }
            (_, Some((id, secret))) => self.log_in_with_secret(state, id, secret, scopes.clone()).await,
            (None, None) if challenge.is_step_up() => Err(LoginError::needed(format!(
                "the server requires a login with more scopes: {}",
                challenge.scopes().join(" ")
            ))),
            (None, None) => Err(LoginError::needed("the server requires a login")),
        };
        // Scopes that cannot be granted must not be requested repeatedly.
        match &authorized {
            Ok(_) => self.vault.update(|issued| issued.asked = scopes).await?,
            Err(LoginError::Failed { reason }) if reason.contains("invalid_scope") => {
                self.vault.update(|issued| issued.scopes.clear()).await?;
            }
            Err(_) => {}
        }
        authorized
    }

    async fn log_in_with_secret(
        &self,
        state: &mut AuthorizerState,
        id: &str,
        secret: &str,
        scopes: Vec<String>,
    ) -> Result<String, LoginError> {
        let config = ClientCredentialsConfig::ClientSecret {
            client_id: id.to_owned(),
            client_secret: secret.to_owned(),
            scopes,
            resource: Some(self.account.url.clone()),
        };
        let manager = self.manager(state).await?;
        manager.validate_client_credentials_metadata(&config)?;
        manager.configure_client_credentials(&config)?;
        manager.exchange_client_credentials(&config).await?;
        self.issued_token()
    }

    async fn log_in_with_browser(
        &self,
        state: &mut AuthorizerState,
        browser: &dyn Browser,
        scopes: &[String],
    ) -> Result<String, LoginError> {
        loop {
            let (client, registration) = self.client(state, browser.callback(), scopes).await?;
            match self.visit(state, browser, client, scopes).await {
                Err((_, RejectionCause::UnknownClient)) if registration == Registration::MayBeOld => {
                    self.vault.update(|issued| issued.client = None).await?;
                }
                Err((error, _)) => return Err(error),
                Ok(()) => return self.issued_token(),
            }
        }
    }

    /// The client to log in with: from the definition, from the client metadata document, registered before, or newly
    /// registered.
    async fn client(
        &self,
        state: &mut AuthorizerState,
        callback: &str,
        scopes: &[String],
    ) -> Result<(RegisteredClient, Registration), LoginError> {
        let redirect = callback.to_owned();
        if let Some(id) = self.account.oauth.client_id.clone() {
            return Ok((RegisteredClient { id, secret: self.secret.clone(), redirect }, Registration::IsNew));
        }
        let takes_documents = state.issuer.as_ref().is_some_and(|prepared| prepared.allows_client_documents);
        let client = match (&self.account.client_document, self.vault.issued().client) {
            (Some(document), _) if takes_documents => RegisteredClient { id: document.clone(), secret: None, redirect },
            (_, Some(client)) if client.redirect == callback => return Ok((client, Registration::MayBeOld)),
            _ => {
                let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
                let registered = self.manager(state).await?.register_client(CLIENT_NAME, callback, &scopes).await?;
                RegisteredClient { id: registered.client_id, secret: registered.client_secret, redirect }
            }
        };
        self.vault.update(|issued| issued.client = Some(client.clone())).await?;
        Ok((client, Registration::IsNew))
    }

    async fn visit(
        &self,
        state: &mut AuthorizerState,
        browser: &dyn Browser,
        client: RegisteredClient,
        scopes: &[String],
    ) -> Result<(), (LoginError, RejectionCause)> {
        let fail = |error: LoginError| (error, RejectionCause::Other);
        self.manager(state).await.map_err(fail)?;
        let Some(manager) = state.manager.take() else {
            return Err(fail(LoginError::failed("no authorization manager is available")));
        };
        let mut request = AuthorizationRequest::new(client.redirect).with_preregistered_client(client.id);
        if let Some(secret) = client.secret {
            request = request.with_client_secret(secret);
        }
        request = match scopes {
            [] => request.with_initial_scope_selection(),
            _ => request.with_scopes(scopes.iter().cloned()),
        };
        let session = match AuthorizationSession::new(manager, request).await {
            Ok(session) => session,
            Err((manager, error)) => {
                state.manager = Some(manager);
                return Err(fail(error.into()));
            }
        };
        let callback = visit_login_page(browser, session.get_authorization_url()).await;
        let exchanged = match callback {
            Ok(callback) => session.handle_callback_url(&callback).await.map(|_| ()).map_err(|error| {
                let unknown = if LoginError::is_unknown_client(&error) {
                    RejectionCause::UnknownClient
                } else {
                    RejectionCause::Other
                };
                (error.into(), unknown)
            }),
            Err(error) => Err(fail(error)),
        };
        state.manager = Some(session.auth_manager);
        exchanged
    }

    fn issued_token(&self) -> Result<String, LoginError> {
        self.vault.token().ok_or_else(|| LoginError::failed("the authorization server issued no token"))
    }
}

/// Cause of a rejection by an authorization server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RejectionCause {
    UnknownClient,
    Other,
}

/// Opens the login page and returns the callback address with its code.
async fn visit_login_page(browser: &dyn Browser, page: &str) -> Result<String, LoginError> {
    if baton_outbound::Target::parse(page).is_err() {
        return Err(LoginError::failed("the login page has an unsupported address"));
    }
    let callback = browser.visit(page).await?;
    let query = callback.split_once('?').map_or("", |(_, query)| query);
    let query_parameter =
        |name: &str| form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value);
    if query_parameter("state") != state_of(page) {
        return Err(LoginError::failed("the response belongs to another login (state does not match)"));
    }
    match query_parameter("error") {
        Some(error) => {
            let text = query_parameter("error_description").unwrap_or_default();
            let text: String = format!("{error} {text}").chars().filter(|c| !c.is_control()).take(200).collect();
            Err(LoginError::failed(format!("the authorization server returned: {}", text.trim())))
        }
        None => Ok(callback.clone()),
    }
}

fn state_of(page: &str) -> Option<std::borrow::Cow<'_, str>> {
    let query = page.split_once('?')?.1;
    form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "state").map(|(_, value)| value)
}
