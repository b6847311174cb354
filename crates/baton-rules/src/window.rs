//! Compaction planning: which results are shortened and which blocks are summarized to fit the context window.

use baton_types::Thousandths;

/// Maximum number of blocks per model call, regardless of their size.
const MAX_BLOCKS: usize = 400;

/// Number of newest blocks whose results are shortened last.
const RECENT_BLOCKS: usize = 2;

/// Token budget of a context window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowBudget {
    /// Maximum tokens of a call.
    pub budget: u64,
    /// Size above which the conversation is compacted.
    pub trigger: u64,
    /// Target size of a compaction; lower than the trigger, to avoid an immediate repetition.
    pub target: u64,
    /// Maximum tokens of a summary.
    pub summary: u64,
}

impl WindowBudget {
    /// Budget of a window, minus the output tokens and 5 % for estimation errors.
    pub fn from_window(window: u64, max_output: Option<u64>, compact_at: Thousandths) -> Self {
        // Some providers report the whole window as the output limit; at most half of it is reserved.
        let output_tokens = max_output.unwrap_or(window / 8).min(window / 2);
        Self::from_budget(window.saturating_sub(output_tokens).saturating_sub(window / 20), compact_at)
    }

    /// Budget for an unknown window: only the number of blocks is limited.
    pub fn unknown() -> Self {
        Self { budget: u64::MAX, trigger: u64::MAX, target: u64::MAX, summary: 2_000 }
    }

    /// Reduced budget, after a provider rejected a request of this many tokens as too long.
    #[must_use]
    pub fn reduced_below(self, tokens: u64, compact_at: Thousandths) -> Self {
        Self::from_budget(self.budget.min(tokens / 4 * 3), compact_at)
    }

    fn from_budget(budget: u64, compact_at: Thousandths) -> Self {
        let share = u64::from(compact_at.0.clamp(100, 1_000));
        let trigger = u64::try_from(u128::from(budget) * u128::from(share) / 1_000).unwrap_or(budget);
        Self { budget, trigger, target: trigger / 5 * 3, summary: (budget / 10).clamp(32, 2_000) }
    }
}

/// Indivisible unit of a conversation: a message of the caller, or a message of the agent with its calls and their
/// results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversationBlock {
    /// Whether it is a message of the caller.
    pub is_caller_message: bool,
    /// Approximate number of tokens.
    pub tokens: u64,
    /// Approximate number of tokens in shortened form.
    pub short_tokens: u64,
}

/// Tokens outside the blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenOverhead {
    /// System prompt, tools and context items of the request.
    pub fixed: u64,
    /// First message of the caller, if it is no longer among the blocks.
    pub first: Option<u64>,
    /// Summary of earlier blocks.
    pub summary: u64,
}

/// Compaction plan; empty if the conversation fits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompactionPlan {
    /// Number of blocks from the beginning that are summarized; the first and last message of the caller are kept.
    pub summarized_blocks: usize,
    /// Indexes of blocks with shortened results.
    pub shortened: Vec<usize>,
    /// Approximate number of tokens before.
    pub before: u64,
    /// Approximate upper bound on tokens after.
    pub after: u64,
}

impl CompactionPlan {
    /// Whether no compaction is needed.
    pub fn is_empty(&self) -> bool {
        self.summarized_blocks == 0 && self.shortened.is_empty()
    }
}

/// Error: even the minimum request exceeds the context window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request alone needs about {tokens} tokens, and only {budget} fit")]
pub struct WindowOverflow {
    /// Tokens of the minimum request.
    pub tokens: u64,
    /// Token budget.
    pub budget: u64,
}

