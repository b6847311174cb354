//! Third-party clients as separate processes against the real binary.

use crate::binary::{Home, await_line, examples};
use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Every binding in the card, text in chunks, and answers as status and artifact: the clients check all of it.
const ALL_FEATURES: &str = "a2a: { bindings: [jsonrpc, rest, grpc], answer: both, stream_text: chunks }\n";

/// Settings that add gRPC to the card.
pub(crate) const ALL_BINDINGS: &str = "a2a: { bindings: [jsonrpc, rest, grpc] }\n";

/// Hosts that bypass configured proxies.
const LOOPBACK: &str = "127.0.0.1,localhost";

/// Whether another agent is served besides the one under test.
#[derive(Clone, Copy)]
pub(crate) enum AgentSet {
    Single,
    Several,
}

/// The interpreter of a client: from a variable of `make test`, otherwise set up by a script of the repository.
pub(crate) struct Interpreter {
    pub(crate) variable: &'static str,
    pub(crate) set_up: &'static [&'static str],
}

impl Interpreter {
    pub(crate) fn path(&self) -> PathBuf {
        if let Some(given) = std::env::var_os(self.variable) {
            return given.into();
        }
        let (script, arguments) = self.set_up.split_first().expect("a script");
        let made = command(script).args(arguments).output().unwrap_or_else(|error| panic!("{script}: {error}"));
        let path = String::from_utf8_lossy(&made.stdout).trim().to_owned();
        assert!(made.status.success() && !path.is_empty(), "{script} says:\n{}", text(&made));
        path.into()
    }

    /// Runs a script that has to succeed, and returns its stdout.
    pub(crate) fn run_script(&self, arguments: &[&str]) -> String {
        let interpreter = self.path();
        let script = command(&interpreter).args(arguments).output();
        let script = script.unwrap_or_else(|error| panic!("{} does not start: {error}", interpreter.display()));
        assert!(script.status.success(), "{arguments:?} failed:\n{}", text(&script));
        String::from_utf8(script.stdout).expect("UTF-8")
    }

    /// Serves the agent of `tests/agents/flows` and runs a client script against it over one binding.
    pub(crate) fn run_client_script(&self, script: &str, binding: &str, served: AgentSet) {
        let interpreter = self.path();
        let home = Home::new();
        home.write("baton.yaml", ALL_FEATURES);
        let flows = repository().join("tests/agents/flows");
        let other = format!("{}/conformance", examples());
        // Strict mode: a message without a matching rule fails the test.
        let mut args = vec![flows.to_str().expect("UTF-8"), "--port", "0", "--data", "data", "--strict"];
        args.extend(["--push-allow", "127.0.0.0/8"]);
        let mut said = vec![script];
        let several = match served {
            AgentSet::Single => None,
            AgentSet::Several => Some((other.as_str(), "several")),
        };
        args.extend(several.map(|(directory, _)| directory));
        let (mut server, _) = home.up(&args);
        // The URL exactly as printed.
        let line = await_line(&mut server.stderr, "/agents/flows");
        let agent = line.split_whitespace().find(|word| word.starts_with("http://")).expect("an address").to_owned();
        said.extend([agent.as_str(), binding]);
        said.extend(several.map(|(_, word)| word));
        let client = command(&interpreter).args(said).output();
        let client = client.unwrap_or_else(|error| panic!("{} does not start: {error}", interpreter.display()));
        assert!(client.status.success(), "the client failed:\n{}", text(&client));
        server.signal("TERM");
        let ended = server.end();
        assert_eq!(ended.code, Some(0), "{}", ended.shown());
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[expect(clippy::disallowed_methods, reason = "the client is a separate process")]
pub(crate) fn command(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.current_dir(repository()).envs([("NO_PROXY", LOOPBACK), ("no_proxy", LOOPBACK)]);
    command
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
