//! Runs the client scenarios of the public MCP conformance suite against `baton-mcp-conformance-client`.

use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const CLIENT: &str = env!("CARGO_BIN_EXE_baton-mcp-conformance-client");
const SUITE: &str = "tests/mcp/node_modules/@modelcontextprotocol/conformance/dist/index.js";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[expect(clippy::disallowed_methods, reason = "the suite is a program of its own")]
fn run(program: impl AsRef<Path>, arguments: &[&str]) -> Output {
    let program = program.as_ref();
    let ended = Command::new(program).args(arguments).current_dir(repository()).env_remove("RUST_LOG").output();
    ended.unwrap_or_else(|error| panic!("{} does not start: {error}", program.display()))
}

fn node() -> PathBuf {
    if let Some(given) = std::env::var_os("BATON_TEST_MCP_NODE") {
        return given.into();
    }
    let made = run("scripts/node-env.sh", &["tests/mcp"]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).expect("UTF-8").trim().into()
}

/// Scenarios that the suite requires of a client at a revision.
fn required(node: &Path, revision: &str) -> Vec<String> {
    let listed = run(node, &[SUITE, "list", "--requirements", revision]);
    let text = String::from_utf8(listed.stdout).expect("UTF-8");
    let clients = text.split("Client scenarios").nth(1).expect("a list of client scenarios");
    let scored = clients.split("never scored").next().expect("some");
    scored.lines().filter_map(|line| line.trim().strip_prefix("- ")).map(str::to_owned).collect()
}

/// Checks by scenario name.
fn results(folder: &Path) -> BTreeMap<String, Vec<Value>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap_or_else(|error| panic!("{}: {error}", next.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("checks.json") {
                let name = next.strip_prefix(folder).expect("a folder below").to_str().expect("UTF-8");
                // Each scenario writes into a folder named after it and the time.
                let name = &name[..name.len() - "-2026-11-16T05-17-07-215Z".len()];
                let checks = std::fs::read(&path).expect("a file");
                found.insert(name.to_owned(), serde_json::from_slice(&checks).expect("checks"));
            }
        }
    }
    found
}

/// Runs the scenarios of a revision; fails on any unsuccessful check and on a scenario without successful checks.
fn check_revision(revision: &str, scenarios: usize) {
    let node = node();
    let required = required(&node, revision);
    assert_eq!(required.len(), scenarios, "{required:?}");
    let out = tempfile::tempdir().expect("a folder");
    let folder = out.path().to_str().expect("UTF-8");
    let ended = run(&node, &[SUITE, "client", "--command", CLIENT, "--requirements", revision, "-o", folder]);
    let output = format!("{}\n{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success(), "{output}");
    let results = results(out.path());
    for scenario in &required {
        let checks = results.get(scenario).unwrap_or_else(|| panic!("{scenario} left no result:\n{output}"));
        let is_bad = |check: &&Value| !matches!(check["status"].as_str(), Some("SUCCESS" | "INFO" | "SKIPPED"));
        let bad: Vec<&Value> = checks.iter().filter(is_bad).collect();
        assert!(bad.is_empty(), "{scenario}: {bad:#?}\n{output}");
        assert!(checks.iter().any(|check| check["status"] == "SUCCESS"), "{scenario} checked nothing:\n{output}");
    }
}

#[test]
fn client_conforms_to_revision_2025_11_25() {
    check_revision("2025-11-25", 18);
}

#[test]
fn client_conforms_to_revision_2026_07_28() {
    check_revision("2026-07-28", 32);
}
