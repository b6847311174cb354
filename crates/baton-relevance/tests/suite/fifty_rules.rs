//! Fifty rules of one agent, and questions that one of them answers.

use baton_relevance::{RelevanceEntry, find};
use baton_types::{RelevanceLimits, Thousandths};

/// Name, description and text of each rule.
fn rules() -> Vec<(&'static str, RelevanceEntry)> {
    let blocks = include_str!("../fixtures/rules.md").split("## ").skip(1);
    let rules = blocks.map(|block| {
        let (name, rest) = block.split_once('\n').unwrap();
        let (description, text) = rest.split_once("\n\n").unwrap();
        (name, RelevanceEntry::new(name, description, text.trim_end()))
    });
    rules.collect()
}

fn questions() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("../fixtures/questions.tsv").lines().map(|line| line.split_once('\t').unwrap())
}

#[test]
fn must_show_2_the_right_rule_is_chosen_and_no_other_reaches_the_score() {
    let rules = rules();
    assert_eq!((rules.len(), questions().count()), (50, 20));
    let entries: Vec<&RelevanceEntry> = rules.iter().map(|(_, entry)| entry).collect();
    let limits = RelevanceLimits::default();
    let (mut wrong, mut shown) = (Vec::new(), String::new());
    for (right, question) in questions() {
        let chosen = find(question, &entries, limits);
        let named: Vec<(&str, Thousandths)> = chosen.iter().map(|found| (rules[found.entry].0, found.score)).collect();
        let lines: Vec<String> = named.iter().map(|(name, score)| format!("  {score} {name}\n")).collect();
        shown.push_str(&format!("{question}\n{}", lines.concat()));
        let is_first = named.first().is_some_and(|(name, _)| *name == right);
        let others = named.iter().filter(|(name, _)| *name != right);
        let sure = others.filter(|(_, score)| *score >= limits.include_score).count();
        if !is_first || sure > 0 || named.len() > usize::from(limits.top_n) {
            wrong.push(format!("{question}\n  wants {right}, has {named:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    insta::assert_snapshot!("chosen", shown);
}

#[test]
fn unrelated_question_selects_no_rule() {
    let rules = rules();
    let entries: Vec<&RelevanceEntry> = rules.iter().map(|(_, entry)| entry).collect();
    let painter = "Who painted the ceiling of the Sistine Chapel?";
    let chance = "Compare the novels of Tolstoy, Gogol, Chekhov, Pushkin, Turgenev, Bulgakov, Lermontov and Goncharov by \
                  plot, irony, dialogue, landscapes and number of chapters";
    for question in ["", "Hello!", "Thank you very much, that is all.", "🙂", painter, chance] {
        assert_eq!(find(question, &entries, RelevanceLimits::default()), [], "{question}");
    }
}

#[test]
fn single_rule_is_selected() {
    let rule = RelevanceEntry::new("refunds", "When customers get their money back", "Within 30 days, in full.");
    let found = |question| find(question, &[&rule], RelevanceLimits::default()).first().map(|chosen| chosen.score);
    assert!(found("refund?") >= Some(Thousandths(600)), "{:?}", found("refund?"));
    assert!(found("How do customers get money back?") >= Some(Thousandths(800)));
    assert_eq!(found("What is the weather like in Berlin?"), None);
}
