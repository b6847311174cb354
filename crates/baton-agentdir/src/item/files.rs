//! Items in files of their own.

use super::front_matter;
use baton_document::Diagnostic;
use baton_types::{ContextItem, InclusionMode, ItemKind};

/// Directory of rule files.
pub const RULE_DIRECTORY: &str = "rules";
/// Directories of reference files.
pub const REFERENCE_DIRECTORIES: [&str; 2] = ["references", "refs"];
/// Directory of skills, each a subdirectory with a [`SKILL_FILE`].
pub const SKILL_DIRECTORY: &str = "skills";
/// The text of a skill.
pub const SKILL_FILE: &str = "SKILL.md";
/// A guide for agents that many programs read; it is an always-included rule.
pub const GUIDE_FILE: &str = "AGENTS.md";
/// Name of the rule made from [`GUIDE_FILE`].
const GUIDE_RULE: &str = "agents-md";

/// The media type of a reference by file extension; `None` if the extension is not supported.
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

/// Role of a file, determined by its path.
pub(super) enum ItemFileRole<'a> {
    /// An item file with its kind and the file name without extension.
    Item(ItemKind, &'a str),
    /// The text of the skill with this name.
    Skill(&'a str),
    /// The guide.
    Guide,
}

impl<'a> ItemFileRole<'a> {
    pub(super) fn from_path(path: &'a str) -> Option<Self> {
        let Some((directory, rest)) = path.split_once('/') else { return (path == GUIDE_FILE).then_some(Self::Guide) };
        if directory == SKILL_DIRECTORY {
            let (name, file) = rest.split_once('/')?;
            return (file == SKILL_FILE && !name.is_empty()).then_some(Self::Skill(name));
        }
        let kind = match directory {
            RULE_DIRECTORY => ItemKind::Rule,
            _ if REFERENCE_DIRECTORIES.contains(&directory) => ItemKind::Reference,
            _ => return None,
        };
        let media_type = reference_type(rest)?;
        let (stem, _) = rest.rsplit_once('.')?;
        let is_plain = !rest.contains('/') && !stem.is_empty() && !stem.starts_with('.');
        // Data files cannot be rules.
        let fits = kind == ItemKind::Reference || media_type.starts_with("text/");
        (is_plain && fits).then_some(Self::Item(kind, stem))
    }

    pub(super) fn kind(&self) -> ItemKind {
        match self {
            Self::Item(kind, _) => *kind,
            Self::Skill(_) => ItemKind::Reference,
            Self::Guide => ItemKind::Rule,
        }
    }
}

/// Whether a path in an agent's directory is a rule, a reference or a skill.
pub(crate) fn is_item_path(path: &str) -> bool {
    ItemFileRole::from_path(path).is_some()
}

/// Reads the item of a file.
pub(super) fn read(path: &str, bytes: &[u8], role: &ItemFileRole<'_>) -> Result<ContextItem, Diagnostic> {
    let content = baton_document::utf8(path, bytes)?.trim_start_matches('\u{feff}');
    if let ItemFileRole::Guide = role {
        return Ok(ContextItem {
            description: format!("What {GUIDE_FILE} says."),
            priority: 0,
            include: InclusionMode::Always,
            ..ContextItem::new(GUIDE_RULE, content.trim())
        });
    }
    let (header, text) = front_matter::read(path, content)?;
    let (name, include) = match role {
        ItemFileRole::Skill(name) => (*name, InclusionMode::Agent),
        ItemFileRole::Item(_, stem) => (*stem, InclusionMode::Manual),
        ItemFileRole::Guide => (GUIDE_RULE, InclusionMode::Always),
    };
    let media_type = reference_type(path).unwrap_or("text/markdown");
    Ok(ContextItem {
        description: header.description.unwrap_or_else(|| front_matter::default_description(name, media_type, text)),
        name: header.name.unwrap_or_else(|| name.to_owned()),
        priority: header.priority.unwrap_or(ContextItem::DEFAULT_PRIORITY),
        include: header.include.unwrap_or(include),
        media_type: media_type.to_owned(),
        text: text.to_owned(),
    })
}
