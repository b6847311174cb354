//! Compaction: merges small blocks into larger ones.

use super::{
    embedded::{StorePaths, StoreState},
    retain::PendingDeletions,
    view::StoredBlock,
};
use crate::{
    block::{self, SpanBlock},
    segment::Segment as _,
};
use baton_span_ports::SpanStoreError;
use baton_types::SpanClass;
use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

/// Number of blocks of similar size that triggers a merge.
const MERGE_FAN_IN: usize = 8;
/// Delay until the memory of written heads and merged blocks is given back: the allocator keeps freed pages for a second.
const RELEASE_DELAY: Duration = Duration::from_millis(1500);
/// An allocation of this size has pages of its own.
const OWN_PAGES_BYTES: usize = 1 << 20;

/// Makes the allocator return freed pages to the system. It does so whenever pages are freed, but an idle process frees
/// none.
fn release_freed_memory() {
    drop(black_box(Vec::<u8>::with_capacity(OWN_PAGES_BYTES)));
}

impl StoreState {
    /// Main loop of the keeper thread, which merges blocks and enforces retention without blocking other threads.
    pub(super) fn run_keeper(&self) {
        let Some(paths) = &self.paths else { return };
        while !self.is_closing() {
            if let Err(error) = self.retain(self.options.retention) {
                tracing::warn!(%error, "old spans could not be deleted");
            }
            if let Err(error) = self.merge_all(paths) {
                tracing::warn!(%error, "blocks could not be merged");
            }
            let until = Instant::now() + self.options.retention_period;
            if !self.wait_for_keeper(until.min(Instant::now() + RELEASE_DELAY)) {
                release_freed_memory();
                self.wait_for_keeper(until);
            }
            *self.keeper.woken.lock() = false;
        }
    }

    /// Waits until the keeper is woken; returns false if it was not before the deadline.
    fn wait_for_keeper(&self, until: Instant) -> bool {
        let mut woken = self.keeper.woken.lock();
        while !*woken && !self.is_closing() {
            if self.keeper.wake.wait_until(&mut woken, until).timed_out() {
                return false;
            }
        }
        true
    }

    fn merge_all(&self, paths: &StorePaths) -> Result<(), SpanStoreError> {
        while !self.is_closing() {
            // A block names its direct inputs only: they must be deleted before it is merged itself.
            let mut pending = self.pending_deletions.lock();
            self.delete(&mut pending)?;
            let blocks = self.view().blocks.clone();
            let sizes: Vec<_> = blocks.iter().map(MergeCandidate::from_block).collect();
            let Some(chosen) = select_merge(&sizes, self.options.merged_spans) else { return Ok(()) };
            let inputs: Vec<_> = chosen.iter().map(|index| blocks[*index].clone()).collect();
            self.merge(paths, &inputs, &mut pending)?;
        }
        Ok(())
    }

    pub(super) fn merge(
        &self,
        paths: &StorePaths,
        inputs: &[StoredBlock],
        pending: &mut PendingDeletions,
    ) -> Result<(), SpanStoreError> {
        let blocks: Vec<_> = inputs.iter().map(|stored| Arc::clone(&stored.block)).collect();
        let merged = block::merge(&paths.blocks, &blocks)
            .inspect_err(|_| pending.orphans.push(block::merged_directory(&paths.blocks, &blocks)))?;
        let merged = Arc::new(merged);
        self.options.probe.step("blocks merged");
        let written = inputs.iter().map(|stored| stored.written).max().unwrap_or(0);
        let is_input = |block: &Arc<SpanBlock>| blocks.iter().any(|input| Arc::ptr_eq(input, block));
        self.change_view(|view| {
            view.blocks.retain(|stored| !is_input(&stored.block));
            view.blocks.push(StoredBlock { block: merged, written });
        });
        pending.blocks.extend(blocks);
        self.delete(pending)
    }
}

/// Properties of a block that determine its merges.
#[derive(Clone, Copy, Debug)]
struct MergeCandidate {
    class: SpanClass,
    spans: u64,
    start: u64,
}

impl MergeCandidate {
    fn from_block(stored: &StoredBlock) -> Self {
        let summary = stored.block.summary();
        Self { class: summary.class, spans: summary.spans, start: summary.start }
    }
}

/// Selects the next merge: blocks of similar size that are adjacent in time, if there are enough of them or they fill a
/// whole block.
fn select_merge(blocks: &[MergeCandidate], target: u64) -> Option<Vec<usize>> {
    let mut small: Vec<usize> = (0..blocks.len()).filter(|index| blocks[*index].spans < target / 4 * 3).collect();
    // A typical block flushed from a head is in the middle of its tier.
    let tier = |index: usize| (4 * target / blocks[index].spans.max(1)).max(1).ilog(MERGE_FAN_IN as u64);
    small.sort_by_key(|index| (blocks[*index].class, tier(*index), blocks[*index].start));
    for group in small.chunk_by(|a, b| blocks[*a].class == blocks[*b].class && tier(*a) == tier(*b)) {
        let mut total = 0;
        let fits = |index: &&usize| {
            total += blocks[**index].spans;
            total <= target / 4 * 5
        };
        let chosen: Vec<usize> = group.iter().take_while(fits).take(2 * MERGE_FAN_IN).copied().collect();
        let spans: u64 = chosen.iter().map(|index| blocks[*index].spans).sum();
        if chosen.len() >= MERGE_FAN_IN || chosen.len() >= 2 && spans >= target / 10 * 9 {
            return Some(chosen);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{MergeCandidate, select_merge};
    use baton_types::SpanClass::{self, Memory, Telemetry};

    fn check(blocks: &[(SpanClass, u64)], expected: Option<&[usize]>) {
        let sizes: Vec<_> =
            (0_u64..).zip(blocks).map(|(start, &(class, spans))| MergeCandidate { class, spans, start }).collect();
        assert_eq!(select_merge(&sizes, 1000).as_deref(), expected, "{blocks:?}");
    }

    #[test]
    fn similar_neighbours_are_merged_when_many_or_block_sized() {
        check(&[], None);
        check(&[(Telemetry, 1000), (Telemetry, 900), (Telemetry, 800)], None);
        check(&[(Telemetry, 600), (Telemetry, 550)], Some(&[0, 1]));
        check(&[(Telemetry, 600), (Memory, 500)], None);
        check(&[(Telemetry, 3); 7], None);
        check(&[(Telemetry, 3); 9], Some(&[0, 1, 2, 3, 4, 5, 6, 7, 8]));
        check(&[(Memory, 128); 8], Some(&[0, 1, 2, 3, 4, 5, 6, 7]));
        // A tiny block does not cause a large one to be rewritten.
        check(&[(Telemetry, 700), (Telemetry, 5), (Telemetry, 5)], None);
    }
}
