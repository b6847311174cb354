//! Compaction of conversations, and the parts that it must keep.

use baton_rules::{CompactionPlan, ConversationBlock, TokenOverhead, WindowBudget, WindowOverflow, plan_compaction};
use baton_types::Thousandths;
use proptest::prelude::*;

const fn words(tokens: u64) -> ConversationBlock {
    ConversationBlock { is_caller_message: true, tokens, short_tokens: tokens }
}

const fn turn(tokens: u64, short: u64) -> ConversationBlock {
    ConversationBlock { is_caller_message: false, tokens, short_tokens: short }
}

/// Trigger at 800 tokens, target of 480, and 100 for a summary.
fn sample_budget() -> WindowBudget {
    let room = WindowBudget { budget: 1_000, trigger: 800, target: 480, summary: 100 };
    assert_eq!(WindowBudget::from_window(1_250, Some(188), Thousandths(800)), room, "5 % of 1250 are 62");
    room
}

#[test]
fn window_budget_reserves_tokens_for_the_answer() {
    let at = |window, max_output, compact_at| WindowBudget::from_window(window, max_output, Thousandths(compact_at));
    for (window, max_output, compact_at, budget, trigger) in [
        (8_192, None, 800, 6_759, 5_407),
        (8_192, Some(1_000), 800, 6_783, 5_426),
        // The reserve for the answer never exceeds half of the window.
        (8_192, Some(8_192), 800, 3_687, 2_949),
        (200_000, Some(64_000), 500, 126_000, 63_000),
        (200_000, Some(64_000), 0, 126_000, 12_600),
        (200_000, Some(64_000), 2_000, 126_000, 126_000),
        (0, None, 800, 0, 0),
    ] {
        let room = at(window, max_output, compact_at);
        assert_eq!((room.budget, room.trigger), (budget, trigger), "{window} {max_output:?} {compact_at}");
        assert!(room.target <= room.trigger);
    }
    let less = at(8_192, None, 800).reduced_below(4_000, Thousandths(800));
    assert_eq!((less.budget, less.trigger), (3_000, 2_400));
    assert_eq!(WindowBudget::unknown().reduced_below(4_000, Thousandths(800)).budget, 3_000);
}

/// Number of summarized blocks, and indexes of the shortened ones.
type CompactionOutcome = Result<(usize, Vec<usize>), WindowOverflow>;

#[test]
fn results_are_shortened_before_blocks_are_summarized() {
    let table: [(&str, Vec<ConversationBlock>, CompactionOutcome); 8] = [
        ("it fits", vec![words(100), turn(300, 20), words(400)], Ok((0, vec![]))),
        (
            "old results in short are enough",
            vec![words(50), turn(700, 20), words(50), turn(100, 20), words(50)],
            Ok((0, vec![1])),
        ),
        (
            "a summary up to a message of the caller",
            vec![words(50), turn(300, 300), words(50), turn(300, 300), words(50), turn(100, 100), words(50)],
            Ok((4, vec![])),
        ),
        (
            "both",
            vec![words(50), turn(400, 300), words(50), turn(300, 250), words(50), turn(90, 10), words(50), turn(9, 1)],
            Ok((2 + 2, vec![5])),
        ),
        (
            "a long turn of one question is cut between its calls, and the question stays",
            vec![words(50), turn(300, 300), turn(300, 300), turn(100, 100), turn(100, 100)],
            Ok((3, vec![])),
        ),
        ("the newest results go last", vec![words(50), turn(50, 50), turn(2_000, 60)], Ok((0, vec![2]))),
        ("only results", vec![turn(2_000, 60)], Ok((0, vec![0]))),
        (
            "nothing is small enough",
            vec![words(50), turn(100, 10), words(1_500)],
            Err(WindowOverflow { tokens: 1_560, budget: 1_000 }),
        ),
    ];
    for (why, blocks, expected) in table {
        let found = plan_compaction(&blocks, TokenOverhead::default(), &sample_budget());
        let shown = found.map(|fit| (fit.summarized_blocks, fit.shortened));
        assert_eq!(shown, expected, "{why}");
    }
}

#[test]
fn too_many_blocks_are_summarized_even_if_they_fit() {
    let blocks: Vec<ConversationBlock> = (0..401).map(|at| if at % 2 == 0 { words(1) } else { turn(1, 1) }).collect();
    let CompactionPlan { summarized_blocks: summarised, .. } =
        plan_compaction(&blocks, TokenOverhead::default(), &WindowBudget::unknown()).unwrap();
    assert_eq!(summarised, 202, "200 blocks stay, from a message of the caller on");
    assert!(plan_compaction(&blocks[..400], TokenOverhead::default(), &WindowBudget::unknown()).unwrap().is_empty());
}

proptest! {
    /// The result fits by the estimate, the newest block stays, no summarized block is shortened, and a compacted
    /// conversation is not compacted again immediately.
    #[test]
    fn compaction_fits_or_reports_an_overflow(
        parts in proptest::collection::vec((any::<bool>(), 0u64..400, 0u64..100), 1..60),
        fixed in 0u64..300,
        first in proptest::option::of(0u64..50),
        window in 200u64..20_000,
        compact_at in 100u16..=1_000,
    ) {
        let blocks: Vec<ConversationBlock> = parts.iter().map(|(words, more, short)| {
            let tokens = if *words { *more } else { more + short };
            ConversationBlock { is_caller_message: *words, tokens, short_tokens: if *words { *more } else { *short } }
        }).collect();
        let room = WindowBudget::from_window(window, None, Thousandths(compact_at));
        let beside = TokenOverhead { fixed, first, summary: 0 };
        match plan_compaction(&blocks, beside, &room) {
            Ok(fit) => {
                prop_assert!(fit.summarized_blocks < blocks.len());
                prop_assert!(fit.after <= room.budget);
                prop_assert!(fit.is_empty() || fit.before > room.trigger);
                prop_assert!(fit.shortened.iter().all(|at| *at >= fit.summarized_blocks && !blocks[*at].is_caller_message));
                prop_assert!(fit.shortened.is_sorted());
            }
            Err(overfull) => {
                prop_assert!(overfull.tokens > overfull.budget);
                let whole: u64 = fixed + first.unwrap_or(0) + blocks.iter().map(|block| block.tokens).sum::<u64>();
                prop_assert!(whole > room.trigger);
            }
        }
    }
}
