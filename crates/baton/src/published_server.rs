//! A server on a socket, registered in `server.json` of its data directory.

use crate::{
    config::BatonSettings,
    error_codes,
    failure::CliError,
    screen::Screen,
    server_file::{ServerFile, ServerFileGuard},
};
use baton_server::{RunningServer, Server, ServerHandle};
use baton_types::AgentListing;
use std::{io, net::SocketAddr, sync::Arc};
use tokio::net::TcpListener;

/// Handling of a port that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortChoice {
    /// Fail.
    Fixed,
    /// Use any free port and print a message.
    Preferred,
}

/// A server on a socket, registered in `server.json` of its data directory.
pub(crate) struct PublishedServer {
    server: RunningServer,
    server_file: ServerFileGuard,
}

impl PublishedServer {
    /// Binds the socket, writes `server.json` and serves. Unfinished runs are resumed in the background.
    pub(crate) async fn start(
        server: Server,
        settings: &BatonSettings,
        choice: PortChoice,
        screen: Screen,
    ) -> Result<Self, CliError> {
        let token = server.owner_token().unwrap_or_default().to_owned();
        let service = server.listen(bind(settings, choice, screen).await?)?;
        let (url, certificate) = (service.url().to_owned(), service.certificate());
        let announced = ServerFile { pid: std::process::id(), url, token, certificate };
        let (renewed, data) = (announced.clone(), settings.data.clone());
        // Commands pin the certificate, so `server.json` must be updated before a new certificate is used.
        service.on_certificate_renewal(move |fingerprint| {
            let renewed = ServerFile { certificate: Some(fingerprint.to_owned()), ..renewed.clone() };
            if renewed.write(&data).is_err() {
                tracing::warn!(
                    "server.json could not be updated; commands will not find this server until it restarts"
                );
            }
        });
        let server_file = announced.announce(&settings.data)?;
        let handle = service.handle();
        tokio::spawn(async move {
            if let Some(runs @ 1..) = handle.recovered_runs().await {
                screen.print_stderr(&format!("resumed {runs} unfinished run{}", if runs == 1 { "" } else { "s" }));
            }
        });
        Ok(Self { server: service.start(), server_file })
    }

    /// URL of the server.
    pub(crate) fn url(&self) -> &str {
        self.server.url()
    }

    pub(crate) fn handle(&self) -> &ServerHandle {
        self.server.handle()
    }

    pub(crate) fn agents(&self) -> Vec<Arc<AgentListing>> {
        self.handle().agents()
    }

    /// Stops accepting, lets requests finish and runs reach a checkpoint, and releases the data directory, within a
    /// timeout.
    pub(crate) async fn stop(self) {
        self.server.stop().await;
        drop(self.server_file);
    }
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
        io::ErrorKind::AddrInUse => CliError::new(error_codes::PORT_IN_USE, format!("{address} is already in use")),
        _ => CliError::new(error_codes::PORT_IN_USE, format!("cannot listen on {address}: {error}"))
            .hint("Choose another address with --host and --port."),
    }
}
