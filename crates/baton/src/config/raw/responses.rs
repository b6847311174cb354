//! The key `responses`: how requests of OpenAI's dialects are taken.

use baton_agentdir::document::{Fields, Node, Reader};

/// The key `responses`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawResponses {
    pub(in crate::config) default_agent: Option<String>,
    pub(in crate::config) strict_model: Option<bool>,
}

impl RawResponses {
    pub(super) fn read(reader: &mut Reader, node: Node) -> Option<Self> {
        let mut fields = Fields::open(reader, "responses", node)?;
        let raw = Self {
            default_agent: fields.text(reader, "default_agent").map(|text| text.value),
            strict_model: fields.take("strict_model").and_then(|node| reader.boolean("strict_model", &node)),
        };
        fields.finish(reader);
        Some(raw)
    }
}
