//! The key `push`: push notifications.

use baton_document::{DocumentNode, DocumentReader, Fields};
use baton_outbound::AddressPolicy;
use std::time::Duration;

pub(in crate::config) const MAX_ALLOW_ENTRIES: usize = 256;
const MIN_DEADLINE: Duration = Duration::from_secs(1);
const MAX_DEADLINE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The key `push`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawPush {
    pub(in crate::config) allow: Vec<String>,
    pub(in crate::config) deadline: Option<Duration>,
}

impl RawPush {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "push", node)?;
        let allow = fields.take("allow").map(|node| read_allow_list(reader, "allow", node)).unwrap_or_default();
        let deadline =
            fields.take("deadline").and_then(|node| reader.duration("deadline", &node, MIN_DEADLINE, MAX_DEADLINE));
        fields.finish(reader);
        Some(Self { allow, deadline })
    }
}

/// Names, addresses and blocks that may be called although they are private.
pub(super) fn read_allow_list(reader: &mut DocumentReader, key: &str, node: DocumentNode) -> Vec<String> {
    let location = node.location;
    let mut entries = reader.texts(key, node);
    if entries.len() > MAX_ALLOW_ENTRIES {
        let message = format!("{key} has {} entries", entries.len());
        reader.error(
            location,
            message,
            format!("keep it to {MAX_ALLOW_ENTRIES}; a block such as 10.0.0.0/8 is one entry"),
        );
        entries.truncate(MAX_ALLOW_ENTRIES);
    }
    for entry in &entries {
        if let Err(error) = AddressPolicy::allowing([&entry.value]) {
            let message = format!("'{}' cannot be allowed", entry.value.escape_debug());
            reader.error(entry.location, message, error.problem.to_string());
        }
    }
    entries.into_iter().map(|entry| entry.value).collect()
}
