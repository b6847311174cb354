//! Whether a commit may be written: decided over all of its writes before any of them happens.

use baton_ports::{Commit, JournalError, Write};
use baton_types::StreamId;

/// What the check needs to know of an existing stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) version: u64,
    pub(crate) epoch: u64,
}

/// Checks every write of `commit` against where its stream stands, as left by the writes before it.
pub(crate) fn check_commit<E: From<JournalError>>(
    commit: &Commit,
    mut position: impl FnMut(&StreamId) -> Result<Option<Position>, E>,
) -> Result<(), E> {
    for (index, write) in commit.writes.iter().enumerate() {
        let earlier = commit.writes[..index].iter().rev().find(|earlier| earlier.stream == write.stream);
        let stands = match earlier {
            Some(earlier) => Some(Position { version: version_after(earlier), epoch: earlier.epoch }),
            None => position(&write.stream)?,
        };
        check_write(write, stands)?;
    }
    Ok(())
}

/// The stream's version once `write` has happened.
pub(crate) fn version_after(write: &Write) -> u64 {
    write.expected_version.saturating_add(write.facts.len() as u64)
}

fn check_write(write: &Write, stands: Option<Position>) -> Result<(), JournalError> {
    if write.facts.is_empty() {
        return Err(JournalError::Unavailable(format!("a write to {:?} has no events", write.stream)));
    }
    let conflict =
        |actual| JournalError::Conflict { stream: write.stream.clone(), expected: write.expected_version, actual };
    match stands {
        None if write.expected_version == 0 => Ok(()),
        None => Err(conflict(0)),
        // A creator knows no epoch yet, so it hears that the stream exists rather than that its epoch is stale.
        Some(at) if write.expected_version == 0 => Err(conflict(at.version)),
        Some(at) if write.epoch != at.epoch => {
            Err(JournalError::StaleEpoch { stream: write.stream.clone(), epoch: write.epoch, actual: at.epoch })
        }
        Some(at) if write.expected_version != at.version => Err(conflict(at.version)),
        Some(_) => Ok(()),
    }
}
