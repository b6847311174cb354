//! The agent of `examples/mcp-conformance` behind the real binary, with the fixture as its MCP server.

use crate::{
    binary::{Home, Running, examples},
    foreign::{Interpreter, command},
};
use std::path::{Path, PathBuf};

/// The Node that the packages of `tests/mcp` need.
pub(super) const NODE: Interpreter =
    Interpreter { variable: "BATON_TEST_MCP_NODE", set_up: &["scripts/node-env.sh", "tests/mcp"] };

/// Where the packages are, for scripts that are started from the root of the repository.
pub(super) const PACKAGES: &str = "tests/mcp/node_modules/@modelcontextprotocol";

/// A server that ends with this value.
pub(super) struct Served {
    server: Running,
    url: String,
    _home: Home,
}

impl Served {
    /// The conformance agent.
    pub(super) fn conformance() -> Self {
        Self::example("mcp-conformance")
    }

    /// An agent of the examples, alone.
    pub(super) fn example(name: &str) -> Self {
        let home = Home::new();
        let fixture = fixture();
        let variables = [("BATON_FIXTURE_MCP", fixture.to_str().expect("UTF-8"))];
        let agent = format!("{}/{name}", examples());
        let (server, url) = home.up_with(&variables, &[&agent, "--port", "0", "--data", "data"]);
        Self { server, url, _home: home }
    }

    /// The Environment of an agent, by a name of loopback that browsers know.
    pub(super) fn environment(&self, agent: &str) -> String {
        format!("{}/agents/{agent}/mcp", self.url.replace("127.0.0.1", "localhost"))
    }

    /// The command that brings the Environment of an agent to standard streams.
    pub(super) fn bridge(&self, agent: &str) -> [String; 6] {
        [env!("CARGO_BIN_EXE_baton"), "mcp", "--agent", agent, "--server", &self.url].map(str::to_owned)
    }

    /// Ends it as a person would.
    pub(super) fn end(self) {
        self.server.signal("TERM");
        let ended = self.server.end();
        assert_eq!(ended.code, Some(0), "{}", ended.shown());
    }
}

/// The command that serves the conformance agent on standard streams by itself.
pub(super) fn alone() -> [String; 6] {
    let fixture = format!("BATON_FIXTURE_MCP={}", fixture().to_str().expect("UTF-8"));
    let agent = format!("{}/mcp-conformance", examples());
    let baton = env!("CARGO_BIN_EXE_baton");
    ["env", &fixture, baton, "mcp", "--agent=mcp-conformance", &agent].map(str::to_owned)
}

/// The fixture: named in a variable, beside the binary under test, or built now.
pub(crate) fn fixture() -> PathBuf {
    if let Some(given) = std::env::var_os("BATON_FIXTURE_MCP") {
        return given.into();
    }
    let path = Path::new(env!("CARGO_BIN_EXE_baton")).with_file_name("baton-fixture-mcp");
    if !path.exists() {
        // Tests of the whole workspace have built it; those of this crate alone have not.
        let built = command(env!("CARGO")).args(["build", "--locked", "-p", "baton-fixture-mcp"]).output();
        let built = built.expect("cargo starts");
        assert!(path.exists(), "no fixture:\n{}", String::from_utf8_lossy(&built.stderr));
    }
    path
}
