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
    let command = SendCommand::new("boss".into(), message("m", script));
    engine.send_and_settle(&Arc::new(Principal::local()), command).await.unwrap()
}

/// What the user said in a conversation that a model was given, without what the agent knows.
fn said(messages: &[ChatMessage]) -> Vec<&str> {
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
async fn a_handoff_with_a_context_goes_on_with_that_conversation() {
    let world = World::default();
    let done = ask(&world.engine(), "handoff(look/say);again(and tomorrow?);handoff(say);say").await;
    assert_eq!(done.state, TaskState::Completed);
    let all = check::promises(&world, std::slice::from_ref(&done.id)).await;
    let mut children: Vec<_> =
        all.handoffs.values().map(|record| &all.tasks[record.handoff.child_task.as_ref().unwrap()]).collect();
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
    let nothing = ControlTools::default();
    for tool in ["emit_artifact", "ask_user", "reject_task", "reply_message", "handoff(say)"] {
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
        assert_eq!(
            refused,
            Some(format!(
                "BTN-2020: there is no tool '{name}'. Tools: look, put, act, borrow, borrow_agent, far_act, gate, guess, quiz"
            ))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_bare_reply_completes_the_task_and_is_remembered_as_what_was_said() {
    let world = World::default();
    let engine = world.engine();
    let done = ask(&engine, "handoff(hang),reply_message;say").await;
    let reply = done.direct_reply().unwrap();
    assert_eq!((reply.text().as_str(), &reply.context, &reply.task), ("just this", &Some(done.context.clone()), &None));
    let all = check::promises(&world, std::slice::from_ref(&done.id)).await;
    assert!(all.tasks.values().any(|task| task.state == TaskState::Canceled), "what was handed over is given up");

    let done = ask(&engine, "reply_message").await;
    assert!(done.direct_reply().is_some());
    let next = baton_types::Message { context: Some(done.context.clone()), ..message("n", "and now?") };
    let next = SendCommand::new("boss".into(), next);
    engine.send_and_settle(&Arc::new(Principal::local()), next).await.unwrap();
    let heard = world.heard.lock().unwrap().last().unwrap().clone();
    assert!(
        matches!(&heard[1], ChatMessage::Assistant { calls, .. } if calls[0].arguments.as_str().contains("just this"))
    );
    assert!(matches!(&heard[2..], [ChatMessage::Tool { .. }, ChatMessage::User { .. }]), "{heard:?}");

    // Every other word about a task names it.
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
