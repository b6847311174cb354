use baton_local::{Beside, DirectoryAgents, MemoryStorage};
use baton_manage::{Definition, Manager, Who, definition, server_change, servers};
use baton_types::Json;
use baton_wire::api::CreateAgent;
use std::{collections::BTreeMap, sync::Arc};

const SECRETS: [&str; 6] = ["s3cr3t-env", "s3cr3t-header", "s3cr3t-arg", "s3cr3t-flag", "s3cr3t-query", "s3cr3t-user"];

/// teamspark.md, checklist 16.
#[tokio::test]
async fn teamspark_16_secrets_are_never_shown_and_stay_when_given_back_hidden() {
    let beside = Beside { folder: None, storages: vec![Arc::new(MemoryStorage::new())] };
    let manager = Manager::new(Arc::new(DirectoryAgents::open_beside(&[], beside, None)));
    let entry = |text: &str| Json::parse(text).unwrap();
    let local = r#"{"command":"tool","args":["--api-key","s3cr3t-arg","--token=s3cr3t-flag","-v"],
        "env":{"PLAIN":"s3cr3t-env","NAMED":"${env:OTHER}"}}"#;
    let remote = r#"{"url":"https://me:s3cr3t-user@mcp.example.com/mcp?key=s3cr3t-query",
        "headers":{"X-Team":"s3cr3t-header"}}"#;
    let given = BTreeMap::from([("local".to_owned(), entry(local)), ("remote".to_owned(), entry(remote))]);
    let wish = CreateAgent { name: Some("bob".to_owned()), servers: given, ..CreateAgent::default() };
    let made = manager.create(wish, Who::Owner).await.unwrap();
    let shown = serde_json::to_string(&definition(&made)).unwrap();
    assert!(SECRETS.iter().all(|secret| !shown.contains(secret)), "{shown}");
    assert!(shown.contains("${env:OTHER}") && shown.contains("mcp.example.com/mcp"), "{shown}");
    let put =
        |now: &Definition| servers(now).iter().map(|(name, shown)| server_change(Some(now), name, shown)).collect();
    let after = manager.change(&"bob".into(), Who::Owner, None, put).await.unwrap().after;
    assert_eq!(after.kit, made.kit);
    let unknown = |now: &Definition| {
        Ok(vec![server_change(Some(now), "new", &entry(r#"{"url":"https://x.example","headers":{"A":"***"}}"#))?])
    };
    assert!(manager.change(&"bob".into(), Who::Owner, None, unknown).await.is_err());
}
