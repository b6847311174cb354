//! Runs the example program against agents with client-side tools.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use baton_sdk::{Agent, Baton, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use std::process::Stdio;
use tokio::{io::AsyncWriteExt as _, process::Command};

const RULES: &str = "
rules:
  - when: { after_tool: get_weather, failed: true }
    say: \"I do not know: ${result}\"
  - when: { after_tool: get_weather }
    say: \"In ${args.city} it is ${result}.\"
  - when: { after_tool: handoff }
    say: \"I heard: ${result./response}\"
  - when: { after_tool: ask_user }
    say: \"You said ${result}.\"
  - when: { user: \"^ask me$\" }
    call: [{ tool: ask_user, args: { question: \"Which city?\" } }]
  - when: { user: \"^hand over (?P<city>.+)$\" }
    call: [{ tool: handoff, args: { agent_uri: weather, message: \"weather in ${city}\" } }]
  - when: { user: \"^weather in (?P<city>.+)$\" }
    call: [{ tool: get_weather, args: { city: \"${city}\" } }]
";

#[derive(Deserialize, JsonSchema)]
struct Place {
    city: String,
}

fn agent(name: &str) -> Agent {
    let weather = Tool::new("get_weather", "The weather of a city", |place: Place| async move {
        match place.city.as_str() {
            "Atlantis" => Err(ToolError::new("there is no such city")),
            _ => Ok(format!("72 °F and {}", place.city.len())),
        }
    });
    Agent::new(name).description("Tells the weather").prompt("You tell the weather.").playbook(RULES).tool(weather)
}

#[expect(clippy::disallowed_methods, reason = "starts the program under test")]
async fn run(url: &str, text: &str, typed: &str) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_baton-example-orchestrator"))
        .args([url, text])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = program.stdin.take().unwrap();
    stdin.write_all(typed.as_bytes()).await.unwrap();
    drop(stdin);
    let output = program.wait_with_output().await.unwrap();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[tokio::test]
async fn client_side_tools_run_until_the_agent_answers() {
    let caller = agent("weather").client_side_tools().with_control_tools();
    let own = agent("own");
    let boss = agent("boss").client_side_tools().handoff_to("weather");
    let served = Baton::new().agent(caller).agent(own).agent(boss).start("127.0.0.1:0").await.unwrap();
    let at = |agent: &str| format!("{}/agents/{agent}", served.url());
    for (agent, text, typed, expect) in [
        ("weather", "weather in Oakland", "", "completed: In Oakland it is 72 °F and 7.\n"),
        ("weather", "weather in Atlantis", "", "completed: I do not know: get_weather failed: there is no such city\n"),
        ("own", "weather in Oakland", "", "completed: In Oakland it is 72 °F and 7.\n"),
        ("weather", "ask me", "Rome\n", "Which city?\ncompleted: You said Rome.\n"),
        ("boss", "hand over Oakland", "", "completed: I heard: In Oakland it is 72 °F and 7.\n"),
    ] {
        assert_eq!(run(&at(agent), text, typed).await, expect, "{agent}: {text}");
    }
    served.stop().await;
}

#[tokio::test]
async fn unreachable_agent_is_an_error() {
    let output = run("http://127.0.0.1:1/agents/weather", "hello", "").await;
    assert!(output.contains("BTN-3011"), "{output}");
}

#[test]
fn program_has_fewer_than_30_lines() {
    assert!(include_str!("../../src/main.rs").lines().count() < 30);
}