/// Plans a compaction: shortens old results first, then summarizes the oldest blocks, and shortens the newest results
/// last.
pub fn plan_compaction(
    blocks: &[ConversationBlock],
    overhead: TokenOverhead,
    room: &WindowBudget,
) -> Result<CompactionPlan, WindowOverflow> {
    let sum = WindowEstimate { blocks, overhead, budget: room };
    let before = sum.total_tokens();
    let is_within_limit = blocks.len() <= MAX_BLOCKS;
    if before <= room.trigger && is_within_limit {
        return Ok(CompactionPlan { before, after: before, ..CompactionPlan::default() });
    }
    let recent = blocks.len().saturating_sub(RECENT_BLOCKS);
    let last = blocks.len().saturating_sub(1);
    for (short, goal) in [(recent, room.target), (recent, room.budget), (blocks.len(), room.budget)] {
        // Shortened results may be sufficient; if no block is old enough, they are the only option.
        let after = sum.tokens_after_cut(0, short);
        if after <= goal && is_within_limit {
            return Ok(CompactionPlan {
                summarized_blocks: 0,
                shortened: sum.shortened_blocks(0, short),
                before,
                after,
            });
        }
        let found =
            (1..=last).find(|cut| blocks.len() - cut <= MAX_BLOCKS / 2 && sum.tokens_after_cut(*cut, short) <= goal);
        if let Some(cut) = found {
            let cut = sum.align_to_caller_message(cut);
            return Ok(CompactionPlan {
                summarized_blocks: cut,
                shortened: sum.shortened_blocks(cut, short),
                before,
                after: sum.tokens_after_cut(cut, short),
            });
        }
    }
    let minimum = (0..=last).map(|cut| sum.tokens_after_cut(cut, blocks.len())).min().unwrap_or(before);
    Err(WindowOverflow { tokens: minimum, budget: room.budget })
}

struct WindowEstimate<'a> {
    blocks: &'a [ConversationBlock],
    overhead: TokenOverhead,
    budget: &'a WindowBudget,
}

impl WindowEstimate<'_> {
    fn total_tokens(&self) -> u64 {
        let overhead = self.overhead.fixed + self.overhead.first.unwrap_or(0) + self.overhead.summary;
        self.blocks.iter().fold(overhead, |sum, block| sum.saturating_add(block.tokens))
    }

    /// Size if the first `cut` blocks are summarized and results before `short` are shortened.
    fn tokens_after_cut(&self, cut: usize, short: usize) -> u64 {
        let remaining =
            self.blocks.iter().enumerate().skip(cut).map(|(at, block)| match at < short && !block.is_caller_message {
                true => block.short_tokens,
                false => block.tokens,
            });
        let summary = if cut == 0 { self.overhead.summary } else { self.budget.summary };
        let overhead = self.overhead.fixed.saturating_add(summary).saturating_add(self.pinned_tokens(cut));
        remaining.fold(overhead, u64::saturating_add)
    }

    /// Tokens of the caller's first and last message, if they are not among the remaining blocks.
    fn pinned_tokens(&self, cut: usize) -> u64 {
        let is_caller_message = |block: &ConversationBlock| block.is_caller_message;
        let first =
            self.blocks.iter().position(is_caller_message).filter(|at| *at < cut && self.overhead.first.is_none());
        let last = self.blocks.iter().rposition(is_caller_message).filter(|at| *at < cut && Some(*at) != first);
        let first_tokens = self.overhead.first.or(first.map(|at| match self.is_last_caller_message(at) {
            true => self.blocks[at].tokens,
            false => self.blocks[at].short_tokens,
        }));
        first_tokens.unwrap_or(0).saturating_add(last.map_or(0, |at| self.blocks[at].tokens))
    }

    fn is_last_caller_message(&self, at: usize) -> bool {
        self.blocks.iter().rposition(|block| block.is_caller_message) == Some(at)
    }

    fn shortened_blocks(&self, from: usize, to: usize) -> Vec<usize> {
        let gains =
            |at: &usize| !self.blocks[*at].is_caller_message && self.blocks[*at].short_tokens < self.blocks[*at].tokens;
        (from..to).filter(gains).collect()
    }

    /// Moves the cut to the next message of the caller, unless this would remove most of the remaining blocks.
    fn align_to_caller_message(&self, cut: usize) -> usize {
        let remaining = self.blocks.len() - cut;
        let next = self.blocks[cut..].iter().position(|block| block.is_caller_message);
        next.filter(|skipped| *skipped <= remaining / 2).map_or(cut, |skipped| cut + skipped)
    }
}
