//! Front matter: metadata between two fences at the start of a text.

use crate::permission::INCLUSION_MODE_KEYWORDS;
use baton_document::{Diagnostic, DocumentNode, DocumentReader, Fields, NodeValue};
use baton_types::{ContextItem, InclusionMode};

const FENCE: &str = "---";
const MAX_DESCRIPTION_LEN: usize = 200;

/// Values of the front matter.
#[derive(Default)]
pub(crate) struct FrontMatter {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) priority: Option<u16>,
    pub(crate) include: Option<InclusionMode>,
}

/// The text between the fences and the text after them; `None` if the text does not start with a closed front matter.
///
/// TeamSpark writes JSON there, without a line break before the second fence.
pub(crate) fn split<'a>(path: &str, text: &'a str) -> Option<(&'a str, &'a str)> {
    let is_teamspark = path.ends_with(".mdt");
    let behind = text.strip_prefix(FENCE)?.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
    if !is_teamspark && !path.ends_with(".md") {
        return None;
    }
    let (end, _) = behind.match_indices(FENCE).find(|(at, _)| {
        let ends_line = behind[at + FENCE.len()..].trim_start_matches([' ', '\t', '\r']);
        let is_last = ends_line.is_empty() || ends_line.starts_with('\n');
        is_last && (behind[..*at].ends_with('\n') || (is_teamspark && behind[..*at].trim_end().ends_with('}')))
    })?;
    Some((&behind[..end], &behind[end + FENCE.len()..]))
}

/// The front matter of a file, and its text.
pub(crate) fn read<'a>(path: &str, text: &'a str) -> Result<(FrontMatter, &'a str), Diagnostic> {
    let Some((header, text)) = split(path, text) else { return Ok((FrontMatter::default(), text)) };
    let mut remarks = DocumentReader::new(path);
    let header = baton_document::read(path, header.as_bytes()).map(|node| read_header(&mut remarks, node));
    match header {
        Ok(header) => match remarks.finish().into_iter().find(Diagnostic::is_error) {
            Some(error) => Err(below_fence(error)),
            None => Ok((header, text.trim())),
        },
        Err(error) => Err(below_fence(error)),
    }
}

/// Adjusts the line for the opening fence.
fn below_fence(mut remark: Diagnostic) -> Diagnostic {
    remark.line = remark.line.saturating_add(1);
    remark
}

fn read_header(reader: &mut DocumentReader, node: DocumentNode) -> FrontMatter {
    let Some(mut fields) = Fields::open(reader, "the front matter", node) else { return FrontMatter::default() };
    let name = fields.text(reader, "name").map(|name| name.value.trim().to_owned());
    let description = fields.text(reader, "description").map(|description| description.value.trim().to_owned());
    let priority = fields.take_any(reader, &["priority", "priorityLevel"]);
    let include = fields.take("include").and_then(|node| reader.choice("include", &node, &INCLUSION_MODE_KEYWORDS));
    FrontMatter {
        name: name.filter(|name| !name.is_empty()),
        description,
        priority: priority.and_then(|node| priority_of(&node)),
        include,
    }
}

/// A priority clamped to its maximum, from a number or numeric text; `None` for any other value.
pub(super) fn priority_of(node: &DocumentNode) -> Option<u16> {
    let number = match &node.value {
        NodeValue::Number(number) => number.as_u64(),
        NodeValue::Text(text) => text.trim().parse().ok(),
        _ => None,
    };
    Some(u16::try_from(number?).unwrap_or(u16::MAX).min(ContextItem::MAX_PRIORITY))
}

/// The first line with text; data is described by its name.
pub(crate) fn default_description(name: &str, media_type: &str, text: &str) -> String {
    let is_prose = media_type.starts_with("text/");
    let line =
        text.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| line.contains(char::is_alphanumeric));
    match line.filter(|_| is_prose) {
        Some(line) => shortened(line),
        None => name.to_owned(),
    }
}

fn shortened(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match joined.char_indices().nth(MAX_DESCRIPTION_LEN) {
        Some((at, _)) => format!("{}…", &joined[..at]),
        None => joined,
    }
}
