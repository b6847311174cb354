//! Ordinary flows, end to end through the engine.

use crate::{
    check,
    world::{World, message},
};
use baton_engine::{Engine, EngineError, FeedItem, SendCommand, TaskRef};
use baton_ports::ChatMessage;
use baton_rules::{error_codes, parse_tool_calls, results_part};
use baton_types::{
    ErrorCode, HandoffStatus, JournalEvent, Json, Message, Principal, Role, TaskEvent, TaskId, TaskState, TaskView,
    ToolExecution, ToolResult,
};
use std::{sync::Arc, time::Duration};

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

fn command(message: Message, tools: ToolExecution) -> SendCommand {
    SendCommand { tool_execution: Some(tools), ..SendCommand::new("boss".into(), message) }
}

async fn ask(engine: &Engine, script: &str) -> Arc<TaskView> {
    engine.send_and_settle(&me(), command(message("m", script), ToolExecution::Agent)).await.unwrap()
}

fn reference(task: &TaskId) -> TaskRef {
    TaskRef { task: task.clone(), agent: None }
}

fn results(task: &TaskView, calls: &[(&str, &str)]) -> Message {
    let results: Vec<ToolResult> = calls
        .iter()
        .map(|(call, output)| ToolResult {
            call: (*call).into(),
            name: String::new(),
            output: Json::string(output),
            is_error: false,
        })
        .collect();
    let message = Message::new("r".into(), Role::User, vec![results_part(&results)]);
    Message { task: Some(task.id.clone()), ..message }
}

