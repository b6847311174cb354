//! Questions of child tasks: forwarded to the caller, with the answers forwarded back.

use crate::{
    answering::requests_in,
    check::{self, fold_journal},
    slow_journal::SlowJournal,
    world::{World, agent, message},
};
use baton_engine::{Engine, EngineError, SendCommand, TaskRef};
use baton_rules::{TaskRecord, error_codes};
use baton_types::{
    ErrorCode, HandoffEvent, HandoffStatus, JournalEvent, Message, Part, Principal, Role, TaskId, TaskState, TaskView,
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

async fn say(engine: &Engine, agent: &str, message: Message) -> Result<Arc<TaskView>, EngineError> {
    engine.send_and_settle(&me(), SendCommand::new(agent.into(), message)).await
}

fn to(task: &TaskId, id: &str, part: Part) -> Message {
    Message { task: Some(task.clone()), ..Message::new(id.into(), Role::User, vec![part]) }
}

fn decide(entries: &[Value]) -> Part {
    Part::data(json!({ "input_responses": entries }).into())
}

fn requests(view: &TaskView) -> Vec<Value> {
    requests_in(view.status_message.as_ref().unwrap())
}

fn answer(request: &Value, decision: &str) -> Value {
    json!({"task_id": request["task_id"], "call_id": request["call_id"], "decision": decision, "digest": request["digest"]})
}

async fn task_of(world: &World, agent: &str) -> TaskRecord {
    let all = fold_journal(&world.journal).await;
    all.tasks.into_values().filter(|task| task.agent.as_str() == agent).max_by_key(|task| task.id.clone()).unwrap()
}

/// Tool results of a task, as text.
fn results(task: &TaskRecord) -> String {
    task.history
        .iter()
        .flat_map(|message| baton_rules::parse_tool_results(message).unwrap_or_default())
        .map(|result| result.output.to_plain_text())
        .collect::<Vec<_>>()
        .join(" | ")
}

async fn settled(engine: &Engine, task: &TaskId) -> Arc<TaskView> {
    let task = TaskRef { task: task.clone(), agent: None };
    loop {
        let view = engine.task(&me(), &task).await.unwrap();
        if view.state.is_terminal() {
            return view;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn approval_is_forwarded_up_and_answered_days_later() {
    for (decision, expected) in [("allow_once", "gate done"), ("deny", "BTN-3012")] {
        let world = World::default();
        let asked = say(&world.engine(), "boss", message("m", "handoff(gate/say),look;say")).await.unwrap();
        assert_eq!(asked.state, TaskState::InputRequired);
        let child = task_of(&world, "worker").await;
        let [request] = requests(&asked).try_into().unwrap();
        assert_eq!(request["task_id"], child.id.as_str(), "the request is addressed by child task and call");
        assert_eq!((&request["agent"], &request["tool"]), (&json!("worker"), &json!("gate")));
        assert_eq!(results(&task_of(&world, "boss").await), "", "the turn is not over");
        assert!(world.runs.lock().unwrap().len() == 1, "only the call without approval ran");

        // Waiting for an answer does not count towards the handoff's deadline of one hour.
        tokio::time::sleep(Duration::from_secs(3 * 24 * 3600)).await;
        let engine = world.engine();
        engine.recover().await.unwrap();
        let done = say(&engine, "boss", to(&asked.id, "a", decide(&[answer(&request, decision)]))).await.unwrap();
        assert_eq!(done.state, TaskState::Completed);
        let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
        assert!(results(&all.tasks[&child.id]).contains(expected), "{}", results(&all.tasks[&child.id]));
        let record = all.handoffs.values().next().unwrap();
        assert_eq!(record.status, HandoffStatus::Completed);
        let moves: Vec<HandoffStatus> = check::all_events(&world.journal)
            .await
            .iter()
            .filter_map(|event| match &event.fact {
                JournalEvent::Handoff(HandoffEvent::StatusChanged { to, .. }) => Some(*to),
                _ => None,
            })
            .collect();
        use HandoffStatus::{Accepted, Completed, InProgress, InputRequired};
        assert_eq!(moves, [Accepted, InProgress, InputRequired, InProgress, Completed]);
    }
}

#[tokio::test(start_paused = true)]
async fn teamspark_9_mixed_turn_runs_allowed_calls_and_asks_for_the_rest() {
    let world = World::default();
    let engine = world.engine();
    let asked = say(&engine, "boss", message("m", "look,gate,gate;gate;say")).await.unwrap();
    let [first, second] = requests(&asked).try_into().unwrap();
    assert_eq!(world.runs.lock().unwrap().len(), 1, "the call without approval ran");
    let part = say(&engine, "boss", to(&asked.id, "a", decide(&[answer(&first, "deny")]))).await.unwrap();
    assert_eq!(
        (part.state, requests(&part)),
        (TaskState::InputRequired, vec![second.clone()]),
        "the remaining call is requested again"
    );
    let twice = say(&engine, "boss", to(&asked.id, "b", decide(&[answer(&first, "allow_once")]))).await.unwrap_err();
    assert_eq!(twice.code(), error_codes::ANSWER_INVALID, "an answered request cannot be answered again");
    let changed = json!({"call_id": second["call_id"], "decision": "allow_once", "digest": "sha256:0"});
    let changed = say(&engine, "boss", to(&asked.id, "c", decide(&[changed]))).await.unwrap_err();
    assert_eq!(changed.code(), error_codes::ANSWER_INVALID, "a digest of other arguments is refused");
    let done = say(&engine, "boss", to(&asked.id, "d", decide(&[answer(&second, "allow_session")]))).await.unwrap();
    assert_eq!(done.state, TaskState::Completed, "the third call is allowed for the session");
    assert_eq!(world.runs.lock().unwrap().len(), 3);
    let denied = results(&task_of(&world, "boss").await);
    assert!(denied.contains("BTN-3012"), "the model reads the denial: {denied}");

    // The approval holds for this conversation only.
    let mut more = message("m2", "gate;say");
    more.context = Some(done.context.clone());
    assert_eq!(say(&engine, "boss", more).await.unwrap().state, TaskState::Completed);
    let other = say(&engine, "boss", message("m3", "gate;say")).await.unwrap();
    assert_eq!(other.state, TaskState::InputRequired);
}

#[tokio::test(start_paused = true)]
async fn child_that_is_answered_directly_resumes_its_parents() {
    let world = World::default();
    let engine = world.engine();
    let asked = say(&engine, "boss", message("m", "handoff(gate/ask_user/say);say")).await.unwrap();
    let child = task_of(&world, "worker").await;
    let again = say(&engine, "worker", to(&child.id, "a", Part::text("yes"))).await.unwrap();
    assert_eq!(again.state, TaskState::InputRequired, "the child asks another question");
    // The parent resumes and shows the new question.
    let question = loop {
        let view = engine.task(&me(), &TaskRef { task: asked.id.clone(), agent: None }).await.unwrap();
        if view.state == TaskState::InputRequired && view.status_message.as_ref().unwrap().text().contains("which?") {
            break view;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    let [request] = requests(&question).try_into().unwrap();
    assert_eq!((&request["task_id"], &request["message"]), (&json!(child.id.as_str()), &json!("which?")));
    let done = say(&engine, "boss", to(&asked.id, "b", Part::text("this one"))).await.unwrap();
    assert_eq!(done.state, TaskState::Completed, "plain text is enough if one agent asks");
    let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
    assert!(results(&all.tasks[&child.id]).contains("this one"));
    let model_input = world.model_inputs.lock().unwrap().concat();
    let users = model_input
        .iter()
        .filter(|said| matches!(said, baton_ports::ChatMessage::User { text, .. } if text == "this one"));
    assert_eq!(users.count(), 0, "the answer to the child is not sent to the parent's model");
}

#[tokio::test(start_paused = true)]
async fn child_that_ended_during_a_crash_is_noticed_after_restart() {
    let world = World::default();
    let engine = world.engine();
    let asked = say(&engine, "boss", message("m", "handoff(gate/say);say")).await.unwrap();
    let child = task_of(&world, "worker").await;
    engine.shutdown(Duration::from_secs(1)).await;
    drop(engine);
    // The child ends without its parent, as if the process had crashed right after.
    let lonely = world.engine_with(vec![crate::world::agent("worker", &[])]);
    lonely.cancel(&me(), &TaskRef { task: child.id.clone(), agent: None }).await.unwrap();
    lonely.shutdown(Duration::from_secs(1)).await;
    drop(lonely);
    let before = task_of(&world, "boss").await;
    assert!(before.waits_for_child(), "the parent still waits");

    let engine = world.engine();
    engine.recover().await.unwrap();
    let done = settled(&engine, &asked.id).await;
    assert_eq!(done.state, TaskState::Completed);
    let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
    assert!(results(&all.tasks[&done.id]).contains("canceled"), "{}", results(&all.tasks[&done.id]));
}

#[tokio::test(start_paused = true)]
async fn canceling_a_parent_cancels_its_waiting_child() {
    let world = World::default();
    let engine = world.engine();
    let asked = say(&engine, "boss", message("m", "handoff(gate/say);say")).await.unwrap();
    engine.cancel(&me(), &TaskRef { task: asked.id.clone(), agent: None }).await.unwrap();
    engine.shutdown(Duration::from_secs(5)).await;
    let all = check::assert_invariants(&world, std::slice::from_ref(&asked.id)).await;
    assert_eq!(all.handoffs.values().next().unwrap().status, HandoffStatus::Cancelled);
    assert!(world.runs.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn invalid_answers_change_nothing() {
    let world = World::default();
    let engine = world.engine();
    let asked = say(&engine, "boss", message("m", "handoff(gate/say);say")).await.unwrap();
    let [request] = requests(&asked).try_into().unwrap();
    let before = check::all_events(&world.journal).await.len();
    let mut changed = answer(&request, "allow_once");
    changed["digest"] = json!("sha256:0");
    let unknown = json!({"task_id": "nobody", "call_id": "x", "decision": "allow_once"});
    let other = json!({"task_id": request["task_id"], "call_id": "x", "decision": "allow_once"});
    for (at, wrong) in [changed, unknown, other].into_iter().enumerate() {
        let refused = say(&engine, "boss", to(&asked.id, &format!("w{at}"), decide(&[wrong]))).await.unwrap_err();
        assert_eq!(refused.code(), error_codes::ANSWER_INVALID, "{refused}");
    }
    let stranger = Arc::new(Principal { subject: "mallory".into(), ..Principal::local() });
    let message = to(&asked.id, "s", decide(&[answer(&request, "allow_once")]));
    let refused = engine.send_and_settle(&stranger, SendCommand::new("boss".into(), message)).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::TASK_NOT_FOUND);
    assert_eq!(check::all_events(&world.journal).await.len(), before, "nothing was written");
    let asked_again = engine.task(&me(), &TaskRef { task: asked.id.clone(), agent: None }).await.unwrap();
    assert_eq!(asked_again.state, TaskState::InputRequired);

    let done = say(&engine, "boss", to(&asked.id, "a", decide(&[answer(&request, "allow_once")]))).await.unwrap();
    assert_eq!(done.state, TaskState::Completed);
    let late = say(&engine, "boss", to(&asked.id, "b", decide(&[answer(&request, "allow_once")]))).await.unwrap_err();
    assert_eq!(late.code(), ErrorCode::TASK_FINISHED);
}

#[tokio::test(start_paused = true)]
async fn answer_during_the_forwarding_of_its_question_is_noticed() {
    let world = World::default();
    let mut journal = SlowJournal::new(Arc::new(world.journal.clone()), Duration::from_millis(1));
    journal.record_delay = Duration::from_millis(500);
    let engine = world.engine_on(Arc::new(journal));
    let command = SendCommand::new("boss".into(), message("m", "handoff(gate/say);say"));
    let sent = engine.send(&me(), command).await.unwrap();
    let child = loop {
        let all = fold_journal(&world.journal).await;
        if let Some(task) = all.tasks.into_values().find(|task| task.state == TaskState::InputRequired) {
            break task;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    assert_eq!(child.agent.as_str(), "worker", "the parent does not show the question yet");
    say(&engine, "worker", to(&child.id, "a", Part::text("yes"))).await.unwrap();
    let done = tokio::time::timeout(Duration::from_secs(60), settled(&engine, &sent.task.id)).await;
    let done = done.expect("the parent resumes after the answer");
    assert_eq!(done.state, TaskState::Completed);
    let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
    assert!(results(&all.tasks[&child.id]).contains("gate done"));
}

#[tokio::test(start_paused = true)]
async fn answers_with_a_repeated_message_id_are_accepted() {
    let world = World::default();
    let engine = world.engine();
    let asked = say(&engine, "boss", message("m", "handoff(gate/gate/say);say")).await.unwrap();
    let again = say(&engine, "boss", to(&asked.id, "m", Part::text("yes"))).await.unwrap();
    assert_eq!(again.state, TaskState::InputRequired);
    assert_ne!(requests(&asked), requests(&again), "it is another call");
    let done = say(&engine, "boss", to(&asked.id, "m", Part::text("yes"))).await.unwrap();
    assert_eq!(done.state, TaskState::Completed, "{:?}", done.status_message);
}

#[tokio::test(start_paused = true)]
async fn denied_tools_are_denied_on_every_path() {
    let deny = |tool: &str| baton_types::PermissionRule {
        server: None,
        tool: tool.to_owned(),
        arguments: Vec::new(),
        permission: baton_types::Permission::Deny,
    };
    for (script, tool) in
        [("list_agents;say", "list_agents"), ("call_agent(say);say", "call_agent"), ("borrow_agent;say", "handoff")]
    {
        let world = World::default();
        let mut boss = agent("boss", &["worker"]);
        boss.orchestration = Some(Default::default());
        boss.policy.rules = vec![deny(tool)];
        let engine = world.engine_with(vec![boss, agent("worker", &[])]);
        let done = say(&engine, "boss", message("m", script)).await.unwrap();
        let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
        let results = results(&all.tasks[&done.id]);
        assert!(results.contains("did not run"), "{script}: {results}");
        assert_eq!((all.tasks.len(), all.handoffs.len()), (1, 0), "{script}: no work was handed off");
    }
    // A caller that runs the tools gets the allowed calls only.
    let world = World::default();
    let mut boss = agent("boss", &["worker"]);
    boss.policy.rules = vec![deny("act"), deny("handoff")];
    let engine = world.engine_with(vec![boss, agent("worker", &[])]);
    let execution = baton_types::ToolExecution::Caller;
    let message_of = message("m", "act,look,handoff(say);say");
    let command = SendCommand { tool_execution: Some(execution), ..SendCommand::new("boss".into(), message_of) };
    let asked = engine.send_and_settle(&me(), command).await.unwrap();
    let calls = baton_rules::parse_tool_calls(asked.status_message.as_ref().unwrap());
    assert_eq!(calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["look"]);

    // A handoff that needs approval cannot be reached through sampling either.
    let world = World::default();
    let mut boss = agent("boss", &["worker"]);
    boss.policy.rules =
        vec![baton_types::PermissionRule { permission: baton_types::Permission::Ask, ..deny("handoff") }];
    let engine = world.engine_with(vec![boss, agent("worker", &[])]);
    let done = say(&engine, "boss", message("m", "borrow_agent;say")).await.unwrap();
    let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
    assert!(results(&all.tasks[&done.id]).contains("did not run"), "{}", results(&all.tasks[&done.id]));
    assert!(all.handoffs.is_empty());
}

#[tokio::test(start_paused = true)]
async fn answered_child_does_not_wait_for_its_siblings() {
    let world = World::default();
    let engine = world.engine();
    let asked = say(&engine, "boss", message("m", "handoff(gate/say),handoff(gate/say);say")).await.unwrap();
    let [first, second] = requests(&asked).try_into().unwrap();
    let part = say(&engine, "boss", to(&asked.id, "a", decide(&[answer(&first, "allow_once")]))).await.unwrap();
    assert_eq!((part.state, requests(&part)), (TaskState::InputRequired, vec![second.clone()]));
    let child = TaskId::from(first["task_id"].as_str().unwrap());
    let done = tokio::time::timeout(Duration::from_secs(60), settled(&engine, &child)).await;
    assert_eq!(done.expect("the child resumes after its answer").state, TaskState::Completed);

    // Longer than the deadline of the first handoff.
    tokio::time::sleep(Duration::from_secs(3 * 24 * 3600)).await;
    let done = say(&engine, "boss", to(&asked.id, "b", decide(&[answer(&second, "allow_once")]))).await.unwrap();
    assert_eq!(done.state, TaskState::Completed);
    let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
    let ends: Vec<_> = all.handoffs.values().map(|record| record.status).collect();
    assert_eq!(ends, [HandoffStatus::Completed; 2]);
}

#[tokio::test(start_paused = true)]
async fn handoff_targets_are_the_listed_agents_or_all_public_ones() {
    let lent = || crate::world::agent("lent", &[]);
    let open = baton_types::AgentSpec { enable_handoff: true, ..crate::world::agent("boss", &[]) };
    let named = crate::world::agent("boss", &["lent"]);
    for (boss, to, expected) in [
        (open.clone(), "worker", "\"response\":\"["),
        (open, "lent", "agent 'lent' is not known here; known: worker"),
        (named.clone(), "lent", "\"response\":\"["),
        (named, "worker", "may not hand work to 'worker'; allowed agents: lent"),
    ] {
        let world = World::default();
        let engine = world.engine_with(vec![boss, crate::world::agent("worker", &[]), lent()]);
        say(&engine, "boss", message("m", &format!("handoff({to}:now);say"))).await.unwrap();
        let observed = results(&task_of(&world, "boss").await);
        assert!(observed.contains(expected), "{to}: {observed}");
    }
}
