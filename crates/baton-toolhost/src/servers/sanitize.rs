//! Sanitizes list entries of a server: no invisible characters, only safe icon addresses.

use super::clean::{clean, clean_schema};
use rmcp::model::{Icon, Prompt, Resource, ResourceTemplate, Tool};
use serde::Serialize;
use std::sync::Arc;

/// Maximum size of a list entry, in bytes of JSON: two schemas of a tool, and text.
const MAX_ENTRY: usize = 768 << 10;

/// An entry of a list.
pub(super) trait ListEntry: Serialize {
    /// Sanitizes the texts for people and models. Identifiers used by the server are unchanged.
    fn sanitize(&mut self);
}

/// The sanitized entry with its size; `None` when it is too large.
pub(super) fn sanitize_entry<T: ListEntry>(mut entry: T) -> Option<(T, usize)> {
    entry.sanitize();
    let size = serde_json::to_vec(&entry).map_or(usize::MAX, |text| text.len());
    (size <= MAX_ENTRY).then_some((entry, size))
}

impl ListEntry for Tool {
    fn sanitize(&mut self) {
        text(&mut self.title);
        if let Some(description) = &mut self.description {
            *description = clean(description).into();
        }
        clean_schema(Arc::make_mut(&mut self.input_schema));
        if let Some(schema) = &mut self.output_schema {
            clean_schema(Arc::make_mut(schema));
        }
        if let Some(annotations) = &mut self.annotations {
            text(&mut annotations.title);
        }
        icons(&mut self.icons);
    }
}

impl ListEntry for Prompt {
    fn sanitize(&mut self) {
        text(&mut self.title);
        text(&mut self.description);
        for argument in self.arguments.iter_mut().flatten() {
            text(&mut argument.title);
            text(&mut argument.description);
        }
        icons(&mut self.icons);
    }
}

impl ListEntry for Resource {
    fn sanitize(&mut self) {
        self.name = clean(&self.name);
        text(&mut self.title);
        text(&mut self.description);
        icons(&mut self.icons);
    }
}

impl ListEntry for ResourceTemplate {
    fn sanitize(&mut self) {
        self.name = clean(&self.name);
        text(&mut self.title);
        text(&mut self.description);
        icons(&mut self.icons);
    }
}

fn text(text: &mut Option<String>) {
    if let Some(text) = text {
        *text = clean(text);
    }
}

/// Keeps only HTTPS addresses and embedded images; clients might execute anything else.
fn icons(icons: &mut Option<Vec<Icon>>) {
    let is_picture = |icon: &Icon| icon.src.starts_with("https://") || icon.src.starts_with("data:image/");
    if let Some(icons) = icons {
        icons.retain(is_picture);
    }
    if icons.as_ref().is_some_and(Vec::is_empty) {
        *icons = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn hidden_text_and_executable_uris_are_removed() {
        let listed = json!({
            "name": "t",
            "title": "T\u{202e}",
            "description": "Reads\u{200b}",
            "inputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "properties": {"a": {"description": "x\u{e0069}", "enum": ["\u{200b}"]}, "b": {"$ref": "https://example.com/x"}},
                "type": "object",
            },
            "annotations": {"title": "A\u{feff}", "readOnlyHint": true},
            "icons": [{"src": "javascript:alert(1)"}, {"src": "https://example.com/i.png"}, {"src": "data:text/html,x"}],
        });
        let (tool, _) = sanitize_entry(serde_json::from_value::<Tool>(listed.clone()).unwrap()).unwrap();
        let mut expect = listed;
        expect["title"] = "T".into();
        expect["description"] = "Reads".into();
        expect["inputSchema"]["properties"]["a"]["description"] = "x".into();
        expect["annotations"]["title"] = "A".into();
        expect["icons"] = json!([{"src": "https://example.com/i.png"}]);
        assert_eq!(serde_json::to_value(&tool).unwrap(), expect);
        let prompt = json!({"name": "p", "description": "d\u{200b}", "icons": [{"src": "file:///etc/passwd"}]});
        let (prompt, _) = sanitize_entry(serde_json::from_value::<Prompt>(prompt).unwrap()).unwrap();
        assert_eq!(serde_json::to_value(&prompt).unwrap(), json!({"name": "p", "description": "d"}));
        let resource = json!({"uri": "x://\u{200b}", "name": "r\u{1b}[31m"});
        let (resource, _) = sanitize_entry(serde_json::from_value::<Resource>(resource).unwrap()).unwrap();
        assert_eq!(serde_json::to_value(&resource).unwrap(), json!({"uri": "x://\u{200b}", "name": "r[31m"}));
        let large = json!({"uri": "x://a", "name": "r", "_meta": {"x": Value::from("y".repeat(MAX_ENTRY))}});
        assert!(sanitize_entry(serde_json::from_value::<Resource>(large).unwrap()).is_none());
    }
}
