//! The key `responses`: settings of the OpenAI-compatible endpoints.

use super::push::read_allow_list;
use baton_document::{DocumentNode, DocumentReader, Fields};

/// The key `responses`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawResponses {
    pub(in crate::config) default_agent: Option<String>,
    pub(in crate::config) strict_model: Option<bool>,
    pub(in crate::config) mcp_servers: Option<bool>,
    pub(in crate::config) mcp_allow: Vec<String>,
}

impl RawResponses {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "responses", node)?;
        let raw = Self {
            default_agent: fields.text(reader, "default_agent").map(|text| text.value),
            strict_model: fields.take("strict_model").and_then(|node| reader.boolean("strict_model", &node)),
            mcp_servers: fields.take("mcp_servers").and_then(|node| reader.boolean("mcp_servers", &node)),
            mcp_allow: fields
                .take("mcp_allow")
                .map(|node| read_allow_list(reader, "mcp_allow", node))
                .unwrap_or_default(),
        };
        fields.finish(reader);
        Some(raw)
    }
}
