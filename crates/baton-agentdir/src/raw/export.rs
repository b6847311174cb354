//! One entry of `exports`.

use baton_document::{DocumentNode, DocumentReader, Fields, LocatedValue, SourceLocation};

/// An exported tool as written.
pub(crate) struct RawExport {
    pub(crate) location: SourceLocation,
    pub(crate) name: Option<LocatedValue<String>>,
    pub(crate) description: Option<LocatedValue<String>>,
    pub(crate) parameters: Option<DocumentNode>,
    pub(crate) prompt: Option<LocatedValue<String>>,
}

impl RawExport {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "an export", node)?;
        let raw = Self {
            location: fields.location,
            name: fields.required_text(reader, "name", "add a name such as `name: plan_trip`"),
            description: fields.text(reader, "description"),
            parameters: fields.take("parameters"),
            prompt: fields.required_text(
                reader,
                "prompt",
                "describe the task of the agent, such as `Plan a trip to {city}.`",
            ),
        };
        fields.finish(reader);
        Some(raw)
    }
}
