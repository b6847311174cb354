//! Edits the inclusion mode of tools.

use super::{
    EditError,
    amend::{AgentAmendment, EditSubject},
    change::{defining_file, dialect, find_entry},
    key_dialect,
    yaml::walk,
};
use baton_types::{InclusionMode, PermissionTarget};

/// Sets the inclusion mode of a tool or a server in the file that defines it.
pub(super) fn set(
    subject: &EditSubject<'_>,
    scope: &PermissionTarget,
    include: InclusionMode,
) -> Result<AgentAmendment, EditError> {
    let missing = || EditError::Missing(scope.clone());
    let file = defining_file(&subject.parsed, scope).ok_or_else(missing)?;
    let root = subject.read(&file)?;
    let (path, _) = find_entry(&root, &file, scope).ok_or_else(missing)?;
    let (entry, _) = walk(&root, &path);
    let steps = key_dialect::include_steps(&entry.to_json(), path, dialect(subject.files, &file), scope, include);
    subject.apply_steps(&file, &steps)
}
