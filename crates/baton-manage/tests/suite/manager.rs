use baton_api::{AgentItem, CloneAgent, CreateAgent};
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_manage::{Definition, ManageRole, Manager, definition, item_put, provider_change, server_change};
use baton_ports::AgentLocation;
use baton_types::{AgentChange, AgentName, ErrorCode, InclusionMode, ItemKind, Json};
use std::sync::Arc;

fn manager() -> Manager {
    let storage = Arc::new(MemoryStorage::new());
    Manager::new(Arc::new(DirectoryAgents::open_with(&[], vec![storage], None)))
}

fn rule(name: &str, text: &str) -> AgentItem {
    AgentItem { name: name.to_owned(), text: Some(text.to_owned()), ..AgentItem::default() }
}

fn create_request(name: &str) -> CreateAgent {
    CreateAgent { name: Some(name.to_owned()), ..CreateAgent::default() }
}

#[tokio::test]
async fn agent_is_created_changed_copied_and_deleted_in_memory() {
    let manager = manager();
    let made = manager
        .create(
            CreateAgent {
                title: Some("Bob the Helper".to_owned()),
                description: Some("Helps.".to_owned()),
                prompt: Some("Be brief.".to_owned()),
                rules: vec![rule("tone", "Be kind.")],
                references: vec![AgentItem {
                    include: Some(InclusionMode::Always),
                    ..rule("facts", "The sky is blue.")
                }],
                ..create_request("bob")
            },
            ManageRole::Administrator,
        )
        .await
        .unwrap();
    assert_eq!((made.name.as_str(), &made.location), ("bob", &AgentLocation::Memory));
    assert_eq!(definition(&made).location.note, "stored in memory: lost when this server stops");
    assert_eq!((made.agent.title.as_str(), made.agent.prompt.as_str()), ("Bob the Helper", "Be brief."));
    let taken = manager.create(create_request("bob"), ManageRole::Owner).await.unwrap_err();
    assert_eq!(taken.code, baton_ports::error_codes::NAME_TAKEN);

    let bob = AgentName::from("bob");
    let put =
        |text: &'static str| move |now: &Definition| Ok(vec![item_put(now, ItemKind::Rule, &rule("tone", text))?]);
    let changed = manager.change(&bob, ManageRole::Administrator, Some(&made.digest), put("Be calm.")).await.unwrap();
    assert_eq!(changed.after.agent.knowledge.rules[0].text.trim_end(), "Be calm.");
    let late = manager.change(&bob, ManageRole::Administrator, Some(&made.digest), put("Be loud.")).await.unwrap_err();
    assert_eq!(late.code, baton_ports::error_codes::AGENT_OUTDATED);
    let absent = AgentChange::Remove { kind: ItemKind::Rule, name: "none".to_owned() };
    let absent = manager.change(&bob, ManageRole::Owner, None, |_| Ok(vec![absent.clone()])).await.unwrap_err();
    assert_eq!(absent.code, baton_manage::error_codes::AGENT_PART_NOT_FOUND);

    let copy = CloneAgent { name: "rob".to_owned(), ..CloneAgent::default() };
    let copy = manager.copy(&bob, &copy).await.unwrap();
    assert_eq!((copy.name.as_str(), copy.agent.title.as_str()), ("rob", "Bob the Helper"));
    assert_eq!(copy.agent.knowledge, changed.after.agent.knowledge);
    manager.delete(&bob, None).await.unwrap();
    assert_eq!(manager.definition(&bob).await.unwrap_err().code, ErrorCode::AGENT_NOT_FOUND);
}

#[tokio::test]
async fn concurrent_changes_are_all_kept() {
    let manager = manager();
    manager.create(create_request("bob"), ManageRole::Owner).await.unwrap();
    let changes: Vec<_> = (0..12)
        .map(|number| {
            let manager = manager.clone();
            tokio::spawn(async move {
                let item = rule(&format!("rule-{number}"), "Text.");
                let put = |now: &Definition| Ok(vec![item_put(now, ItemKind::Rule, &item)?]);
                manager.change(&"bob".into(), ManageRole::Owner, None, put).await.map(drop)
            })
        })
        .collect();
    for change in changes {
        change.await.unwrap().unwrap();
    }
    assert_eq!(manager.definition(&"bob".into()).await.unwrap().agent.knowledge.rules.len(), 12);
}

#[tokio::test]
async fn only_the_owner_may_add_programs_and_variables() {
    let manager = manager();
    manager.create(create_request("bob"), ManageRole::Administrator).await.unwrap();
    let entry = |text: &str| Json::parse(text).unwrap();
    for (server, is_for_all) in [
        (r#"{"command":"sh","args":["-c","id"]}"#, false),
        (r#"{"url":"https://mcp.example.com","headers":{"Authorization":"Bearer ${env:TOKEN}"}}"#, false),
        (r#"{"url":"https://mcp.example.com"}"#, true),
    ] {
        let put = |now: &Definition| Ok(vec![server_change(Some(now), "files", &entry(server))?]);
        let done = manager.change(&"bob".into(), ManageRole::Administrator, None, put).await;
        assert_eq!(
            done.as_ref().err().map(|error| error.code),
            (!is_for_all).then_some(baton_api::error_codes::SCOPE_MISSING)
        );
        manager.change(&"bob".into(), ManageRole::Owner, None, put).await.unwrap();
    }
    for (keys, is_for_all) in [
        (r#"{"AWS_PROFILE":"admin"}"#, false),
        (r#"{"AWS_ACCESS_KEY_ID":"env://ID","AWS_SECRET_ACCESS_KEY":"s"}"#, false),
        (r#"{"AWS_ACCESS_KEY_ID":"a","AWS_SECRET_ACCESS_KEY":"s"}"#, true),
    ] {
        let put = |now: &Definition| Ok(vec![provider_change(Some(now), "bedrock", &entry(keys))?]);
        let done = manager.change(&"bob".into(), ManageRole::Administrator, None, put).await;
        assert_eq!(
            done.as_ref().err().map(|error| error.code),
            (!is_for_all).then_some(baton_api::error_codes::SCOPE_MISSING)
        );
    }
}
