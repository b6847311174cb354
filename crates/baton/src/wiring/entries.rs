//! A Baton with explicitly listed agents: local directories and remote URLs.

use super::{
    agents::{self, AgentSelection},
    baton::{AgentRequirement, Baton, BatonParts, Strictness},
    persistence::Persistence,
    remote_agents::{self, CardRefresh, is_address},
};
use crate::{config::BatonSettings, failure::CliError};
use baton_ports::{AgentSource as _, UnusableEntry};
use baton_types::ErrorCode;
use std::{path::PathBuf, sync::Arc};

/// Directories may be given as file URLs.
const FILE_SCHEME: &str = "file://";

impl Baton {
    /// Serves the listed entries, or the agents of the settings if there are none. Unusable entries are returned, and
    /// checked again at every listing.
    pub(crate) async fn open_entries(
        settings: &BatonSettings,
        entries: &[String],
        keep: Persistence,
        needs: AgentRequirement,
    ) -> Result<(Self, Vec<UnusableEntry>), CliError> {
        let (addresses, paths): (Vec<&String>, Vec<&String>) = entries.iter().partition(|entry| is_address(entry));
        let paths = match entries.is_empty() {
            true => settings.agents.clone(),
            false => paths.into_iter().map(|entry| entry_path(entry)).collect::<Result<_, _>>()?,
        };
        let (locals, unusable) = agents::open(AgentSelection {
            paths: &paths,
            data: (keep == Persistence::DataDirectory).then_some(&settings.data),
            ..AgentSelection::named(settings)
        })?;
        let locals = Arc::new(locals);
        let peers = match entries.is_empty() {
            true => settings.peers.clone(),
            false => addresses.into_iter().map(|url| remote_agents::peer_config(url, settings)).collect(),
        };
        let book = match (entries.is_empty(), keep) {
            (true, Persistence::DataDirectory) => remote_agents::peer_registry(settings, &locals)?,
            _ => remote_agents::in_memory_peer_registry(peers, &locals)?,
        };
        let needs_agent = entries.is_empty() && needs == AgentRequirement::Required;
        if needs_agent
            && locals.listings().is_empty()
            && book.agents().is_empty()
            && book.peers_without_card().is_empty()
        {
            let reasons: Vec<String> = unusable.into_iter().map(|unusable| unusable.reason).collect();
            return Err(CliError::new(ErrorCode::AGENT_NOT_FOUND, reasons.join("; "))
                .hint("Start a server with `baton up`, change to a directory with agents, or name some agents."));
        }
        let fresh = if entries.is_empty() { CardRefresh::Periodic } else { CardRefresh::OnDemand };
        let parts = BatonParts {
            strictness: Strictness::Lenient,
            persistence: keep,
            card_refresh: fresh,
            locals,
            peer_registry: book,
        };
        let baton = Self::from_parts(settings, parts).await?;
        // Remote agents have no names until their cards are read.
        let unusable = baton.refresh().await;
        Ok((baton, unusable))
    }
}

/// Directory of an entry.
fn entry_path(entry: &str) -> Result<PathBuf, CliError> {
    let Some(url) = entry.strip_prefix(FILE_SCHEME) else { return Ok(entry.into()) };
    let local = url.strip_prefix("localhost/").map(|rest| format!("/{rest}"));
    let decoded = percent_decode(local.as_deref().unwrap_or(url));
    decoded.map(PathBuf::from).ok_or_else(|| {
        CliError::new(ErrorCode::USAGE, format!("{entry} is not a valid directory URL"))
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
