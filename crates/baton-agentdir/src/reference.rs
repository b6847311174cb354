//! Texts that an agent knows: files of `references/` and `refs/`.

use crate::{
    Diagnostic,
    document::{self, Fields, Node, Place, Reader, Value},
};
use baton_types::{ContextItem, Include};
use std::collections::{BTreeMap, BTreeSet};

/// Directories whose files are references.
pub const REFERENCE_DIRECTORIES: [&str; 2] = ["references", "refs"];
/// The most files that are read as references of one agent.
pub const MAX_REFERENCES: usize = 256;
const MAX_NAME: usize = 128;
const MAX_DESCRIPTION: usize = 200;
const FENCE: &str = "---";

/// The media type of a reference by the ending of its file; `None` when such a file is none.
pub fn reference_type(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit_once('/').map_or(path, |(_, name)| name).rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "md" | "mdt" => Some("text/markdown"),
        "txt" => Some("text/plain"),
        "json" => Some("application/json"),
        "yaml" | "yml" => Some("application/yaml"),
        _ => None,
    }
}

/// The references among the files, by priority and name; a file that cannot be read as one is left out with a remark.
pub(crate) fn all(files: &BTreeMap<String, Vec<u8>>) -> (Vec<ContextItem>, Vec<Diagnostic>) {
    let mut found: Vec<ContextItem> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut diagnostics = Vec::new();
    for (path, bytes) in files {
        let Some(stem) = stem(path) else { continue };
        let Some(media_type) = reference_type(path) else { continue };
        let mut remark = |place: Place, message: String, hint: &str| {
            diagnostics.push(
                Diagnostic::warning(path, place, format!("{message}; the reference is left out")).with_hint(hint),
            );
        };
        if found.len() == MAX_REFERENCES {
            remark(Place::START, format!("there are more than {MAX_REFERENCES} references"), "keep fewer files");
            break;
        }
        let text = match document::utf8(path, bytes) {
            Ok(text) => text.trim_start_matches('\u{feff}'),
            Err(error) => {
                diagnostics.push(error.softened("the reference is left out"));
                continue;
            }
        };
        let (header, text) = match front_matter(path, text) {
            Ok(parts) => parts,
            Err(error) => {
                diagnostics.push(error.softened("the reference is left out"));
                continue;
            }
        };
        let name = header.name.unwrap_or_else(|| stem.to_owned());
        if name.trim() != name || name.chars().any(|c| c.is_control() || c == '/' || c == '\\') || name.len() > MAX_NAME
        {
            remark(
                Place::START,
                "a reference cannot have this name".to_owned(),
                "use letters, digits, dashes and underscores",
            );
            continue;
        }
        if !seen.insert(name.clone()) {
            remark(Place::START, format!("there is another reference {name:?}"), "rename one of them");
            continue;
        }
        let description = header.description.unwrap_or_else(|| described(stem, media_type, text));
        let text = text.to_owned();
        let media_type = media_type.to_owned();
        found.push(ContextItem {
            name,
            description,
            priority: header.priority,
            include: Include::Manual,
            media_type,
            text,
        });
    }
    found.sort_by(|one, other| (one.priority, &one.name).cmp(&(other.priority, &other.name)));
    (found, diagnostics)
}

/// The name without directory and ending of a file that lies directly in one of the directories.
fn stem(path: &str) -> Option<&str> {
    let (directory, name) = path.split_once('/')?;
    let (stem, _) = name.rsplit_once('.')?;
    (REFERENCE_DIRECTORIES.contains(&directory) && !name.contains('/') && !stem.is_empty() && !stem.starts_with('.'))
        .then_some(stem)
}

struct Header {
    name: Option<String>,
    description: Option<String>,
    priority: u16,
}

impl Header {
    const EMPTY: Self = Self { name: None, description: None, priority: ContextItem::USUAL_PRIORITY };
}

/// What stands between two fences at the beginning, and the text behind them.
///
/// TeamSpark's own writer puts JSON there without a line break before the second fence.
fn front_matter<'a>(path: &str, text: &'a str) -> Result<(Header, &'a str), Diagnostic> {
    let is_teamspark = path.ends_with(".mdt");
    let behind =
        text.strip_prefix(FENCE).and_then(|rest| rest.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n'));
    let Some(behind) = behind.filter(|_| is_teamspark || path.ends_with(".md")) else {
        return Ok((Header::EMPTY, text));
    };
    let end = behind.match_indices(FENCE).find(|(at, _)| {
        let ends_line = behind[at + FENCE.len()..].trim_start_matches([' ', '\t', '\r']);
        let is_last = ends_line.is_empty() || ends_line.starts_with('\n');
        is_last && (behind[..*at].ends_with('\n') || (is_teamspark && behind[..*at].trim_end().ends_with('}')))
    });
    let Some((end, _)) = end else { return Ok((Header::EMPTY, text)) };
    let (header, text) = (&behind[..end], behind[end + FENCE.len()..].trim());
    let mut remark = Reader::new(path);
    let read = document::read(path, header.as_bytes()).map(|node| read_header(&mut remark, node));
    match read {
        Ok(header) => match remark.finish().into_iter().find(Diagnostic::is_error) {
            Some(error) => Err(below_fence(error)),
            None => Ok((header, text)),
        },
        Err(error) => Err(below_fence(error)),
    }
}

/// The place in the file, which begins with a fence.
fn below_fence(mut remark: Diagnostic) -> Diagnostic {
    remark.line = remark.line.saturating_add(1);
    remark
}

fn read_header(reader: &mut Reader, node: Node) -> Header {
    let Some(mut fields) = Fields::open(reader, "the front matter", node) else { return Header::EMPTY };
    let text = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    Header {
        name: fields.text(reader, "name").and_then(|name| text(name.value)),
        description: fields.text(reader, "description").and_then(|words| text(shortened(&words.value))),
        priority: match fields.take("priorityLevel").map(|node| node.value) {
            Some(Value::Number(number)) => {
                let written = number.as_u64().and_then(|number| u16::try_from(number).ok());
                written.map_or(ContextItem::USUAL_PRIORITY, |written| written.min(ContextItem::MAX_PRIORITY))
            }
            _ => ContextItem::USUAL_PRIORITY,
        },
    }
}

/// The first line that says something; data has none, so it is called by its name.
fn described(stem: &str, media_type: &str, text: &str) -> String {
    let is_prose = media_type.starts_with("text/");
    let line =
        text.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| line.contains(char::is_alphanumeric));
    match line.filter(|_| is_prose) {
        Some(line) => shortened(line),
        None => stem.to_owned(),
    }
}

fn shortened(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MAX_DESCRIPTION) {
        Some((at, _)) => format!("{}…", &words[..at]),
        None => words,
    }
}
