//! A Baton that others can reach.

use super::{
    access,
    baton::{Baton, now},
    keys,
};
use crate::{
    config::{A2a, Extension, Settings},
    failure::Failure,
    screen::Screen,
    server_file::{Announced, ServerFile},
};
use baton_http::{A2aOptions, HttpOptions, ServeOptions, Tls, VersionRule};
use baton_mcp::{Limits, OwnOptions};
use baton_types::{AgentListing, ErrorCode};
use baton_wire::a2a::v1::AgentExtension;
use std::{
    fmt::Write as _,
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};
use tokio::{net::TcpListener, task::JoinHandle};

/// Everything that ends in order has ended by then.
const SHUTDOWN: Duration = Duration::from_secs(10);
const TOKEN_BYTES: usize = 32;
/// Files that are not connections: the pipes of tools, the journal, the log.
const OTHER_FILES: usize = 256;
const FEWEST: usize = 16;

/// What to do when the port is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortChoice {
    /// Say so and give up.
    Fixed,
    /// Say so and take any free one.
    Preferred,
}

/// A Baton on a socket, announced in its data directory.
pub(crate) struct Server {
    /// Where people reach it.
    pub(crate) url: String,
    baton: Baton,
    serving: JoinHandle<io::Result<()>>,
    announced: Announced,
}

impl Server {
    /// Binds, announces and serves; unfinished runs are taken up in the background, so this returns at once.
    pub(crate) async fn start(
        baton: Baton,
        settings: &Settings,
        choice: PortChoice,
        screen: Screen,
    ) -> Result<Self, Failure> {
        let tls = settings.tls.as_ref().map(access::tls).transpose()?;
        let owner = token()?;
        let access = access::access(&baton, settings, &owner)?;
        let signer = keys::signer(&settings.data)?;
        let listener = bind(settings, choice, screen).await?;
        let bound = listener.local_addr().map_err(|error| cannot_listen(settings, &error))?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", reachable(bound));
        let certificate = tls.as_ref().map(|tls| tls.fingerprint().to_string());
        let announced = ServerFile { pid: std::process::id(), url: url.clone(), token: owner, certificate };
        if let Some(tls) = &tls {
            announce_changes(tls, announced.clone(), settings.data.clone());
        }
        let announced = announced.announce(&settings.data)?;
        let room = baton_local::raise_open_files();
        let defaults = HttpOptions::default();
        let max_body = settings.limits.body_bytes.unwrap_or(defaults.max_body);
        let own = OwnOptions { streaming: settings.a2a.streaming, push: settings.a2a.push };
        let principal_share = settings.limits.principal_share.unwrap_or(defaults.principal_share);
        let limits = Limits { max_body, principal_share, ..Limits::default() };
        let mcp = baton.mcp_ports(Some(&settings.data), own, limits)?;
        let options = HttpOptions {
            bound: Some(bound),
            public_url: settings.public_url.clone(),
            allow_hosts: settings.allow_hosts.clone(),
            tls: tls.is_some(),
            cors_origins: settings.cors.clone(),
            access,
            peers: Some(baton.peer_ports()),
            tools: Some(baton.tool_ports()),
            guests: baton.guest_ports(),
            permissions: Some(baton.permission_ports()),
            definitions: Some(baton.definition_ports()),
            sessions: Some(baton.session_ports()),
            signer: Some(signer),
            started_at: now(),
            max_body,
            principal_share,
            max_streams: affordable(settings.limits.max_streams.unwrap_or(defaults.max_streams), room),
            a2a: offered(&settings.a2a),
            responses: settings.responses.clone(),
            mcp: Some(mcp),
            spans: Some(baton.span_ports()),
            exports: Some(baton.export_ports()),
            meters: Some(baton.meter_ports()),
            tracer: baton.tracer(),
            shutdown: baton.stopping.clone(),
            ..defaults
        };
        let app = baton_http::app(baton.engine.clone(), options);
        let defaults = ServeOptions::default();
        let serve_options = ServeOptions {
            max_connections: affordable(settings.limits.max_connections.unwrap_or(defaults.max_connections), room),
            tls,
            ..defaults
        };
        let serving = tokio::spawn(baton_http::serve(listener, app, serve_options, baton.stopping.clone()));
        baton.recover(screen);
        baton.keep_fresh();
        if let Some(retention) = settings.retention {
            baton.retain(retention);
        }
        Ok(Self { url, baton, serving, announced })
    }

