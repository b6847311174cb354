//! Validates a whole commit before any part of it is written.

use baton_ports::{Claim, Commit, JournalError, Write};
use baton_types::StreamId;

/// Version and epoch of an existing stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamPosition {
    pub(crate) version: u64,
    pub(crate) epoch: u64,
}

/// The journal state that the check reads.
pub(crate) trait StreamHeads {
    /// Error of a lookup.
    type Error: From<JournalError>;

    /// Position of a stream; `None` if it does not exist.
    fn position(&mut self, stream: &StreamId) -> Result<Option<StreamPosition>, Self::Error>;

    /// Whether the claim's principal has already used its key.
    fn is_claimed(&mut self, claim: &Claim) -> Result<bool, Self::Error>;
}

/// Checks every part of `commit` against the state of `journal` plus the earlier parts of the commit.
///
/// Claims are checked first: a repeated request is reported as such, whatever the state of its stream.
pub(crate) fn check_commit<J: StreamHeads>(journal: &mut J, commit: &Commit) -> Result<(), J::Error> {
    for (index, claim) in commit.claims.iter().enumerate() {
        let is_duplicate = commit.claims[..index].iter().any(|earlier| is_same_key(earlier, claim));
        if is_duplicate || journal.is_claimed(claim)? {
            return Err(JournalError::Claimed { key: claim.key.clone() }.into());
        }
    }
    for (index, write) in commit.writes.iter().enumerate() {
        let earlier = commit.writes[..index].iter().rev().find(|earlier| earlier.stream == write.stream);
        let position = match earlier {
            Some(earlier) => Some(StreamPosition { version: version_after(earlier), epoch: earlier.epoch }),
            None => journal.position(&write.stream)?,
        };
        check_write(write, position)?;
    }
    // An outbox entry or a claim for a missing stream would never be deleted.
    let outbox_streams = commit.outbox.iter().map(|entry| &entry.stream);
    for stream in outbox_streams.chain(commit.claims.iter().map(|claim| &claim.stream)) {
        let is_written = commit.writes.iter().any(|write| write.stream == *stream);
        if !is_written && journal.position(stream)?.is_none() {
            return Err(JournalError::Missing { stream: stream.clone() }.into());
        }
    }
    Ok(())
}

fn is_same_key(left: &Claim, right: &Claim) -> bool {
    left.key == right.key
        && left.principal.tenant == right.principal.tenant
        && left.principal.subject == right.principal.subject
}

/// The stream's version after `write`.
pub(crate) fn version_after(write: &Write) -> u64 {
    write.expected_version.saturating_add(write.facts.len() as u64)
}

fn check_write(write: &Write, position: Option<StreamPosition>) -> Result<(), JournalError> {
    if write.facts.is_empty() {
        return Err(JournalError::Unavailable(format!("a write to {:?} has no events", write.stream)));
    }
    let conflict =
        |actual| JournalError::Conflict { stream: write.stream.clone(), expected: write.expected_version, actual };
    match position {
        None if write.expected_version == 0 => Ok(()),
        None => Err(conflict(0)),
        // A creator does not know the epoch, so an existing stream is reported as a conflict, not as a stale epoch.
        Some(current) if write.expected_version == 0 => Err(conflict(current.version)),
        Some(current) if write.epoch != current.epoch => {
            Err(JournalError::StaleEpoch { stream: write.stream.clone(), epoch: write.epoch, actual: current.epoch })
        }
        Some(current) if write.expected_version != current.version => Err(conflict(current.version)),
        Some(_) => Ok(()),
    }
}
