//! The key `telemetry`: spans of this server and their retention.

use super::{export::RawExport, tempo::RawTempo};
use baton_document::{DocumentNode, DocumentReader, Fields};
use baton_telemetry::{ContentCapture, EmitMode, Schema, names};
use std::time::Duration;

const MIN_RETENTION_AGE: Duration = Duration::from_secs(60);
const MAX_RETENTION_AGE: Duration = Duration::from_secs(36_500 * 24 * 60 * 60);
/// Maximum length of a project name, in bytes.
const MAX_PROJECT_LEN: usize = 256;
const MIN_STORE_BYTES: usize = 1 << 20;
pub(in crate::config) const MAX_STORE_BYTES: usize = 1 << 50;

/// The key `telemetry`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawTelemetry {
    pub(in crate::config) enabled: Option<bool>,
    pub(in crate::config) service_name: Option<String>,
    pub(in crate::config) project: Option<String>,
    pub(in crate::config) emit_mode: Option<EmitMode>,
    pub(in crate::config) schema: Option<Schema>,
    pub(in crate::config) capture_content: Option<bool>,
    pub(in crate::config) retention: RawSpanRetention,
    pub(in crate::config) tempo: RawTempo,
    pub(in crate::config) export: RawExport,
}

/// The key `telemetry.retention`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawSpanRetention {
    pub(in crate::config) age: Option<Duration>,
    pub(in crate::config) bytes: Option<usize>,
}

impl RawTelemetry {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "telemetry", node)?;
        let modes = [("dual", EmitMode::Dual), ("legacy", EmitMode::Legacy), ("otel", EmitMode::Otel)];
        let schemas = [("1.41", Schema::V1_41), ("latest", Schema::Latest)];
        let raw = Self {
            enabled: fields.take("enabled").and_then(|node| reader.boolean("enabled", &node)),
            service_name: fields.text(reader, "service_name").map(|text| text.value),
            project: fields.take("project").and_then(|node| project(reader, &node)),
            emit_mode: fields.take("emit_mode").and_then(|node| reader.choice("emit_mode", &node, &modes)),
            schema: fields.take("schema").and_then(|node| reader.choice("schema", &node, &schemas)),
            capture_content: fields.take("capture_content").and_then(|node| reader.boolean("capture_content", &node)),
            retention: fields.take("retention").and_then(|node| retention(reader, node)).unwrap_or_default(),
            export: fields.take("export").and_then(|node| RawExport::read(reader, node)).unwrap_or_default(),
            tempo: fields.take("tempo").and_then(|node| RawTempo::read(reader, node)).unwrap_or_default(),
        };
        fields.finish(reader);
        Some(raw)
    }

    /// Overrides the defaults; environment variables take precedence over it.
    pub(in crate::config) fn apply_to(self, settings: &mut baton_telemetry::TelemetrySettings) {
        settings.enabled = self.enabled.unwrap_or(settings.enabled);
        settings.mode = self.emit_mode.unwrap_or(settings.mode);
        settings.schema = self.schema.unwrap_or(settings.schema);
        if let Some(service) = self.service_name {
            settings.service = service;
        }
        if let Some(project) = self.project {
            settings.resource.push((names::PROJECT_ID.to_owned(), project));
        }
        if self.capture_content == Some(true) {
            settings.content = ContentCapture::Span;
        }
    }
}

fn project(reader: &mut DocumentReader, node: &DocumentNode) -> Option<String> {
    let text = reader.text("project", node)?;
    let name = text.value.trim();
    if name.is_empty() || name.len() > MAX_PROJECT_LEN {
        let hint = format!("write a name such as checkout, of at most {MAX_PROJECT_LEN} bytes, or remove the key");
        reader.error(text.location, "project is not a valid project name", hint);
        return None;
    }
    Some(name.to_owned())
}

fn retention(reader: &mut DocumentReader, node: DocumentNode) -> Option<RawSpanRetention> {
    let mut fields = Fields::open(reader, "retention", node)?;
    let age = fields.take("age").and_then(|node| reader.duration("age", &node, MIN_RETENTION_AGE, MAX_RETENTION_AGE));
    let bytes = fields.take("bytes").and_then(|node| reader.size("bytes", &node, MIN_STORE_BYTES, MAX_STORE_BYTES));
    fields.finish(reader);
    Some(RawSpanRetention { age, bytes })
}
