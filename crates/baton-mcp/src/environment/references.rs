//! The references of an agent as MCP resources.

use baton_types::{AgentName, AgentSpec, ContextItem};
use rmcp::model::{Resource, ResourceContents};
use std::fmt::Write;

/// Name, description, media type and size of each reference: the fields shown in lists.
pub(super) fn summaries(spec: &AgentSpec) -> Vec<(&str, &str, &str, usize)> {
    let references = &spec.knowledge.references;
    references
        .iter()
        .map(|it| (it.name.as_str(), it.description.as_str(), it.media_type.as_str(), it.text.len()))
        .collect()
}

/// Resource URI of a reference.
pub(super) fn uri(agent: &AgentName, name: &str) -> String {
    let mut uri = format!("baton://agents/{agent}/references/");
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// All references as resources.
pub(super) fn resources(spec: &AgentSpec) -> Vec<Resource> {
    spec.knowledge.references.iter().map(|reference| resource(&spec.name, reference)).collect()
}

fn resource(agent: &AgentName, reference: &ContextItem) -> Resource {
    let size = u64::try_from(reference.text.len()).unwrap_or(u64::MAX);
    let mut resource = Resource::new(uri(agent, &reference.name), reference.name.clone())
        .with_mime_type(reference.media_type.clone())
        .with_size(size);
    if !reference.description.is_empty() {
        resource = resource.with_description(reference.description.clone());
    }
    resource
}

/// The reference with this URI.
pub(super) fn find<'a>(spec: &'a AgentSpec, address: &str) -> Option<&'a ContextItem> {
    spec.knowledge.references.iter().find(|reference| uri(&spec.name, &reference.name) == address)
}

/// Contents of a reference.
pub(super) fn contents(reference: &ContextItem, uri: &str) -> ResourceContents {
    ResourceContents::text(reference.text.clone(), uri).with_mime_type(reference.media_type.clone())
}
