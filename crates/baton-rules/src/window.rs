//! How a conversation is made to fit its model's window: what is given in short, and what a summary stands for.

use baton_types::Thousandths;

/// Blocks that a model is given at most, whatever fits.
const MOST_BLOCKS: usize = 400;

/// The newest blocks, whose results stay whole as long as there is room.
const RECENT: usize = 2;

/// How much of a window there is for what a model is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Tokens of a call at most.
    pub budget: u64,
    /// More than this is compacted.
    pub trigger: u64,
    /// What compacting aims at, so that it is not done again at once.
    pub target: u64,
    /// What a summary may take.
    pub summary: u64,
}

impl Room {
    /// The room in a window: what the model writes and a twentieth for wrong estimates are left free.
    pub fn of(window: u64, max_output: Option<u64>, compact_at: Thousandths) -> Self {
        // Services that name a whole window as what may be written do not mean all of it at once.
        let written = max_output.unwrap_or(window / 8).min(window / 2);
        Self::within(window.saturating_sub(written).saturating_sub(window / 20), compact_at)
    }

    /// Room where nobody knows a window: only the number of blocks counts.
    pub fn unknown() -> Self {
        Self { budget: u64::MAX, trigger: u64::MAX, target: u64::MAX, summary: 2_000 }
    }

    /// Less room, after a service found so many tokens too long.
    #[must_use]
    pub fn below(self, tokens: u64, compact_at: Thousandths) -> Self {
        Self::within(self.budget.min(tokens / 4 * 3), compact_at)
    }

    fn within(budget: u64, compact_at: Thousandths) -> Self {
        let share = u64::from(compact_at.0.clamp(100, 1_000));
        let trigger = u64::try_from(u128::from(budget) * u128::from(share) / 1_000).unwrap_or(budget);
        Self { budget, trigger, target: trigger / 5 * 3, summary: (budget / 10).clamp(32, 2_000) }
    }
}

/// What is never taken apart: words of the caller, or words of the agent with its calls and their results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Whether it is the caller's.
    pub words: bool,
    /// About how many tokens it is.
    pub tokens: u64,
    /// About how many it is in short.
    pub short: u64,
}

/// What is given beside the blocks, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// The system prompt, the tools, and what was chosen for the request.
    pub fixed: u64,
    /// The caller's first words, when they are no longer among the blocks.
    pub first: Option<u64>,
    /// The summary of what is no longer among the blocks.
    pub summary: u64,
}

/// What makes a conversation fit; nothing when it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fit {
    /// So many blocks from the beginning are summarised; the caller's first and last words stay.
    pub summarised: usize,
    /// Blocks of which the results are given in short, by their place.
    pub shortened: Vec<usize>,
    /// About how many tokens there were.
    pub before: u64,
    /// About how many there are then at most.
    pub after: u64,
}

impl Fit {
    /// Whether everything stays as it is.
    pub fn is_nothing(&self) -> bool {
        self.summarised == 0 && self.shortened.is_empty()
    }
}

/// Even the least that a model must be given is too much for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request alone is about {tokens} tokens, and {budget} fit")]
pub struct Overfull {
    /// The least.
    pub tokens: u64,
    /// What fits.
    pub budget: u64,
}

/// Makes the blocks fit: old results in short first, then a summary of the oldest blocks, and only then the newest results
/// in short.
pub fn fit(blocks: &[Block], beside: Beside, room: &Room) -> Result<Fit, Overfull> {
    let sum = Sum { blocks, beside, room };
    let before = sum.whole();
    let few = blocks.len() <= MOST_BLOCKS;
    if before <= room.trigger && few {
        return Ok(Fit { before, after: before, ..Fit::default() });
    }
    let recent = blocks.len().saturating_sub(RECENT);
    let last = blocks.len().saturating_sub(1);
    for (short, goal) in [(recent, room.target), (recent, room.budget), (blocks.len(), room.budget)] {
        // Results in short may be all that is needed, and where nothing is old enough they are all that helps.
        let after = sum.cut(0, short);
        if after <= goal && few {
            return Ok(Fit { summarised: 0, shortened: sum.shortened(0, short), before, after });
        }
        let found = (1..=last).find(|cut| blocks.len() - cut <= MOST_BLOCKS / 2 && sum.cut(*cut, short) <= goal);
        if let Some(cut) = found {
            let cut = sum.at_words(cut);
            return Ok(Fit {
                summarised: cut,
                shortened: sum.shortened(cut, short),
                before,
                after: sum.cut(cut, short),
            });
        }
    }
    let least = (0..=last).map(|cut| sum.cut(cut, blocks.len())).min().unwrap_or(before);
    Err(Overfull { tokens: least, budget: room.budget })
}

struct Sum<'a> {
    blocks: &'a [Block],
    beside: Beside,
    room: &'a Room,
}

impl Sum<'_> {
    fn whole(&self) -> u64 {
        let beside = self.beside.fixed + self.beside.first.unwrap_or(0) + self.beside.summary;
        self.blocks.iter().fold(beside, |sum, block| sum.saturating_add(block.tokens))
    }

    /// What is left when the first `cut` blocks are summarised and results before `short` are given in short.
    fn cut(&self, cut: usize, short: usize) -> u64 {
        let kept = self.blocks.iter().enumerate().skip(cut).map(|(at, block)| match at < short && !block.words {
            true => block.short,
            false => block.tokens,
        });
        let summary = if cut == 0 { self.beside.summary } else { self.room.summary };
        let beside = self.beside.fixed.saturating_add(summary).saturating_add(self.pinned(cut));
        kept.fold(beside, u64::saturating_add)
    }

    /// The caller's first and last words, where they are not among the blocks that stay.
    fn pinned(&self, cut: usize) -> u64 {
        let words = |block: &Block| block.words;
        let first = self.blocks.iter().position(words).filter(|at| *at < cut && self.beside.first.is_none());
        let last = self.blocks.iter().rposition(words).filter(|at| *at < cut && Some(*at) != first);
        let first_tokens = self.beside.first.or(first.map(|at| match self.is_last_words(at) {
            true => self.blocks[at].tokens,
            false => self.blocks[at].short,
        }));
        first_tokens.unwrap_or(0).saturating_add(last.map_or(0, |at| self.blocks[at].tokens))
    }

    fn is_last_words(&self, at: usize) -> bool {
        self.blocks.iter().rposition(|block| block.words) == Some(at)
    }

    fn shortened(&self, from: usize, to: usize) -> Vec<usize> {
        let gains = |at: &usize| !self.blocks[*at].words && self.blocks[*at].short < self.blocks[*at].tokens;
        (from..to).filter(gains).collect()
    }

    /// Where the caller next says something, unless most of what stays would go for that.
    fn at_words(&self, cut: usize) -> usize {
        let kept = self.blocks.len() - cut;
        let next = self.blocks[cut..].iter().position(|block| block.words);
        next.filter(|skipped| *skipped <= kept / 2).map_or(cut, |skipped| cut + skipped)
    }
}
