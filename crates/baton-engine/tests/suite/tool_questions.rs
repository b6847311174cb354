//! Tool questions, approvals, and requests of tools to their run.

use crate::{
    answering::requests_in,
    check::{self, fold_journal},
    world::{World, agent, message},
};
use baton_engine::{Engine, EngineError, SendCommand};
use baton_ports::{AgentInvoker, AgentRequest, ChatMessage};
use baton_rules::error_codes;
use baton_types::{
    AgentSpec, ErrorCode, JournalEvent, Message, Orchestration, Part, Principal, Role, TaskEvent, TaskState, TaskView,
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

async fn say(engine: &Engine, message: Message) -> Result<Arc<TaskView>, EngineError> {
    engine.send_and_settle(&me(), SendCommand::new("boss".into(), message)).await
}

fn to(task: &TaskView, id: &str, part: Part) -> Message {
    Message { task: Some(task.id.clone()), ..Message::new(id.into(), Role::User, vec![part]) }
}

/// Tool results of a task, oldest first.
async fn results(world: &World, task: &TaskView) -> Vec<String> {
    let all = fold_journal(&world.journal).await;
    let result = |fact: &JournalEvent| match fact {
        JournalEvent::Task(TaskEvent::ToolFinished { result }) => Some(result.output.to_plain_text()),
        _ => None,
    };
    all.events[&task.id].iter().filter_map(|event| result(&event.fact)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_question_of_a_tool_waits_for_its_answer_across_a_restart() {
    let world = World::default();
    let asked = say(&world.engine(), message("m", "quiz,look;say")).await.unwrap();
    assert_eq!(asked.state, TaskState::InputRequired);
    let status = asked.status_message.clone().unwrap();
    let [request] = requests_in(&status).try_into().unwrap();
    assert_eq!((&request["key"], &request["message"]), (&json!("pick"), &json!("Which?")));
    assert_eq!(request["schema"]["required"], json!(["which"]));
    assert_eq!(status.text(), "quiz: Which?", "the question is readable as text");

    // A new engine receives the answer.
    let engine = world.engine();
    engine.recover().await.unwrap();
    let responses = json!({"input_responses": [{
        "call_id": request["call_id"], "key": "pick", "action": "accept", "content": {"which": "blue"}}]});
    let done = say(&engine, to(&asked, "a", Part::data(responses.into()))).await.unwrap();
    assert_eq!(done.state, TaskState::Completed);
    assert_eq!(results(&world, &done).await, ["look done", "quiz done with {\"which\":\"blue\"}"]);
    let model_input = world.model_inputs.lock().unwrap().last().unwrap().clone();
    let users = model_input.iter().filter(|message| matches!(message, ChatMessage::User { .. })).count();
    assert_eq!(users, 1, "the answer to a tool is not sent to the model: {model_input:?}");
    check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
}

#[tokio::test(start_paused = true)]
async fn invalid_answers_change_nothing() {
    let world = World::default();
    let engine = world.engine();
    let asked = say(&engine, message("m", "quiz;say")).await.unwrap();
    let respond = |response: Value| Part::data(json!({ "input_responses": [response] }).into());
    let wrong = [
        (respond(json!({"key": "pick", "content": {"which": 7}})), "at '/which': must be a string, not 7"),
        (respond(json!({"key": "pick", "content": {}})), "'which' is missing"),
        (respond(json!({"key": "other", "content": {}})), "key must be one of: pick"),
        (respond(json!({"call_id": "nobody", "key": "pick"})), "call_id must be one of: "),
        (respond(json!({"action": "maybe"})), "unknown variant `maybe`"),
    ];
    for (index, (part, expected)) in wrong.into_iter().enumerate() {
        let refused = say(&engine, to(&asked, &format!("w{index}"), part)).await.unwrap_err();
        assert_eq!(refused.code(), error_codes::ANSWER_INVALID);
        assert!(refused.to_string().contains(expected), "{refused}");
    }
    let done = say(&engine, to(&asked, "a", Part::text("green"))).await.unwrap();
    assert_eq!(results(&world, &done).await, ["quiz done with {\"which\":\"green\"}"], "plain text is accepted too");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_must_be_allowed_runs_only_when_it_is() {
    for (words, expected) in
        [("yes", "gate done"), ("no", "BTN-3012: tool call denied: 'gate' did not run, because it was not allowed")]
    {
        let world = World::default();
        let engine = world.engine();
        let asked = say(&engine, message("m", "gate;say")).await.unwrap();
        assert_eq!(asked.state, TaskState::InputRequired);
        assert!(world.runs.lock().unwrap().is_empty(), "nothing ran yet");
        let [request] = requests_in(asked.status_message.as_ref().unwrap()).try_into().unwrap();
        assert_eq!(request["approval"], json!({}), "the arguments are shown");
        let refused = say(&engine, to(&asked, "x", Part::text("whatever"))).await.unwrap_err();
        assert_eq!(refused.code(), error_codes::ANSWER_INVALID);
        let done = say(&engine, to(&asked, "a", Part::text(words))).await.unwrap();
        assert_eq!((done.state, results(&world, &done).await), (TaskState::Completed, vec![expected.to_owned()]));
    }
}

#[tokio::test(start_paused = true)]
async fn tools_sample_the_model_and_other_agents() {
    let world = World::default();
    let done = say(&world.engine(), message("m", "borrow;borrow_agent;say")).await.unwrap();
    let [model, other] = results(&world, &done).await.try_into().unwrap();
    assert!(model.starts_with("scripted wrote ["), "{model}");
    assert!(other.starts_with("a2a-agent wrote ["), "{other}");

    let world = World::default();
    let engine = world.engine_with(vec![agent("boss", &[]), agent("worker", &[])]);
    let done = say(&engine, message("m", "borrow_agent;say")).await.unwrap();
    let [refused] = results(&world, &done).await.try_into().unwrap();
    assert!(refused.contains("may not hand work to 'worker'"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn an_orchestrating_agent_finds_and_calls_every_other() {
    let world = World::default();
    let orchestration = Some(Orchestration { prompt: Some("Ask the others.".to_owned()) });
    let boss = AgentSpec { orchestration, ..agent("boss", &[]) };
    let engine = world.engine_with(vec![boss, agent("worker", &[])]);
    let done = say(&engine, message("m", "list_agents;call_agent(now);say")).await.unwrap();
    assert_eq!(done.state, TaskState::Completed);
    let [agents, answer] = results(&world, &done).await.try_into().unwrap();
    assert!(agents.contains("\"agentId\":\"worker\"") && !agents.contains("boss"), "{agents}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["status"], "completed");
    assert!(answer["contextId"].is_string() && answer["response"].as_str().unwrap().starts_with('['), "{answer}");
    let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
    assert_eq!(all.handoffs.len(), 1, "it is a handoff like any other");
}

#[tokio::test(start_paused = true)]
async fn agent_invocation_returns_the_answer_and_is_canceled_on_drop() {
    let world = World::default();
    let engine = world.engine();
    let ask = |text: &str| AgentRequest {
        agent: "boss".into(),
        text: text.to_owned(),
        context: None,
        task: None,
        depth: 0,
        trace: None,
        autonomous: false,
    };
    let reply = engine.invoke(&me(), ask("look;say")).await.unwrap();
    assert_eq!(reply.state, TaskState::Completed);
    assert!(reply.text.starts_with('['), "{}", reply.text);
    let more = engine.invoke(&me(), AgentRequest { context: Some(reply.context.clone()), ..ask("now") }).await.unwrap();
    assert_eq!(more.context, reply.context);
    let missing = engine.invoke(&me(), AgentRequest { agent: "nobody".into(), ..ask("now") }).await.unwrap_err();
    assert_eq!(missing.code, ErrorCode::AGENT_NOT_FOUND);
    let around = engine.invoke(&me(), AgentRequest { depth: 6, ..ask("now") }).await.unwrap_err();
    assert_eq!(around.code, ErrorCode::HANDOFF_REFUSED, "handoff cycles through tools are limited");

    let left = tokio::time::timeout(Duration::from_millis(20), engine.invoke(&me(), ask("hang"))).await;
    assert!(left.is_err());
    engine.shutdown(Duration::from_secs(5)).await;
    let all = fold_journal(&world.journal).await;
    let canceled = all.tasks.values().filter(|task| task.state == TaskState::Canceled).count();
    assert_eq!(canceled, 1, "the abandoned invocation was canceled");
}
