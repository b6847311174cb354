//! Order of the model input, and mentions in user messages.

use super::fixture::{ContextFixture, ask, item, me, shown};
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
async fn teamspark_05_input_order_is_system_history_references_rules_user() {
    let fixture = ContextFixture::new(knowledge());
    let engine = fixture.engine();
    let given = [
        "user: Reference: First by name.",
        "user: Reference: Second by name.",
        "user: Rule: Come\n  first.",
        "user: Rule: Come last.",
    ];
    ask(&engine, Some("talk"), "one").await;
    assert_eq!(fixture.last_messages(), [&given[..], &["user: one"]].concat());
    let done = ask(&engine, Some("talk"), "two").await;
    assert_eq!(fixture.last_messages(), [&["user: one", "agent: answer 1"], &given[..], &["user: two"]].concat());
    assert_eq!(fixture.calls.lock().unwrap()[1].system, "You are boss.");
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
    // Only the messages of the user and the answers are recorded.
    let page = engine.tasks(&me(), &ListTasks { limit: 10, ..Default::default() }).await.unwrap();
    let words = page.tasks.iter().flat_map(|task| &task.history).flat_map(|message| &message.parts);
    let mut words: Vec<&PartContent> = words.map(|part| &part.content).collect();
    words.sort_by_key(|content| format!("{content:?}"));
    let text = |text: &str| PartContent::Text(text.to_owned());
    assert_eq!(words, [&text("answer 1"), &text("answer 2"), &text("one"), &text("two")]);
}

#[tokio::test(start_paused = true)]
async fn selected_items_stay_before_their_message_while_tools_run() {
    let fixture = ContextFixture::new(knowledge());
    fixture.script.lock().unwrap().push("look");
    ask(&fixture.engine(), None, "go").await;
    let model_input = fixture.last_messages();
    assert_eq!(
        model_input[2..],
        ["user: Rule: Come\n  first.", "user: Rule: Come last.", "user: go", "calls: look", "tool: look ran"]
    );
}

#[tokio::test(start_paused = true)]
async fn teamspark_07_white_space_is_kept_and_only_a_known_mention_disappears() {
    let fixture = ContextFixture::new(Knowledge {
        rules: vec![item("x", 500, InclusionMode::Manual, "Only when named.")],
        ..Knowledge::default()
    });
    let engine = fixture.engine();
    let code = "Look at this:\n\n```rust\nfn main() {\n    let a  =  1;\t// two  spaces\n}\n```\n\n  - one\n  - two\n";
    let plain = ask(&engine, Some("talk"), code).await;
    assert_eq!(fixture.last_messages(), [format!("user: {code}")]);
    assert!(fixture.selections(&engine, &plain).await.is_empty(), "there are no items to select");
    assert!(shown(&plain).is_empty());

    let named = ask(&engine, Some("talk"), &format!("Do as @rule:x says, not @rule:y.\n{code}")).await;
    let model_input = fixture.last_messages();
    assert_eq!(
        model_input[2..],
        ["user: Rule: Only when named.".to_owned(), format!("user: Do as says, not @rule:y.\n{code}")]
    );
    let chosen = fixture.selections(&engine, &named).await;
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0].1.as_deref(), Some("the agent has no @rule:y"));
    assert_eq!(shown(&named)[0], "rule x manual");

    // The item is then part of the session; the mention is removed from the model input, but recorded.
    let later = ask(&engine, Some("talk"), "And now?").await;
    let model_input = fixture.last_messages();
    assert_eq!(model_input[2], format!("user: Do as says, not @rule:y.\n{code}"));
    assert_eq!(model_input[4..], ["user: Rule: Only when named.", "user: And now?"]);
    assert_eq!(fixture.selections(&engine, &later).await[0].1, None);
    assert!(named.history[0].text().contains("@rule:x"));
    // Other conversations are not affected.
    ask(&engine, Some("other"), "Hello").await;
    assert_eq!(fixture.last_messages(), ["user: Hello"]);
}

#[tokio::test(start_paused = true)]
async fn mention_in_an_autonomous_run_is_not_kept_for_the_session() {
    let fixture = ContextFixture::new(knowledge());
    let engine = fixture.engine();
    let send = |text: &'static str| {
        let message =
            Message { context: Some("talk".into()), ..Message::new(text.into(), Role::User, vec![Part::text(text)]) };
        let command = SendCommand { autonomous: true, ..SendCommand::new("boss".into(), message) };
        let engine = engine.clone();
        async move { engine.send_and_settle(&me(), command).await.unwrap() }
    };
    let given = |fixture: &ContextFixture| fixture.last_messages().contains(&"user: Rule: Only when named.".to_owned());
    send("with @rule:x").await;
    assert!(given(&fixture));
    send("without").await;
    assert!(!given(&fixture));
}

#[tokio::test(start_paused = true)]
async fn model_call_spans_name_selected_items_and_run_spans_missing_ones() {
    let fixture = ContextFixture::new(Knowledge {
        references: vec![item("refunds", 500, InclusionMode::Agent, "Money goes back within a week.")],
        ..knowledge()
    });
    ask(&fixture.engine(), None, "When do refunds of money go back? @rule:nope").await;
    let spans = crate::spans::projected(&crate::check::all_events(&fixture.world.journal).await);
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
    assert_eq!(chat.attribute("baton.context.tools"), None, "tools that are always included are not recorded");
    let run = spans.iter().find(|span| span.name.starts_with("invoke_agent ")).unwrap();
    let warning = run.events.iter().find(|event| event.name == "context.warning").unwrap();
    assert_eq!(warning.attributes, [("baton.context.warning".into(), SpanValue::from("the agent has no @rule:nope"))]);
}
