//! An agent's Environment with the tool `add`, as users of `baton-sdk` write it: spans on, the journal in memory.
//!
//! Prints the URL of the Environment on stdout and serves until it is killed. With the URL of an MCP server as argument
//! the agent has no tool itself: it offers that server's tools under their own names and forwards calls.

use baton_sdk::{
    Agent, AgentResources, Baton, Error, McpEra, McpPermissions, McpServer, McpTimeouts, McpTransport, Permission, Tool,
};
use mcp_servers::Numbers;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let agent = Agent::new("adder").description("Adds numbers");
    let agent = match std::env::args().nth(1) {
        Some(url) => agent.resources(AgentResources { servers: vec![server(url)], ..AgentResources::default() }),
        None => {
            let add = Tool::new("add", "Adds two numbers", |numbers: Numbers| async move { Ok(numbers.added()) });
            agent.tool(add.read_only())
        }
    };
    let running = Baton::new().agent(agent).telemetry().start("127.0.0.1:0").await?;
    println!("{}/agents/adder/mcp", running.url());
    std::future::pending().await
}

/// A server whose tools are offered without a prefix.
fn server(url: String) -> McpServer {
    McpServer {
        name: "behind".to_owned(),
        file: "main.rs".to_owned(),
        transport: McpTransport::Http { url, headers: Default::default() },
        enabled: true,
        era: McpEra::Auto,
        timeouts: McpTimeouts::default(),
        permissions: McpPermissions { default: Permission::Allow, rules: Vec::new() },
        include: Vec::new(),
        exclude: Vec::new(),
        modes: Default::default(),
        prefix: Some(String::new()),
        required: true,
        trusted: true,
        oauth: None,
    }
}
