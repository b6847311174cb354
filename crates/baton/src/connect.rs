//! Finds a Baton server: the one at a given URL, the one that owns the data directory, or one in this process.

use crate::{
    config::BatonSettings,
    entries::{self, DataStorage},
    error_codes,
    failure::{CliError, Exit},
    open_server,
    screen::Screen,
    server_file::ServerFile,
};
use baton_client::{Client, ClientError};
use baton_ports::UnusableEntry;
use baton_server::{AgentRequirement, PlaybookMode, Server};
use baton_types::ErrorCode;
use std::{path::Path, time::Duration};

/// Timeout of the health check for a server that may be gone.
const HEALTH_CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// How to pass a token on the command line.
const TOKEN_HINT: &str =
    "Pass a token with --token or BATON_TOKEN, from `baton token create` or from an issuer that the server trusts.";

/// A client, and the server behind it if that runs in this process.
pub(crate) struct BatonConnection {
    pub(crate) client: Client,
    /// Address of the server; none if it runs in this process.
    pub(crate) url: Option<String>,
    /// The server in this process, if any.
    pub(crate) in_process: Option<Server>,
}

impl BatonConnection {
    /// Connects to the Baton at `url` and authenticates with `token`.
    pub(crate) fn connect(url: &str, token: Option<&str>) -> Result<Self, CliError> {
        let client = with_optional_token(Client::tcp(url).map_err(client_failure)?, token)?;
        Ok(Self { client, url: Some(url.to_owned()), in_process: None })
    }

    /// Connects to the server that owns the data directory, else starts one in this process. The latter does not resume
    /// unfinished runs: it works for this command only.
    pub(crate) async fn find(settings: &BatonSettings, token: Option<&str>, screen: Screen) -> Result<Self, CliError> {
        if let Some(session) = Self::find_running(&settings.data, token).await? {
            return Ok(session);
        }
        let server = open_server::open_server(settings, PlaybookMode::Lenient, AgentRequirement::Required).await?;
        for diagnostic in server.diagnostics() {
            screen.diagnostic(diagnostic);
        }
        Ok(Self::from_server(server))
    }

    /// Like `find`, for management commands, which need no agents.
    pub(crate) async fn manage(settings: &BatonSettings, token: Option<&str>) -> Result<Self, CliError> {
        match Self::find_running(&settings.data, token).await? {
            Some(session) => Ok(session),
            None => open_server::open_for_managing(settings).await.map(Self::from_server),
        }
    }

    /// A server in this process for the lifetime of an MCP client, with these entries, or the agents of the settings if
    /// there are none.
    pub(crate) async fn for_bridge(
        settings: &BatonSettings,
        entries: &[String],
        storage: DataStorage,
        requirement: AgentRequirement,
        screen: Screen,
    ) -> Result<Self, CliError> {
        let (server, unusable) = entries::open_entries(settings, entries, storage, requirement).await?;
        for UnusableEntry { entry, reason } in &unusable {
            screen.print_stderr(&format!("baton mcp: {entry} cannot be used: {reason}"));
        }
        let client = Client::in_memory(server.local_surface_with_mcp()?.router);
        Ok(Self { client, url: None, in_process: Some(server) })
    }

    fn from_server(server: Server) -> Self {
        Self { client: open_server::client(&server), url: None, in_process: Some(server) }
    }

    /// The server that owns this data directory, if it responds. A file left by a dead server is ignored: another
    /// process may use its address by now.
    pub(crate) async fn find_running(data: &Path, token: Option<&str>) -> Result<Option<Self>, CliError> {
        if !baton_server::is_owned(data) {
            return Ok(None);
        }
        let mut read = ServerFile::read(data);
        while let Some(file) = read {
            let Ok(client) = client_for_server_file(&file) else { return Ok(None) };
            if client.clone().with_timeout(HEALTH_CHECK_TIMEOUT).health().await.is_ok() {
                let client = with_optional_token(client, token.or(Some(&file.token)))?;
                return Ok(Some(Self { client, url: Some(file.url), in_process: None }));
            }
            // The server may just have switched to a new certificate and rewritten its file.
            read = ServerFile::read(data).filter(|now| *now != file);
        }
        Ok(None)
    }

    /// Closes the server in this process, if any; its runs resume at the next start.
    pub(crate) async fn close(self) {
        if let Some(own) = self.in_process {
            own.close().await;
        }
    }
}

fn with_optional_token(client: Client, token: Option<&str>) -> Result<Client, CliError> {
    match token {
        Some(token) => client.with_token(token).map_err(client_failure),
        None => Ok(client),
    }
}

/// A client for the server that the file describes.
fn client_for_server_file(server: &ServerFile) -> Result<Client, ClientError> {
    match &server.certificate {
        Some(fingerprint) => Client::pinned(&server.url, fingerprint),
        None => Client::tcp(&server.url),
    }
}

/// Error to report for a failed client call.
pub(crate) fn client_failure(error: ClientError) -> CliError {
    let message = error.to_string();
    match error {
        ClientError::Refused(refusal) => match refusal.baton_code {
            Some(code) if code == ErrorCode::UNAUTHENTICATED.code => {
                CliError::with_code(code, message, Some(TOKEN_HINT.into()))
            }
            Some(code) => {
                let hint = refusal.hint.or_else(|| error_codes::find(&code).map(|known| known.hint.to_owned()));
                CliError::with_code(code, message, hint)
            }
            None => {
                CliError::without_code(Exit::Server, format!("the server refused: {message} (code {})", refusal.code))
            }
        },
        ClientError::Token => CliError::new(ErrorCode::UNAUTHENTICATED, message).exit(Exit::Usage),
        ClientError::Address { .. } => CliError::new(error_codes::SERVER_UNREACHABLE, message).exit(Exit::Usage),
        ClientError::Unreachable { .. }
        | ClientError::Interrupted(_)
        | ClientError::Timeout(_)
        | ClientError::InvalidResponse(_) => CliError::new(error_codes::SERVER_UNREACHABLE, message),
    }
}
