//! Rejected configurations and their errors.

use baton_sdk::{Agent, Baton, ErrorCode, Tool, error_codes};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

fn tool(name: &str) -> Tool {
    Tool::new(name, "Does nothing.", |_: Nothing| async { Ok(true) })
}

#[tokio::test]
async fn every_configuration_error_is_reported() {
    let mut lines = Vec::new();
    for (what, baton) in [
        ("no agent", Baton::new()),
        ("a bad name", Baton::new().agent(Agent::new("The Weather"))),
        ("a name twice", Baton::new().agent(Agent::new("a")).agent(Agent::new("a"))),
        ("a broken playbook", Baton::new().agent(Agent::new("a").playbook("rules:\n  - whem: {}\n"))),
        ("a handoff to nobody", Baton::new().agent(Agent::new("a").handoff_to("maps"))),
        ("a handoff to itself", Baton::new().agent(Agent::new("a").handoff_to("a"))),
        (
            "a handoff to a name that cannot be",
            Baton::new().agent(Agent::new("a").remote_handoff("A b", "http://localhost:1")),
        ),
        ("alone, with callers", Baton::new().agent(Agent::new("a").autonomous().client_side_tools())),
        ("a tool twice", Baton::new().agent(Agent::new("a").tool(tool("look")).tool(tool("look")))),
        ("a tool of Baton's", Baton::new().agent(Agent::new("a").tool(tool("handoff")))),
        ("a tool without argument names", {
            let list = Tool::new("list", "Takes a list.", |_: Vec<String>| async { Ok(true) });
            Baton::new().agent(Agent::new("a").tool(list))
        }),
    ] {
        let error = baton.start("127.0.0.1:0").await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::AGENT_INVALID, "{what}");
        lines.push(format!("{what}\n    {}", error.message()));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[tokio::test]
async fn only_loopback_addresses_are_served() {
    for (address, code) in [
        ("0.0.0.0:0", error_codes::EXPOSED),
        ("[::]:0", error_codes::EXPOSED),
        ("192.0.2.1:0", error_codes::EXPOSED),
        ("somewhere", error_codes::USAGE),
    ] {
        let error = Baton::new().agent(Agent::new("a")).start(address).await.unwrap_err();
        assert_eq!(error.code(), code, "{address}: {error}");
    }
    let first = Baton::new().agent(Agent::new("a")).start("127.0.0.1:0").await.unwrap();
    let taken = first.url().strip_prefix("http://").unwrap();
    let error = Baton::new().agent(Agent::new("a")).start(taken).await.unwrap_err();
    assert_eq!(error.code(), error_codes::PORT_IN_USE);
    assert!(format!("{error:?}").contains("BTN-5003"), "main shows errors in this form: {error:?}");
    first.stop().await;
}