    /// The agents that are served.
    pub(crate) fn agents(&self) -> Vec<Arc<AgentListing>> {
        self.baton.agents()
    }

    /// The Baton behind the socket.
    pub(crate) fn baton(&self) -> &Baton {
        &self.baton
    }

    /// Stops accepting, lets requests and runs come to a good point, and lets the data directory go, within a bound.
    pub(crate) async fn stop(self) {
        self.baton.stop();
        let Self { baton, serving, announced, .. } = self;
        let ending = async { tokio::join!(serving, baton.close()) };
        match tokio::time::timeout(SHUTDOWN, ending).await {
            Ok((Ok(Err(error)), ())) => tracing::warn!(%error, "the listener failed"),
            Ok(_) => {}
            Err(_) => tracing::warn!("shutdown took too long; unfinished runs go on at the next start"),
        }
        drop(announced);
    }
}

/// Commands know the server by its certificate, so they must hear of a new one before they see it.
fn announce_changes(tls: &Tls, server: ServerFile, data: PathBuf) {
    tls.on_change(move |fingerprint| {
        let renewed = ServerFile { certificate: Some(fingerprint.to_string()), ..server.clone() };
        if renewed.write(&data).is_err() {
            tracing::warn!("server.json could not be renewed; commands will not find this server until it restarts");
        }
    });
}

fn offered(a2a: &A2a) -> A2aOptions {
    let extension = |given: &Extension| AgentExtension {
        uri: given.uri.clone(),
        description: given.description.clone(),
        required: given.required,
        ..AgentExtension::default()
    };
    A2aOptions {
        streaming: a2a.streaming,
        push: a2a.push,
        extended_card: a2a.extended_card,
        version_rule: if a2a.strict_version { VersionRule::Strict } else { VersionRule::ByMethod },
        bindings: a2a.bindings.clone(),
        extensions: a2a.extensions.iter().map(extension).collect(),
        settings: a2a.settings,
        ..A2aOptions::default()
    }
}

/// How many of these the process has room for: were sockets to use up all files, no tool could be started any more.
fn affordable(wanted: usize, room: Option<usize>) -> usize {
    room.map_or(wanted, |files| wanted.min(files.saturating_sub(OTHER_FILES).max(FEWEST)))
}

async fn bind(settings: &Settings, choice: PortChoice, screen: Screen) -> Result<TcpListener, Failure> {
    let wanted = SocketAddr::new(settings.host, settings.port);
    match TcpListener::bind(wanted).await {
        Ok(listener) => Ok(listener),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && choice == PortChoice::Preferred => {
            screen.say(&format!("port {} is taken; using a free one", settings.port));
            TcpListener::bind(SocketAddr::new(settings.host, 0)).await.map_err(|error| cannot_listen(settings, &error))
        }
        Err(error) => Err(cannot_listen(settings, &error)),
    }
}

fn cannot_listen(settings: &Settings, error: &io::Error) -> Failure {
    let wanted = SocketAddr::new(settings.host, settings.port);
    match error.kind() {
        io::ErrorKind::AddrInUse => Failure::new(ErrorCode::PORT_IN_USE, format!("{wanted} is taken")),
        _ => Failure::new(ErrorCode::PORT_IN_USE, format!("cannot listen on {wanted}: {error}"))
            .hint("Choose another address with --host and --port."),
    }
}

/// An address that a person can use from this machine.
fn reachable(bound: SocketAddr) -> SocketAddr {
    match bound.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), bound.port()),
        _ => bound,
    }
}

fn token() -> Result<String, Failure> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::new(ErrorCode::INTERNAL, format!("the system gives no random bytes: {error}")))?;
    let mut token = String::with_capacity(2 * TOKEN_BYTES);
    for byte in bytes {
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_leave_files_for_tools() {
        for (wanted, room, expect) in
            [(8192, None, 8192), (8192, Some(1024), 768), (10, Some(1024), 10), (8192, Some(64), 16), (4, Some(64), 4)]
        {
            assert_eq!(affordable(wanted, room), expect, "{wanted} of {room:?}");
        }
    }
}
