//! Retention: deletes telemetry beyond the age and size limits.

use super::{
    embedded::{EmbeddedSpanStore, StoreState, closed},
    view::{StoreView, StoredBlock},
};
use crate::{
    block::{self, SpanBlock},
    options::TelemetryRetention,
    segment::Segment as _,
};
use baton_span_ports::SpanStoreError;
use baton_types::SpanClass;
use std::{path::PathBuf, sync::Arc};

impl EmbeddedSpanStore {
    /// Deletes telemetry beyond these limits now; returns the number of deleted blocks. Open readers can continue.
    pub async fn retain(&self, retention: TelemetryRetention) -> Result<usize, SpanStoreError> {
        let store = Arc::clone(&self.store);
        tokio::task::spawn_blocking(move || store.retain(retention)).await.map_err(|_| closed())?
    }
}

impl StoreState {
    pub(super) fn retain(&self, retention: TelemetryRetention) -> Result<usize, SpanStoreError> {
        let mut pending = self.pending_deletions.lock();
        let now = (self.options.now)();
        let mut removed: Vec<StoredBlock> = Vec::new();
        self.change_view(|view| {
            let telemetry: Vec<_> = view
                .blocks
                .iter()
                .filter(|stored| stored.block.summary().class == SpanClass::Telemetry)
                .map(|stored| (stored.clone(), RetentionCandidate::from_block(stored)))
                .collect();
            let held: Vec<_> = telemetry.iter().map(|(_, held)| *held).collect();
            removed = expired(&held, now, retention).into_iter().map(|index| telemetry[index].0.clone()).collect();
            view.blocks.retain(|stored| !removed.iter().any(|removed| Arc::ptr_eq(&removed.block, &stored.block)));
        });
        pending.blocks.extend(removed.iter().map(|stored| Arc::clone(&stored.block)));
        self.delete(&mut pending)?;
        Ok(removed.len())
    }

    /// Time since which telemetry is complete, if older spans may have been deleted by the size limit.
    pub(super) fn complete_since(&self, view: &StoreView) -> Option<u64> {
        let telemetry = view.blocks.iter().filter(|stored| stored.block.summary().class == SpanClass::Telemetry);
        let held: Vec<_> = telemetry.map(RetentionCandidate::from_block).collect();
        complete_since(&held, self.options.retention.max_bytes?)
    }

    /// Deletes blocks that are no longer in the view; failed deletions are retried with the next ones.
    pub(super) fn delete(&self, pending: &mut PendingDeletions) -> Result<(), SpanStoreError> {
        // A merged block found at start replaces its inputs. While an abandoned one exists, its inputs must exist, too:
        // otherwise spans of deleted inputs would reappear with it.
        while let Some(orphan) = pending.orphans.last() {
            block::delete_block(orphan)?;
            pending.orphans.pop();
        }
        let mut failed = None;
        pending.blocks.retain(|block| {
            let deleted = block.delete();
            self.options.probe.step("block deleted");
            failed = failed.take().or(deleted.err());
            // A renamed directory is removed at the next start at the latest.
            block.dir().exists()
        });
        failed.map_or(Ok(()), Err)
    }
}

/// Blocks that are not in the view and not deleted yet.
#[derive(Default)]
pub(super) struct PendingDeletions {
    /// Directories of abandoned merges.
    pub(super) orphans: Vec<PathBuf>,
    pub(super) blocks: Vec<Arc<SpanBlock>>,
}

#[derive(Clone, Copy, Debug)]
struct RetentionCandidate {
    /// Start of its first span.
    start: u64,
    /// End of its newest span, or its write time if the clock of the span ran ahead.
    newest: u64,
    bytes: u64,
}

impl RetentionCandidate {
    fn from_block(stored: &StoredBlock) -> Self {
        let summary = stored.block.summary();
        Self { start: summary.start, newest: summary.end.min(stored.written), bytes: summary.bytes }
    }
}

/// Indexes of the blocks to delete.
fn expired(blocks: &[RetentionCandidate], now: u64, retention: TelemetryRetention) -> Vec<usize> {
    let age = retention.max_age.map(|age| u64::try_from(age.as_nanos()).unwrap_or(u64::MAX));
    let oldest = age.map_or(0, |age| now.saturating_sub(age));
    let mut by_age: Vec<usize> = (0..blocks.len()).collect();
    by_age.sort_by_key(|index| blocks[*index].newest);
    let mut bytes: u64 = blocks.iter().map(|held| held.bytes).sum();
    let goes = |index: &usize| {
        let goes = blocks[*index].newest < oldest || retention.max_bytes.is_some_and(|max_bytes| bytes > max_bytes);
        bytes -= if goes { blocks[*index].bytes } else { 0 };
        goes
    };
    by_age.into_iter().filter(goes).collect()
}

/// Start of the block to be deleted next, if others may have been deleted before: when the limit leaves no room for one
/// more block.
fn complete_since(blocks: &[RetentionCandidate], max_bytes: u64) -> Option<u64> {
    let bytes: u64 = blocks.iter().map(|held| held.bytes).sum();
    let largest = blocks.iter().map(|held| held.bytes).max()?;
    let next = blocks.iter().min_by_key(|held| held.newest)?;
    (bytes.saturating_add(largest) > max_bytes).then_some(next.start)
}

#[cfg(test)]
mod tests {
    use super::{RetentionCandidate, complete_since, expired};
    use crate::options::TelemetryRetention;
    use std::time::Duration;

    #[test]
    fn retention_deletes_only_the_oldest_necessary_blocks() {
        let blocks = [(30, 10), (10, 10), (20, 10), (40, 10)].map(|(newest, bytes)| RetentionCandidate {
            start: newest - 9,
            newest,
            bytes,
        });
        let check = |max_age: Option<u64>, max_bytes: Option<u64>, expected: &[usize]| {
            let retention = TelemetryRetention { max_age: max_age.map(Duration::from_nanos), max_bytes };
            assert_eq!(expired(&blocks, 50, retention), expected, "{retention:?}");
        };
        check(None, None, &[]);
        check(Some(50), Some(40), &[]);
        check(Some(30), None, &[1]);
        check(Some(29), None, &[1, 2]);
        check(None, Some(39), &[1]);
        check(None, Some(20), &[1, 2]);
        check(Some(25), Some(35), &[1, 2]);
        check(None, Some(0), &[1, 2, 0, 3]);
    }

    #[test]
    fn store_is_complete_while_another_block_fits() {
        // Late spans start a block early; its newest span determines its deletion.
        let blocks = [(25, 30, 10), (12, 20, 15), (1, 40, 10)].map(|(start, newest, bytes)| RetentionCandidate {
            start,
            newest,
            bytes,
        });
        for (most, expected) in [(1_000, None), (50, None), (49, Some(12)), (35, Some(12))] {
            assert_eq!(complete_since(&blocks, most), expected, "{most}");
        }
        assert_eq!(complete_since(&[], 0), None);
    }
}
