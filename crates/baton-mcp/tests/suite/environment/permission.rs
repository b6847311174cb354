//! Permissions: the same decision for lists and calls.

use super::{
    client::{Answers, params, text},
    world::{World, ann},
};
use crate::{
    mcp_client::Era,
    permission_cases::{CallOutcome, permission_cases},
};
use baton_types::{ApprovalMode, ArgumentMatch, McpEra, Permission, PermissionRule};
use serde_json::{Value, json};

fn rule(tool: &str, path: &str, glob: &str, permission: Permission) -> PermissionRule {
    let arguments = vec![ArgumentMatch { path: path.to_owned(), glob: glob.to_owned() }];
    PermissionRule { arguments, ..PermissionRule::for_tool(tool, permission) }
}

fn approval_question(words: &str) -> String {
    format!("May the tool {words}?")
}

#[tokio::test]
async fn argument_rules_apply_to_calls() {
    for era in Era::ALL {
        let world = World::new();
        world.source.connect(McpEra::Auto, Permission::Allow);
        world.source.edit(|spec| {
            spec.policy.rules = vec![
                rule("echo", "/path", "/etc/*", Permission::Deny),
                rule("echo", "/path", "/notes/*", Permission::Ask),
                PermissionRule { server: Some("u*".to_owned()), ..rule("add", "/a", "1", Permission::Deny) },
            ];
        });
        let client = world.client(&ann(), era, Answers::Yes(json!({"allow": true}))).await;
        let call = async |tool: &str, arguments: Value| client.call(tool, arguments).await;
        let denied = call("echo", json!({"path": "/etc/passwd"})).await;
        assert!(denied.is_error == Some(true) && text(&denied).ends_with("[BTN-3012]"), "{denied:?}");
        assert!(text(&denied).starts_with("'echo' did not run, because "));
        assert_eq!(call("up__add", json!({"a": 1, "b": 1})).await.is_error, Some(true));
        assert!(client.questions().is_empty() && world.host.ran().is_empty());
        assert_eq!(call("up__add", json!({"a": 2, "b": 1})).await.structured_content, Some(json!({"sum": 3})));
        call("echo", json!({"path": "/tmp/x"})).await;
        assert!(client.questions().is_empty());
        call("echo", json!({"path": "/notes/x"})).await;
        assert_eq!(
            client.questions(),
            [approval_question("'echo' of the agent 'weather' run with {\"path\":\"/notes/x\"}")]
        );
        assert_eq!(world.host.ran().len(), 2);
    }
}

#[tokio::test]
async fn approval_mode_of_the_agent_applies() {
    let world = World::new();
    let client = world.client(&ann(), Era::Modern, Answers::Yes(json!({"allow": true}))).await;
    world.source.edit(|spec| spec.policy.ask = ApprovalMode::Always);
    client.call("echo", json!({})).await;
    assert_eq!(client.questions(), [approval_question("'echo' of the agent 'weather' run")]);
    world.source.edit(|spec| spec.policy.ask = ApprovalMode::Never);
    client.call("guarded", json!({})).await;
    assert!(client.questions().is_empty());
    let denied = client.service.call_tool(params("denied", json!({}))).await.unwrap_err();
    assert!(denied.to_string().contains("Unknown tool: denied"));
    world.source.edit(|spec| spec.policy.rules = vec![PermissionRule::for_tool("ech*", Permission::Deny)]);
    let tools = client.service.list_all_tools().await.unwrap();
    assert!(!tools.iter().any(|tool| tool.name == "echo"));
}

#[tokio::test]
async fn approval_for_session_lasts_one_session() {
    let lasting = || Answers::Yes(json!({"allow": true, "for_session": true}));
    for (era, answers, asked) in [
        (Era::Legacy, lasting(), 1),
        (Era::Legacy, Answers::Yes(json!({"allow": true})), 2),
        // The newest protocol has no session.
        (Era::Modern, lasting(), 2),
    ] {
        let world = World::new();
        let client = world.client(&ann(), era, answers).await;
        for _ in 0..2 {
            assert_eq!(client.call("guarded", json!({"n": 1})).await.structured_content, Some(json!({"n": 1})));
        }
        assert_eq!(client.questions().len(), asked, "{era:?}");
        // The approval does not apply to another session.
        let other = world.client(&ann(), era, Answers::No).await;
        assert_eq!(other.call("guarded", json!({})).await.is_error, Some(true));
    }
}

/// The same outcomes as in runs and over HTTP, except that a tool that is not listed is unknown.
#[tokio::test]
async fn permission_cases_have_their_outcome() {
    for era in Era::ALL {
        for case in permission_cases() {
            let world = World::new();
            world.source.edit(|spec| {
                spec.policy = case.policy.clone();
                let echo = spec.tools.iter_mut().find(|tool| tool.name == "echo").unwrap();
                *echo = case.tool(echo);
            });
            let answers = if case.is_approved { Answers::Yes(json!({"allow": true})) } else { Answers::No };
            let client = world.client(&ann(), era, answers).await;
            let tools = client.service.list_all_tools().await.unwrap();
            assert_eq!(tools.iter().any(|tool| tool.name == "echo"), case.is_offered, "{}", case.name);
            let called = client.service.call_tool(params("echo", json!({"path": case.path}))).await;
            let CallOutcome { is_asked, refusal } = case.outcome;
            assert_eq!(!client.questions().is_empty(), is_asked, "{}", case.name);
            assert_eq!(world.host.ran().is_empty(), refusal.is_some(), "{}", case.name);
            match (called, refusal) {
                (Ok(result), None) => assert_eq!(result.structured_content, Some(json!({"path": case.path}))),
                (Ok(result), Some(reason)) => {
                    let text = text(&result);
                    assert!(
                        text.starts_with(&format!("'echo' did not run, because {reason}")),
                        "{}: {text}",
                        case.name
                    );
                    assert!(text.ends_with("[BTN-3012]"), "{}: {text}", case.name);
                }
                (Err(error), _) => {
                    assert!(!case.is_offered && error.to_string().contains("Unknown tool"), "{}: {error}", case.name);
                }
            }
        }
    }
}
