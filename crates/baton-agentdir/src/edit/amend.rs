//! Applies a change to an agent's definition.

use super::{
    EditError,
    apply::FileSyntax,
    export, include, item, metadata, outcome, prompt, provider, server, settings,
    step::{EditPath, EditStep},
    yaml::{one_line, walk},
};
use crate::{Format, ParsedAgent, parse};
use baton_document::{Diagnostic, DocumentNode, NodeValue};
use baton_types::AgentChange;
use std::collections::BTreeMap;

/// Placeholder for the agent's directory; its location has no effect on a change.
pub(super) const PLACEHOLDER_DIRECTORY: &str = "/agent";

/// File changes that apply a change to a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentAmendment {
    /// The main file of the change, relative to the agent.
    pub file: String,
    /// New content of every file that differs; `None` deletes the file. Empty if the definition already has the
    /// requested values.
    pub changes: BTreeMap<String, Option<Vec<u8>>>,
}

/// The agent to change.
pub(super) struct EditSubject<'a> {
    pub(super) files: &'a BTreeMap<String, Vec<u8>>,
    pub(super) format: Format,
    /// The definition file of the agent.
    pub(super) file: &'a str,
    pub(super) parsed: ParsedAgent,
    /// Description of the edit to make by hand.
    manual_edit: String,
}

/// Computes the file changes for a change, in the format of the agent. The files are those of [`parse`]; parsed again
/// with the changes, they make an agent that differs only in the requested values.
pub fn amend(files: &BTreeMap<String, Vec<u8>>, change: &AgentChange) -> Result<AgentAmendment, EditError> {
    let parsed = parse(files, PLACEHOLDER_DIRECTORY);
    let (Some(_), Some((format, file))) = (&parsed.agent, Format::detect_file(files)) else {
        return Err(EditError::Invalid(parsed.diagnostics));
    };
    let subject = EditSubject { files, format, file, parsed, manual_edit: outcome::describe_manual_edit(change) };
    let amended = match change {
        AgentChange::Create { kind, item } => item::create(&subject, *kind, item)?,
        AgentChange::Update { kind, item } => item::update(&subject, *kind, item)?,
        AgentChange::Remove { kind, name } => item::remove(&subject, *kind, name)?,
        AgentChange::Prompt(text) => prompt::set(&subject, text)?,
        AgentChange::Settings(settings) => settings::set(&subject, settings)?,
        AgentChange::Metadata(metadata) => metadata::set(&subject, metadata)?,
        AgentChange::Include { scope, include } => include::set(&subject, scope, *include)?,
        AgentChange::Server { name, entry } => server::set(&subject, name, entry.as_ref())?,
        AgentChange::Export { name, entry } => export::set(&subject, name, entry.as_ref())?,
        AgentChange::Provider { id, entry } => provider::set(&subject, id, entry.as_ref())?,
    };
    let mut after = files.clone();
    for (path, content) in &amended.changes {
        match content {
            Some(bytes) => drop(after.insert(path.clone(), bytes.clone())),
            None => drop(after.remove(path)),
        }
    }
    let new = parse(&after, PLACEHOLDER_DIRECTORY);
    if !outcome::is_exactly(change, &subject.parsed, &new) {
        return Err(subject.rejection_error(&amended.file, new.diagnostics));
    }
    let is_new = |path: &String, content: &Option<Vec<u8>>| files.get(path) != content.as_ref();
    let changes = amended.changes.into_iter().filter(|(path, content)| is_new(path, content)).collect();
    Ok(AgentAmendment { file: amended.file, changes })
}

impl AgentAmendment {
    /// Sets the content of one file.
    pub(super) fn write_file(file: String, content: impl Into<Vec<u8>>) -> Self {
        Self { changes: BTreeMap::from([(file.clone(), Some(content.into()))]), file }
    }

    /// Deletes one file.
    pub(super) fn delete_file(file: String) -> Self {
        Self { changes: BTreeMap::from([(file.clone(), None)]), file }
    }
}

impl EditSubject<'_> {
    /// The text of a file; empty if it is missing.
    pub(super) fn text(&self, file: &str) -> Result<&str, EditError> {
        let bytes = self.files.get(file).map_or(&[][..], Vec::as_slice);
        baton_document::utf8(file, bytes).map_err(|remark| EditError::Invalid(vec![remark]))
    }

    /// The values of a file.
    pub(super) fn read(&self, file: &str) -> Result<DocumentNode, EditError> {
        let read = FileSyntax::from_file_name(file).read(file, self.text(file)?);
        read.map_err(|remark| EditError::Invalid(vec![remark]))
    }

    /// The values of the agent's definition file.
    pub(super) fn tree(&self) -> Result<DocumentNode, EditError> {
        self.read(self.file)
    }

    /// A file with all steps applied.
    pub(super) fn apply_steps(&self, file: &str, steps: &[EditStep]) -> Result<AgentAmendment, EditError> {
        let changed = FileSyntax::from_file_name(file).apply_steps(self.text(file)?, steps);
        let changed = changed.ok_or_else(|| self.manual_edit_error(file, steps, self.manual_edit.clone()));
        Ok(AgentAmendment::write_file(file.to_owned(), changed?))
    }

    /// The definition file with new values; values that are already set stay untouched.
    pub(super) fn set_values(&self, values: Vec<(EditPath, DocumentNode)>) -> Result<AgentAmendment, EditError> {
        let root = self.tree()?;
        let is_new = |(path, value): &(EditPath, DocumentNode)| {
            let (found, missing) = walk(&root, path);
            !missing.is_empty() || found.to_json() != value.to_json()
        };
        let description = values.iter().map(|(path, value)| describe_value(path, value)).collect::<Vec<_>>().join(", ");
        let steps: Vec<EditStep> =
            values.into_iter().filter(is_new).map(|(path, value)| EditStep::Set(path, value)).collect();
        let changed = FileSyntax::from_file_name(self.file).apply_steps(self.text(self.file)?, &steps);
        let changed = changed.ok_or_else(|| self.manual_edit_error(self.file, &steps, description));
        Ok(AgentAmendment::write_file(self.file.to_owned(), changed?))
    }

    fn manual_edit_error(&self, file: &str, steps: &[EditStep], write: String) -> EditError {
        let root = self.read(file).ok();
        let location = root.as_ref().zip(steps.first()).map(|(root, step)| walk(root, step.path()).0.location);
        EditError::ManualEdit { file: file.to_owned(), line: location.map_or(1, |location| location.line), write }
    }

    /// Reason for rejecting the changed files: their new diagnostics, or an unintended difference.
    fn rejection_error(&self, file: &str, new: Vec<Diagnostic>) -> EditError {
        let is_old = |remark: &Diagnostic| {
            let old = self.parsed.diagnostics.iter();
            old.clone().any(|old| old.file == remark.file && old.message == remark.message)
        };
        let fresh: Vec<Diagnostic> = new.into_iter().filter(|remark| !is_old(remark)).collect();
        match fresh.is_empty() {
            true => self.manual_edit_error(file, &[], self.manual_edit.clone()),
            false => EditError::Refused(fresh),
        }
    }
}

/// A value as shown to the user.
fn describe_value(path: &EditPath, value: &DocumentNode) -> String {
    let keys: Vec<String> = path.iter().map(ToString::to_string).collect();
    let shown = match &value.value {
        NodeValue::Text(text) if text.len() > 80 || text.contains('\n') => "...".to_owned(),
        _ => one_line(value),
    };
    format!("{}: {shown}", keys.join("."))
}
