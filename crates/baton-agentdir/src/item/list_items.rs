//! Items in lists of the agent's definition file.

use super::{MAX_REFERENCES, front_matter::priority_of};
use crate::{
    permission::{INCLUSION_MODE_KEYWORDS, too_many},
    resolve::check_unique,
};
use baton_document::{DocumentNode, DocumentReader, Fields, NodeValue, SourceLocation};
use baton_types::{ContextItem, InclusionMode, ItemKind};
use std::collections::BTreeSet;

const NAME_HINT: &str = "use letters, digits, dashes and underscores, such as house-style";

/// Items of both lists with their locations.
#[derive(Default)]
pub(crate) struct ListedItems {
    pub(crate) rules: Vec<(SourceLocation, ContextItem)>,
    pub(crate) references: Vec<(SourceLocation, ContextItem)>,
}

/// Reads one list. In `agent.yaml` every problem is an error; in files of other programs the item is skipped.
pub(crate) fn read_all(
    reader: &mut DocumentReader,
    kind: ItemKind,
    node: Option<DocumentNode>,
    is_strict: bool,
) -> Vec<(SourceLocation, ContextItem)> {
    let Some(node) = node else { return Vec::new() };
    let key = match kind {
        ItemKind::Rule => "rules",
        ItemKind::Reference | ItemKind::Tool => "references",
    };
    let mut items = Vec::new();
    let mut seen = BTreeSet::new();
    let (location, nodes) = (node.location, reader.list(key, node));
    if is_strict && nodes.len() > MAX_REFERENCES {
        too_many(reader, location, key, nodes.len(), MAX_REFERENCES);
        return Vec::new();
    }
    for node in nodes {
        let mut own = DocumentReader::new(reader.file());
        let location = node.location;
        let item = if is_strict { read_native(&mut own, kind, node) } else { read_teamspark(&mut own, kind, node) };
        let is_good = !own.has_errors();
        for remark in own.finish() {
            let softens = remark.is_error() && !is_strict;
            let consequence = format!("the {} is left out", kind.as_str());
            reader.push(if softens { remark.into_warning(&consequence) } else { remark });
        }
        let Some(item) = item.filter(|_| is_good) else { continue };
        let is_second = is_strict && seen.contains(&item.name);
        if is_strict {
            check_unique(reader, &mut seen, kind.as_str(), &item.name, location);
        }
        if !is_second {
            items.push((location, item));
        }
    }
    items
}

fn read_native(reader: &mut DocumentReader, kind: ItemKind, node: DocumentNode) -> Option<ContextItem> {
    let mut fields = Fields::open(reader, format!("a {}", kind.as_str()), node)?;
    let name = fields.required_text(reader, "name", "add a name such as `name: house-style`");
    if let Some(name) = name.as_ref().filter(|name| !is_plain_name(&name.value)) {
        reader.error(name.location, format!("a {} cannot have this name", kind.as_str()), NAME_HINT);
    }
    let description = fields.text(reader, "description");
    let priority = fields.take_any(reader, &["priority", "priorityLevel"]);
    let max = u64::from(ContextItem::MAX_PRIORITY);
    let priority = priority.and_then(|node| reader.integer("priority", &node, 0, max));
    let include = fields.take("include").and_then(|node| reader.choice("include", &node, &INCLUSION_MODE_KEYWORDS));
    let text = fields.required_text(reader, "text", "add the text as `text: ...`");
    if let Some(text) = text.as_ref().filter(|text| text.value.trim().is_empty()) {
        reader.error(text.location, "the text is empty", "write the text, or remove the entry");
    }
    fields.finish(reader);
    let (name, text) = (name?, text?);
    Some(ContextItem {
        description: description.map(|description| description.value.trim().to_owned()).unwrap_or_default(),
        priority: priority.and_then(|number| u16::try_from(number).ok()).unwrap_or(ContextItem::DEFAULT_PRIORITY),
        include: include.unwrap_or(InclusionMode::Manual),
        ..ContextItem::new(name.value, text.value)
    })
}

fn read_teamspark(reader: &mut DocumentReader, kind: ItemKind, node: DocumentNode) -> Option<ContextItem> {
    let mut fields = Fields::open(reader, format!("a {}", kind.as_str()), node)?;
    let name = match fields.take("name") {
        Some(node) => crate::teamspark::text(reader, "name", &node),
        None => {
            reader.error(fields.location, format!("a {} has no name", kind.as_str()), "add one");
            None
        }
    };
    let description = fields.take("description").and_then(|node| crate::teamspark::text(reader, "description", &node));
    let priority = fields.take("priorityLevel").and_then(|node| {
        let number = priority_of(&node);
        if number.is_none() {
            reader.warning(
                node.location,
                "priorityLevel is not a whole number from 0 to 999; 500 is used",
                "write one",
            );
        }
        number
    });
    let include = fields.take("include").and_then(|node| reader.choice("include", &node, &INCLUSION_MODE_KEYWORDS));
    // Embeddings are computed again; `enabled` never had an effect.
    let _ = [fields.take("embeddings"), fields.take("enabled")];
    let text = match fields.take("text") {
        Some(DocumentNode { value: NodeValue::Text(text), .. }) => Some(text),
        Some(node) => reader.report_expected("text", "text", &node),
        None => {
            reader.error(fields.location, format!("a {} has no text", kind.as_str()), "add a text");
            None
        }
    };
    fields.finish_lenient(reader);
    let (name, text) = (name?, text?);
    Some(ContextItem {
        description: description.map(|description| description.trim().to_owned()).unwrap_or_default(),
        priority: priority.unwrap_or(ContextItem::DEFAULT_PRIORITY),
        include: include.unwrap_or(InclusionMode::Manual),
        ..ContextItem::new(name, text)
    })
}

/// Whether a mention can refer to this name.
pub(crate) fn is_plain_name(name: &str) -> bool {
    (1..=128).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}
