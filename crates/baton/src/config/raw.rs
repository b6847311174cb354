//! `baton.yaml` as written: right types, unknown keys reported, nothing filled in yet.

mod a2a;
mod push;

pub(crate) use a2a::Extension;
#[cfg(test)]
pub(super) use a2a::MOST_EXTENSIONS;
pub(super) use a2a::{RawA2a, Version};
#[cfg(test)]
pub(super) use push::MOST_ALLOWED;
pub(super) use push::RawPush;

use baton_agentdir::{
    Diagnostic,
    document::{self, Fields, Node, Reader},
};
use baton_types::ToolExecution;

pub(super) const MOST_CONNECTIONS: u64 = 1_000_000;
pub(super) const MOST_DAYS: u64 = 36_500;
pub(super) const LARGEST_BODY: usize = 1 << 30;

/// The file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RawConfig {
    pub(super) port: Option<u16>,
    pub(super) host: Option<String>,
    pub(super) data: Option<String>,
    pub(super) public_url: Option<String>,
    pub(super) allow_hosts: Vec<String>,
    pub(super) tools: Option<ToolExecution>,
    pub(super) agents: Vec<String>,
    pub(super) limits: RawLimits,
    pub(super) retention: RawRetention,
    pub(super) a2a: RawA2a,
    pub(super) push: RawPush,
}

/// The key `limits`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RawLimits {
    pub(super) body_bytes: Option<usize>,
    pub(super) max_connections: Option<u64>,
    pub(super) max_streams: Option<u64>,
}

/// The key `retention`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RawRetention {
    pub(super) days: Option<u64>,
    pub(super) keep: Option<u64>,
}

impl RawConfig {
    /// Reads the whole file, or everything that is wrong with it.
    pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Self, Vec<Diagnostic>> {
        let node = document::read(file, bytes).map_err(|diagnostic| vec![diagnostic])?;
        let mut reader = Reader::new(file);
        let config = Self::read(&mut reader, node).unwrap_or_default();
        let failed = reader.failed();
        let diagnostics = reader.finish();
        if failed { Err(diagnostics) } else { Ok(config) }
    }

    fn read(reader: &mut Reader, node: Node) -> Option<Self> {
        let mut fields = Fields::open(reader, "the configuration", node)?;
        let execution = [("agent", ToolExecution::Agent), ("caller", ToolExecution::Caller)];
        let port = fields.take("port").and_then(|node| reader.integer("port", &node, 0, u64::from(u16::MAX)));
        let text = |fields: &mut Fields, reader: &mut Reader, key| fields.text(reader, key).map(|text| text.value);
        let config = Self {
            port: port.and_then(|port| u16::try_from(port).ok()),
            host: text(&mut fields, reader, "host"),
            data: text(&mut fields, reader, "data"),
            public_url: text(&mut fields, reader, "public_url"),
            allow_hosts: texts(reader, &mut fields, "allow_hosts"),
            tools: fields.take("tools").and_then(|node| reader.choice("tools", &node, &execution)),
            agents: texts(reader, &mut fields, "agents"),
            limits: fields.take("limits").and_then(|node| RawLimits::read(reader, node)).unwrap_or_default(),
            retention: fields.take("retention").and_then(|node| RawRetention::read(reader, node)).unwrap_or_default(),
            a2a: fields.take("a2a").and_then(|node| RawA2a::read(reader, node)).unwrap_or_default(),
            push: fields.take("push").and_then(|node| RawPush::read(reader, node)).unwrap_or_default(),
        };
        fields.finish(reader);
        Some(config)
    }
}

impl RawLimits {
    fn read(reader: &mut Reader, node: Node) -> Option<Self> {
        let mut fields = Fields::open(reader, "limits", node)?;
        let count = |fields: &mut Fields, reader: &mut Reader, key| {
            fields.take(key).and_then(|node| reader.integer(key, &node, 1, MOST_CONNECTIONS))
        };
        let max_connections = count(&mut fields, reader, "max_connections");
        let max_streams = count(&mut fields, reader, "max_streams");
        let body_bytes =
            fields.take("body_bytes").and_then(|node| reader.size("body_bytes", &node, 1024, LARGEST_BODY));
        fields.finish(reader);
        Some(Self { body_bytes, max_connections, max_streams })
    }
}

impl RawRetention {
    fn read(reader: &mut Reader, node: Node) -> Option<Self> {
        let mut fields = Fields::open(reader, "retention", node)?;
        let days = fields.take("days").and_then(|node| reader.integer("days", &node, 1, MOST_DAYS));
        let keep = fields.take("keep").and_then(|node| reader.integer("keep", &node, 0, u64::MAX));
        fields.finish(reader);
        Some(Self { days, keep })
    }
}

fn texts(reader: &mut Reader, fields: &mut Fields, key: &'static str) -> Vec<String> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    reader.texts(key, node).into_iter().map(|text| text.value).collect()
}

/// A file that uses every key.
#[cfg(test)]
pub(super) const FULL_FILE: &str = "port: 9000\nhost: 127.0.0.2\ndata: state\n\
    public_url: https://agents.example.com\nallow_hosts: [studio.local]\ntools: caller\nagents: [a, b]\n\
    limits: { body_bytes: 1MB, max_connections: 10, max_streams: 5 }\nretention: { days: 30, keep: 1000 }\n\
    a2a: { streaming: false, push: false, extended_card: false, version: strict, \
    extensions: [{ uri: \"urn:example:audit\", description: Leaves a trail., required: true }] }\n\
    push: { allow: [\"127.0.0.0/8\", \"*.corp.example\"], deadline: 2h }\n";

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_full_file() {
        let expect = RawConfig {
            port: Some(9000),
            host: Some("127.0.0.2".to_owned()),
            data: Some("state".to_owned()),
            public_url: Some("https://agents.example.com".to_owned()),
            allow_hosts: vec!["studio.local".to_owned()],
            tools: Some(ToolExecution::Caller),
            agents: vec!["a".to_owned(), "b".to_owned()],
            limits: RawLimits { body_bytes: Some(1 << 20), max_connections: Some(10), max_streams: Some(5) },
            retention: RawRetention { days: Some(30), keep: Some(1000) },
            a2a: RawA2a {
                streaming: Some(false),
                push: Some(false),
                extended_card: Some(false),
                version: Some(Version::Strict),
                extensions: vec![Extension {
                    uri: "urn:example:audit".to_owned(),
                    description: "Leaves a trail.".to_owned(),
                    required: true,
                }],
            },
            push: RawPush {
                allow: vec!["127.0.0.0/8".to_owned(), "*.corp.example".to_owned()],
                deadline: Some(Duration::from_secs(7200)),
            },
        };
        assert_eq!(RawConfig::parse("baton.yaml", FULL_FILE.as_bytes()), Ok(expect));
        assert_eq!(RawConfig::parse("baton.yaml", b"# nothing yet\n"), Ok(RawConfig::default()));
    }
}
