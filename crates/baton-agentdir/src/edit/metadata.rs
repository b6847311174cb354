//! Edits agent card metadata.

use super::{
    EditError,
    amend::{AgentAmendment, EditSubject, PLACEHOLDER_DIRECTORY},
    step::{EditPath, keys, scalar},
};
use crate::{Format, segment};
use baton_document::DocumentNode;
use baton_types::MetadataChange;

/// Sets the given metadata.
pub(super) fn set(subject: &EditSubject<'_>, change: &MetadataChange) -> Result<AgentAmendment, EditError> {
    let texts = [&change.title, &change.description, &change.version, &change.icon_url, &change.documentation_url];
    let organization = change.provider.as_ref().map(|provider| &provider.organization);
    if texts.into_iter().flatten().chain(organization).any(|text| text.trim().is_empty()) {
        return Err(EditError::InvalidValue("card metadata cannot be empty; remove the key by hand"));
    }
    let is_native = subject.format == Format::Native;
    let is_moved = |title: &String| {
        let agent = subject.parsed.agent.as_ref();
        agent.is_some_and(|agent| agent.name != segment(title.trim(), PLACEHOLDER_DIRECTORY))
    };
    if !is_native && change.title.as_ref().is_some_and(is_moved) {
        let instead = "the name is also the agent's address; change `metadata.name` by hand to rename the agent";
        return Err(EditError::Unsupported { file: subject.file.to_owned(), instead });
    }
    let name = |native_key: &'static str, teamspark_key: &'static str| {
        if is_native { keys(&[native_key]) } else { keys(&["metadata", teamspark_key]) }
    };
    let provider =
        |key: &'static str| -> EditPath { name("provider", "provider").into_iter().chain(keys(&[key])).collect() };
    let text = |text: &str| scalar(text.trim());
    let entry = |path: EditPath, node: Option<DocumentNode>| node.map(|node| (path, node));
    let publisher = change.provider.as_ref();
    let url = publisher.map(|provider| provider.url.as_str()).filter(|url| !url.is_empty());
    let values = [
        entry(name("title", "name"), change.title.as_deref().map(text)),
        entry(name("description", "description"), change.description.as_deref().map(text)),
        entry(name("version", "version"), change.version.as_deref().map(text)),
        entry(provider("organization"), publisher.map(|provider| text(&provider.organization))),
        entry(provider("url"), url.map(text)),
        entry(name("icon_url", "iconUrl"), change.icon_url.as_deref().map(text)),
        entry(name("documentation_url", "documentationUrl"), change.documentation_url.as_deref().map(text)),
        entry(name("autonomous", "autonomous"), change.autonomous.map(scalar)),
    ];
    subject.set_values(values.into_iter().flatten().collect())
}
