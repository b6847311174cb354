//! A change to an agent's definition, whatever it is about.

use super::{EditError, item, outcome, prompt};
use crate::{Format, Parsed, parse};
use baton_types::AgentChange;
use std::collections::BTreeMap;

/// Stands for the agent's directory: where it is makes no difference to a change.
const HERE: &str = "/agent";

/// Files of an agent: the path inside its directory, and the content.
pub(super) type Files = BTreeMap<String, Vec<u8>>;
/// Files that differ: the new content, or none of a file that goes.
pub(super) type Changes = BTreeMap<String, Option<Vec<u8>>>;

/// What is to be written so that a definition says something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amended {
    /// The file that says it, relative to the agent.
    pub file: String,
    /// All files that differ with their new content, none for one that goes; empty when the files said so already.
    pub changes: BTreeMap<String, Option<Vec<u8>>>,
}

/// An agent that is to be changed.
pub(super) struct Subject<'a> {
    pub(super) files: &'a Files,
    pub(super) format: Format,
    /// The file that makes it an agent.
    pub(super) file: &'a str,
    pub(super) parsed: Parsed,
}

/// Works out how a change is written into an agent's files, in the form that they have. The files are those of [`parse`];
/// read again with the changes, they make an agent that differs in what was asked and in nothing else.
pub fn amend(files: &BTreeMap<String, Vec<u8>>, change: &AgentChange) -> Result<Amended, EditError> {
    let parsed = parse(files, HERE);
    let (Some(_), Some((format, file))) = (&parsed.agent, Format::found(files)) else {
        return Err(EditError::Invalid(parsed.diagnostics));
    };
    let subject = Subject { files, format, file, parsed };
    let amended = match change {
        AgentChange::Create { kind, item } => item::create(&subject, *kind, item)?,
        AgentChange::Update { kind, item } => item::update(&subject, *kind, item)?,
        AgentChange::Remove { kind, name } => item::remove(&subject, *kind, name)?,
        AgentChange::Prompt(text) => prompt::set(&subject, text)?,
        AgentChange::Settings(_)
        | AgentChange::Metadata(_)
        | AgentChange::Include { .. }
        | AgentChange::Server { .. }
        | AgentChange::Export { .. } => return Err(subject.by_hand(file, 1, "what you want to change".to_owned())),
    };
    let mut after = files.clone();
    for (path, content) in &amended.changes {
        match content {
            Some(bytes) => drop(after.insert(path.clone(), bytes.clone())),
            None => drop(after.remove(path)),
        }
    }
    let new = parse(&after, HERE);
    if !outcome::is_exactly(change, &subject.parsed, &new) {
        return Err(subject.by_hand(&amended.file, 1, outcome::told(change)));
    }
    let is_new = |path: &String, content: &Option<Vec<u8>>| files.get(path) != content.as_ref();
    let changes = amended.changes.into_iter().filter(|(path, content)| is_new(path, content)).collect();
    Ok(Amended { file: amended.file, changes })
}

impl Amended {
    /// One file with this content.
    pub(super) fn one(file: String, content: impl Into<Vec<u8>>) -> Self {
        Self { changes: BTreeMap::from([(file.clone(), Some(content.into()))]), file }
    }

    /// One file that goes.
    pub(super) fn without(file: String) -> Self {
        Self { changes: Changes::from([(file.clone(), None)]), file }
    }
}

impl Subject<'_> {
    pub(super) fn by_hand(&self, file: &str, line: u32, write: String) -> EditError {
        EditError::ByHand { file: file.to_owned(), line, write }
    }

    /// The text of a file; the files are known to be read well enough to make an agent.
    pub(super) fn text(&self, file: &str) -> Result<&str, EditError> {
        let bytes = self.files.get(file).map_or(&[][..], Vec::as_slice);
        crate::document::utf8(file, bytes).map_err(|remark| EditError::Invalid(vec![remark]))
    }
}
