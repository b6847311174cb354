//! The keys `limits` and `retention`.

use baton_document::{DocumentNode, DocumentReader, Fields};

pub(in crate::config) const MAX_CONNECTIONS: u64 = 1_000_000;
pub(in crate::config) const MAX_REQUEST_RATE: u64 = 1_000_000;
pub(in crate::config) const MAX_RETENTION_DAYS: u64 = 36_500;
pub(in crate::config) const MAX_BODY_BYTES: usize = 1 << 30;

/// The key `limits`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawLimits {
    pub(in crate::config) body_bytes: Option<usize>,
    pub(in crate::config) max_connections: Option<u64>,
    pub(in crate::config) max_streams: Option<u64>,
    pub(in crate::config) principal_share: Option<u64>,
    pub(in crate::config) requests_per_second: Option<u64>,
    pub(in crate::config) burst: Option<u64>,
}

/// The key `retention`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawRetention {
    pub(in crate::config) days: Option<u64>,
    pub(in crate::config) keep: Option<u64>,
}

impl RawLimits {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "limits", node)?;
        let mut count = |key, max| fields.take(key).and_then(|node| reader.integer(key, &node, 1, max));
        let max_connections = count("max_connections", MAX_CONNECTIONS);
        let max_streams = count("max_streams", MAX_CONNECTIONS);
        let principal_share = count("principal_share", 100);
        let requests_per_second = count("requests_per_second", MAX_REQUEST_RATE);
        let burst = count("burst", MAX_REQUEST_RATE);
        let body_bytes =
            fields.take("body_bytes").and_then(|node| reader.size("body_bytes", &node, 1024, MAX_BODY_BYTES));
        fields.finish(reader);
        Some(Self { body_bytes, max_connections, max_streams, principal_share, requests_per_second, burst })
    }
}

impl RawRetention {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "retention", node)?;
        let days = fields.take("days").and_then(|node| reader.integer("days", &node, 1, MAX_RETENTION_DAYS));
        let keep = fields.take("keep").and_then(|node| reader.integer("keep", &node, 0, u64::MAX));
        fields.finish(reader);
        Some(Self { days, keep })
    }
}
