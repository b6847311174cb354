//! The public conformance suite, run against the shipped binary and against the fixture alone.

use super::{
    example_server::{ExampleServer, fixture},
    suite,
};
use crate::{binary::await_line, foreign::command};
use std::{io::BufReader, process::Stdio};

/// Scenarios of 2025-11-25 that do not depend on the fixture.
const SCENARIOS_2025_11_25: [&str; 8] = [
    "dns-rebinding-protection",
    "ping",
    "prompts-list",
    "resources-list",
    "server-initialize",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "tools-list",
];
/// Scenarios of 2026-07-28 that do not depend on the fixture.
const SCENARIOS_2026_07_28: [&str; 8] = [
    "caching",
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-unsupported-methods",
    "prompts-list",
    "resources-list",
    "sep-2164-resource-not-found",
    "tools-list",
];

fn through_baton(revision: &str, count: usize) {
    let served = ExampleServer::conformance();
    suite::run(&served.environment("mcp-conformance"), revision).assert_passed_count(count);
    served.end();
}

#[test]
fn requirements_of_2025_11_25() {
    through_baton("2025-11-25", 30);
}

#[test]
fn requirements_of_2026_07_28() {
    through_baton("2026-07-28", 37);
}

#[test]
fn ordinary_agent_passes_fixture_independent_scenarios() {
    let served = ExampleServer::example("weather");
    let environment = served.environment("weather");
    suite::run(&environment, "2025-11-25").assert_passed(&SCENARIOS_2025_11_25);
    let newer = suite::run(&environment, "2026-07-28");
    newer.assert_passed(&SCENARIOS_2026_07_28);
    newer.assert_testable_checks_passed("server-stateless");
    served.end();
}

/// A baseline: if this fails too, the fault is not Baton's.
#[test]
fn the_fixture_alone_passes() {
    let mut program = command(fixture());
    let mut fixture = program.args(["--http", "0"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let url = await_line(&mut BufReader::new(fixture.stdout.take().expect("piped")), "http");
    let reports =
        [("2025-11-25", 30), ("2026-07-28", 37)].map(|(revision, count)| (suite::run(url.trim(), revision), count));
    fixture.kill().expect("it ends");
    fixture.wait().expect("it ends");
    for (report, count) in reports {
        report.assert_passed_count(count);
    }
}
