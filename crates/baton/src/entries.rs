//! A server with explicitly listed agents: local directories and remote URLs.

use crate::{config::BatonSettings, error_codes, failure::CliError, open_server, remote_agents};
use baton_ports::UnusableEntry;
use baton_server::{AgentOptions, AgentRequirement, CardRefresh, PeerOptions, Persistence, Server};
use std::path::PathBuf;

/// Directories may be given as file URLs.
const FILE_SCHEME: &str = "file://";

/// Persistence of data beyond the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataStorage {
    /// All data, in the data directory.
    DataDirectory,
    /// In memory only.
    InMemory,
}

/// Serves the listed entries, or the agents of the settings if there are none. Unusable entries are returned, and
/// checked again at every listing.
pub(crate) async fn open_entries(
    settings: &BatonSettings,
    entries: &[String],
    storage: DataStorage,
    requirement: AgentRequirement,
) -> Result<(Server, Vec<UnusableEntry>), CliError> {
    let (addresses, paths): (Vec<&String>, Vec<&String>) =
        entries.iter().partition(|entry| remote_agents::is_address(entry));
    let is_durable = storage == DataStorage::DataDirectory;
    let mut options = settings.server_options();
    options.agents = AgentOptions {
        names: is_durable.then(|| settings.data.clone()),
        requirement: if entries.is_empty() { requirement } else { AgentRequirement::Unchecked },
        ..settings.named_agent_options()
    };
    if !is_durable {
        options.persistence = Persistence::InMemory { caches: Some(settings.data.clone()) };
        options.peers.directory = None;
    }
    if !entries.is_empty() {
        options.agents.paths = paths.into_iter().map(|entry| entry_path(entry)).collect::<Result<_, _>>()?;
        options.peers = PeerOptions {
            configured: addresses.into_iter().map(|url| remote_agents::peer_config(url, settings)).collect(),
            directory: None,
            card_refresh: CardRefresh::OnDemand,
        };
    }
    let server = open_server::open(options).await?;
    // Remote agents have no names until their cards are read.
    let unusable = server.handle().reload().await.unusable;
    Ok((server, unusable))
}

/// Directory of an entry.
fn entry_path(entry: &str) -> Result<PathBuf, CliError> {
    let Some(url) = entry.strip_prefix(FILE_SCHEME) else { return Ok(entry.into()) };
    let local = url.strip_prefix("localhost/").map(|rest| format!("/{rest}"));
    let decoded = percent_decode(local.as_deref().unwrap_or(url));
    decoded.map(PathBuf::from).ok_or_else(|| {
        CliError::new(error_codes::USAGE, format!("{entry} is not a valid directory URL"))
            .hint("Write it as file:///absolute/path, or name the directory itself.")
    })
}

/// Percent-decodes a text; none if the result is not valid UTF-8.
fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_parsed_from_paths_and_file_urls() {
        for (entry, expect) in [
            ("agents/weather", Some("agents/weather")),
            ("file:///srv/my%20agents", Some("/srv/my agents")),
            ("file://localhost/srv", Some("/srv")),
            ("file://agents", Some("agents")),
            ("file:///a%2", None),
            ("file:///a%ff", None),
        ] {
            assert_eq!(entry_path(entry).ok(), expect.map(PathBuf::from), "{entry}");
        }
    }
}
