//! `metadata` of TeamSpark: data for the agent card, and whether the agent is autonomous.

use super::value;
use crate::raw::MAX_ENTRIES;
use baton_document::{DocumentNode, DocumentReader, Fields, SourceLocation};
use baton_types::{AgentPublisher, PublisherInfo, SkillSpec};
use std::collections::BTreeSet;

/// The parsed map.
#[derive(Default)]
pub(super) struct TeamSparkMetadata {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) version: Option<String>,
    pub(super) about: PublisherInfo,
    pub(super) autonomous: Option<bool>,
    /// Skills of the agent card. `None` if the key is missing, which differs from an empty list.
    pub(super) skills: Option<Vec<SkillSpec>>,
    /// Exported tools.
    pub(super) tools: Option<DocumentNode>,
}

impl TeamSparkMetadata {
    /// Reads the map; only the name is required.
    pub(super) fn read(
        fatal: &mut DocumentReader,
        soft: &mut DocumentReader,
        node: Option<DocumentNode>,
        skills: Option<DocumentNode>,
    ) -> Self {
        const HINT: &str = "add `metadata` with a `name`, such as \"Bob Agent\"";
        let Some(node) = node else {
            fatal.error(SourceLocation::START, "the agent has no metadata", HINT);
            return Self::default();
        };
        let Some(mut fields) = Fields::open(fatal, "metadata", node) else { return Self::default() };
        let location = fields.location;
        let name = value::field(fatal, &mut fields, "name");
        if name.is_none() && !fatal.has_errors() {
            fatal.error(location, "the agent has no name", HINT);
        }
        let skills = fields.take("skills").or(skills);
        let metadata = Self {
            name,
            description: value::field(soft, &mut fields, "description"),
            version: value::field(soft, &mut fields, "version"),
            about: about(soft, &mut fields),
            autonomous: value::flag(soft, &mut fields, "autonomous"),
            skills: skills.map(|node| read_skills(soft, node)),
            tools: fields.take("tools"),
        };
        let _ = [fields.take("created"), fields.take("lastAccessed")];
        fields.finish_lenient(soft);
        metadata
    }
}

fn about(reader: &mut DocumentReader, fields: &mut Fields) -> PublisherInfo {
    let provider = fields.take("provider").and_then(|node| {
        let mut own = Fields::open(reader, "provider", node)?;
        let url = value::field(reader, &mut own, "url").unwrap_or_default();
        let organization = value::field(reader, &mut own, "organization")?;
        own.finish_lenient(reader);
        Some(AgentPublisher { organization, url })
    });
    PublisherInfo {
        provider,
        icon_url: value::field(reader, fields, "iconUrl"),
        documentation_url: value::field(reader, fields, "documentationUrl"),
    }
}

fn read_skills(reader: &mut DocumentReader, node: DocumentNode) -> Vec<SkillSpec> {
    let mut seen = BTreeSet::new();
    let mut skills = Vec::new();
    let nodes = reader.list("skills", node);
    for node in nodes.into_iter().take(MAX_ENTRIES) {
        let Some(mut fields) = Fields::open(reader, "a skill", node) else { continue };
        let location = fields.location;
        let (id, name) = (value::field(reader, &mut fields, "id"), value::field(reader, &mut fields, "name"));
        let Some(id) = id.or_else(|| name.clone()) else {
            reader.error(location, "a skill has neither id nor name", "add both");
            continue;
        };
        if !seen.insert(id.clone()) {
            reader.error(location, "another skill has this id", "rename one of them");
            continue;
        }
        let name = name.unwrap_or_else(|| id.clone());
        let description = value::field(reader, &mut fields, "description");
        let mut tags = value::texts(reader, &mut fields, "tags");
        if tags.is_empty() {
            tags.push(id.clone());
        }
        skills.push(SkillSpec {
            description: description.unwrap_or_else(|| name.clone()),
            tags,
            examples: value::texts(reader, &mut fields, "examples"),
            id,
            name,
        });
        // Input and output modes are those of the agent.
        let _ = [fields.take("inputModes"), fields.take("outputModes")];
        fields.finish_lenient(reader);
    }
    skills
}

/// Default skill on the card of an agent without skills.
pub(crate) fn chat_skill() -> SkillSpec {
    SkillSpec {
        id: "chat".to_owned(),
        name: "Chat".to_owned(),
        description: "Talks with people and helps them with what they ask.".to_owned(),
        tags: vec!["conversation".to_owned(), "assistance".to_owned()],
        examples: Vec::new(),
    }
}
