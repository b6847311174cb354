use baton_api::CreateAgent;
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_manage::{Definition, ManageRole, Manager, definition, provider_change, providers, server_change, servers};
use baton_types::Json;
use std::{collections::BTreeMap, sync::Arc};

const SECRETS: [&str; 9] = [
    "s3cr3t-env",
    "s3cr3t-header",
    "s3cr3t-arg",
    "s3cr3t-flag",
    "s3cr3t-query",
    "s3cr3t-user",
    "s3cr3t-literal",
    "s3cr3t-sent",
    "s3cr3t-pair",
];

/// TeamSpark checklist, item 16 (teamspark.md).
#[tokio::test]
async fn teamspark_16_secrets_are_hidden_and_kept_on_update() {
    let storage = Arc::new(MemoryStorage::new());
    let manager = Manager::new(Arc::new(DirectoryAgents::open_with(&[], vec![storage], None)));
    let entry = |text: &str| Json::parse(text).unwrap();
    let local = r#"{"command":"tool","args":["--api-key","s3cr3t-arg","--token=s3cr3t-flag","-v"],
        "env":{"PLAIN":"s3cr3t-env","NAMED":"${env:OTHER}"}}"#;
    let remote = r#"{"url":"https://me:s3cr3t-user@mcp.example.com/mcp?key=s3cr3t-query",
        "headers":{"X-Team":"s3cr3t-header"}}"#;
    let given = BTreeMap::from([("local".to_owned(), entry(local)), ("remote".to_owned(), entry(remote))]);
    let services = BTreeMap::from([
        ("openai".to_owned(), entry(r#"{"api_key":"s3cr3t-literal","headers":{"X-Team":"s3cr3t-sent"}}"#)),
        ("anthropic".to_owned(), entry(r#"{"ANTHROPIC_API_KEY":"env://TEAM_KEY"}"#)),
        ("bedrock".to_owned(), entry(r#"{"AWS_ACCESS_KEY_ID":"s3cr3t-pair","AWS_REGION":"eu-west-1"}"#)),
    ]);
    let create_request =
        CreateAgent { name: Some("bob".to_owned()), servers: given, providers: services, ..CreateAgent::default() };
    let made = manager.create(create_request, ManageRole::Owner).await.unwrap();
    let shown = serde_json::to_string(&definition(&made)).unwrap();
    assert!(SECRETS.iter().all(|secret| !shown.contains(secret)), "{shown}");
    for told in ["${env:OTHER}", "mcp.example.com/mcp", "env://TEAM_KEY", "eu-west-1"] {
        assert!(shown.contains(told), "{told}: {shown}");
    }
    let put = |now: &Definition| {
        let (servers, providers) = (servers(now), providers(now));
        let servers = servers.iter().map(|(name, shown)| server_change(Some(now), name, shown));
        servers.chain(providers.iter().map(|(id, shown)| provider_change(Some(now), id, shown))).collect()
    };
    let after = manager.change(&"bob".into(), ManageRole::Owner, None, put).await.unwrap().after;
    assert_eq!(after.resources, made.resources);
    let unknown = |now: &Definition| {
        Ok(vec![server_change(Some(now), "new", &entry(r#"{"url":"https://x.example","headers":{"A":"***"}}"#))?])
    };
    assert!(manager.change(&"bob".into(), ManageRole::Owner, None, unknown).await.is_err());
}
