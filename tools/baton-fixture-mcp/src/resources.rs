//! Resources, resource templates and their contents.

use crate::media::PNG;
use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::json;

/// A resource with change notifications.
pub(crate) const WATCHED_RESOURCE: &str = "test://watched-resource";

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";

/// All resources with a fixed URI.
pub(crate) fn list() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, description: &str, media_type: &str| {
        Resource::new(uri, name).with_description(description).with_mime_type(media_type)
    };
    vec![
        resource(BINARY, "static-binary", "A picture of one pixel", "image/png"),
        resource(TEXT, "static-text", "A text that never changes", "text/plain"),
        resource(WATCHED_RESOURCE, "watched-resource", "A text that changes when a tool touches it", "text/plain"),
    ]
}

/// All resource templates.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new("test://template/{id}/data", "template-data");
    vec![template.with_description("Data by its id").with_mime_type("application/json")]
}

/// Contents of the resource at a URI.
pub(crate) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let text = |text: &str| ResourceContents::text(text, uri).with_mime_type("text/plain");
    let contents = match uri {
        TEXT => text("This is the content of the static text resource."),
        BINARY => ResourceContents::blob(PNG, uri).with_mime_type("image/png"),
        WATCHED_RESOURCE => text("Watched resource content"),
        _ => from_template(uri).ok_or_else(|| {
            ErrorData::resource_not_found(format!("Resource not found: {uri}"), Some(json!({ "uri": uri })))
        })?,
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn from_template(uri: &str) -> Option<ResourceContents> {
    let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
    if id.is_empty() || id.contains('/') {
        return None;
    }
    let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
    Some(ResourceContents::text(data.to_string(), uri).with_mime_type("application/json"))
}
