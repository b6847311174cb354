//! The key `push`: push notifications.

use baton_agentdir::document::{Fields, Node, Reader};
use baton_outbound::AddressPolicy;
use std::time::Duration;

pub(in crate::config) const MOST_ALLOWED: usize = 256;
const SHORTEST_DEADLINE: Duration = Duration::from_secs(1);
const LONGEST_DEADLINE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The key `push`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawPush {
    pub(in crate::config) allow: Vec<String>,
    pub(in crate::config) deadline: Option<Duration>,
}

impl RawPush {
    pub(super) fn read(reader: &mut Reader, node: Node) -> Option<Self> {
        let mut fields = Fields::open(reader, "push", node)?;
        let allow = fields.take("allow").map(|node| allowed(reader, "allow", node)).unwrap_or_default();
        let deadline = fields
            .take("deadline")
            .and_then(|node| reader.duration("deadline", &node, SHORTEST_DEADLINE, LONGEST_DEADLINE));
        fields.finish(reader);
        Some(Self { allow, deadline })
    }
}

/// Names, addresses and blocks that may be called although they are private.
pub(super) fn allowed(reader: &mut Reader, key: &str, node: Node) -> Vec<String> {
    let place = node.place;
    let mut entries = reader.texts(key, node);
    if entries.len() > MOST_ALLOWED {
        let message = format!("{key} has {} entries", entries.len());
        reader.error(place, message, format!("keep it to {MOST_ALLOWED}; a block such as 10.0.0.0/8 is one entry"));
        entries.truncate(MOST_ALLOWED);
    }
    for entry in &entries {
        if let Err(error) = AddressPolicy::allowing([&entry.value]) {
            let message = format!("'{}' cannot be allowed", entry.value.escape_debug());
            reader.error(entry.place, message, error.problem.to_string());
        }
    }
    entries.into_iter().map(|entry| entry.value).collect()
}
