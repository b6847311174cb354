//! The key `telemetry.export`: export of telemetry over OTLP.

use super::{auth::check_web_url, lists::nodes, tempo::headers};
use baton_document::{DocumentNode, DocumentReader, Fields, LocatedValue};
use baton_server::{
    HeaderText,
    export::{Compression, OtlpProtocol, Signal},
};
use baton_types::is_agent_name;
use std::{collections::BTreeSet, time::Duration};

pub(in crate::config) const MAX_TARGETS: usize = 16;
const MIN_QUEUE_BYTES: usize = 1 << 20;
const MAX_QUEUE_BYTES: usize = 1 << 50;
const MIN_TIMEOUT: Duration = Duration::from_millis(100);
const MAX_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The key `telemetry.export`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawExport {
    pub(in crate::config) enabled: Option<bool>,
    pub(in crate::config) bytes: Option<usize>,
    pub(in crate::config) targets: Vec<RawTarget>,
}

/// An entry of `telemetry.export.targets`.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::config) struct RawTarget {
    pub(in crate::config) name: String,
    pub(in crate::config) endpoint: String,
    pub(in crate::config) protocol: Option<OtlpProtocol>,
    pub(in crate::config) compression: Option<Compression>,
    pub(in crate::config) headers: Vec<(String, HeaderText)>,
    pub(in crate::config) timeout: Option<Duration>,
    pub(in crate::config) certificate: Option<String>,
    pub(in crate::config) client: Option<(String, String)>,
    /// Empty means all signals.
    pub(in crate::config) signals: Vec<Signal>,
    pub(in crate::config) content: Option<bool>,
}

impl RawExport {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "export", node)?;
        let enabled = fields.take("enabled").and_then(|node| reader.boolean("enabled", &node));
        let bytes = fields.take("bytes").and_then(|node| reader.size("bytes", &node, MIN_QUEUE_BYTES, MAX_QUEUE_BYTES));
        let targets = nodes(reader, &mut fields, "targets", MAX_TARGETS);
        fields.finish(reader);
        let mut seen = BTreeSet::new();
        let targets = targets.into_iter().filter_map(|node| target(reader, node, &mut seen)).collect();
        Some(Self { enabled, bytes, targets })
    }
}

fn target(reader: &mut DocumentReader, node: DocumentNode, seen: &mut BTreeSet<String>) -> Option<RawTarget> {
    let mut fields = Fields::open(reader, "a target", node)?;
    let name = fields.required_text(reader, "name", "write its local name, such as collector");
    let endpoint =
        fields.required_text(reader, "endpoint", "write its OTLP endpoint, such as http://collector.example.com:4317");
    let packings = [("gzip", Compression::Gzip), ("none", Compression::None)];
    let protocol = fields.take("protocol").and_then(|node| reader.choice("protocol", &node, &OtlpProtocol::NAMES));
    let compression = fields.take("compression").and_then(|node| reader.choice("compression", &node, &packings));
    let headers = fields.take("headers").map(|node| headers(reader, node)).unwrap_or_default();
    let timeout = fields.take("timeout").and_then(|node| reader.duration("timeout", &node, MIN_TIMEOUT, MAX_TIMEOUT));
    let certificate = fields.text(reader, "certificate").map(|text| text.value);
    let client = client(reader, &mut fields);
    let signals = fields.take("signals").map(|node| signals(reader, node)).unwrap_or_default();
    let content = fields.take("content").and_then(|node| reader.boolean("content", &node));
    fields.finish(reader);
    let (name, endpoint) = (name?, endpoint?);
    check_name(reader, &name, seen);
    if let Err(hint) = check_web_url(&endpoint.value) {
        let message = format!("'{}' is not a web address", endpoint.value.escape_debug());
        reader.error(endpoint.location, message, hint);
    }
    Some(RawTarget {
        name: name.value,
        endpoint: endpoint.value,
        protocol,
        compression,
        headers,
        timeout,
        certificate,
        client,
        signals,
        content,
    })
}

fn check_name(reader: &mut DocumentReader, name: &LocatedValue<String>, seen: &mut BTreeSet<String>) {
    if !is_agent_name(&name.value) {
        let message = format!("'{}' is not a valid target name", name.value.escape_debug());
        reader.error(name.location, message, "use lower-case letters, digits and dashes, such as collector");
    }
    if !seen.insert(name.value.clone()) {
        reader.error(name.location, format!("the target '{}' is listed twice", name.value), "rename one of them");
    }
}

fn client(reader: &mut DocumentReader, fields: &mut Fields) -> Option<(String, String)> {
    let location = fields.location;
    let certificate = fields.text(reader, "client_cert").map(|text| text.value);
    let key = fields.text(reader, "client_key").map(|text| text.value);
    if certificate.is_some() != key.is_some() {
        reader.error(location, "client_cert and client_key must be set together", "set both or neither");
    }
    certificate.zip(key)
}

fn signals(reader: &mut DocumentReader, node: DocumentNode) -> Vec<Signal> {
    let choices = Signal::ALL.map(|signal| (signal.as_str(), signal));
    reader.list("signals", node).iter().filter_map(|node| reader.choice("signals", node, &choices)).collect()
}
