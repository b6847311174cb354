//! A server that requires a login, its authorization server, and a scripted browser.

use super::world::{ReceivedRequest, Reply, Server, standard_reply};
use baton_outbound::{AddressPolicy, GuardedClient, OutboundOptions};
use baton_ports::BoxFuture;
use baton_toolhost::{Browser, ConnectTarget, LoginError, RemoteSettings, ServerLog};
use baton_types::{AgentName, McpEra, McpOauth, McpPermissions, McpServer, McpTimeouts, McpTransport};
use http::Method;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
};

/// State of the authorization server.
#[derive(Default)]
pub(crate) struct ProviderState {
    pub(crate) clients: usize,
    pub(crate) tokens: usize,
    /// Scope that calls require.
    pub(crate) required_scope: Option<&'static str>,
    /// Clients with a number up to this one are unknown.
    pub(crate) forgotten: usize,
    /// Announced authorization server, if it is another one.
    pub(crate) authorization_server: Option<String>,
    scopes: String,
}

/// A server at `/mcp` and its authorization server, on one origin.
pub(crate) struct Provider {
    pub(crate) server: Server,
    pub(crate) given: Arc<Mutex<ProviderState>>,
}

impl Provider {
    pub(crate) async fn start() -> Self {
        let given: Arc<Mutex<ProviderState>> = Arc::default();
        let state = Arc::clone(&given);
        let server = Server::start_with_origin(|origin| {
            move |got: &ReceivedRequest| respond(&origin, &mut state.lock().unwrap(), got)
        })
        .await;
        Self { server, given }
    }

    pub(crate) fn definition(&self) -> Definition {
        Definition::new(McpTransport::Http { url: self.server.url("/mcp"), headers: BTreeMap::new() })
    }

    /// Number of token requests with this grant type.
    pub(crate) fn grants(&self, kind: &str) -> usize {
        self.server.count(|got| got.path == "/token" && got.field("grant_type").as_deref() == Some(kind))
    }
}

fn respond(origin: &str, given: &mut ProviderState, got: &ReceivedRequest) -> Reply {
    match (&got.method, got.path.as_str()) {
        (_, "/mcp") => {
            let metadata = format!("{origin}/.well-known/oauth-protected-resource/mcp");
            let current = format!("Bearer token-{}", given.tokens);
            if got.header("authorization") != Some(&current) {
                let challenge = format!(r#"Bearer resource_metadata="{metadata}", scope="read""#);
                return Reply::status(401).with("www-authenticate", challenge);
            }
            match given.required_scope {
                Some(scope) if got.is_method("tools/call") && !given.scopes.contains(scope) => {
                    let challenge = format!(
                        r#"Bearer error="insufficient_scope", scope="{scope}", resource_metadata="{metadata}""#
                    );
                    Reply::status(403).with("www-authenticate", challenge)
                }
                _ => standard_reply(got),
            }
        }
        (&Method::GET, "/.well-known/oauth-protected-resource/mcp") => {
            let issuer = given.authorization_server.clone().unwrap_or_else(|| origin.to_owned());
            Reply::json(&json!({ "resource": format!("{origin}/mcp"), "authorization_servers": [issuer] }))
        }
        (&Method::GET, "/.well-known/oauth-authorization-server") => Reply::json(&metadata(origin)),
        (&Method::POST, "/register") => {
            given.clients += 1;
            Reply::json(&json!({
                "client_id": format!("client-{}", given.clients),
                "client_secret": "client-secret",
                "redirect_uris": got.message()["redirect_uris"],
            }))
        }
        (&Method::POST, "/token") => token(given, got),
        _ => Reply::status(404),
    }
}

fn metadata(origin: &str) -> Value {
    json!({
        "issuer": origin,
        "authorization_endpoint": format!("{origin}/authorize"),
        "token_endpoint": format!("{origin}/token"),
        "registration_endpoint": format!("{origin}/register"),
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "token_endpoint_auth_methods_supported": ["client_secret_post"],
        "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
    })
}

fn token(given: &mut ProviderState, got: &ReceivedRequest) -> Reply {
    let client = got.field("client_id").unwrap_or_default();
    let number = client.strip_prefix("client-").and_then(|number| number.parse().ok()).unwrap_or(usize::MAX);
    if number <= given.forgotten {
        let mut refusal = Reply::json(&json!({ "error": "invalid_client" }));
        refusal.set_status(401);
        return refusal;
    }
    given.tokens += 1;
    if let Some(scopes) = got.field("scope") {
        given.scopes = scopes;
    }
    Reply::json(&json!({
        "access_token": format!("token-{}", given.tokens),
        "refresh_token": format!("refresh-{}", given.tokens),
        "token_type": "Bearer",
        "expires_in": 3600,
    }))
}

/// A server of an agent, with its definition.
pub(crate) struct Definition {
    agent: AgentName,
    pub(crate) server: McpServer,
    log: ServerLog,
}

impl Definition {
    pub(crate) fn new(transport: McpTransport) -> Self {
        let server = McpServer {
            name: "notes".to_owned(),
            file: "mcp.json".to_owned(),
            transport,
            enabled: true,
            era: McpEra::Legacy,
            timeouts: McpTimeouts::default(),
            permissions: McpPermissions::default(),
            include: Vec::new(),
            exclude: Vec::new(),
            modes: Default::default(),
            prefix: None,
            required: false,
            trusted: false,
            oauth: None,
        };
        Self { agent: "clerk".into(), server, log: ServerLog::default() }
    }

    pub(crate) fn with_oauth(mut self, oauth: McpOauth) -> Self {
        self.server.oauth = Some(oauth);
        self
    }

    pub(crate) fn target(&self) -> ConnectTarget<'_> {
        ConnectTarget { agent: &self.agent, server: &self.server, log: &self.log }
    }
}

