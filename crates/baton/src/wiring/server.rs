//! A Baton that listens on a socket.

use super::{
    access,
    baton::{Baton, now},
    keys,
};
use crate::{
    config::{A2a, BatonSettings, Extension},
    failure::CliError,
    screen::Screen,
    server_file::{ServerFile, ServerFileGuard},
};
use baton_http::{A2aOptions, HttpOptions, ServeOptions, Tls, VersionRule};
use baton_mcp::{McpLimits, OwnServerOptions};
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

/// Overall shutdown timeout; it is longer than those of the parts.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
const TOKEN_BYTES: usize = 32;
/// File descriptors reserved for other uses than connections: pipes of tools, journal, log.
const RESERVED_FILES: usize = 256;
const MIN_SOCKETS: usize = 16;

/// Handling of a port that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortChoice {
    /// Fail.
    Fixed,
    /// Use any free port and print a message.
    Preferred,
}

/// A Baton on a socket, registered in `server.json` of its data directory.
pub(crate) struct RunningServer {
    /// URL of the server.
    pub(crate) url: String,
    baton: Baton,
    serving: JoinHandle<io::Result<()>>,
    server_file: ServerFileGuard,
}

impl RunningServer {
    /// Binds the socket, writes `server.json` and serves. Unfinished runs are resumed in the background.
    pub(crate) async fn start(
        baton: Baton,
        settings: &BatonSettings,
        choice: PortChoice,
        screen: Screen,
    ) -> Result<Self, CliError> {
        let tls = settings.tls.as_ref().map(access::tls).transpose()?;
        let owner = random_token()?;
        let access = access::access(&baton, settings, &owner)?;
        let signer = keys::signer(&settings.data)?;
        let listener = bind(settings, choice, screen).await?;
        let bound = listener.local_addr().map_err(|error| cannot_listen(settings, &error))?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", local_address(bound));
        let certificate = tls.as_ref().map(|tls| tls.fingerprint().to_string());
        let announced = ServerFile { pid: std::process::id(), url: url.clone(), token: owner, certificate };
        if let Some(tls) = &tls {
            update_on_renewal(tls, announced.clone(), settings.data.clone());
        }
        let announced = announced.announce(&settings.data)?;
        let room = baton_local::raise_open_files();
        let defaults = HttpOptions::default();
        let max_body = settings.limits.body_bytes.unwrap_or(defaults.max_body);
        let own = OwnServerOptions { streaming: settings.a2a.streaming, push: settings.a2a.push };
        let principal_share = settings.limits.principal_share.unwrap_or(defaults.principal_share);
        let limits = McpLimits { max_body, holder_share: principal_share, ..McpLimits::default() };
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
            caller_servers: baton.caller_server_ports(),
            definitions: Some(baton.definition_ports()),
            signer: Some(signer),
            started_at: now(),
            max_body,
            principal_share,
            max_streams: limit_sockets(settings.limits.max_streams.unwrap_or(defaults.max_streams), room),
            a2a: a2a_options(&settings.a2a),
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
            max_connections: limit_sockets(settings.limits.max_connections.unwrap_or(defaults.max_connections), room),
            tls,
            ..defaults
        };
        let serving = tokio::spawn(baton_http::serve(listener, app, serve_options, baton.stopping.clone()));
        baton.recover(screen);
        baton.start_refresh();
        if let Some(retention) = settings.retention {
            baton.start_retention(retention);
        }
        Ok(Self { url, baton, serving, server_file: announced })
    }

    pub(crate) fn agents(&self) -> Vec<Arc<AgentListing>> {
        self.baton.agents()
    }

    pub(crate) fn baton(&self) -> &Baton {
        &self.baton
    }

    /// Stops accepting, lets requests finish and runs reach a checkpoint, and releases the data directory, within a
    /// timeout.
    pub(crate) async fn stop(self) {
        self.baton.stop();
        let Self { baton, serving, server_file: announced, .. } = self;
        let ending = async { tokio::join!(serving, baton.close()) };
        match tokio::time::timeout(SHUTDOWN_TIMEOUT, ending).await {
            Ok((Ok(Err(error)), ())) => tracing::warn!(%error, "the listener failed"),
            Ok(_) => {}
            Err(_) => tracing::warn!("shutdown took too long; unfinished runs resume at the next start"),
        }
        drop(announced);
    }
}

/// Commands pin the server's certificate, so `server.json` must be updated before a new certificate is used.
fn update_on_renewal(tls: &Tls, server: ServerFile, data: PathBuf) {
    tls.on_change(move |fingerprint| {
        let renewed = ServerFile { certificate: Some(fingerprint.to_string()), ..server.clone() };
        if renewed.write(&data).is_err() {
            tracing::warn!("server.json could not be updated; commands will not find this server until it restarts");
        }
    });
}

fn a2a_options(a2a: &A2a) -> A2aOptions {
    let extension = |configured: &Extension| AgentExtension {
        uri: configured.uri.clone(),
        description: configured.description.clone(),
        required: configured.required,
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

/// Limits a number of sockets to the available file descriptors. Without free descriptors no tool could be started.
fn limit_sockets(requested_sockets: usize, room: Option<usize>) -> usize {
    room.map_or(requested_sockets, |files| requested_sockets.min(files.saturating_sub(RESERVED_FILES).max(MIN_SOCKETS)))
}

async fn bind(settings: &BatonSettings, choice: PortChoice, screen: Screen) -> Result<TcpListener, CliError> {
    let address = SocketAddr::new(settings.host, settings.port);
    match TcpListener::bind(address).await {
        Ok(listener) => Ok(listener),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && choice == PortChoice::Preferred => {
            screen.print_stderr(&format!("port {} is in use; using a free one", settings.port));
            TcpListener::bind(SocketAddr::new(settings.host, 0)).await.map_err(|error| cannot_listen(settings, &error))
        }
        Err(error) => Err(cannot_listen(settings, &error)),
    }
}

fn cannot_listen(settings: &BatonSettings, error: &io::Error) -> CliError {
    let address = SocketAddr::new(settings.host, settings.port);
    match error.kind() {
        io::ErrorKind::AddrInUse => CliError::new(ErrorCode::PORT_IN_USE, format!("{address} is already in use")),
        _ => CliError::new(ErrorCode::PORT_IN_USE, format!("cannot listen on {address}: {error}"))
            .hint("Choose another address with --host and --port."),
    }
}

/// An address that can be used from this machine.
fn local_address(bound: SocketAddr) -> SocketAddr {
    match bound.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), bound.port()),
        _ => bound,
    }
}

fn random_token() -> Result<String, CliError> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| CliError::new(ErrorCode::INTERNAL, format!("the system returned no random bytes: {error}")))?;
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
    fn socket_limit_reserves_files_for_tools() {
        for (wanted, room, expect) in
            [(8192, None, 8192), (8192, Some(1024), 768), (10, Some(1024), 10), (8192, Some(64), 16), (4, Some(64), 4)]
        {
            assert_eq!(limit_sockets(wanted, room), expect, "{wanted} of {room:?}");
        }
    }
}
