//! Connections to the remote servers of a definition.

use super::{
    RemoteError, RemoteServer,
    explain::{login_reason, remote_error, transport_error},
};
use crate::{
    BoxedTransport, ConnectAttempt, ConnectError, ConnectTarget, ServerConnector,
    oauth::{Authorizer, Browser, OauthAccount},
    transport::{Variables, sse::sse},
};
use baton_outbound::{GuardedClient, OutboundOptions, Target as Address};
use baton_ports::BoxFuture;
use baton_types::McpTransport;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use rmcp::service::ClientInitializeError;
use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc, time::Duration};

/// Minimum idle timeout of a stream before it is reopened.
const STREAM_IDLE_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// Maximum connections to one server that are kept for later calls; each call in flight uses one.
const MAX_IDLE_CONNECTIONS: usize = 64;

/// Settings of remote connections.
#[derive(Clone)]
pub struct RemoteSettings {
    /// Checks addresses other than those named by definitions.
    pub client: GuardedClient,
    /// Folder of stored logins, readable by its owner only; without it, logins are unavailable.
    pub logins: Option<PathBuf>,
    /// Opens login pages; without one, servers wait for `baton tools login`.
    pub browser: Option<Arc<dyn Browser>>,
    /// HTTPS address of the client metadata document for authorization servers, if any.
    pub client_document: Option<String>,
    /// Lookup for `env://NAME`.
    pub variables: Arc<Variables<'static>>,
}

impl fmt::Debug for RemoteSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSettings").field("logins", &self.logins).finish_non_exhaustive()
    }
}

impl RemoteSettings {
    /// Settings with this client only; servers that require a login are rejected.
    pub fn new(client: GuardedClient) -> Self {
        let variables = Arc::new(|name: &str| std::env::var(name).ok());
        Self { client, logins: None, browser: None, client_document: None, variables }
    }
}

/// Opens connections over streamable HTTP and the older HTTP+SSE.
///
/// The host named by a definition may be called at any address, because the author of the definition chose it. Every
/// address named by a server (redirects, message endpoints, authorization servers) must have the same origin or pass
/// the policy of the client.
pub struct RemoteConnector {
    settings: RemoteSettings,
    /// Whether a named host bypasses the address policy of the client.
    trusts_hosts: bool,
}

impl RemoteConnector {
    /// A connector for servers named by definitions.
    pub fn new(settings: RemoteSettings) -> Self {
        Self { settings, trusts_hosts: true }
    }

    /// A connector for untrusted server addresses, which must pass the policy of the client.
    pub fn for_untrusted(settings: RemoteSettings) -> Self {
        Self { settings, trusts_hosts: false }
    }

    /// The server named by a definition.
    pub fn remote(&self, target: ConnectTarget<'_>) -> Result<RemoteServer, ConnectError> {
        let (url, headers) = address_of(target)?;
        let address = Address::parse(url).map_err(|error| {
            let hint = format!("correct the url of '{}' in {}", target.server.name, target.server.file);
            ConnectError::Failed { reason: error.to_string(), hint }
        })?;
        let total = target.server.timeouts.total;
        let options = OutboundOptions {
            same_origin: true,
            connect_timeout: target.server.timeouts.startup.min(Duration::from_secs(30)),
            request_timeout: total,
            head_timeout: total,
            idle_body_timeout: total.max(STREAM_IDLE_TIMEOUT),
            idle_per_host: MAX_IDLE_CONNECTIONS,
            ..OutboundOptions::default()
        };
        let named = self.trusts_hosts.then(|| address.host());
        let client = self.settings.client.with_allowed(named, options).map_err(|error| ConnectError::Failed {
            reason: error.to_string(),
            hint: "correct the url of the server".to_owned(),
        })?;
        let headers = header_map(headers, target)?;
        // A definition with its own credentials uses no others.
        let has_own = headers.contains_key(header::AUTHORIZATION);
        let remote = RemoteServer::new(url, headers, client).with_log(target.log.clone());
        if has_own {
            return Ok(remote);
        }
        Ok(match self.authorizer(target)? {
            Some(authorizer) => remote.with_login(Arc::new(authorizer)),
            None => remote,
        })
    }

