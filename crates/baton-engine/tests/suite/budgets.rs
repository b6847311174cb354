//! Budgets of tokens, money and tool calls, per run, session and month: a call that would exceed one is not made.

use crate::{
    quality::{LoopFixture, Turn, me, status_text},
    world::message,
};
use baton_engine::{Engine, SendCommand};
use baton_types::{AgentSpec, Budget, Budgets, Message, TaskState, TaskView};
use futures_util::future::join_all;
use serde_json::json;
use std::sync::Arc;

fn look() -> Turn {
    Turn::Calls(vec![("look", json!({}))])
}

fn tokens(most: u64) -> Budget {
    Budget { tokens: Some(most), ..Budget::default() }
}

fn dollars(micro: u64) -> Budget {
    Budget { micro_dollars: Some(micro), ..Budget::default() }
}

fn calls(most: u64) -> Budget {
    Budget { tool_calls: Some(most), ..Budget::default() }
}

fn with(budgets: Budgets) -> impl FnOnce(&mut AgentSpec) {
    move |spec| spec.limits.budgets = budgets
}

async fn say(engine: &Engine, id: &str, context: &str) -> Arc<TaskView> {
    let words = Message { context: Some(context.into()), ..message(id, "go") };
    engine.send_and_settle(&me(), SendCommand::new("boss".into(), words)).await.unwrap()
}

/// A model call uses 110 tokens and costs 11,000 micro-dollars; a call of `look` precedes each answer.
#[tokio::test(start_paused = true)]
async fn run_ends_before_a_call_that_would_exceed_its_budget() {
    let table = [
        (tokens(300), 1, 1, "the budget of the run is used up: 110 of 300 tokens, and the next call needs about "),
        (dollars(30_000), 1, 1, "the budget of the run is used up: $0.011000 of $0.030000, and the next call costs"),
        (tokens(10), 0, 0, "the budget of the run is used up: 0 of 10 tokens"),
        (
            calls(2),
            3,
            2,
            "the budget of the run is used up: 2 tool calls are allowed, and the last requested call is number 3",
        ),
    ];
    for (run, asked, ran, words) in table {
        let fixture = LoopFixture::new(vec![look()], with(Budgets { run, ..Budgets::default() }));
        let (task, _) = fixture.run().await;
        let said = status_text(&task);
        assert_eq!(task.state, TaskState::Failed, "{said}");
        assert!(said.starts_with(&format!("BTN-3017: {words}")), "{said}");
        assert!(said.ends_with("raise settings.budgets.run in agent.yaml"), "{said}");
        assert_eq!(
            (fixture.calls.lock().unwrap().len(), fixture.ran.lock().unwrap().len()),
            (asked, 2 * ran),
            "{said}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn session_budgets_are_independent() {
    let budgets = Budgets { session: tokens(460), ..Budgets::default() };
    let fixture = LoopFixture::new(vec![Turn::Says("Fine.")], with(budgets));
    let engine = fixture.engine();
    let mut states = Vec::new();
    for id in ["a", "b", "c"] {
        states.push(say(&engine, id, "one").await.state);
    }
    assert_eq!(
        states,
        [TaskState::Completed, TaskState::Completed, TaskState::Failed],
        "the third call would exceed the budget"
    );
    assert_eq!(say(&engine, "d", "two").await.state, TaskState::Completed);
    // After a restart, usage is read from the tasks of the session.
    let again = say(&fixture.engine(), "e", "one").await;
    assert!(status_text(&again).starts_with("BTN-3017: the budget of the session is used up: 220 of 460 tokens"));
}

#[tokio::test(start_paused = true)]
async fn concurrent_tasks_do_not_exceed_a_budget_together() {
    let change = |spec: &mut AgentSpec| {
        spec.limits.budgets = Budgets { month: tokens(500), ..Budgets::default() };
        spec.writing.max_output_tokens = Some(100);
    };
    let fixture = LoopFixture::new(vec![Turn::Says("Fine, thank you.")], change);
    let engine = fixture.engine();
    let asked: Vec<(String, String)> = (0..8).map(|n| (format!("m{n}"), format!("c{n}"))).collect();
    let all = join_all(asked.iter().map(|(id, context)| say(&engine, id, context))).await;
    let done = all.iter().filter(|task| task.state == TaskState::Completed).count();
    // Each of the eight calls would fit alone, but no two fit together.
    assert_eq!(done, 1);
    assert_eq!(fixture.calls.lock().unwrap().len(), done, "no call is made beyond the budget");
    let refused = all.iter().find(|task| task.state == TaskState::Failed).unwrap();
    assert!(
        status_text(refused).starts_with("BTN-3017: the budget of the month is used up"),
        "{}",
        status_text(refused)
    );
    assert_eq!(say(&engine, "later", "later").await.state, TaskState::Completed, "the reservation is released");
}

#[tokio::test(start_paused = true)]
async fn monthly_budget_of_an_agent_survives_restarts() {
    let month = Budget { tool_calls: Some(2), ..dollars(1_000_000) };
    let turns = vec![look(), Turn::Says("One."), look(), Turn::Says("Two."), look()];
    let fixture = LoopFixture::new(turns, with(Budgets { month, ..Budgets::default() }));
    assert_eq!(say(&fixture.engine(), "a", "one").await.state, TaskState::Completed);
    assert_eq!(say(&fixture.engine(), "b", "two").await.state, TaskState::Completed);
    let third = say(&fixture.engine(), "c", "three").await;
    assert!(status_text(&third).starts_with("BTN-3017: the budget of the month is used up: 2 tool calls are allowed"));
    assert_eq!(fixture.ran.lock().unwrap().len(), 4, "the call that would exceed did not run");
}
