//! Finds a Baton server: the one at a given URL, the one that owns the data directory, or one in this process.

use crate::{
    config::Settings,
    failure::{Exit, Failure},
    screen::Screen,
    server_file::ServerFile,
    wiring::{self, Baton, Keep, Needs, Strictness},
};
use baton_client::{Client, ClientError};
use baton_ports::Unusable;
use baton_types::ErrorCode;
use std::{path::Path, time::Duration};

/// Timeout of the health check for a server that may be gone.
const PATIENCE: Duration = Duration::from_secs(2);

/// How to pass a token on the command line.
const SHOW: &str =
    "Pass a token with --token or BATON_TOKEN, from `baton token create` or from an issuer that the server trusts.";

/// A client, and the Baton behind it if that runs in this process.
pub(crate) struct Session {
    pub(crate) client: Client,
    /// Address of the server; none if it runs in this process.
    pub(crate) url: Option<String>,
    /// The Baton in this process, if any.
    pub(crate) own: Option<Baton>,
}

impl Session {
    /// Connects to the Baton at `url` and authenticates with `token`.
    pub(crate) fn at(url: &str, token: Option<&str>) -> Result<Self, Failure> {
        let client = showing(Client::tcp(url).map_err(failure)?, token)?;
        Ok(Self { client, url: Some(url.to_owned()), own: None })
    }

    /// Connects to the server that owns the data directory, else starts one in this process. The latter does not resume
    /// unfinished runs: it works for this command only.
    pub(crate) async fn find(settings: &Settings, token: Option<&str>, screen: Screen) -> Result<Self, Failure> {
        if let Some(session) = Self::running(&settings.data, token).await? {
            return Ok(session);
        }
        let (baton, diagnostics) = Baton::open(settings, Strictness::Lenient, Needs::Agents).await?;
        for diagnostic in &diagnostics {
            screen.diagnostic(diagnostic);
        }
        Ok(Self::within(baton))
    }

    /// Like `find`, for management commands, which need no agents.
    pub(crate) async fn manage(settings: &Settings, token: Option<&str>) -> Result<Self, Failure> {
        match Self::running(&settings.data, token).await? {
            Some(session) => Ok(session),
            None => Baton::open_for_managing(settings).await.map(Self::within),
        }
    }

    /// A Baton in this process for the lifetime of an MCP client, with these entries, or the agents of the settings if
    /// there are none.
    pub(crate) async fn for_bridge(
        settings: &Settings,
        entries: &[String],
        keep: Keep,
        needs: Needs,
        screen: Screen,
    ) -> Result<Self, Failure> {
        let (baton, unusable) = Baton::open_entries(settings, entries, keep, needs).await?;
        for Unusable { entry, reason } in &unusable {
            screen.say(&format!("baton mcp: {entry} cannot be used: {reason}"));
        }
        let client = baton.mcp_client()?;
        Ok(Self { client, url: None, own: Some(baton) })
    }

    fn within(baton: Baton) -> Self {
        Self { client: baton.client(), url: None, own: Some(baton) }
    }

    /// The server that owns this data directory, if it responds. A file left by a dead server is ignored: another
    /// process may use its address by now.
    pub(crate) async fn running(data: &Path, token: Option<&str>) -> Result<Option<Self>, Failure> {
        if !wiring::is_owned(data) {
            return Ok(None);
        }
        let mut read = ServerFile::read(data);
        while let Some(file) = read {
            let Ok(client) = owned(&file) else { return Ok(None) };
            if client.clone().with_timeout(PATIENCE).health().await.is_ok() {
                let client = showing(client, token.or(Some(&file.token)))?;
                return Ok(Some(Self { client, url: Some(file.url), own: None }));
            }
            // The server may just have switched to a new certificate and rewritten its file.
            read = ServerFile::read(data).filter(|now| *now != file);
        }
        Ok(None)
    }

    /// Closes the Baton in this process, if any; its runs resume at the next start.
    pub(crate) async fn close(self) {
        if let Some(own) = self.own {
            own.close().await;
        }
    }
}

fn showing(client: Client, token: Option<&str>) -> Result<Client, Failure> {
    match token {
        Some(token) => client.with_token(token).map_err(failure),
        None => Ok(client),
    }
}

/// A client for the server that the file describes.
fn owned(server: &ServerFile) -> Result<Client, ClientError> {
    match &server.certificate {
        Some(fingerprint) => Client::pinned(&server.url, fingerprint),
        None => Client::tcp(&server.url),
    }
}

/// Error to report for a failed client call.
pub(crate) fn failure(error: ClientError) -> Failure {
    let message = error.to_string();
    match error {
        ClientError::Refused(refusal) => match refusal.baton_code {
            Some(code) if code == ErrorCode::UNAUTHENTICATED.code => Failure::foreign(code, message, Some(SHOW.into())),
            Some(code) => Failure::foreign(code, message, refusal.hint),
            None => Failure::plain(Exit::Server, format!("the server refused: {message} (code {})", refusal.code)),
        },
        ClientError::Token => Failure::new(ErrorCode::UNAUTHENTICATED, message).exit(Exit::Usage),
        ClientError::Address { .. } => Failure::new(ErrorCode::SERVER_UNREACHABLE, message).exit(Exit::Usage),
        ClientError::Unreachable { .. }
        | ClientError::Interrupted(_)
        | ClientError::Timeout(_)
        | ClientError::Unintelligible(_) => Failure::new(ErrorCode::SERVER_UNREACHABLE, message),
    }
}
