//! One entry of `exports`.

use crate::document::{Fields, Located, Node, Place, Reader};

/// An exported tool as written.
pub(crate) struct RawExport {
    pub(crate) place: Place,
    pub(crate) name: Option<Located<String>>,
    pub(crate) description: Option<Located<String>>,
    pub(crate) parameters: Option<Node>,
    pub(crate) prompt: Option<Located<String>>,
}

impl RawExport {
    pub(super) fn read(reader: &mut Reader, node: Node) -> Option<Self> {
        let mut fields = Fields::open(reader, "an export", node)?;
        let raw = Self {
            place: fields.place,
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
