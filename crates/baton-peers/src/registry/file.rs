//! The registry file: added peers, and all cards read so far, so that startup needs no network.

use super::{FetchedCard, entry::PeerEntry};
use crate::PeerConfig;
use baton_system::write_private;
use baton_types::AgentName;
use baton_wire::a2a::v1::AgentCard;
use serde::{Deserialize, Serialize};
use std::{fs, io, path::Path};

const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
pub(super) struct PeerFile {
    version: u32,
    pub(super) peers: Vec<PeerFileEntry>,
}

/// A stored peer; secrets are stored as references.
#[derive(Serialize, Deserialize)]
pub(super) struct PeerFileEntry {
    pub(super) url: String,
    pub(super) name: AgentName,
    #[serde(default)]
    pub(super) listed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) bearer: Option<String>,
    #[serde(default)]
    pub(super) configured: bool,
    /// Trusted signers at the time the card was checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    signers: Vec<String>,
    /// Allowed hosts at the time the card was checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    card: Option<AgentCard>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    card_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signed_by: Option<String>,
}

impl PeerFileEntry {
    pub(super) fn from_entry(entry: &PeerEntry) -> Self {
        let card = entry.card.as_deref();
        Self {
            url: entry.config.url.clone(),
            name: entry.name().clone(),
            listed: entry.config.listed,
            bearer: entry.bearer.clone(),
            configured: entry.configured,
            signers: entry.config.signers.clone(),
            hosts: entry.config.hosts.clone(),
            card: card.map(|read| read.card.clone()),
            card_url: card.map(|read| read.url.clone()),
            etag: card.and_then(|read| read.etag.clone()),
            signed_by: card.and_then(|read| read.signed_by.clone()),
        }
    }

    /// The stored card, if it was checked under the current settings.
    pub(super) fn card(&mut self, config: &PeerConfig) -> Option<FetchedCard> {
        let unsigned = config.require_signature && self.signed_by.is_none();
        if self.signers != config.signers || self.hosts != config.hosts || unsigned {
            return None;
        }
        let url = self.card_url.take().unwrap_or_else(|| self.url.clone());
        let (etag, signed_by) = (self.etag.take(), self.signed_by.take());
        self.card.take().map(|card| FetchedCard { card, url, etag, signed_by })
    }
}

impl PeerFile {
    pub(super) fn from_entries<'a>(entries: impl Iterator<Item = &'a PeerEntry>) -> Self {
        Self { version: VERSION, peers: entries.map(PeerFileEntry::from_entry).collect() }
    }

    /// Reads the file; empty if it does not exist.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { version: VERSION, peers: vec![] });
            }
            Err(error) => return Err(error),
        };
        let page: Self = serde_json::from_slice(&bytes)?;
        if page.version > VERSION {
            return Err(io::Error::other("it was written by a newer Baton"));
        }
        Ok(page)
    }

    /// Writes the file atomically and durably, readable by its owner only.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        write_private(path, &serde_json::to_vec_pretty(self)?)
    }
}
