//! Peers as agents: direct calls, handoffs, questions, cancellation and depth limits.

use crate::{
    check,
    peer_network::{AWAY, FAR, VAGUE, remote},
    world::{World, agent, message},
};
use baton_engine::{Engine, SendCommand, TaskRef};
use baton_types::{AgentSpec, Message, Principal, TaskState, TaskView};
use std::sync::Arc;

fn agents() -> Vec<AgentSpec> {
    vec![agent("boss", &[FAR, VAGUE]), remote(FAR), remote(VAGUE), remote(AWAY)]
}

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

async fn say(engine: &Engine, to: &str, message: Message) -> Arc<TaskView> {
    engine.send_and_settle(&me(), SendCommand::new(to.into(), message)).await.unwrap()
}

fn words(task: &TaskView) -> String {
    task.status_message.as_ref().map(Message::text).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn task_of_a_peer_looks_like_a_local_task() {
    let world = World::default();
    let engine = world.engine_with(agents());
    let task = say(&engine, FAR, message("m", "make tea")).await;
    assert_eq!((task.state, words(&task).as_str()), (TaskState::Completed, "make tea"));
    let outputs: Vec<_> = task.artifacts.iter().map(|artifact| artifact.parts[0].clone()).collect();
    assert_eq!(outputs, [baton_types::Part::text("made"), baton_types::Part::text("make tea")]);
    let roles: Vec<_> = task.history.iter().map(|message| message.role).collect();
    assert_eq!(roles, [baton_types::Role::User, baton_types::Role::Agent]);
    let ask = &world.peers.requests()[0];
    assert_eq!((ask.context.as_str(), ask.depth), (task.context.as_str(), 1), "the context is chosen before the send");

    for (script, state, says) in
        [("fail now", TaskState::Failed, "BTN-3009: it broke"), ("refuse this", TaskState::Rejected, "not mine")]
    {
        let task = say(&engine, FAR, message(script, script)).await;
        assert_eq!((task.state, words(&task).as_str()), (state, says));
    }
    let flickered = say(&engine, FAR, message("f", "flicker")).await;
    assert_eq!((flickered.state, words(&flickered).as_str()), (TaskState::Completed, "flicker"));
    assert!(flickered.version < 300, "drafts do not fill the journal: {}", flickered.version);
    let parent = say(&engine, "boss", message("p", "handoff(far:brew it);say")).await;
    assert_eq!(parent.state, TaskState::Completed, "{parent:?}");
    let all = check::fold_journal(&world.journal).await;
    let handoff = all.handoffs.values().next().unwrap();
    assert_eq!(handoff.handoff.to_agent.as_str(), FAR);
    assert!(handoff.result.as_ref().unwrap().as_str().contains("brew it"), "{:?}", handoff.result);
}

#[tokio::test(start_paused = true)]
async fn question_of_a_peer_fails_an_autonomous_run() {
    let world = World::default();
    let engine = world.engine_with(agents());
    let command = SendCommand { autonomous: true, ..SendCommand::new(FAR.into(), message("m", "ask me")) };
    let task = engine.send_and_settle(&me(), command).await.unwrap();
    let expect = "BTN-3013: 'far' asked a question, and no user is available to answer: which?";
    assert_eq!((task.state, words(&task).as_str()), (TaskState::Failed, expect));
}

#[tokio::test(start_paused = true)]
async fn question_of_a_peer_is_answered_in_the_same_peer_task() {
    let world = World::default();
    let engine = world.engine_with(agents());
    let asked = say(&engine, FAR, message("m", "ask me")).await;
    assert_eq!((asked.state, words(&asked).as_str()), (TaskState::InputRequired, "which?"));
    let answer = Message { task: Some(asked.id.clone()), ..message("a", "the second") };
    let done = say(&engine, FAR, answer).await;
    assert_eq!((done.state, words(&done).as_str()), (TaskState::Completed, "the second"));
    let asks = world.peers.requests();
    let said: Vec<_> = asks.iter().map(|ask| (ask.message.text(), ask.task.clone())).collect();
    let expect = [("ask me".to_owned(), None), ("the second".to_owned(), Some("far-0".to_owned()))];
    assert_eq!(said, expect, "only new messages are sent");

    let asked = say(&engine, FAR, message("m2", "ask me")).await;
    let decision = serde_json::json!({"input_responses": [{"call_id": "there", "decision": "allow_once"}]});
    let parts = vec![baton_types::Part::data(decision.into())];
    let answer = Message { task: Some(asked.id.clone()), parts: parts.clone(), ..message("a2", "") };
    say(&engine, FAR, answer).await;
    assert_eq!(
        world.peers.requests().last().unwrap().message.parts,
        parts,
        "a question of the peer is answered at the peer"
    );

    let next = Message { context: Some(done.context.clone()), ..message("n", "and then") };
    let next = say(&engine, FAR, next).await;
    assert_eq!(next.state, TaskState::Completed);
    assert_eq!(world.peers.requests().last().unwrap().context, asks[0].context, "the peer's conversation continues");
}

#[tokio::test(start_paused = true)]
async fn equal_context_names_of_two_callers_are_distinct_at_a_peer() {
    let world = World::default();
    let engine = world.engine_with(agents());
    let caller = |tenant: &str, subject: &str| {
        Arc::new(Principal { tenant: tenant.into(), subject: subject.into(), scopes: vec!["call".into()] })
    };
    let callers = [me(), caller("local", "ann"), caller("local", "bob"), caller("acme", "ann"), caller("a", "b c")];
    for (number, caller) in callers.iter().enumerate() {
        for turn in 0..2 {
            let said = Message { context: Some("chat".into()), ..message(&format!("{number}-{turn}"), "hello") };
            engine.send_and_settle(caller, SendCommand::new(FAR.into(), said)).await.unwrap();
        }
    }
    let contexts: Vec<String> = world.peers.requests().into_iter().map(|ask| ask.context).collect();
    assert!(
        contexts.chunks(2).all(|turns| turns[0] == turns[1]),
        "each caller continues its own context: {contexts:?}"
    );
    let distinct: std::collections::BTreeSet<_> = contexts.iter().collect();
    assert_eq!(distinct.len(), callers.len(), "{contexts:?}");
    assert_eq!(contexts[0], "chat", "the owner's context names are unchanged");
}

#[tokio::test(start_paused = true)]
async fn cancel_reaches_the_peer() {
    let world = World::default();
    let engine = world.engine_with(agents());
    let sent = engine.send(&me(), SendCommand::new(FAR.into(), message("m", "hang on"))).await.unwrap();
    let reference = TaskRef { task: sent.task.id.clone(), agent: None };
    while world.peers.states().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    engine.cancel(&me(), &reference).await.unwrap();
    while world.peers.states() != [TaskState::Canceled] {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    let late = engine.send(&me(), SendCommand::new(FAR.into(), message("n", "hang on"))).await.unwrap();
    engine.cancel(&me(), &TaskRef { task: late.task.id.clone(), agent: None }).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(
        world.peers.states().iter().all(|state| *state == TaskState::Canceled),
        "also if the task of the peer is not known yet"
    );
}

#[tokio::test(start_paused = true)]
async fn message_of_a_canceled_task_is_not_sent_later() {
    let world = World::default();
    let engine = world.engine_with(agents());
    let failed = say(&engine, AWAY, message("m", "hang on")).await;
    assert_eq!(failed.state, TaskState::Failed);
    let sent = engine.send(&me(), SendCommand::new(AWAY.into(), message("n", "hang on"))).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    engine.cancel(&me(), &TaskRef { task: sent.task.id.clone(), agent: None }).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
    assert_eq!((world.peers.requests().len(), world.peers.states()), (0, Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn handoff_depth_is_limited_across_peers() {
    let world = World::default();
    let engine = world.engine_with(agents());
    let deep = |to: &str, script: &str, depth| {
        let command = SendCommand { depth, ..SendCommand::new(to.into(), message(script, script)) };
        let engine = engine.clone();
        async move { engine.send_and_settle(&me(), command).await.unwrap() }
    };
    assert_eq!(deep(FAR, "four", 4).await.state, TaskState::Completed);
    let refused = deep(FAR, "five", 5).await;
    assert_eq!(refused.state, TaskState::Failed);
    assert!(words(&refused).starts_with("BTN-3006"), "{}", words(&refused));
    let refused = deep("boss", "handoff(far:six);say", 5).await;
    assert!(refused.history.iter().any(|message| format!("{message:?}").contains("BTN-3006")), "{refused:?}");
    assert_eq!(world.peers.requests().len(), 1, "the refused calls were not sent");
    assert_eq!(world.peers.requests()[0].depth, 5);
}

#[tokio::test(start_paused = true)]
async fn excessive_or_duplicate_calls_of_a_peer_are_refused() {
    let world = World::default();
    let engine = world.engine_with(agents());
    for (script, expected) in [("lend a flood", "the limit is 64"), ("lend twice", "the same id")] {
        let failed = say(&engine, FAR, message(script, script)).await;
        assert_eq!(failed.state, TaskState::Failed);
        let words = words(&failed);
        assert!(words.starts_with("BTN-3009") && words.contains(expected), "{words}");
    }
    assert!(world.runs.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn caller_tools_of_a_peer_run_locally_once() {
    let world = World::default();
    let engine = world.engine_with(agents());
    let asked = say(&engine, FAR, message("m", "lend a hand")).await;
    assert_eq!(asked.state, TaskState::InputRequired, "one of the tools asks");
    assert!(words(&asked).contains("guess: Which?"), "{}", words(&asked));
    let answer = Message { task: Some(asked.id.clone()), ..message("a", "blue") };
    let done = say(&engine, FAR, answer).await;
    assert_eq!(done.state, TaskState::Completed);
    let asks = world.peers.requests();
    let [first, second] = asks.as_slice() else { panic!("{asks:?}") };
    assert_eq!((first.message.text().as_str(), first.task.as_deref()), ("lend a hand", None));
    assert_eq!(second.task.as_deref(), Some("far-0"), "the results go to the same task");
    let results = baton_rules::parse_tool_results(&second.message).unwrap();
    let results: Vec<_> = results.iter().map(|result| (result.name.as_str(), result.output.to_plain_text())).collect();
    let guessed = "guess done with {\"which\":\"blue\"}".to_owned();
    assert_eq!(results, [("far_act", "far_act done".to_owned()), ("guess", guessed)], "all results are in one message");
    check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;

    // A caller that runs the tools gets the calls.
    let command = SendCommand {
        tool_execution: Some(baton_types::ToolExecution::Caller),
        ..SendCommand::new(FAR.into(), message("c", "lend a hand"))
    };
    let passed = engine.send_and_settle(&me(), command).await.unwrap();
    assert_eq!(passed.state, TaskState::InputRequired);
    assert_eq!(baton_rules::parse_tool_calls(passed.status_message.as_ref().unwrap()).len(), 2);
    // So does a caller of a peer without a known Environment.
    let passed = say(&engine, VAGUE, message("v", "lend a hand")).await;
    assert_eq!(passed.state, TaskState::InputRequired);
}
