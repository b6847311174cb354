//! Explicit login, not triggered by a call.

use super::{Authorizer, Challenge, LoginError, LoopbackBrowser};
use crate::{ConnectError, ConnectTarget, RemoteConnector, RemoteSettings};
use bytes::Bytes;
use http::{HeaderValue, Request, header};
use std::sync::Arc;

/// A message that needs no session and changes nothing.
const PROBE_MESSAGE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// Logs a user in at the server: `show` receives the address of the login page, and the browser returns to a local
/// port. The values of the server's transport must be expanded.
pub async fn login(
    settings: &RemoteSettings,
    target: ConnectTarget<'_>,
    show: impl Fn(&str) + Send + Sync + 'static,
) -> Result<(), LoginError> {
    let connect = RemoteConnector::new(settings.clone());
    let refused = |error: ConnectError| LoginError::failed(error.to_string());
    let authorizer = connect.authorizer(target).map_err(refused)?;
    let authorizer = authorizer.ok_or_else(|| LoginError::failed("no folder for credentials is configured"))?;
    let fixed = target.server.oauth.as_ref().and_then(|oauth| oauth.callback_port);
    let show = Arc::new(show);
    let listen = |port: Option<u16>| {
        let show = Arc::clone(&show);
        LoopbackBrowser::listen(port, move |url: &str| show(url))
    };
    let browser = match (fixed, authorizer.callback_port()) {
        // The previous port is only a preference: the client is registered with it.
        (None, Some(port)) => match listen(Some(port)).await {
            Ok(browser) => Ok(browser),
            Err(_) => listen(None).await,
        },
        (port, _) => listen(port).await,
    };
    let browser =
        browser.map_err(|error| LoginError::failed(format!("cannot listen for the login callback: {error}")))?;
    authorizer.with_browser(Arc::new(browser)).login().await
}

impl Authorizer {
    /// Logs in again, regardless of the stored token.
    pub async fn login(&self) -> Result<(), LoginError> {
        let challenge = self.probe_challenge().await?;
        let mut state = self.state.lock().await;
        self.discover_issuer(&mut state, challenge.as_ref()).await?;
        let is_discovered = state.issuer.as_ref().is_some_and(|prepared| prepared.is_discovered);
        if challenge.is_none() && !is_discovered {
            return Err(LoginError::failed("the server requires no login"));
        }
        let required = challenge.unwrap_or_else(Challenge::unspecified);
        self.authorize(&mut state, &required).await.map(|_| ())
    }

    /// Challenge of the server to an unauthenticated request.
    async fn probe_challenge(&self) -> Result<Option<Challenge>, LoginError> {
        let request = Request::post(self.account.url.as_str())
            .header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"))
            .body(Bytes::from_static(PROBE_MESSAGE.as_bytes()));
        let request = request.map_err(|_| LoginError::failed("the url of the server is malformed"))?;
        let response = self.client.open_without_redirects(request).await;
        let response = response.map_err(|error| LoginError::failed(error.to_string()))?;
        Ok(Challenge::from_response(response.status(), response.headers()))
    }
}
