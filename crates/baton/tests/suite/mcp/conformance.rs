//! The public conformance suite, against the shipped binary and against the fixture alone.

use super::{
    served::{Served, fixture},
    suite,
};
use crate::{binary::await_line, foreign::command};
use std::{io::BufReader, process::Stdio};

/// Scenarios of 2025-11-25 that want nothing but a server.
const OLDER: [&str; 8] = [
    "dns-rebinding-protection",
    "ping",
    "prompts-list",
    "resources-list",
    "server-initialize",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "tools-list",
];
/// The same of 2026-07-28.
const NEWER: [&str; 8] = [
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
    let served = Served::conformance();
    suite::run(&served.environment("mcp-conformance"), revision).requires(count);
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
fn an_ordinary_agent_passes_what_is_not_about_the_fixture() {
    let served = Served::example("weather");
    let environment = served.environment("weather");
    suite::run(&environment, "2025-11-25").passes(&OLDER);
    let newer = suite::run(&environment, "2026-07-28");
    newer.passes(&NEWER);
    newer.passes_where_testable("server-stateless");
    served.end();
}

/// When this fails too, the fault is not Baton's.
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
        report.requires(count);
    }
}
