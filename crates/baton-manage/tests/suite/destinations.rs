//! Stored secrets are sent only to the destination they were configured for, unless the owner changes it.

use crate::effects::{Files, create_request, files, manager, native};
use baton_api::error_codes;
use baton_manage::{Definition, ManageError, ManageRole, provider_change, server_change};
use baton_types::{AgentChange, AgentName, Json};

struct Case {
    /// The agent as created by its owner.
    made: Files,
    /// The administrator's change: `server NAME` or `provider ID` with an entry.
    put: (&'static str, &'static str, &'static str),
    is_allowed: bool,
}

fn server(entry: &str) -> Files {
    native(&format!("mcp_servers: {{ s: {entry} }}"))
}

fn provider(id: &str, entry: &str) -> Files {
    native(&format!("providers: {{ {id}: {entry} }}"))
}

fn with_variables(mut made: Files, text: &str) -> Files {
    made.extend(files([(".env", text)]));
    made
}

fn change(now: &Definition, (kind, name, entry): (&str, &str, &str)) -> Result<AgentChange, ManageError> {
    let entry = Json::parse(entry).unwrap();
    match kind {
        "server" => server_change(Some(now), name, &entry),
        _ => provider_change(Some(now), name, &entry),
    }
}

fn cases() -> Vec<Case> {
    let case = |made: &Files, put, is_allowed| Case { made: made.clone(), put, is_allowed };
    let literal = server(r#"{ url: "https://good.example/mcp", headers: { A: s3cr3t, B: two } }"#);
    let reference = server(r#"{ type: http, url: "https://good.example/mcp", headers: { A: "Bearer ${TOKEN}" } }"#);
    let login = server(r#"{ url: "https://good.example/mcp", oauth: { client_id: c, client_secret: "env://TOKEN" } }"#);
    let placed = with_variables(
        server(r#"{ url: "${BASE}/mcp", headers: { A: "env://TOKEN" } }"#),
        "BASE=https://good.example\n",
    );
    let program = server(r#"{ command: run, args: ["--token", s3cr3t], env: { A: s3cr3t } }"#);
    let off = server(r#"{ command: run, enabled: false }"#);
    let openai = provider("openai", "{ api_key: s3cr3t }");
    let variable = provider("openai", "{ api_key: \"env://TOKEN\", base_url: \"https://good.example/v1\" }");
    let mine = provider("mine", "{ base_url: \"https://good.example/v1\", headers: { A: s3cr3t } }");
    let dotenv = with_variables(native(""), "OPENAI_API_KEY=s3cr3t\n");
    let pair = provider("bedrock", "{ AWS_ACCESS_KEY_ID: s3cr3t, AWS_SECRET_ACCESS_KEY: s3cr3t }");
    let profile = provider("bedrock", "{ AWS_PROFILE: work }");
    vec![
        case(
            &literal,
            ("server", "s", r#"{"url": "https://good.example/other", "headers": {"A": "***", "B": "***"}}"#),
            true,
        ),
        case(&literal, ("server", "s", r#"{"url": "https://good.example:443/mcp", "headers": {"A": "***"}}"#), true),
        case(&literal, ("server", "s", r#"{"url": "https://evil.example/mcp", "headers": {"A": "***"}}"#), false),
        case(&literal, ("server", "s", r#"{"url": "http://good.example/mcp", "headers": {"A": "***"}}"#), false),
        case(&literal, ("server", "s", r#"{"url": "https://good.example:8443/mcp", "headers": {"A": "***"}}"#), false),
        case(
            &literal,
            ("server", "s", r#"{"url": "https://good.example@evil.example/", "headers": {"A": "***"}}"#),
            false,
        ),
        case(
            &literal,
            ("server", "s", r#"{"url": "https://good.example\\@evil.example/", "headers": {"A": "***"}}"#),
            false,
        ),
        case(
            &literal,
            ("server", "s", r#"{"type": "sse", "url": "https://good.example/mcp", "headers": {"A": "***"}}"#),
            false,
        ),
        case(&literal, ("server", "s", r#"{"command": "sh", "env": {"A": "x"}}"#), false),
        case(&literal, ("server", "s", r#"{"url": "https://evil.example/mcp", "headers": {"A": "of-my-own"}}"#), true),
        case(&literal, ("server", "s", r#"{"url": "https://evil.example/mcp"}"#), true),
        case(
            &reference,
            (
                "server",
                "s",
                r#"{"type": "http", "url": "https://good.example/v2", "headers": {"A": "Bearer ${TOKEN}"}}"#,
            ),
            true,
        ),
        case(
            &reference,
            ("server", "s", r#"{"type": "http", "url": "https://evil.example", "headers": {"A": "Bearer ${TOKEN}"}}"#),
            false,
        ),
        case(
            &reference,
            ("server", "s", r#"{"type": "http", "url": "https://good.example", "headers": {"A": "${TOKEN}"}}"#),
            false,
        ),
        case(
            &reference,
            ("server", "s", r#"{"type": "http", "url": "https://good.example", "headers": {"B": "Bearer ${TOKEN}"}}"#),
            false,
        ),
        case(
            &reference,
            ("server", "t", r#"{"type": "http", "url": "https://good.example", "headers": {"A": "Bearer ${TOKEN}"}}"#),
            false,
        ),
        case(
            &login,
            (
                "server",
                "s",
                r#"{"url": "https://good.example/x", "oauth": {"client_id": "c", "client_secret": "env://TOKEN"}}"#,
            ),
            true,
        ),
        case(
            &login,
            (
                "server",
                "s",
                r#"{"url": "https://evil.example", "oauth": {"client_id": "c", "client_secret": "env://TOKEN"}}"#,
            ),
            false,
        ),
        case(
            &placed,
            ("server", "s", r#"{"url": "${BASE}/mcp", "headers": {"A": "env://TOKEN"}, "required": true}"#),
            true,
        ),
        case(
            &placed,
            ("server", "s", r#"{"url": "https://evil.example/mcp", "headers": {"A": "env://TOKEN"}}"#),
            false,
        ),
        case(
            &program,
            ("server", "s", r#"{"command": "run", "args": ["--token", "***"], "env": {"A": "***"}, "required": true}"#),
            true,
        ),
        case(
            &program,
            ("server", "s", r#"{"command": "run", "args": ["--token", "***"], "env": {"A": "***"}, "enabled": false}"#),
            true,
        ),
        case(
            &program,
            ("server", "s", r#"{"command": "run", "args": ["--token", "***"], "env": {"A": "***", "PATH": "/tmp"}}"#),
            false,
        ),
        case(
            &program,
            ("server", "s", r#"{"command": "run", "args": ["--token", "***"], "env": {"A": "***"}, "cwd": "/tmp"}"#),
            false,
        ),
        case(
            &program,
            ("server", "s", r#"{"command": "other", "args": ["--token", "***"], "env": {"A": "***"}}"#),
            false,
        ),
        case(
            &program,
            ("server", "s", r#"{"command": "run", "args": ["--token", "***"], "env": {"A": "***"}, "trust": true}"#),
            false,
        ),
        case(&off, ("server", "s", r#"{"command": "run"}"#), false),
        case(&openai, ("provider", "openai", r#"{"api_key": "***", "rpm": 7}"#), true),
        case(&openai, ("provider", "openai", r#"{"api_key": "***", "base_url": "https://evil.example"}"#), false),
        case(
            &openai,
            ("provider", "openai", r#"{"api_key": "***", "OPENAI_BASE_URL": "https://evil.example"}"#),
            false,
        ),
        case(&openai, ("provider", "openai", r#"{"api_key": "***", "kind": "ollama"}"#), false),
        case(&openai, ("provider", "openai", r#"{"api_key": "own", "base_url": "https://evil.example"}"#), true),
        case(
            &variable,
            ("provider", "openai", r#"{"api_key": "env://TOKEN", "base_url": "https://good.example/v2"}"#),
            true,
        ),
        case(
            &variable,
            ("provider", "openai", r#"{"api_key": "env://TOKEN", "base_url": "https://evil.example/v1"}"#),
            false,
        ),
        case(&variable, ("provider", "openai", r#"{"api_key": "env://TOKEN"}"#), false),
        case(
            &variable,
            ("provider", "openai", r#"{"api_key": "env://OTHER", "base_url": "https://good.example/v1"}"#),
            false,
        ),
        case(&mine, ("provider", "mine", r#"{"base_url": "https://good.example/v2", "headers": {"A": "***"}}"#), true),
        case(&mine, ("provider", "mine", r#"{"base_url": "https://evil.example", "headers": {"A": "***"}}"#), false),
        case(&dotenv, ("provider", "openai", r#"{"rpm": 7}"#), true),
        case(&dotenv, ("provider", "openai", r#"{"base_url": "https://evil.example"}"#), false),
        case(&dotenv, ("provider", "openai", r#"{"kind": "ollama"}"#), false),
        case(
            &dotenv,
            ("provider", "other", r#"{"base_url": "https://evil.example", "api_key": "env://OPENAI_API_KEY"}"#),
            false,
        ),
        case(
            &pair,
            (
                "provider",
                "bedrock",
                r#"{"AWS_ACCESS_KEY_ID": "***", "AWS_SECRET_ACCESS_KEY": "***", "AWS_REGION": "eu-west-1"}"#,
            ),
            true,
        ),
        case(
            &pair,
            (
                "provider",
                "bedrock",
                r#"{"AWS_ACCESS_KEY_ID": "***", "AWS_SECRET_ACCESS_KEY": "***", "AWS_REGION": "x.evil.example/#"}"#,
            ),
            false,
        ),
        case(&profile, ("provider", "bedrock", r#"{"AWS_PROFILE": "work", "rpm": 7}"#), true),
        case(&profile, ("provider", "bedrock", r#"{"AWS_PROFILE": "home"}"#), false),
        case(
            &profile,
            ("provider", "bedrock", r#"{"AWS_PROFILE": "work", "base_url": "https://evil.example"}"#),
            false,
        ),
    ]
}

#[tokio::test]
async fn secrets_stay_with_their_origin_and_transport() {
    let bob = AgentName::from("bob");
    for Case { made, put, is_allowed } in cases() {
        let manager = manager();
        manager
            .create(create_request(&made), ManageRole::Owner)
            .await
            .unwrap_or_else(|error| panic!("{made:?}: {error}"));
        let decide = |now: &Definition| Ok(vec![change(now, put)?]);
        let tried = manager.preview_change(&bob, ManageRole::Administrator, decide).await.map(drop);
        let done = manager.change(&bob, ManageRole::Administrator, None, decide).await.map(drop);
        assert_eq!(tried, done, "{put:?}");
        let refused = (!is_allowed).then_some(error_codes::SCOPE_MISSING);
        assert_eq!(done.as_ref().err().map(|error| error.code), refused, "{made:?} {put:?} {done:?}");
        // The owner may make the change that the administrator could not.
        manager.change(&bob, ManageRole::Owner, None, decide).await.unwrap_or_else(|error| panic!("{put:?}: {error}"));
    }
}

#[tokio::test]
async fn other_changes_and_copies_keep_the_effects() {
    let (bob, rob) = (AgentName::from("bob"), AgentName::from("rob"));
    let made = with_variables(
        native(
            "mcp_servers: { s: { command: run }, t: { url: \"https://good.example\", headers: { A: \"${TOKEN}\" } } }\n\
             guardrails:\n  - { name: g, on: [input], command: [sh, check.sh] }",
        ),
        "AWS_PROFILE=work\nOPENAI_API_KEY=s3cr3t\n",
    );
    let manager = manager();
    manager.create(create_request(&made), ManageRole::Owner).await.unwrap();
    let prompt = |_: &Definition| Ok(vec![AgentChange::Prompt("Be brief.".to_owned())]);
    manager.change(&bob, ManageRole::Administrator, None, prompt).await.unwrap();
    let copy = baton_api::CloneAgent { name: "rob".to_owned(), ..Default::default() };
    manager.copy(&bob, &copy).await.unwrap();
    let elsewhere = ("server", "t", r#"{"url": "https://evil.example", "headers": {"A": "${TOKEN}"}}"#);
    let move_it = |now: &Definition| Ok(vec![change(now, elsewhere)?]);
    let refused = manager.change(&rob, ManageRole::Administrator, None, move_it).await.unwrap_err();
    assert_eq!(refused.code, error_codes::SCOPE_MISSING);
    let gone = |_: &Definition| Ok(vec![AgentChange::Server { name: "s".to_owned(), entry: None }]);
    manager.change(&rob, ManageRole::Administrator, None, gone).await.unwrap();
}