fn roles(messages: &[ChatMessage]) -> Vec<&'static str> {
    messages
        .iter()
        .map(|message| match message {
            ChatMessage::User { .. } => "user",
            ChatMessage::Assistant { calls, .. } if calls.is_empty() => "assistant",
            ChatMessage::Assistant { .. } => "assistant with calls",
            ChatMessage::Tool { .. } => "tool",
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_caller_runs_the_tools_of_two_rounds_and_two_parallel_calls() {
    let world = World::default();
    let engine = world.engine();
    let asked =
        engine.send_and_settle(&me(), command(message("m", "look;look,put;say"), ToolExecution::Caller)).await.unwrap();
    assert_eq!(asked.state, TaskState::InputRequired);
    let first = parse_tool_calls(asked.status_message.as_ref().unwrap());
    assert_eq!(first.len(), 1);

    let answer = results(&asked, &[(first[0].id.as_str(), "sunny")]);
    let asked = engine.send_and_settle(&me(), command(answer, ToolExecution::Caller)).await.unwrap();
    let second = parse_tool_calls(asked.status_message.as_ref().unwrap());
    assert_eq!(second.len(), 2);
    let both = results(&asked, &[(second[0].id.as_str(), "one"), (second[1].id.as_str(), "two")]);
    let done = engine.send_and_settle(&me(), command(both, ToolExecution::Caller)).await.unwrap();

    assert_eq!(done.state, TaskState::Completed);
    let roles_seen: Vec<Role> = done.history.iter().map(|message| message.role).collect();
    assert_eq!(roles_seen, [Role::User, Role::Agent, Role::User, Role::Agent, Role::User, Role::Agent]);
    let model_input = world.model_inputs.lock().unwrap();
    assert_eq!(roles(&model_input[1]), ["user", "assistant with calls", "tool"]);
    assert!(
        matches!(&model_input[1][2], ChatMessage::Tool { name, .. } if name == "look"),
        "the caller left the name out"
    );
    assert_eq!(
        roles(&model_input[2]),
        ["user", "assistant with calls", "tool", "assistant with calls", "tool", "tool"]
    );
    assert_eq!(done.status_message.as_ref(), done.history.last());
    assert_eq!(done.artifacts[0].parts, done.history.last().unwrap().parts);
    assert!(world.runs.lock().unwrap().is_empty(), "the agent ran a tool that was the caller's");
}

#[tokio::test(start_paused = true)]
async fn partial_unknown_and_repeated_results_get_clear_answers() {
    let world = World::default();
    let engine = world.engine();
    let asked =
        engine.send_and_settle(&me(), command(message("m", "look,put;say"), ToolExecution::Caller)).await.unwrap();
    let calls = parse_tool_calls(asked.status_message.as_ref().unwrap());
    let refused = |result: Result<Arc<TaskView>, EngineError>| result.unwrap_err().code();

    let unknown = results(&asked, &[("nobody", "x")]);
    let unknown = engine.send_and_settle(&me(), command(unknown, ToolExecution::Caller)).await;
    assert_eq!(refused(unknown), error_codes::TOOL_RESULT_UNKNOWN);

    let nowhere = Message { task: None, ..results(&asked, &[(calls[0].id.as_str(), "x")]) };
    let nowhere = engine.send_and_settle(&me(), command(nowhere, ToolExecution::Caller)).await;
    assert_eq!(refused(nowhere), error_codes::TOOL_RESULT_UNKNOWN);

    let one = results(&asked, &[(calls[0].id.as_str(), "x")]);
    let still = engine.send_and_settle(&me(), command(one.clone(), ToolExecution::Caller)).await.unwrap();
    assert_eq!(still.state, TaskState::InputRequired);
    assert_eq!(parse_tool_calls(still.status_message.as_ref().unwrap()), calls[1..]);
    let aside = Message { task: Some(asked.id.clone()), ..message("aside", "by the way") };
    let still = engine.send_and_settle(&me(), command(aside, ToolExecution::Caller)).await.unwrap();
    assert_eq!(still.state, TaskState::InputRequired, "text alone does not answer calls");

    let again = engine.send_and_settle(&me(), command(one, ToolExecution::Caller)).await;
    assert_eq!(refused(again), error_codes::TOOL_RESULT_DUPLICATE);

    let rest = results(&asked, &[(calls[1].id.as_str(), "y")]);
    let done = engine.send_and_settle(&me(), command(rest, ToolExecution::Caller)).await.unwrap();
    assert_eq!(done.state, TaskState::Completed);
    let model_input = world.model_inputs.lock().unwrap().last().unwrap().clone();
    assert_eq!(
        roles(&model_input),
        ["user", "assistant with calls", "tool", "tool", "user"],
        "results follow their calls"
    );
    let late = engine.send_and_settle(&me(), command(results(&done, &[]), ToolExecution::Caller)).await;
    assert_eq!(refused(late), ErrorCode::TASK_FINISHED);
}

#[tokio::test(start_paused = true)]
async fn the_agent_runs_its_own_tools_and_the_history_reads_the_same() {
    let world = World::default();
    let done = ask(&world.engine(), "look,act,put;emit_artifact;say").await;
    assert_eq!(done.state, TaskState::Completed);
    let roles_seen: Vec<Role> = done.history.iter().map(|message| message.role).collect();
    assert_eq!(roles_seen, [Role::User, Role::Agent, Role::User, Role::Agent, Role::User, Role::Agent]);
    assert_eq!(done.artifacts.len(), 2);
    assert_eq!(world.runs.lock().unwrap().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_handoff_is_one_record_with_one_child_and_its_answer_comes_back() {
    let world = World::default();
    let done = ask(&world.engine(), "handoff(look/say);say").await;
    assert_eq!(done.state, TaskState::Completed);
    let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
    let record = all.handoffs.values().next().unwrap();
    assert_eq!(record.status, HandoffStatus::Completed);
    let child = &all.tasks[record.handoff.child_task.as_ref().unwrap()];
    assert_eq!(child.agent.as_str(), "worker");
    let observed = record.result.as_ref().unwrap().to_value();
    assert_eq!(observed["response"], child.history.last().unwrap().text());
}

#[tokio::test(start_paused = true)]
async fn handoff_cycle_is_refused_and_the_model_gets_the_reason() {
    let world = World::default();
    let done = ask(&world.engine(), "handoff(handoff(boss:say)/say);say").await;
    assert_eq!(done.state, TaskState::Completed);
    let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
    assert_eq!(all.handoffs.len(), 1, "the handoff back was refused");
    let child = all.tasks.values().find(|task| task.parent.is_some()).unwrap();
    let refused = results_of(child);
    assert!(refused.contains("BTN-3006") && refused.contains("cycle"), "{refused}");
}

fn results_of(task: &baton_rules::TaskRecord) -> String {
    let results = task.history.iter().flat_map(|message| baton_rules::parse_tool_results(message).unwrap());
    results.map(|result| result.output.to_plain_text()).collect()
}

#[tokio::test(start_paused = true)]
async fn cancel_stops_the_model_and_the_child_task() {
    let world = World::default();
    let engine = world.engine();
    let sent = engine.send(&me(), command(message("m", "handoff(hang);say"), ToolExecution::Agent)).await.unwrap();
    let mut feed = engine.subscribe(&me(), &reference(&sent.task.id), None).await.unwrap();
    while let Some(item) = feed.next().await {
        if matches!(&item, FeedItem::Event(event) if matches!(event.fact, JournalEvent::Task(TaskEvent::HandoffSent { .. })))
        {
            break;
        }
    }
    let canceled = engine.cancel(&me(), &reference(&sent.task.id)).await.unwrap();
    assert_eq!(canceled.state, TaskState::Canceled);
    assert_eq!(engine.cancel(&me(), &reference(&sent.task.id)).await.unwrap().state, TaskState::Canceled);
    let all = check::assert_invariants(&world, std::slice::from_ref(&sent.task.id)).await;
    assert_eq!(all.handoffs.values().next().unwrap().status, HandoffStatus::Cancelled);
    assert!(all.tasks.values().all(|task| task.state == TaskState::Canceled));
    // No run loop is left behind with the hanging model call.
    engine.shutdown(Duration::from_secs(1)).await;
    let done = ask(&world.engine(), "say").await;
    assert!(matches!(
        engine.cancel(&me(), &reference(&done.id)).await,
        Err(EngineError::NotCancelable { state: TaskState::Completed, .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn a_message_to_a_working_task_waits_for_the_next_turn() {
    let world = World::default();
    let engine = world.engine();
    let sent = engine.send(&me(), command(message("m", "look;say"), ToolExecution::Agent)).await.unwrap();
    let more = Message { task: Some(sent.task.id.clone()), ..message("n", "and this") };
    let done = engine.send_and_settle(&me(), command(more, ToolExecution::Agent)).await.unwrap();
    assert_eq!(done.state, TaskState::Completed);
    let said = done.history.iter().filter(|message| message.id.as_str() == "n").count();
    assert_eq!(said, 1, "the message is in the history exactly once");
    assert!(
        world
            .model_inputs
            .lock()
            .unwrap()
            .last()
            .unwrap()
            .iter()
            .any(|message| matches!(message, ChatMessage::User { text, .. } if text == "and this"))
    );
}

#[tokio::test(start_paused = true)]
async fn each_outcome_of_a_run_has_its_task_state() {
    let world = World::default();
    let engine = world.engine();
    let asked = ask(&engine, "ask_user;say").await;
    assert_eq!(
        (asked.state, asked.status_message.as_ref().unwrap().text().as_str()),
        (TaskState::InputRequired, "which?")
    );
    let reply = Message { task: Some(asked.id.clone()), ..message("n", "that one") };
    let done = engine.send_and_settle(&me(), command(reply, ToolExecution::Agent)).await.unwrap();
    assert_eq!(done.state, TaskState::Completed);
    let observed = world.model_inputs.lock().unwrap().last().unwrap().clone();
    assert!(
        matches!(&observed[2], ChatMessage::Tool { output, .. } if output.to_plain_text() == "that one"),
        "{observed:?}"
    );

    assert_eq!(ask(&engine, "reject_task").await.state, TaskState::Rejected);
    let failed = ask(&engine, "fail").await;
    assert_eq!(failed.state, TaskState::Failed);
    assert!(failed.status_message.as_ref().unwrap().text().starts_with("BTN-3003"));
    let endless = ask(&engine, &"look;".repeat(30)).await;
    assert!(endless.status_message.as_ref().unwrap().text().starts_with("BTN-3001"));
    let late = ask(&engine, "hang").await;
    assert!(late.status_message.as_ref().unwrap().text().starts_with("BTN-3002"));
    let unknown = ask(&engine, "nonsense;say").await;
    assert_eq!(unknown.state, TaskState::Completed, "an unknown tool is an error for the model, not for the task");
}

#[tokio::test(start_paused = true)]
async fn failed_model_call_is_not_repeated_by_the_run() {
    let world = World::default();
    let engine = world.engine();
    let failed = ask(&engine, "busy").await;
    assert_eq!(failed.state, TaskState::Failed);
    assert_eq!(world.model_inputs.lock().unwrap().len(), 1, "retries are a layer of the model");
    let events = engine.events(&me(), &reference(&failed.id), 0, 100).await.unwrap();
    let reasons = events.iter().filter_map(|event| match &event.fact {
        JournalEvent::Task(TaskEvent::StatusChanged { reason, .. }) => reason.as_ref(),
        _ => None,
    });
    let delays: Vec<_> = reasons.map(|reason| reason.provider.as_ref().and_then(|it| it.retry_after_ms)).collect();
    assert_eq!(delays, [Some(7_000)], "clients can retry later");
}

#[tokio::test(start_paused = true)]
async fn history_is_shared_by_the_tasks_of_one_conversation_only() {
    let world = World::default();
    let engine = world.engine();
    let first = ask(&engine, "say").await;
    let next = Message { context: Some(first.context.clone()), ..message("n", "and now?") };
    engine.send_and_settle(&me(), command(next, ToolExecution::Agent)).await.unwrap();
    assert_eq!(roles(world.model_inputs.lock().unwrap().last().unwrap()), ["user", "assistant", "user"]);
    ask(&engine, "say").await;
    assert_eq!(roles(world.model_inputs.lock().unwrap().last().unwrap()), ["user"]);
    let wrong = Message { task: Some(first.id.clone()), context: Some("other".into()), ..message("n", "x") };
    assert!(engine.send(&me(), command(wrong, ToolExecution::Agent)).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn runs_paused_by_a_shutdown_finish_after_a_restart() {
    let world = World::default();
    let engine = world.engine();
    let sent =
        engine.send(&me(), command(message("m", "look;handoff(look/say);say"), ToolExecution::Agent)).await.unwrap();
    engine.shutdown(Duration::from_secs(5)).await;
    let refused = engine.send(&me(), command(message("m", "say"), ToolExecution::Agent)).await;
    assert!(matches!(refused, Err(EngineError::ShuttingDown)));

    let engine = world.engine();
    assert!(engine.recover().await.unwrap() > 0);
    let mut feed = engine.subscribe(&me(), &reference(&sent.task.id), Some(1)).await.unwrap();
    while feed.next().await.is_some() {}
    check::assert_invariants(&world, std::slice::from_ref(&sent.task.id)).await;
    assert_eq!(engine.task(&me(), &reference(&sent.task.id)).await.unwrap().state, TaskState::Completed);
}

#[tokio::test(start_paused = true)]
async fn task_of_another_principal_is_not_found() {
    let world = World::default();
    let engine = world.engine();
    let mine = ask(&engine, "ask_user;say").await;
    let stranger = Arc::new(Principal { subject: "stranger".into(), ..Principal::local() });
    let missing = |error: EngineError| assert_eq!(error, EngineError::TaskNotFound(mine.id.clone()));
    missing(engine.task(&stranger, &reference(&mine.id)).await.unwrap_err());
    missing(engine.cancel(&stranger, &reference(&mine.id)).await.unwrap_err());
    missing(engine.subscribe(&stranger, &reference(&mine.id), Some(1)).await.err().unwrap());
    missing(engine.events(&stranger, &reference(&mine.id), 0, 10).await.unwrap_err());
    let reply = Message { task: Some(mine.id.clone()), ..message("n", "x") };
    missing(engine.send(&stranger, command(reply, ToolExecution::Agent)).await.err().unwrap());
    let list = baton_engine::ListTasks { limit: 10, ..Default::default() };
    assert_eq!(engine.tasks(&stranger, &list).await.unwrap().total, 0);
    assert_eq!(engine.tasks(&me(), &list).await.unwrap().total, 1);
}

#[tokio::test(start_paused = true)]
async fn long_task_loads_unchanged_from_its_snapshots() {
    for tools in [ToolExecution::Agent, ToolExecution::Caller] {
        for rounds in 10..19 {
            let world = World::default();
            let engine = world.engine();
            let script = "now,look;".repeat(rounds) + "now";
            let mut view = engine.send_and_settle(&me(), command(message("m", &script), tools)).await.unwrap();
            while view.state == TaskState::InputRequired {
                let calls = parse_tool_calls(view.status_message.as_ref().unwrap());
                let reply = results(&view, &[(calls[0].id.as_str(), "seen")]);
                view = engine.send_and_settle(&me(), command(reply, tools)).await.unwrap();
            }
            assert_eq!(view.state, TaskState::Completed);
            let all = check::assert_invariants(&world, std::slice::from_ref(&view.id)).await;
            assert_eq!(*engine.task(&me(), &reference(&view.id)).await.unwrap(), all.tasks[&view.id].view());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_handoff_ends_at_its_deadline_and_the_sender_continues() {
    let world = World::default();
    let done = ask(&world.engine(), "handoff(hang);say").await;
    assert_eq!(done.state, TaskState::Completed);
    let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
    let record = all.handoffs.values().next().unwrap();
    assert_eq!(record.status, HandoffStatus::Timeout);
    assert_eq!(all.tasks[record.handoff.child_task.as_ref().unwrap()].state, TaskState::Canceled);
    let observed = results_of(&all.tasks[&done.id]);
    assert!(observed.contains("BTN-3007") && observed.contains("deadline"), "{observed}");
}

#[tokio::test(start_paused = true)]
async fn pages_tasks_and_answers_are_bounded_by_size() {
    let world = World::default();
    let engine = world.engine();
    let heavy = format!("ask_user;hang;{}", "x".repeat(5 << 20));
    let mut tasks = Vec::new();
    for _ in 0..3 {
        tasks.push(ask(&engine, &heavy).await);
    }
    let mut query = baton_engine::ListTasks { limit: 100, ..Default::default() };
    let first = engine.tasks(&me(), &query).await.unwrap();
    assert_eq!((first.tasks.len(), first.total), (2, 3), "two of them fill a page");
    query.after = first.next;
    let rest = engine.tasks(&me(), &query).await.unwrap();
    assert_eq!((rest.tasks.len(), rest.next), (1, None));

    let mut refused = None;
    while refused.is_none() {
        let more = Message { task: Some(tasks[0].id.clone()), ..message("n", &heavy) };
        refused = engine.send(&me(), command(more, ToolExecution::Agent)).await.err();
    }
    assert_eq!(refused.unwrap().code(), error_codes::TASK_FULL);
}
