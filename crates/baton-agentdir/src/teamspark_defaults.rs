//! Agent settings in `tspark.json`, next to its servers.

use crate::{mcp::TEAMSPARK_FILE, permission::APPROVAL_MODE_KEYWORDS};
use baton_document::{Diagnostic, DocumentReader, Fields, read_json};
use baton_types::ApprovalMode;
use std::collections::BTreeMap;

/// Settings of TeamSpark that apply unless `agent.yaml` overrides them.
#[derive(Default)]
pub(crate) struct TeamSparkDefaults {
    /// Approval mode of tool calls.
    pub(crate) ask: Option<ApprovalMode>,
    /// Whether the agent is autonomous. TeamSpark agents with a list of skills are, even if the list is empty.
    pub(crate) autonomous: Option<bool>,
}

/// Reads the settings. Syntax errors of the file are reported by the reader of its servers.
pub(crate) fn read(files: &BTreeMap<String, Vec<u8>>) -> (TeamSparkDefaults, Vec<Diagnostic>) {
    let mut reader = DocumentReader::new(TEAMSPARK_FILE);
    let mut teamspark = TeamSparkDefaults::default();
    let node = files.get(TEAMSPARK_FILE).and_then(|bytes| read_json(TEAMSPARK_FILE, bytes).ok());
    // The reader of the servers opens the same file and reports it if it is not a map.
    let fields = node.and_then(|node| Fields::open(&mut DocumentReader::new(TEAMSPARK_FILE), "the file", node));
    if let Some(mut fields) = fields {
        let settings = fields.take("settings").and_then(|node| Fields::open(&mut reader, "settings", node));
        let permission = settings.and_then(|mut settings| settings.take("toolPermission"));
        teamspark.ask = permission.and_then(|node| reader.choice("toolPermission", &node, &APPROVAL_MODE_KEYWORDS));
        let has_skills = fields.take("skills").is_some();
        let metadata = fields.take("metadata").and_then(|node| Fields::open(&mut reader, "metadata", node));
        teamspark.autonomous = has_skills.then_some(true);
        if let Some(mut metadata) = metadata {
            let autonomous = metadata.take("autonomous").and_then(|node| reader.boolean("autonomous", &node));
            let has_skills = has_skills || metadata.take("skills").is_some();
            teamspark.autonomous = autonomous.or(has_skills.then_some(true));
        }
    }
    let remarks = reader.finish().into_iter().map(|remark| remark.into_warning("it is not used"));
    (teamspark, remarks.collect())
}
