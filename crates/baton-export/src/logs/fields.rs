//! Fields of a log line.

use baton_types::{Attributes, SpanValue};
use std::fmt;
use tracing::field::{Field, Visit};

/// Maximum length of the message, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 * 1024;
/// Maximum length of an attribute value, in bytes.
const MAX_VALUE_BYTES: usize = 4 * 1024;
/// Maximum number of attributes per line.
const MAX_ATTRIBUTES: usize = 32;

/// Visitor that collects the fields of a log line.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) message: String,
    pub(super) attributes: Attributes,
    pub(super) dropped: u32,
    /// Target of a line from the `log` crate.
    pub(super) log_target: Option<String>,
}

impl Fields {
    fn text(&mut self, field: &Field, mut text: String) {
        match field.name() {
            "message" => {
                truncate(&mut text, MAX_MESSAGE_BYTES);
                self.message = text;
            }
            "log.target" => self.log_target = Some(text),
            // Source locations are of no use in logs of many machines.
            "log.module_path" | "log.file" => {}
            _ => {
                truncate(&mut text, MAX_VALUE_BYTES);
                self.attribute(field, text.into());
            }
        }
    }

    fn attribute(&mut self, field: &Field, value: SpanValue) {
        match field.name() {
            "log.line" => {}
            _ if self.attributes.len() >= MAX_ATTRIBUTES => self.dropped += 1,
            name => self.attributes.push((name.into(), value)),
        }
    }
}

fn truncate(text: &mut String, max_len: usize) {
    if text.len() > max_len {
        text.truncate(text.floor_char_boundary(max_len));
        text.push('…');
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.text(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field, value.to_owned());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.attribute(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match i64::try_from(value) {
            Ok(value) => self.attribute(field, value.into()),
            Err(_) => self.text(field, value.to_string()),
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.attribute(field, SpanValue::Float(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.attribute(field, value.into());
    }
}