/// Settings that allow public addresses only; logins are stored in the folder.
pub(crate) fn settings(logins: Option<&Path>) -> RemoteSettings {
    let client = GuardedClient::new(AddressPolicy::public_only(), &OutboundOptions::default()).unwrap();
    let variables = Arc::new(|name: &str| (name == "CLIENT_SECRET").then(|| "machine-secret".to_owned()));
    RemoteSettings { logins: logins.map(Path::to_owned), variables, ..RemoteSettings::new(client) }
}

/// A fault in the callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallbackFault {
    None,
    State,
    Issuer,
    NoIssuer,
    Denied,
}

/// A browser that logs in immediately and records the opened pages.
pub(crate) struct ScriptedBrowser {
    pub(crate) fault: CallbackFault,
    pub(crate) pages: Mutex<Vec<String>>,
}

impl ScriptedBrowser {
    pub(crate) fn new(fault: CallbackFault) -> Arc<Self> {
        Arc::new(Self { fault, pages: Mutex::default() })
    }

    /// A parameter of the last page.
    pub(crate) fn page_parameter(&self, name: &str) -> Option<String> {
        parameter(self.pages.lock().unwrap().last()?, name)
    }
}

fn parameter(url: &str, name: &str) -> Option<String> {
    let query = url.split_once('?')?.1;
    form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

impl Browser for ScriptedBrowser {
    fn callback(&self) -> &str {
        "http://127.0.0.1:1/callback"
    }

    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<String, LoginError>> {
        self.pages.lock().unwrap().push(url.to_owned());
        let origin = url.split("/authorize").next().unwrap();
        let state = parameter(url, "state").unwrap();
        let (state, issuer) = match self.fault {
            CallbackFault::State => ("another".to_owned(), Some(origin)),
            CallbackFault::Issuer => (state, Some("https://evil.example")),
            CallbackFault::NoIssuer => (state, None),
            CallbackFault::None | CallbackFault::Denied => (state, Some(origin)),
        };
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("state", &state);
        match self.fault {
            CallbackFault::Denied => query.append_pair("error", "access_denied"),
            _ => query.append_pair("code", "the-code"),
        };
        query.extend_pairs(issuer.map(|issuer| ("iss", issuer)));
        let back = format!("{}?{}", self.callback(), query.finish());
        Box::pin(std::future::ready(Ok(back)))
    }
}
