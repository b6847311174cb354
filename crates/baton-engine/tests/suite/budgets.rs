//! Budgets of tokens, money and tool calls, of runs, sessions and months: the call that would exceed is not made.

use crate::{
    quality::{Scene, Turn, last_words, me},
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

/// Each model call uses 110 tokens, which cost 11000 millionths; one that looks comes before each answer.
#[tokio::test(start_paused = true)]
async fn a_run_ends_before_the_call_that_would_exceed() {
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
        let scene = Scene::new(vec![look()], with(Budgets { run, ..Budgets::default() }));
        let (task, _) = scene.play().await;
        let said = last_words(&task);
        assert_eq!(task.state, TaskState::Failed, "{said}");
        assert!(said.starts_with(&format!("BTN-3017: {words}")), "{said}");
        assert!(said.ends_with("raise settings.budgets.run in agent.yaml"), "{said}");
        assert_eq!((scene.calls.lock().unwrap().len(), scene.ran.lock().unwrap().len()), (asked, 2 * ran), "{said}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_has_its_own_budget_and_another_session_another() {
    let budgets = Budgets { session: tokens(460), ..Budgets::default() };
    let scene = Scene::new(vec![Turn::Says("Fine.")], with(budgets));
    let engine = scene.engine();
    let mut states = Vec::new();
    for id in ["a", "b", "c"] {
        states.push(say(&engine, id, "one").await.state);
    }
    assert_eq!(states, [TaskState::Completed, TaskState::Completed, TaskState::Failed], "the third would exceed");
    assert_eq!(say(&engine, "d", "two").await.state, TaskState::Completed);
    // After a restart it is read from what the session's tasks used.
    let again = say(&scene.engine(), "e", "one").await;
    assert!(last_words(&again).starts_with("BTN-3017: the budget of the session is used up: 220 of 460 tokens"));
}

#[tokio::test(start_paused = true)]
async fn what_begins_together_does_not_exceed_together() {
    let change = |spec: &mut AgentSpec| {
        spec.limits.budgets = Budgets { month: tokens(500), ..Budgets::default() };
        spec.writing.max_output_tokens = Some(100);
    };
    let scene = Scene::new(vec![Turn::Says("Fine, thank you.")], change);
    let engine = scene.engine();
    let asked: Vec<(String, String)> = (0..8).map(|n| (format!("m{n}"), format!("c{n}"))).collect();
    let all = join_all(asked.iter().map(|(id, context)| say(&engine, id, context))).await;
    let done = all.iter().filter(|task| task.state == TaskState::Completed).count();
    // Each of the eight would fit alone, and no two together.
    assert_eq!(done, 1);
    assert_eq!(scene.calls.lock().unwrap().len(), done, "what may not be done is not asked for");
    let refused = all.iter().find(|task| task.state == TaskState::Failed).unwrap();
    assert!(last_words(refused).starts_with("BTN-3017: the budget of the month is used up"), "{}", last_words(refused));
    assert_eq!(say(&engine, "later", "later").await.state, TaskState::Completed, "what was set aside is free again");
}

#[tokio::test(start_paused = true)]
async fn an_agent_has_a_budget_for_the_month_that_survives_restarts() {
    let month = Budget { tool_calls: Some(2), ..dollars(1_000_000) };
    let turns = vec![look(), Turn::Says("One."), look(), Turn::Says("Two."), look()];
    let scene = Scene::new(turns, with(Budgets { month, ..Budgets::default() }));
    assert_eq!(say(&scene.engine(), "a", "one").await.state, TaskState::Completed);
    assert_eq!(say(&scene.engine(), "b", "two").await.state, TaskState::Completed);
    let third = say(&scene.engine(), "c", "three").await;
    assert!(last_words(&third).starts_with("BTN-3017: the budget of the month is used up: 2 tool calls are allowed"));
    assert_eq!(scene.ran.lock().unwrap().len(), 4, "the call that would exceed did not run");
}
