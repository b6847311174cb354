//! Handoffs of callers that are not tasks: the same rules as for other handoffs, and always recorded.

use crate::{
    check::fold_journal,
    world::{World, agent},
};
use baton_engine::Engine;
use baton_ports::{HandoffOutcome, HandoffRequest, HandoffService};
use baton_types::{
    AgentSpec, ChannelReason, ErrorCode, HandoffChannel, HandoffStatus, Principal, TaskState, ToolExecution,
};
use std::{sync::Arc, time::Duration};

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

fn ask(to: &str, message: &str) -> HandoffRequest {
    HandoffRequest {
        from: "boss".into(),
        agent_uri: to.to_owned(),
        message: message.to_owned(),
        context: None,
        depth: 0,
        trace: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
        task: None,
        call: None,
        autonomous: false,
        reason: None,
    }
}

async fn only_status(world: &World) -> HandoffStatus {
    fold_journal(&world.journal).await.handoffs.values().next().unwrap().status
}

#[tokio::test(start_paused = true)]
async fn direct_handoff_creates_a_record_and_a_task() {
    let world = World::default();
    let engine = world.engine();
    let reply = engine.hand_over(&me(), ask("worker", "look;say")).await.unwrap();
    assert_eq!(reply.state, TaskState::Completed);
    let all = fold_journal(&world.journal).await;
    let record = all.handoffs.values().next().unwrap();
    assert_eq!((record.status, record.handoff.channel), (HandoffStatus::Completed, HandoffChannel::Direct));
    let result = record.result.as_ref().unwrap().to_value();
    assert_eq!(result["task_id"], reply.task.as_str(), "{result}");
    assert!(record.handoff.trace.is_some());
    for (to, depth, expected) in [("stranger", 0, "may not hand work"), ("boss", 0, "cycle"), ("worker", 5, "limit")] {
        let refused = engine.hand_over(&me(), HandoffRequest { depth, ..ask(to, "say") }).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::HANDOFF_REFUSED);
        assert!(refused.detail.contains(expected), "{}", refused.detail);
    }
    assert_eq!(fold_journal(&world.journal).await.handoffs.len(), 1, "a refused handoff leaves no record");
}

#[tokio::test(start_paused = true)]
async fn dropped_handoff_cancels_its_task_and_its_record() {
    let world = World::default();
    let engine = world.engine();
    let left = tokio::time::timeout(Duration::from_millis(50), engine.hand_over(&me(), ask("worker", "hang"))).await;
    assert!(left.is_err());
    engine.shutdown(Duration::from_secs(5)).await;
    let all = fold_journal(&world.journal).await;
    assert_eq!(all.handoffs.values().next().unwrap().status, HandoffStatus::Cancelled);
    assert!(all.tasks.values().all(|task| task.state == TaskState::Canceled));
}

