//! Context selection by mode (always, manual, by relevance), once per message.

use super::fixture::{ContextFixture, ask, change, item, me, named, shown, to};
use crate::answering::requests_in;
use baton_engine::{SendCommand, SessionChange};
use baton_types::{
    ContextItem, InclusionMode, ItemKind, Knowledge, Part, Permission, RelevanceLimits, TaskState, Thousandths,
};
use serde_json::json;

/// Fifty rules in `agent` mode, selected by relevance.
pub(super) fn fifty_rules() -> Vec<ContextItem> {
    let blocks = include_str!("../../../../baton-relevance/tests/fixtures/rules.md").split("## ").skip(1);
    let rules = blocks.map(|block| {
        let (name, rest) = block.split_once('\n').unwrap();
        let (description, text) = rest.split_once("\n\n").unwrap();
        ContextItem { description: description.to_owned(), ..item(name, 500, InclusionMode::Agent, text.trim_end()) }
    });
    rules.collect()
}

#[tokio::test(start_paused = true)]
async fn teamspark_28_only_relevant_rules_of_fifty_are_selected() {
    let fixture = ContextFixture::new(Knowledge { rules: fifty_rules(), ..Knowledge::default() });
    let engine = fixture.engine();
    for line in include_str!("../../../../baton-relevance/tests/fixtures/questions.tsv").lines() {
        let (right, question) = line.split_once('\t').unwrap();
        let done = ask(&engine, None, question).await;
        let given = shown(&done);
        let rules: Vec<&String> = given.iter().filter(|line| line.starts_with("rule ")).collect();
        assert!(rules[0].starts_with(&format!("rule {right} agent 0.")), "{question}: {rules:?}");
        let score = |line: &str| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap();
        assert!(rules[1..].iter().all(|line| score(line) < 0.7), "{question}: {rules:?}");
        assert!(!rules.iter().any(|line| line.contains(" kubernetes ")), "{question}: {rules:?}");
        // One message per rule, before the question.
        let model_input = fixture.last_messages();
        assert_eq!((model_input.len(), model_input.last()), (rules.len() + 1, Some(&format!("user: {question}"))));
    }
    let done = ask(&engine, None, "Who painted the ceiling of the Sistine Chapel?").await;
    assert_eq!(fixture.last_messages().len(), 1);
    let chosen = fixture.selections(&engine, &done).await;
    assert!(chosen[0].0.items.iter().all(|item| item.kind == ItemKind::Tool), "an empty selection is recorded too");
}

#[tokio::test(start_paused = true)]
async fn teamspark_06_items_are_included_according_to_their_mode() {
    let about = |name: &str, include, description: &str| ContextItem {
        description: description.to_owned(),
        ..item(name, 500, include, &format!("text of {name}"))
    };
    let fixture = ContextFixture::new(Knowledge {
        rules: vec![
            about("always", InclusionMode::Always, ""),
            about("named", InclusionMode::Manual, "when refunds are asked for"),
            about("refunds", InclusionMode::Agent, "how customers get a refund"),
            about("parcels", InclusionMode::Agent, "how long a parcel takes"),
        ],
        references: vec![
            about("prices", InclusionMode::Agent, "prices of parcels"),
            about("refunds", InclusionMode::Manual, ""),
        ],
        ..Knowledge::default()
    });
    let engine = fixture.engine();
    let items = |shown: Vec<String>| shown.into_iter().filter(|line| !line.starts_with("tool")).collect::<Vec<_>>();
    let done = ask(&engine, Some("talk"), "How do customers get a refund?").await;
    let [always, refunds] = items(shown(&done)).try_into().unwrap();
    assert_eq!(always, "rule always always");
    let score = refunds.strip_prefix("rule refunds agent ").unwrap().parse::<f64>().unwrap();
    assert!((0.7..1.0).contains(&score), "{score}");
    assert_eq!(fixture.last_messages()[..2], ["user: Rule: text of always", "user: Rule: text of refunds"]);
    // Relevant items are not carried over to the next request.
    let done = ask(&engine, Some("talk"), "Hello").await;
    assert_eq!(items(shown(&done)), ["rule always always"]);

    // Items are included and excluded by session changes.
    change(&engine, "talk", SessionChange::Include(named(ItemKind::Rule, "refunds"))).await;
    change(&engine, "talk", SessionChange::Include(named(ItemKind::Reference, "refunds"))).await;
    change(&engine, "talk", SessionChange::Exclude(named(ItemKind::Rule, "always"))).await;
    let done = ask(&engine, Some("talk"), "Hello again").await;
    assert_eq!(items(shown(&done)), ["reference refunds manual", "rule refunds manual"]);
    change(&engine, "talk", SessionChange::Exclude(named(ItemKind::Rule, "refunds"))).await;
    let done = ask(&engine, Some("talk"), "How do customers get a refund?").await;
    assert_eq!(items(shown(&done)), ["reference refunds manual"], "an excluded item is not selected either");

    // The agent's limits apply unless the session overrides them.
    let done = ask(&engine, Some("third"), "What are the prices of a parcel?").await;
    let [prices, always] = items(shown(&done)).try_into().unwrap();
    assert!(prices.starts_with("reference prices agent 0.7") && always == "rule always always", "{prices}, {always}");
    let limits = RelevanceLimits { top_n: 0, include_score: Thousandths(1000), ..RelevanceLimits::default() };
    fixture.spec.lock().unwrap().as_mut().unwrap().knowledge.relevance = limits;
    let done = ask(&engine, Some("third"), "What are the prices of a parcel?").await;
    assert_eq!(items(shown(&done)), ["rule always always"]);
}

