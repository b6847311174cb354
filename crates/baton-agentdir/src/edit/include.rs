//! Edits the inclusion mode of tools.

use super::{
    EditError,
    amend::{Amended, Subject},
    change::{dialect, entry_of, file_of},
    words,
    yaml::walk,
};
use baton_types::{InclusionMode, PermissionTarget};

/// Sets the inclusion mode of a tool or a server in the file that defines it.
pub(super) fn set(
    subject: &Subject<'_>,
    scope: &PermissionTarget,
    include: InclusionMode,
) -> Result<Amended, EditError> {
    let missing = || EditError::Missing(scope.clone());
    let file = file_of(&subject.parsed, scope).ok_or_else(missing)?;
    let root = subject.read(&file)?;
    let (path, _) = entry_of(&root, &file, scope).ok_or_else(missing)?;
    let (entry, _) = walk(&root, &path);
    let steps = words::of_include(&entry.to_json(), path, dialect(subject.files, &file), scope, include);
    subject.carried_out(&file, &steps)
}