#[tokio::test(start_paused = true)]
async fn direct_handoff_waits_for_the_answer_to_a_question() {
    let world = World::default();
    let engine = world.engine();
    let handing = engine.clone();
    let handed = tokio::spawn(async move { handing.hand_over(&me(), ask("worker", "gate;say")).await });
    let task = loop {
        let all = fold_journal(&world.journal).await;
        let asked = all.handoffs.values().any(|record| record.status == HandoffStatus::InputRequired);
        if let Some(task) = all.tasks.into_values().find(|task| asked && task.state == TaskState::InputRequired) {
            break task;
        }
        // Paused time advances only when all tasks wait; by then the journal has both facts.
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    crate::answering::answer(&engine, &task.id).await;
    assert_eq!(handed.await.unwrap().unwrap().state, TaskState::Completed);
    assert_eq!(only_status(&world).await, HandoffStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn handoff_to_an_agent_with_caller_tools_fails_immediately() {
    let world = World::default();
    let worker = AgentSpec { tool_execution: ToolExecution::Caller, ..agent("worker", &[]) };
    let engine = world.engine_with(vec![agent("boss", &["worker"]), worker]);
    let handed = tokio::time::timeout(Duration::from_secs(1), engine.hand_over(&me(), ask("worker", "look;say"))).await;
    let refused = handed.expect("the handoff ends long before its deadline").unwrap_err();
    assert_eq!(refused.code, ErrorCode::HANDOFF_FAILED);
    assert!(refused.detail.contains("expects its caller to run its tools"), "{}", refused.detail);
    engine.shutdown(Duration::from_secs(5)).await;
    assert_eq!(only_status(&world).await, HandoffStatus::Failed);
    assert!(fold_journal(&world.journal).await.tasks.values().all(|task| task.state == TaskState::Canceled));
}

#[tokio::test(start_paused = true)]
async fn handoff_outcome_is_accepted_once_before_its_deadline() {
    let world = World::default();
    let engine: Engine = world.engine_with(vec![agent("boss", &["worker"]), agent("worker", &[])]);
    let done = |response: &str| HandoffOutcome::Completed { response: response.to_owned(), task: None, context: None };
    let ticket = engine.begin(&me(), ask("worker", "look"), HandoffChannel::Sampling).await.unwrap();
    assert_eq!((ticket.depth, only_status(&world).await), (1, HandoffStatus::InProgress));
    let stranger = Principal { subject: "mallory".into(), ..Principal::local() };
    assert!(engine.end(&stranger, &ticket.id, done("mine")).await.is_err(), "the handoff belongs to another principal");
    assert!(engine.end(&me(), &ticket.id, done("first")).await.unwrap());
    assert!(!engine.end(&me(), &ticket.id, done("second")).await.unwrap());
    let record = engine.handoff(&me(), &ticket.id).await.unwrap().unwrap();
    assert_eq!(record.result.unwrap().to_value()["response"], "first");

    let late = engine.begin(&me(), ask("worker", "look"), HandoffChannel::InputRequired).await.unwrap();
    tokio::time::sleep(Duration::from_secs(100_000)).await;
    let seen = engine.handoff(&me(), &late.id).await.unwrap().unwrap();
    assert_eq!(seen.status, HandoffStatus::Timeout, "an expired handoff is read as timed out");
    assert!(!engine.end(&me(), &late.id, done("late")).await.unwrap());

    // A tool began a handoff and died with its process; its task does not know the record.
    let of_tool = HandoffRequest { task: Some("t".into()), call: Some("c".into()), ..ask("worker", "look") };
    let left = engine.begin(&me(), of_tool, HandoffChannel::Direct).await.unwrap();
    tokio::time::sleep(Duration::from_secs(100_000)).await;
    let seen = engine.handoff(&me(), &left.id).await.unwrap().unwrap();
    assert_eq!(seen.status, HandoffStatus::Timeout);
}

#[tokio::test(start_paused = true)]
async fn sampled_handoff_is_reclaimed_once() {
    let world = World::default();
    let engine = world.engine();
    let begin = |reason| HandoffRequest { reason: Some(reason), ..ask("worker", "look;say") };
    let asked = begin(ChannelReason::CallerRunsTools);
    let ticket = engine.begin(&me(), asked.clone(), HandoffChannel::Sampling).await.unwrap();
    let record = engine.handoff(&me(), &ticket.id).await.unwrap().unwrap();
    assert_eq!(record.handoff.channel_reason, Some(ChannelReason::CallerRunsTools));

    let owner = me();
    let take_back = || engine.reclaim(&owner, &ticket.id, asked.clone(), "gpt-5");
    let (first, second) = tokio::join!(take_back(), take_back());
    let replies: Vec<_> = [first.unwrap(), second.unwrap()].into_iter().flatten().collect();
    assert_eq!(
        replies.iter().map(|reply| reply.state).collect::<Vec<_>>(),
        [TaskState::Completed],
        "the handoff is reclaimed once"
    );
    assert_eq!(take_back().await.unwrap(), None, "the handoff has ended");
    let record = engine.handoff(&me(), &ticket.id).await.unwrap().unwrap();
    assert_eq!((record.status, record.handoff.channel), (HandoffStatus::Completed, HandoffChannel::Direct));
    assert_eq!(record.handoff.channel_reason, Some(ChannelReason::OtherModel));
    assert_eq!(record.answered_model.as_deref(), Some("gpt-5"));
    assert_eq!(record.result.unwrap().to_value()["task_id"], replies[0].task.as_str());
    let all = fold_journal(&world.journal).await;
    assert_eq!((all.handoffs.len(), all.tasks.len()), (1, 1), "the agent was asked once");

    // Deadline and rules apply to both channels.
    let late = engine.begin(&me(), ask("worker", "look"), HandoffChannel::InputRequired).await.unwrap();
    tokio::time::sleep(Duration::from_secs(100_000)).await;
    assert_eq!(engine.reclaim(&me(), &late.id, ask("worker", "look"), "gpt-5").await.unwrap(), None);
    let open = engine.begin(&me(), ask("worker", "look"), HandoffChannel::InputRequired).await.unwrap();
    let refused = engine.reclaim(&me(), &open.id, ask("stranger", "look"), "gpt-5").await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::HANDOFF_REFUSED);
    let record = engine.handoff(&me(), &open.id).await.unwrap().unwrap();
    assert_eq!((record.status, record.error), (HandoffStatus::Failed, Some(refused.detail)));
}