#[tokio::test(start_paused = true)]
async fn selection_is_made_once_per_message_and_survives_restarts() {
    let fixture = ContextFixture::new(Knowledge { rules: fifty_rules(), ..Knowledge::default() });
    {
        let mut spec = fixture.spec.lock().unwrap();
        spec.as_mut().unwrap().tools.iter_mut().for_each(|tool| tool.permission = Permission::Ask);
    }
    fixture.script.lock().unwrap().push("look");
    let engine = fixture.engine();
    let asked = ask(&engine, None, "I forgot my password, can you send me a link?").await;
    assert_eq!(asked.state, TaskState::InputRequired);
    let before = fixture.last_messages();
    assert!(before[0].starts_with("user: Rule: Send a reset link"), "{before:?}");

    // A restarted engine with a changed definition uses the recorded selection.
    let engine = fixture.engine();
    engine.recover().await.unwrap();
    fixture.spec.lock().unwrap().as_mut().unwrap().knowledge.relevance.top_n = 0;
    let [request] = requests_in(asked.status_message.as_ref().unwrap()).try_into().unwrap();
    let yes = json!({"input_responses": [{"call_id": request["call_id"], "key": request["key"], "action": "accept"}]});
    let answer = SendCommand::new("boss".into(), to(&asked, "yes", Part::data(yes.into())));
    let done = engine.send_and_settle(&me(), answer).await.unwrap();
    assert_eq!(done.state, TaskState::Completed);
    assert_eq!(fixture.last_messages()[..before.len()], before);
    assert_eq!(fixture.selections(&engine, &done).await.len(), 1);
    assert!(shown(&done).iter().any(|line| line.starts_with("rule password-reset agent")));
}

#[tokio::test(start_paused = true)]
async fn agent_without_knowledge_records_no_selection() {
    let fixture = ContextFixture::new(Knowledge::default());
    let engine = fixture.engine();
    let done = ask(&engine, None, "what about @rule:x and @ref:y").await;
    assert_eq!(fixture.last_messages(), ["user: what about @rule:x and @ref:y"]);
    assert!(fixture.selections(&engine, &done).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn mention_in_an_answer_joins_the_session() {
    let rules = ["style", "tone"].map(|name| item(name, 500, InclusionMode::Manual, &format!("text of {name}")));
    let fixture = ContextFixture::new(Knowledge { rules: rules.to_vec(), ..Knowledge::default() });
    fixture.spec.lock().unwrap().as_mut().unwrap().control_tools.ask_user = true;
    fixture.script.lock().unwrap().push("ask_user");
    let engine = fixture.engine();
    let asked = ask(&engine, Some("talk"), "Write a poem, with @rule:tone").await;
    assert_eq!(asked.state, TaskState::InputRequired);
    let answer = to(&asked, "answer", Part::text("As in @rule:style, and @rule:nobody"));
    let done = engine.send_and_settle(&me(), SendCommand::new("boss".into(), answer)).await.unwrap();
    assert_eq!(done.state, TaskState::Completed);
    assert_eq!(fixture.selections(&engine, &done).await.len(), 1, "the selection for the question still holds");
    ask(&engine, Some("talk"), "Another one").await;
    let model_input = fixture.last_messages();
    let rules: Vec<&String> = model_input.iter().filter(|line| line.starts_with("user: Rule: ")).collect();
    assert_eq!(rules, ["user: Rule: text of tone", "user: Rule: text of style"]);
}
