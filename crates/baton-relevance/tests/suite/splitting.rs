//! Splitting of texts into pieces and sentences.

use baton_relevance::{RelevanceEntry, by_words, find, pieces, sentences};
use baton_types::RelevanceLimits;
use proptest::prelude::*;

#[test]
fn entry_is_split_into_title_and_paragraphs() {
    let text = "First line\nof one paragraph.\n\n\n  \nSecond.\n";
    assert_eq!(pieces("n", "about it", text), ["n: about it", "First line\nof one paragraph.", "Second."]);
    assert_eq!(pieces("n", "", ""), ["n"]);
    let long = "A sentence of some forty characters here. ".repeat(30);
    let parts = pieces("n", "", &long);
    assert_eq!(parts.len(), 1 + 3);
    assert!(parts[1..].iter().all(|part| part.len() <= 500 && part.ends_with('.')), "{parts:?}");
    assert_eq!(pieces("n", "", &"x".repeat(1200))[1..].iter().map(String::len).collect::<Vec<_>>(), [500, 500, 200]);
}

#[test]
fn question_is_split_into_sentences() {
    let question = "Hi!  Is 3.14 in main.rs (really?) enough?\nfn main() {}\n\n東京。大阪";
    assert_eq!(
        sentences(question),
        ["Hi!", "Is 3.14 in main.rs (really?)", "enough?", "fn main() {}", "東京。", "大阪"]
    );
    assert_eq!(sentences(&"a. ".repeat(100_000)).len(), 64);
}

#[test]
fn title_counts_in_every_paragraph_and_tool_names_match() {
    let rule = RelevanceEntry::new("laptops", "", "Screens are replaced in the shop.\n\nBatteries are sent by mail.");
    let other = RelevanceEntry::new("phones", "", "Batteries are replaced in the shop.");
    let tool = RelevanceEntry::new("calendar__createEvent", "Adds an appointment", "");
    let entries = [&rule, &other, &tool];
    let first = |question| find(question, &entries, RelevanceLimits::default()).first().map(|chosen| chosen.entry);
    assert_eq!(first("Where do I get a battery for my laptop?"), Some(0));
    assert_eq!(first("battery of the phone"), Some(1));
    assert_eq!(first("create an event"), Some(2));
    assert_eq!(first("put the appointment into my calendar"), Some(2));
}

#[test]
fn questions_with_two_topics_match_both() {
    let names = ["refunds", "dates", "tables", "hotels", "trains"];
    let entries: Vec<RelevanceEntry> = names.iter().map(|name| RelevanceEntry::new(name, "", "")).collect();
    let entries: Vec<&RelevanceEntry> = entries.iter().collect();
    for question in [
        "Are refunds shown with dates?",
        "Tell me about the policy for refunds here. Which format have dates in mails?",
    ] {
        let mut found: Vec<&str> =
            find(question, &entries, RelevanceLimits::default()).iter().map(|chosen| names[chosen.entry]).collect();
        found.sort_unstable();
        assert_eq!(found, ["dates", "refunds"], "{question}");
    }
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,400}(\n\\PC{0,300}){0,3}", question in "\\PC{0,200}") {
        let parts = pieces("name", "", &text);
        prop_assert!(parts.iter().all(|part| part.len() <= 500));
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        prop_assert_eq!(parts[1..].iter().map(|part| letters(part)).collect::<String>(), letters(&text));
        let entry = RelevanceEntry::new("name", "", &text);
        let found = by_words(&question, &[&entry]);
        prop_assert!(found.iter().all(|found| found.score > 0.0 && found.score <= 1.0), "{:?}", found);
    }
}
