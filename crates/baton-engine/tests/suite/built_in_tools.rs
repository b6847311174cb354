//! Built-in tools: available only to agents that may use them.

use crate::{
    check,
    world::{World, agent, message},
};
use baton_engine::{Engine, SendCommand};
use baton_ports::ChatMessage;
use baton_types::{AgentSpec, ControlTools, Principal, TaskState, TaskView};
use std::sync::Arc;

async fn ask(engine: &Engine, script: &str) -> Arc<TaskView> {
    let command = SendCommand::new("boss".into(), message("m", script));
    engine.send_and_settle(&Arc::new(Principal::local()), command).await.unwrap()
}

/// User messages of a model input, without the agent's knowledge items.
fn user_texts(messages: &[ChatMessage]) -> Vec<&str> {
    let mut said = Vec::new();
    for message in messages {
        if let ChatMessage::User { id, text, .. } = message
            && !id.as_str().starts_with("rule:")
        {
            said.push(text.as_str());
        }
    }
    said
}

#[tokio::test(start_paused = true)]
async fn handoff_with_a_context_continues_that_conversation() {
    let world = World::default();
    let done = ask(&world.engine(), "handoff(look/say);again(and tomorrow?);handoff(say);say").await;
    assert_eq!(done.state, TaskState::Completed);
    let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
    let mut children: Vec<_> =
        all.handoffs.values().map(|record| &all.tasks[record.handoff.child_task.as_ref().unwrap()]).collect();
    children.sort_by_key(|child| child.created_at);
    let [first, second, third] = children[..] else { panic!("{} children", children.len()) };
    assert_eq!(first.context, second.context);
    assert_ne!(first.context, third.context);
    assert_ne!(first.context, done.context, "the sender's conversation is a different one");

    let inputs = world.model_inputs.lock().unwrap();
    let observed = inputs.iter().find(|messages| user_texts(messages).contains(&"and tomorrow?")).unwrap();
    assert_eq!(user_texts(observed), ["look;say", "and tomorrow?"]);
    let answer = first.status_message.as_ref().unwrap().text();
    let remembers = |message: &ChatMessage| matches!(message, ChatMessage::Assistant { text, .. } if *text == answer);
    assert!(observed.iter().any(remembers), "the child's earlier answer is missing: {observed:?}");
    assert!(inputs.iter().any(|messages| user_texts(messages) == ["say"]), "a new conversation starts empty");
}

#[tokio::test(start_paused = true)]
async fn tools_that_an_agent_may_not_use_do_not_exist_for_it() {
    let nothing = ControlTools::default();
    for tool in ["emit_artifact", "ask_user", "reject_task", "reply_message", "handoff(say)"] {
        let world = World::default();
        let boss = AgentSpec { control_tools: nothing, ..agent("boss", &[]) };
        let engine = world.engine_with(vec![boss, agent("worker", &[])]);
        let done = ask(&engine, &format!("{tool};say")).await;
        assert_eq!((done.state, done.artifacts.len()), (TaskState::Completed, 1), "{tool} had an effect");
        let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
        assert_eq!((all.tasks.len(), all.handoffs.len()), (1, 0), "{tool}");
        let inputs = world.model_inputs.lock().unwrap();
        let name = tool.split('(').next().unwrap();
        let refused = inputs.last().unwrap().iter().find_map(|message| match message {
            ChatMessage::Tool { output, is_error: true, .. } => Some(output.to_plain_text()),
            _ => None,
        });
        assert_eq!(
            refused,
            Some(format!(
                "BTN-2020: there is no tool '{name}'. Tools: look, put, act, borrow, borrow_agent, far_act, gate, guess, quiz"
            ))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn direct_reply_completes_the_task_and_joins_the_history() {
    let world = World::default();
    let engine = world.engine();
    let done = ask(&engine, "handoff(hang),reply_message;say").await;
    let reply = done.direct_reply().unwrap();
    assert_eq!((reply.text().as_str(), &reply.context, &reply.task), ("just this", &Some(done.context.clone()), &None));
    let all = check::assert_invariants(&world, std::slice::from_ref(&done.id)).await;
    assert!(all.tasks.values().any(|task| task.state == TaskState::Canceled), "the child task is canceled");

    let done = ask(&engine, "reply_message").await;
    assert!(done.direct_reply().is_some());
    let next = baton_types::Message { context: Some(done.context.clone()), ..message("n", "and now?") };
    let next = SendCommand::new("boss".into(), next);
    engine.send_and_settle(&Arc::new(Principal::local()), next).await.unwrap();
    let inputs = world.model_inputs.lock().unwrap().last().unwrap().clone();
    assert!(
        matches!(&inputs[1], ChatMessage::Assistant { calls, .. } if calls[0].arguments.as_str().contains("just this"))
    );
    assert!(matches!(&inputs[2..], [ChatMessage::Tool { .. }, ChatMessage::User { .. }]), "{inputs:?}");

    // Every other status message names its task.
    for script in ["say", "look;say", "reject_task", "fail", "ask_user"] {
        let view = ask(&engine, script).await;
        let said = view.status_message.as_ref().unwrap();
        assert_eq!((said.task.as_ref(), view.direct_reply()), (Some(&view.id), None), "{script}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_artifact_can_be_a_named_file() {
    let done = ask(&World::default().engine(), "emit_file;say").await;
    let part = &done.artifacts[0].parts[0];
    assert_eq!(part.content, baton_types::PartContent::Raw("aGk=".to_owned()));
    assert_eq!((part.filename.as_deref(), part.media_type.as_deref()), (Some("hi.txt"), Some("text/plain")));
}
