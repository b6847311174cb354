//! Loading the registry at startup.

use super::{
    LocalPeerRegistry, PeerConnector,
    entry::PeerEntry,
    file::{PeerFile, PeerFileEntry},
    local::{PeerEntries, refusal},
};
use crate::{Credential, PeerConfig};
use baton_ports::{AgentSource, PeerRegistryError};
use baton_types::{ErrorCode, is_agent_name};
use std::{path::PathBuf, sync::Arc};

/// Options of the registry.
pub struct PeerRegistryOptions {
    /// Peers of the configuration.
    pub configured: Vec<PeerConfig>,
    /// File of the added peers; without it they are lost on exit.
    pub file: Option<PathBuf>,
    /// Local agents, whose names are reserved.
    pub locals: Option<Arc<dyn AgentSource>>,
    /// Access to peers.
    pub connector: Arc<dyn PeerConnector>,
}

impl LocalPeerRegistry {
    /// Loads the registry without network access.
    pub fn open(options: PeerRegistryOptions) -> Result<Self, PeerRegistryError> {
        let PeerRegistryOptions { configured, file, locals, connector: reach } = options;
        let page = match &file {
            Some(path) => Some(PeerFile::read(path).map_err(|error| {
                refusal(ErrorCode::CONFIG_INVALID, format!("cannot read {}: {error}", path.display()))
            })?),
            None => None,
        };
        let mut lines = page.map(|page| page.peers).unwrap_or_default();
        let mut entries = PeerEntries::default();
        for config in configured {
            configure(&mut entries, config, &mut lines, &*reach)?;
        }
        for mut line in lines.into_iter().filter(|line| !line.configured) {
            if entries.named.contains_key(&line.name) {
                tracing::warn!(peer = %line.name, "an added remote agent is hidden by one in the configuration");
                continue;
            }
            let config = added_config(&line)?;
            let card = line.card(&config);
            let entry = PeerEntry::new(&line.name, config, line.bearer.clone(), false);
            let entry = match card {
                Some(card) => entry.with_card(Arc::new(card), &*reach),
                None => entry,
            };
            entries.named.insert(line.name, entry);
        }
        Ok(Self::from_entries(entries, file, locals, reach))
    }
}

/// Configuration of an added peer, with defaults for all settings that cannot be added by command.
fn added_config(line: &PeerFileEntry) -> Result<PeerConfig, PeerRegistryError> {
    let mut config = PeerConfig { name: Some(line.name.clone()), listed: line.listed, ..PeerConfig::at(&line.url) };
    if let Some(bearer) = &line.bearer {
        let secret = bearer.parse().map_err(|error: crate::SecretError| refusal(error.code(), error.to_string()))?;
        config.credential = Credential::Bearer(secret);
    }
    Ok(config)
}

fn configure(
    entries: &mut PeerEntries,
    config: PeerConfig,
    lines: &mut [PeerFileEntry],
    reach: &dyn PeerConnector,
) -> Result<(), PeerRegistryError> {
    let stored = lines.iter_mut().find(|line| line.configured && line.url == config.url);
    let (name, card) = match stored {
        Some(line) => (config.name.clone().or_else(|| Some(line.name.clone())), line.card(&config)),
        None => (config.name.clone(), None),
    };
    // Without a name, it is registered when its card is read.
    let Some(name) = name else {
        entries.unnamed.push(config);
        return Ok(());
    };
    if !is_agent_name(name.as_str()) {
        let detail =
            format!("'{name}' is not a valid name for a remote agent: use lower-case letters, digits and dashes");
        return Err(refusal(ErrorCode::CONFIG_INVALID, detail));
    }
    if entries.named.contains_key(&name) {
        return Err(refusal(ErrorCode::CONFIG_INVALID, format!("two remote agents are named '{name}'")));
    }
    let entry = PeerEntry::new(&name, config, None, true);
    let entry = match card {
        Some(card) => entry.with_card(Arc::new(card), reach),
        None => entry,
    };
    entries.named.insert(name, entry);
    Ok(())
}
