//! The order of what the model is given, and what is left of a caller's words.

use super::stage::{Stage, ask, item, me, shown};
use baton_engine::{ListTasks, SendCommand};
use baton_types::{InclusionMode, Knowledge, Message, Part, PartContent, Role, SpanValue};

fn knowledge() -> Knowledge {
    Knowledge {
        rules: vec![
            item("late", 900, InclusionMode::Always, "Come last."),
            item("early", 0, InclusionMode::Always, "Come\n  first."),
            item("x", 500, InclusionMode::Manual, "Only when named."),
        ],
        references: vec![
            item("b", 500, InclusionMode::Always, "Second by name."),
            item("a", 500, InclusionMode::Always, "First by name."),
        ],
        ..Knowledge::default()
    }
}

#[tokio::test(start_paused = true)]
async fn teamspark_05_the_model_hears_system_history_references_rules_and_the_user_in_this_order() {
    let stage = Stage::new(knowledge());
    let engine = stage.engine();
    let given = [
        "user: Reference: First by name.",
        "user: Reference: Second by name.",
        "user: Rule: Come\n  first.",
        "user: Rule: Come last.",
    ];
    ask(&engine, Some("talk"), "one").await;
    assert_eq!(stage.heard(), [&given[..], &["user: one"]].concat());
    let done = ask(&engine, Some("talk"), "two").await;
    assert_eq!(stage.heard(), [&["user: one", "agent: answer 1"], &given[..], &["user: two"]].concat());
    assert_eq!(stage.calls.lock().unwrap()[1].system, "You are boss.");
    assert_eq!(
        shown(&done),
        [
            "reference a always",
            "reference b always",
            "rule early always",
            "rule late always",
            "tool look always",
            "tool put always",
            "tool act always"
        ]
    );
    // The caller's words and the answers are all that is on record.
    let page = engine.tasks(&me(), &ListTasks { limit: 10, ..Default::default() }).await.unwrap();
    let words = page.tasks.iter().flat_map(|task| &task.history).flat_map(|message| &message.parts);
    let mut words: Vec<&PartContent> = words.map(|part| &part.content).collect();
    words.sort_by_key(|content| format!("{content:?}"));
    let text = |text: &str| PartContent::Text(text.to_owned());
    assert_eq!(words, [&text("answer 1"), &text("answer 2"), &text("one"), &text("two")]);
}

#[tokio::test(start_paused = true)]
async fn what_is_given_stays_before_the_words_that_it_was_chosen_for_while_tools_run() {
    let stage = Stage::new(knowledge());
    stage.script.lock().unwrap().push("look");
    ask(&stage.engine(), None, "go").await;
    let heard = stage.heard();
    assert_eq!(
        heard[2..],
        ["user: Rule: Come\n  first.", "user: Rule: Come last.", "user: go", "calls: look", "tool: look ran"]
    );
}

#[tokio::test(start_paused = true)]
async fn teamspark_07_white_space_is_kept_and_only_a_known_mention_disappears() {
    let stage = Stage::new(Knowledge {
        rules: vec![item("x", 500, InclusionMode::Manual, "Only when named.")],
        ..Knowledge::default()
    });
    let engine = stage.engine();
    let code = "Look at this:\n\n```rust\nfn main() {\n    let a  =  1;\t// two  spaces\n}\n```\n\n  - one\n  - two\n";
    let plain = ask(&engine, Some("talk"), code).await;
    assert_eq!(stage.heard(), [format!("user: {code}")]);
    assert!(stage.chosen(&engine, &plain).await.is_empty(), "there was nothing to choose from");
    assert!(shown(&plain).is_empty());

    let named = ask(&engine, Some("talk"), &format!("Do as @rule:x says, not @rule:y.\n{code}")).await;
    let heard = stage.heard();
    assert_eq!(
        heard[2..],
        ["user: Rule: Only when named.".to_owned(), format!("user: Do as says, not @rule:y.\n{code}")]
    );
    let chosen = stage.chosen(&engine, &named).await;
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0].1.as_deref(), Some("the agent has no @rule:y"));
    assert_eq!(shown(&named)[0], "rule x manual");

    // It is part of the session from then on, in the history the mention stays away, and what was said is on record.
    let later = ask(&engine, Some("talk"), "And now?").await;
    let heard = stage.heard();
    assert_eq!(heard[2], format!("user: Do as says, not @rule:y.\n{code}"));
    assert_eq!(heard[4..], ["user: Rule: Only when named.", "user: And now?"]);
    assert_eq!(stage.chosen(&engine, &later).await[0].1, None);
    assert!(named.history[0].text().contains("@rule:x"));
    // Another conversation knows nothing of it.
    ask(&engine, Some("other"), "Hello").await;
    assert_eq!(stage.heard(), ["user: Hello"]);
}

#[tokio::test(start_paused = true)]
async fn nobody_remembers_a_mention_where_nobody_is() {
    let stage = Stage::new(knowledge());
    let engine = stage.engine();
    let send = |text: &'static str| {
        let message =
            Message { context: Some("talk".into()), ..Message::new(text.into(), Role::User, vec![Part::text(text)]) };
        let command = SendCommand { autonomous: true, ..SendCommand::new("boss".into(), message) };
        let engine = engine.clone();
        async move { engine.send_and_settle(&me(), command).await.unwrap() }
    };
    let given = |stage: &Stage| stage.heard().contains(&"user: Rule: Only when named.".to_owned());
    send("with @rule:x").await;
    assert!(given(&stage));
    send("without").await;
    assert!(!given(&stage));
}

#[tokio::test(start_paused = true)]
async fn spans_of_model_calls_say_what_was_given_and_the_run_what_was_missed() {
    let stage = Stage::new(Knowledge {
        references: vec![item("refunds", 500, InclusionMode::Agent, "Money goes back within a week.")],
        ..knowledge()
    });
    ask(&stage.engine(), None, "When do refunds of money go back? @rule:nope").await;
    let spans = crate::spans::projected(&crate::check::all_events(&stage.world.journal).await);
    let chat = spans.iter().find(|span| span.name.starts_with("chat")).unwrap();
    let texts = |key: &str| match chat.attribute(key) {
        Some(SpanValue::List(list)) => list.iter().map(|text| text.as_text().unwrap().to_owned()).collect(),
        other => panic!("{key}: {other:?}"),
    };
    let given: [Vec<String>; 3] =
        ["baton.context.references", "baton.context.rules", "baton.context.scores"].map(texts);
    assert_eq!(
        (&given[0][..], &given[1][..]),
        (&["refunds".to_owned()][..], &["early".to_owned(), "late".to_owned()][..])
    );
    assert!(given[2][0].starts_with("reference:refunds=0."), "{given:?}");
    assert_eq!(chat.attribute("baton.context.tools"), None, "tools that are always there go without saying");
    let run = spans.iter().find(|span| span.name.starts_with("invoke_agent ")).unwrap();
    let warning = run.events.iter().find(|event| event.name == "context.warning").unwrap();
    assert_eq!(warning.attributes, [("baton.context.warning".into(), SpanValue::from("the agent has no @rule:nope"))]);
}
