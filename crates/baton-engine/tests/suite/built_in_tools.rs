//! The tools that Baton itself gives a model: only to those who may use them.

use crate::{
    check,
    world::{World, agent, message},
};
use baton_engine::{Engine, SendCommand};
use baton_ports::ChatMessage;
use baton_types::{AgentSpec, ControlTools, Principal, TaskState, TaskView};
use std::sync::Arc;

async fn ask(engine: &Engine, script: &str) -> Arc<TaskView> {
    let command =
        SendCommand { agent: "boss".into(), message: message("m", script), tool_execution: None, trace: None };
    engine.send_and_settle(&Arc::new(Principal::local()), command).await.unwrap()
}

/// What the user said in a conversation that a model was given.
fn said(messages: &[ChatMessage]) -> Vec<&str> {
    let mut said = Vec::new();
    for message in messages {
        if let ChatMessage::User { text, .. } = message {
            said.push(text.as_str());
        }
    }
    said
}

#[tokio::test(start_paused = true)]
async fn a_handoff_with_a_context_goes_on_with_that_conversation() {
    let world = World::default();
    let done = ask(&world.engine(), "handoff(look/say);again(and tomorrow?);handoff(say);say").await;
    assert_eq!(done.state, TaskState::Completed);
    let all = check::promises(&world, std::slice::from_ref(&done.id)).await;
    let mut children: Vec<_> = all.handoffs.values().map(|record| &all.tasks[&record.handoff.child_task]).collect();
    children.sort_by_key(|child| child.created_at);
    let [first, second, third] = children[..] else { panic!("{} children", children.len()) };
    assert_eq!(first.context, second.context);
    assert_ne!(first.context, third.context);
    assert_ne!(first.context, done.context, "the sender's own conversation is another one");

    let heard = world.heard.lock().unwrap();
    let told = heard.iter().find(|messages| said(messages).contains(&"and tomorrow?")).unwrap();
    assert_eq!(said(told), ["look;say", "and tomorrow?"]);
    let answer = first.status_message.as_ref().unwrap().text();
    let remembers = |message: &ChatMessage| matches!(message, ChatMessage::Assistant { text, .. } if *text == answer);
    assert!(told.iter().any(remembers), "the child does not know what it answered before: {told:?}");
    assert!(heard.iter().any(|messages| said(messages) == ["say"]), "a new conversation begins empty");
}

#[tokio::test(start_paused = true)]
async fn tools_that_an_agent_may_not_use_do_not_exist_for_it() {
    let nothing = ControlTools { emit_artifact: false, ask_user: false, reject_task: false };
    for tool in ["emit_artifact", "ask_user", "reject_task", "handoff(say)"] {
        let world = World::default();
        let boss = AgentSpec { control_tools: nothing, ..agent("boss", &[]) };
        let engine = world.engine_with(vec![boss, agent("worker", &[])]);
        let done = ask(&engine, &format!("{tool};say")).await;
        assert_eq!((done.state, done.artifacts.len()), (TaskState::Completed, 1), "{tool} had an effect");
        let all = check::promises(&world, std::slice::from_ref(&done.id)).await;
        assert_eq!((all.tasks.len(), all.handoffs.len()), (1, 0), "{tool}");
        let heard = world.heard.lock().unwrap();
        let name = tool.split('(').next().unwrap();
        let refused = heard.last().unwrap().iter().find_map(|message| match message {
            ChatMessage::Tool { output, is_error: true, .. } => Some(output.to_plain_text()),
            _ => None,
        });
        assert_eq!(refused, Some(format!("There is no tool '{name}'. Tools: look, put, act")));
    }
}
