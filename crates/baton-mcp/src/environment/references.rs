//! The texts that an agent knows, as resources.

use baton_types::{AgentKit, AgentName, Reference};
use rmcp::model::{Resource, ResourceContents};
use std::fmt::Write;

/// What lists say of them: all but the text.
pub(super) fn listed(kit: &AgentKit) -> Vec<(&str, &str, &str, usize)> {
    let mut listed = Vec::with_capacity(kit.references.len());
    for Reference { name, description, media_type, text } in &kit.references {
        listed.push((name.as_str(), description.as_str(), media_type.as_str(), text.len()));
    }
    listed
}

/// The address of one.
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

/// All of them as resources.
pub(super) fn resources(agent: &AgentName, kit: &AgentKit) -> Vec<Resource> {
    kit.references.iter().map(|reference| resource(agent, reference)).collect()
}

fn resource(agent: &AgentName, reference: &Reference) -> Resource {
    let size = u64::try_from(reference.text.len()).unwrap_or(u64::MAX);
    let mut resource = Resource::new(uri(agent, &reference.name), reference.name.clone())
        .with_mime_type(reference.media_type.clone())
        .with_size(size);
    if !reference.description.is_empty() {
        resource = resource.with_description(reference.description.clone());
    }
    resource
}

/// The one at an address.
pub(super) fn find<'a>(agent: &AgentName, kit: &'a AgentKit, address: &str) -> Option<&'a Reference> {
    kit.references.iter().find(|reference| uri(agent, &reference.name) == address)
}

/// What is in it.
pub(super) fn contents(reference: &Reference, uri: &str) -> ResourceContents {
    ResourceContents::text(reference.text.clone(), uri).with_mime_type(reference.media_type.clone())
}
