//! The agent of `examples/mcp-conformance` behind the real binary, with the fixture as its MCP server.

use crate::{
    binary::{Home, RunningProcess, examples},
    foreign::{Interpreter, command},
};
use std::path::{Path, PathBuf};

/// The Node version that the packages of `tests/mcp` need.
pub(super) const NODE: Interpreter =
    Interpreter { variable: "BATON_TEST_MCP_NODE", set_up: &["scripts/node-env.sh", "tests/mcp"] };

/// Location of the packages, for scripts that start in the root of the repository.
pub(super) const PACKAGES: &str = "tests/mcp/node_modules/@modelcontextprotocol";

/// A server that stops when this value is dropped.
pub(super) struct ExampleServer {
    server: RunningProcess,
    url: String,
    _home: Home,
}

impl ExampleServer {
    pub(super) fn conformance() -> Self {
        Self::example("mcp-conformance")
    }

    /// Serves a single agent of the examples.
    pub(super) fn example(name: &str) -> Self {
        let home = Home::new();
        let fixture = fixture();
        let variables = [("BATON_FIXTURE_MCP", fixture.to_str().expect("UTF-8"))];
        let agent = format!("{}/{name}", examples());
        let (server, url) = home.up_with(&variables, &[&agent, "--port", "0", "--data", "data"]);
        Self { server, url, _home: home }
    }

    /// URL of an agent's Environment, with `localhost` as the host because browsers accept it.
    pub(super) fn environment(&self, agent: &str) -> String {
        format!("{}/agents/{agent}/mcp", self.url.replace("127.0.0.1", "localhost"))
    }

    /// The command that bridges the Environment of an agent to standard streams.
    pub(super) fn bridge(&self, agent: &str) -> [String; 6] {
        [env!("CARGO_BIN_EXE_baton"), "mcp", "--agent", agent, "--server", &self.url].map(str::to_owned)
    }

    /// Stops the server with SIGTERM.
    pub(super) fn end(self) {
        self.server.signal("TERM");
        let ended = self.server.end();
        assert_eq!(ended.code, Some(0), "{}", ended.shown());
    }
}

/// The command that serves the conformance agent on standard streams without a server.
pub(super) fn stdio_command() -> [String; 6] {
    let fixture = format!("BATON_FIXTURE_MCP={}", fixture().to_str().expect("UTF-8"));
    let agent = format!("{}/mcp-conformance", examples());
    let baton = env!("CARGO_BIN_EXE_baton");
    ["env", &fixture, baton, "mcp", "--agent=mcp-conformance", &agent].map(str::to_owned)
}

/// Path of the fixture: from a variable, beside the binary under test, or built now.
pub(crate) fn fixture() -> PathBuf {
    if let Some(given) = std::env::var_os("BATON_FIXTURE_MCP") {
        return given.into();
    }
    let path = Path::new(env!("CARGO_BIN_EXE_baton")).with_file_name("baton-fixture-mcp");
    if !path.exists() {
        // `cargo test --workspace` has built it; testing this crate alone has not.
        let built = command(env!("CARGO")).args(["build", "--locked", "-p", "baton-fixture-mcp"]).output();
        let built = built.expect("cargo starts");
        assert!(path.exists(), "no fixture:\n{}", String::from_utf8_lossy(&built.stderr));
    }
    path
}
