//! Served agents as their clients see them.

use baton_client::{Client, SendRequest};
use baton_sdk::{Agent, Baton, BatonServer, Tool, ToolContext, ToolError};
use baton_types::{Message, Part, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const RULES: &str = "
rules:
  - when: { after_tool: count, failed: true }
    say: \"failed: ${result}\"
  - when: { after_tool: count }
    say: \"${args.word} has ${result./letters} letters, says ${result./by}\"
  - when: { after_tool: handoff }
    say: \"I was told: ${result./response}\"
  - when: { user: \"^hand over (?P<word>.+)$\" }
    call: [{ tool: handoff, args: { agent_uri: counter, message: \"count ${word}\" } }]
  - when: { user: \"^count (?P<word>.+)$\" }
    call: [{ tool: count, args: { word: \"${word}\" } }]
";

#[derive(Deserialize, JsonSchema)]
struct Word {
    /// Any word.
    word: String,
}

#[derive(Serialize, JsonSchema)]
struct Counted {
    letters: usize,
    by: String,
}

async fn count(word: Word, context: ToolContext) -> Result<Counted, ToolError> {
    if word.word.contains(' ') {
        return Err(ToolError::new("that is not one word"));
    }
    Ok(Counted { letters: word.word.chars().count(), by: context.agent.to_string() })
}

fn counter() -> Agent {
    let tool = Tool::with_context("count", "Counts the letters of a word.", count).read_only();
    Agent::new("counter").description("Counts letters").prompt("You count.").playbook(RULES).tool(tool)
}

pub(crate) async fn ask_agent(running: &BatonServer, agent: &str, text: &str) -> String {
    let client = Client::tcp(running.url()).unwrap();
    let message = Message::new("m-1".into(), Role::User, vec![Part::text(text)]);
    let task = client.send(agent, SendRequest::new(message)).await.unwrap();
    let answer = task.artifacts.unwrap_or_default().pop().expect("an answer");
    answer.parts.iter().filter_map(|part| part.text.as_deref()).collect()
}

#[tokio::test]
async fn typed_tool_is_called_over_a2a() {
    let running = Baton::new().agent(counter()).start("127.0.0.1:0").await.unwrap();
    assert_eq!(ask_agent(&running, "counter", "count Straße").await, "Straße has 6 letters, says counter");
    assert!(ask_agent(&running, "counter", "count two words").await.ends_with("that is not one word"));
    running.stop().await;
}

#[tokio::test]
async fn agents_of_one_program_hand_off_to_each_other() {
    let desk = Agent::new("front-desk").playbook(RULES).handoff_with_description("counter", "for counting");
    let running = Baton::new().agent(desk).agent(counter()).start("localhost:0").await.unwrap();
    let answer = ask_agent(&running, "front-desk", "hand over work").await;
    assert_eq!(answer, "I was told: work has 4 letters, says counter");
    running.stop().await;
}

#[tokio::test]
async fn data_directory_keeps_tasks_and_keys() {
    let data = tempfile::tempdir().unwrap();
    let baton = || Baton::new().agent(counter()).data_dir(data.path().join("kept"));
    let running = baton().start("127.0.0.1:0").await.unwrap();
    let second = baton().start("127.0.0.1:0").await.unwrap_err();
    assert_eq!(second.code(), baton_sdk::error_codes::JOURNAL_LOCKED);
    let client = Client::tcp(running.url()).unwrap();
    let message = Message::new("m-1".into(), Role::User, vec![Part::text("count one")]);
    let task = client.send("counter", SendRequest::new(message)).await.unwrap();
    running.stop().await;

    let running = baton().start("127.0.0.1:0").await.unwrap();
    let again = Client::tcp(running.url()).unwrap().get("counter", &task.id, None).await.unwrap();
    assert_eq!(again.status.state, task.status.state);
    let card = Client::tcp(running.url()).unwrap().card("counter").await.unwrap();
    assert_eq!((card.name.as_ref(), card.signatures.len()), ("Counter", 2), "cards are signed with kept keys");
    running.stop().await;
}
