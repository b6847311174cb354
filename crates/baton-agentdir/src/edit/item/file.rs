//! Edits items in files: front matter between two fences, followed by the text.

use super::{
    super::{
        EditError,
        apply::FileSyntax,
        step::{EditStep, keys, scalar},
        yaml::header_line,
    },
    list::{inclusion_keyword, keep_outer_white_space},
};
use crate::{GUIDE_FILE, item::split};
use baton_types::{ContextItem, InclusionMode, ItemDraft};
use serde_json::Value;

const FENCE: &str = "---";
const BOM: char = '\u{feff}';

/// A new file. Files in TeamSpark's format always have complete front matter.
pub(super) fn new(path: &str, draft: &ItemDraft) -> String {
    let text = draft.text.as_deref().unwrap_or_default().trim();
    let is_teamspark = path.ends_with(".mdt");
    let stem = path.rsplit_once('/').map_or(path, |(_, name)| name).rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut header = Vec::new();
    let is_odd = text.starts_with(FENCE) || text.starts_with(BOM);
    if is_teamspark || stem != draft.name || is_odd {
        header.push(("name", Value::from(draft.name.as_str())));
    }
    let mut fields = draft_fields(path, draft);
    if is_teamspark {
        let usual = ItemDraft {
            description: Some(draft.description.clone().unwrap_or_default()),
            priority: Some(draft.priority.unwrap_or(ContextItem::DEFAULT_PRIORITY)),
            include: Some(draft.include.unwrap_or(InclusionMode::Manual)),
            ..ItemDraft::default()
        };
        fields = self::draft_fields(path, &usual);
    }
    header.extend(fields);
    if header.is_empty() {
        return format!("{text}\n");
    }
    format!("{FENCE}\n{}{FENCE}\n\n{text}\n", lines(&header))
}

/// The file with the values of the draft; everything else is kept, including unknown keys.
pub(super) fn update_file(path: &str, file_text: &str, draft: &ItemDraft) -> Result<String, EditError> {
    let fields = draft_fields(path, draft);
    let (mark, content) = match file_text.strip_prefix(BOM) {
        Some(content) => (&file_text[..BOM.len_utf8()], content),
        None => ("", file_text),
    };
    if path == GUIDE_FILE {
        if !fields.is_empty() {
            let instead = "it has no front matter; add a rule instead";
            return Err(EditError::Unsupported { file: path.to_owned(), instead });
        }
        return Ok(format!("{mark}{}", with_text(content, draft)));
    }
    let Some((header, body)) = split(path, content) else {
        let is_fence = draft.text.as_ref().is_some_and(|text| text.trim_start().starts_with(FENCE));
        let has_front_matter_support = path.ends_with(".md") || path.ends_with(".mdt");
        if !has_front_matter_support && !fields.is_empty() {
            let instead = "only .md files have front matter; rename it first";
            return Err(EditError::Unsupported { file: path.to_owned(), instead });
        }
        let text = with_text(content, draft);
        if !has_front_matter_support || (fields.is_empty() && !is_fence) {
            return Ok(format!("{mark}{text}"));
        }
        // Two fences with nothing in between are not front matter.
        let named = fields.is_empty().then(|| ("name", Value::from(draft.name.as_str())));
        let header = lines(&named.into_iter().chain(fields).collect::<Vec<_>>());
        return Ok(format!("{mark}{FENCE}\n{header}{FENCE}\n\n{}", text.trim_start_matches(['\r', '\n'])));
    };
    let body_at = content.len() - body.len();
    let header_at = body_at - FENCE.len() - header.len();
    let is_blank = header.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
    let header = if is_blank {
        format!("{header}{}", lines(&fields))
    } else {
        let root = FileSyntax::Yaml.read("", header).map(|root| root.to_json()).unwrap_or_default();
        let steps: Vec<EditStep> = fields.into_iter().filter_map(|(key, value)| set(&root, key, value)).collect();
        let ways: &[FileSyntax] = match header.trim_start().starts_with('{') {
            true => &[FileSyntax::Json, FileSyntax::Yaml],
            false => &[FileSyntax::Yaml],
        };
        // Multi-line text could contain a line that looks like the closing fence.
        let fits =
            |header: &str| split(path, &format!("{FENCE}\n{header}{FENCE}")).is_some_and(|(there, _)| there == header);
        ways.iter().find_map(|syntax| syntax.apply_steps_where(header, &steps, &fits)).ok_or_else(|| {
            EditError::ManualEdit { file: path.to_owned(), line: 2, write: "the front matter of the item".to_owned() }
        })?
    };
    let body = match &draft.text {
        // Text on the line of the fence is only possible if the text is empty.
        Some(_) if body.trim().is_empty() => format!("\n\n{}\n", draft.text.as_deref().unwrap_or_default().trim()),
        _ => with_text(body, draft),
    };
    Ok(format!("{mark}{}{header}{FENCE}{body}", &content[..header_at]))
}

/// The text of the draft, with the surrounding white space of the previous text.
fn with_text(before: &str, draft: &ItemDraft) -> String {
    draft.text.as_ref().map_or_else(|| before.to_owned(), |text| keep_outer_white_space(before, text))
}

/// Keys and values of the draft, with the key names of the file.
fn draft_fields(path: &str, draft: &ItemDraft) -> Vec<(&'static str, Value)> {
    let priority = if path.ends_with(".mdt") { "priorityLevel" } else { "priority" };
    let include = draft.include.map(inclusion_keyword);
    let description = draft.description.as_deref().map(|description| ("description", Value::from(description.trim())));
    let number = draft.priority.map(|number| (priority, Value::from(number)));
    description.into_iter().chain(number).chain(include.map(|keyword| ("include", Value::from(keyword)))).collect()
}

/// The step that sets a value under the key name used by the file; `None` if it is already set.
fn set(root: &Value, key: &'static str, value: Value) -> Option<EditStep> {
    let key = match key {
        "priority" if root.get("priorityLevel").is_some() => "priorityLevel",
        "priorityLevel" if root.get("priority").is_some() => "priority",
        key => key,
    };
    (root.get(key) != Some(&value)).then(|| EditStep::Set(keys(&[key]), scalar(value)))
}

fn lines(fields: &[(&str, Value)]) -> String {
    fields.iter().map(|(key, value)| header_line(key, &scalar(value.clone()))).collect()
}
