//! Tools that are there when they have to do with what is asked.

use super::stage::{Stage, ask, change, me, named, shown};
use crate::world::agent;
use baton_engine::{SendCommand, SessionChange};
use baton_types::{
    InclusionMode, ItemKind, Knowledge, McpTool, Message, Part, Permission, Role, TaskState, ToolRunner, ToolSpec,
};

fn tool(name: &str, description: &str, include: InclusionMode, permission: Permission) -> ToolSpec {
    let own = agent("boss", &[]).tools.remove(0);
    ToolSpec {
        name: format!("far__{name}"),
        description: description.to_owned(),
        runner: ToolRunner::Mcp(McpTool { server: "far".to_owned(), tool: name.to_owned() }),
        include,
        permission,
        ..own
    }
}

fn stage() -> Stage {
    let stage = Stage::new(Knowledge::default());
    stage.spec.lock().unwrap().as_mut().unwrap().tools.clear();
    *stage.offered.lock().unwrap() = vec![
        tool("clock", "Says what time it is", InclusionMode::Always, Permission::Allow),
        tool("forecast", "Weather of the next days in a city", InclusionMode::Agent, Permission::Allow),
        tool("refund", "Pays money back to a customer", InclusionMode::Agent, Permission::Ask),
        tool("secret", "Weather of the past", InclusionMode::Manual, Permission::Allow),
    ];
    stage
}

#[tokio::test(start_paused = true)]
async fn tools_are_chosen_as_rules_are_and_others_cannot_be_called() {
    let stage = stage();
    let engine = stage.engine();
    let done = ask(&engine, Some("talk"), "What will the weather be like in the city?").await;
    assert_eq!(stage.tools(), ["far__clock", "far__forecast"]);
    let given = shown(&done);
    assert_eq!(given[0], "tool far__clock always");
    assert!(given[1].starts_with("tool far__forecast agent 0."), "{given:?}");
    assert_eq!(given.len(), 2);

    // One that was not chosen does not run, even if the model remembers it.
    *stage.script.lock().unwrap() = vec!["far__forecast", "far__clock"];
    ask(&engine, Some("talk"), "Pay the money back to this customer").await;
    assert_eq!(stage.tools(), ["far__clock", "far__refund"]);
    let heard = stage.heard();
    let results: Vec<&String> = heard.iter().filter(|line| line.starts_with("tool: ")).collect();
    assert!(results[0].contains("it was not selected for this request"), "{results:?}");
    assert_eq!(results[1], "tool: far__clock ran");

    // Somebody names one and takes another away.
    change(&engine, "talk", SessionChange::Include(named(ItemKind::Tool, "far__forecast"))).await;
    change(&engine, "talk", SessionChange::Include(named(ItemKind::Tool, "secret"))).await;
    change(&engine, "talk", SessionChange::Exclude(named(ItemKind::Tool, "far__clock"))).await;
    *stage.script.lock().unwrap() = vec!["far__clock"];
    let done = ask(&engine, Some("talk"), "Hello").await;
    assert_eq!(stage.tools(), ["far__forecast", "far__secret"]);
    assert_eq!(shown(&done), ["tool far__forecast manual", "tool far__secret manual"]);
    assert!(stage.heard().last().unwrap().contains("it was removed from this session"));
}

#[tokio::test(start_paused = true)]
async fn where_nobody_can_be_asked_a_tool_that_needs_leave_takes_no_place() {
    let stage = stage();
    let engine = stage.engine();
    let text = "Pay the money back to this customer";
    let message = Message::new("m".into(), Role::User, vec![Part::text(text)]);
    let command = SendCommand { autonomous: true, ..SendCommand::new("boss".into(), message) };
    let done = engine.send_and_settle(&me(), command).await.unwrap();
    assert_eq!((done.state, stage.tools()), (TaskState::Completed, vec!["far__clock".to_owned()]));
    // It is on record, and not part of what the caller is given.
    let chosen = stage.chosen(&engine, &done).await;
    let names: Vec<&str> = chosen[0].0.items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!((names, shown(&done)), (vec!["far__clock"], Vec::new()));
}
