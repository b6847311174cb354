//! Running totals.

use crate::sample::{commit, write};
use baton_ports::{Commit, Journal, Tally};
use baton_types::BudgetUsage;

pub(crate) async fn total_counts_successful_commits_only(journal: &dyn Journal) {
    let spent = |tokens| BudgetUsage { tokens, micro_dollars: 2 * tokens, tool_calls: 1 };
    let counting = |version, key: &str, tokens| {
        let tallies = vec![Tally { key: key.to_owned(), spent: spent(tokens) }];
        Commit { tallies, ..commit([write("a", version, &["one"])]) }
    };
    assert_eq!(journal.tally("x").await, Ok(BudgetUsage::default()));
    journal.append(counting(0, "x", 10)).await.unwrap();
    journal.append(counting(1, "x", 5)).await.unwrap();
    journal.append(counting(2, "y", 7)).await.unwrap();
    journal.append(counting(2, "x", 100)).await.unwrap_err();
    assert_eq!(journal.tally("x").await, Ok(BudgetUsage { tokens: 15, micro_dollars: 30, tool_calls: 2 }));
    assert_eq!(journal.tally("y").await, Ok(spent(7)));
}
