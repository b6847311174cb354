//! Tools selected by relevance.

use super::fixture::{ContextFixture, ask, change, me, named, shown};
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

fn fixture() -> ContextFixture {
    let fixture = ContextFixture::new(Knowledge::default());
    fixture.spec.lock().unwrap().as_mut().unwrap().tools.clear();
    *fixture.offered.lock().unwrap() = vec![
        tool("clock", "Says what time it is", InclusionMode::Always, Permission::Allow),
        tool("forecast", "Weather of the next days in a city", InclusionMode::Agent, Permission::Allow),
        tool("refund", "Pays money back to a customer", InclusionMode::Agent, Permission::Ask),
        tool("secret", "Weather of the past", InclusionMode::Manual, Permission::Allow),
    ];
    fixture
}

#[tokio::test(start_paused = true)]
async fn tools_are_selected_like_rules_and_others_cannot_be_called() {
    let fixture = fixture();
    let engine = fixture.engine();
    let done = ask(&engine, Some("talk"), "What will the weather be like in the city?").await;
    assert_eq!(fixture.tools(), ["far__clock", "far__forecast"]);
    let given = shown(&done);
    assert_eq!(given[0], "tool far__clock always");
    assert!(given[1].starts_with("tool far__forecast agent 0."), "{given:?}");
    assert_eq!(given.len(), 2);

    // A tool that was not selected does not run, even if the model calls it.
    *fixture.script.lock().unwrap() = vec!["far__forecast", "far__clock"];
    ask(&engine, Some("talk"), "Pay the money back to this customer").await;
    assert_eq!(fixture.tools(), ["far__clock", "far__refund"]);
    let model_input = fixture.last_messages();
    let results: Vec<&String> = model_input.iter().filter(|line| line.starts_with("tool: ")).collect();
    assert!(results[0].contains("it was not selected for this request"), "{results:?}");
    assert_eq!(results[1], "tool: far__clock ran");

    // Tools are included and excluded by session changes.
    change(&engine, "talk", SessionChange::Include(named(ItemKind::Tool, "far__forecast"))).await;
    change(&engine, "talk", SessionChange::Include(named(ItemKind::Tool, "secret"))).await;
    change(&engine, "talk", SessionChange::Exclude(named(ItemKind::Tool, "far__clock"))).await;
    *fixture.script.lock().unwrap() = vec!["far__clock"];
    let done = ask(&engine, Some("talk"), "Hello").await;
    assert_eq!(fixture.tools(), ["far__forecast", "far__secret"]);
    assert_eq!(shown(&done), ["tool far__forecast manual", "tool far__secret manual"]);
    assert!(fixture.last_messages().last().unwrap().contains("it was removed from this session"));
}

#[tokio::test(start_paused = true)]
async fn autonomous_run_is_not_offered_tools_that_need_approval() {
    let fixture = fixture();
    let engine = fixture.engine();
    let text = "Pay the money back to this customer";
    let message = Message::new("m".into(), Role::User, vec![Part::text(text)]);
    let command = SendCommand { autonomous: true, ..SendCommand::new("boss".into(), message) };
    let done = engine.send_and_settle(&me(), command).await.unwrap();
    assert_eq!((done.state, fixture.tools()), (TaskState::Completed, vec!["far__clock".to_owned()]));
    // The selection is recorded, but not shown to the caller.
    let chosen = fixture.selections(&engine, &done).await;
    let names: Vec<&str> = chosen[0].0.items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!((names, shown(&done)), (vec!["far__clock"], Vec::new()));
}