    /// The authorizer of the server named by a definition; `None` when logins are not stored.
    pub fn authorizer(&self, target: ConnectTarget<'_>) -> Result<Option<Authorizer>, ConnectError> {
        let Some(folder) = &self.settings.logins else { return Ok(None) };
        let (url, _) = address_of(target)?;
        let failed = |reason: String| ConnectError::Failed {
            reason,
            hint: format!("check the oauth settings of '{}' in {}", target.server.name, target.server.file),
        };
        let options = OutboundOptions {
            head_timeout: Duration::from_secs(20),
            idle_body_timeout: Duration::from_secs(20),
            ..OutboundOptions::default()
        };
        let address = Address::parse(url).map_err(|error| failed(error.to_string()))?;
        let client = self.settings.client.with_allowed([address.host()], options);
        let account = OauthAccount {
            agent: target.agent.to_string(),
            server: target.server.name.clone(),
            url: url.to_owned(),
            oauth: target.server.oauth.clone().unwrap_or_default(),
            client_document: self.settings.client_document.clone(),
        };
        let client = client.map_err(|error| failed(error.to_string()))?;
        let authorizer = Authorizer::new(account, folder, client, &*self.settings.variables);
        let authorizer = authorizer.map_err(|error| failed(error.to_string()))?;
        Ok(Some(match &self.settings.browser {
            Some(browser) => authorizer.with_browser(Arc::clone(browser)),
            None => authorizer,
        }))
    }
}

impl ServerConnector for RemoteConnector {
    fn open<'a>(
        &'a self,
        target: ConnectTarget<'a>,
        attempt: ConnectAttempt,
    ) -> BoxFuture<'a, Result<BoxedTransport, ConnectError>> {
        Box::pin(async move {
            let remote = self.remote(target)?;
            Ok(match (&target.server.transport, attempt) {
                (McpTransport::Sse { .. }, _) | (_, ConnectAttempt::Older) => BoxedTransport::new(sse(remote)),
                _ => BoxedTransport::streamable(remote),
            })
        })
    }

    fn has_older_transport(&self, target: ConnectTarget<'_>, failure: &ClientInitializeError) -> bool {
        let error = transport_error(failure).and_then(remote_error);
        matches!(target.server.transport, McpTransport::Remote { .. })
            && matches!(error, Some(RemoteError::NotMcp { .. }))
    }

    fn explain(&self, target: ConnectTarget<'_>, failure: &ClientInitializeError) -> Option<ConnectError> {
        let error = transport_error(failure)?;
        if let Some(reason) = login_reason(error) {
            let hint = format!("run `baton tools login {} {}`", target.agent, target.server.name);
            return Some(ConnectError::NeedsLogin { reason: reason.to_owned(), hint });
        }
        let error = remote_error(error)?;
        let hint = match error {
            RemoteError::NotMcp { .. } => {
                "check the url; for a server with the older transport write \"type\": \"sse\""
            }
            RemoteError::Status { status: 401 | 403 } => "check the credentials in the headers of the definition",
            RemoteError::Login(_) => "check the login settings of the server, then log in again",
            _ => "check that the server runs and that its url is right",
        };
        Some(ConnectError::Failed { reason: error.to_string(), hint: hint.to_owned() })
    }
}

fn address_of(target: ConnectTarget<'_>) -> Result<(&str, &BTreeMap<String, String>), ConnectError> {
    match &target.server.transport {
        McpTransport::Http { url, headers }
        | McpTransport::Sse { url, headers }
        | McpTransport::Remote { url, headers } => Ok((url, headers)),
        McpTransport::Stdio { .. } | McpTransport::Internal { .. } => Err(ConnectError::Failed {
            reason: "it has no address".to_owned(),
            hint: "give the server a url".to_owned(),
        }),
    }
}

/// Headers that belong to the transport; a definition cannot set them.
const RESERVED_HEADERS: [&str; 5] = ["accept", "content-type", "host", "last-event-id", "mcp-session-id"];

fn header_map(headers: &BTreeMap<String, String>, target: ConnectTarget<'_>) -> Result<HeaderMap, ConnectError> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let wrong = |problem: &str| ConnectError::Failed {
            reason: format!("the header '{name}' {problem}"),
            hint: format!("correct the headers of '{}' in {}", target.server.name, target.server.file),
        };
        let parsed = HeaderName::try_from(name).map_err(|_| wrong("has an invalid name"))?;
        if RESERVED_HEADERS.contains(&parsed.as_str()) {
            return Err(wrong("is set by the transport itself"));
        }
        let mut value = HeaderValue::try_from(value).map_err(|_| wrong("has an invalid value"))?;
        // Any header may be secret, so all are marked sensitive.
        value.set_sensitive(true);
        map.insert(parsed, value);
    }
    Ok(map)
}
