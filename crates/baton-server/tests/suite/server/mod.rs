//! Servers opened from options, called in memory and over a socket.

mod lifecycle;
mod requirements;
mod surfaces;

use baton_client::{Client, ClientError, SendRequest};
use baton_server::{AgentOptions, Persistence, ServerOptions};
use baton_types::{Message, Part, Role};
use std::path::Path;

/// Writes the agent `desk`, which greets, and returns its directory.
fn write_agent(home: &Path) -> std::path::PathBuf {
    let directory = home.join("desk");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("agent.yaml"), "name: desk\ndescription: For a test.\n").unwrap();
    std::fs::write(directory.join("prompt.md"), "You are a test.\n").unwrap();
    std::fs::write(directory.join("playbook.yaml"), "rules: [{ say: 'Good day!' }]\n").unwrap();
    directory
}

/// Options with the agent `desk`.
fn options(home: &Path, persistence: Persistence) -> ServerOptions {
    let agents = AgentOptions { paths: vec![write_agent(home)], ..AgentOptions::default() };
    ServerOptions { persistence, agents, ..ServerOptions::default() }
}

/// Greets the agent `desk`, and returns the id of the task.
async fn greet(client: &Client) -> String {
    let (task, answer) = send_greeting(client).await.unwrap();
    assert_eq!(answer, "Good day!");
    task
}

/// Greets the agent `desk`, and returns the id of the task and the answer.
async fn send_greeting(client: &Client) -> Result<(String, String), ClientError> {
    let message = Message::new("m-1".into(), Role::User, vec![Part::text("hi")]);
    let task = client.send("desk", SendRequest::new(message)).await?;
    let answer = task.artifacts.and_then(|mut artifacts| artifacts.pop()).unwrap();
    let text = answer.parts.iter().filter_map(|part| part.text.as_deref()).collect();
    Ok((task.id.into_owned(), text))
}
