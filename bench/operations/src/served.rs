//! The server under count: the agent `echo` of the benchmarks, and `adder` with one tool.

use anyhow::{Context as _, Result, anyhow};
use axum::{Router, body::Body, response::Response};
use baton_local::DirectoryAgents;
use baton_ports::AgentSource as _;
use baton_server::{
    AgentOptions, AgentRequirement, NativeTools, Persistence, ProgramAgent, Server, ServerOptions, Tool, ToolOptions,
};
use baton_types::{AgentName, AgentSpec};
use http::Request;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tower::ServiceExt as _;

/// Directory of the agent `echo`, relative to `bench/`.
const ECHO_DIRECTORY: &str = "agents/echo";

/// An open server and its HTTP surface.
pub struct ServedAgents {
    server: Server,
    router: Router,
}

#[derive(Deserialize, JsonSchema)]
struct Numbers {
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

impl ServedAgents {
    /// Opens the server in this data directory.
    pub async fn open(data: &Path) -> Result<Self> {
        let directory = PathBuf::from(ECHO_DIRECTORY);
        let agents = DirectoryAgents::load(std::slice::from_ref(&directory))?;
        let echo = agents.agent(&AgentName::from("echo")).context("run the program in the folder bench")?;
        let adder = AgentName::from("adder");
        let mut functions = NativeTools::new();
        let add = Tool::new("add", "Adds two numbers", |numbers: Numbers| async move {
            Ok(Sum { sum: numbers.a.wrapping_add(numbers.b) })
        });
        functions.add(&adder, add.read_only()).map_err(|problem| anyhow!("{problem}"))?;
        let spec = AgentSpec { tools: functions.specs(&adder), name: adder, ..AgentSpec::clone(&echo) };
        let program = vec![ProgramAgent { spec: Arc::new(spec), resources: Arc::default() }];
        let options = ServerOptions {
            persistence: Persistence::Directory(data.to_owned()),
            agents: AgentOptions {
                program,
                paths: vec![directory],
                requirement: AgentRequirement::Required,
                ..AgentOptions::default()
            },
            tools: ToolOptions { functions: Some(functions), ..ToolOptions::default() },
            ..ServerOptions::default()
        };
        let server = Server::open(options).await?;
        let router = server.local_surface_with_mcp()?.router;
        Ok(Self { server, router })
    }

    /// Sends a request.
    pub async fn call(&self, request: Request<Body>) -> Result<Response> {
        Ok(self.router.clone().oneshot(request).await?)
    }

    /// Closes the server; its background work is done afterwards.
    pub async fn close(self) {
        self.server.close().await;
    }
}
