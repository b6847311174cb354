//! Opens a server in this process, with the effective settings.

use crate::{config::BatonSettings, failure::CliError, server_file::ServerFile};
use baton_client::Client;
use baton_server::{AgentRequirement, PlaybookMode, Server, ServerOptions};
use baton_types::ErrorCode;
use std::fmt::Write as _;

const TOKEN_BYTES: usize = 32;

/// Opens the data directory with the agents of the settings. A start that needs agents and finds none leaves no
/// directory behind.
pub(crate) async fn open_server(
    settings: &BatonSettings,
    playbook: PlaybookMode,
    requirement: AgentRequirement,
) -> Result<Server, CliError> {
    let mut options = settings.server_options();
    options.agents.requirement = requirement;
    options.models.playbook = playbook;
    let server = open(options).await?;
    server.handle().detect_models().await;
    Ok(server)
}

/// Opens the data directory with the agents that can be loaded; none are required.
pub(crate) async fn open_for_managing(settings: &BatonSettings) -> Result<Server, CliError> {
    open(settings.server_options()).await
}

/// Opens a server with a token for its owner.
pub(crate) async fn open(mut options: ServerOptions) -> Result<Server, CliError> {
    options.listener.identity.owner_token = Some(random_token()?);
    let data = options.persistence.directory().map(ToOwned::to_owned);
    let server = Server::open(options).await?;
    if let Some(data) = data {
        // This process owns the directory, so an existing `server.json` is stale.
        ServerFile::remove_stale(&data);
    }
    Ok(server)
}

/// A client that calls the server in memory, without a socket.
pub(crate) fn client(server: &Server) -> Client {
    Client::in_memory(server.local_surface().router)
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
