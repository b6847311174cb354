//! Runs the public conformance suite and parses its report.

use super::example_server::{NODE, PACKAGES};
use crate::foreign::command;
use serde::Deserialize;
use std::{collections::BTreeMap, fs, path::Path};
use tempfile::TempDir;

/// Results of the scenarios of one revision.
pub(super) struct Report {
    /// Whether each scenario passed, including unscored ones.
    scenarios: BTreeMap<String, bool>,
    unscored: Vec<String>,
    /// Failed checks by scenario.
    failures: Vec<(String, Check)>,
    summary: String,
}

/// One check of a scenario, in the format of the suite's report.
#[derive(Deserialize)]
struct Check {
    id: String,
    status: String,
    #[serde(rename = "errorMessage")]
    error: Option<String>,
}

/// Runs the suite against a server with all requirements of a protocol revision.
pub(super) fn run(url: &str, revision: &str) -> Report {
    let out = TempDir::new().expect("a temporary directory");
    let out = out.path().to_str().expect("UTF-8");
    let program = format!("{PACKAGES}/conformance/dist/index.js");
    let args = [program.as_str(), "server", "--url", url, "--requirements", revision, "-o", out];
    let ran = command(NODE.path()).args(args).output().expect("Node starts");
    let text = String::from_utf8_lossy(&ran.stdout);
    let (_, summary) = text.split_once("=== SUMMARY ===").unwrap_or_else(|| {
        panic!("the suite did not come to its end:\n{text}{}", String::from_utf8_lossy(&ran.stderr))
    });
    let (scored, unscored) = summary.split_once("Not scored").unwrap_or((summary, ""));
    let scenarios = marked(scored).map(|(name, passed)| {
        let (name, _) = name.split_once(": ").expect("a name and counts");
        (name.to_owned(), passed)
    });
    let unscored = marked(unscored).filter_map(|(name, _)| Some(name.split_once(" (")?.0.to_owned()));
    let (scenarios, unscored) = (scenarios.collect(), unscored.collect());
    Report { scenarios, unscored, failures: failures(Path::new(out)), summary: summary.to_owned() }
}

impl Report {
    /// Fails unless there are exactly `count` scored scenarios and all of them passed.
    pub(super) fn assert_passed_count(&self, count: usize) {
        let scored = || self.scenarios.iter().filter(|(name, _)| !self.unscored.contains(name));
        let passed = scored().filter(|(_, passed)| **passed).count();
        assert_eq!((passed, scored().count()), (count, count), "{}", self.details());
    }

    /// Fails unless these scenarios passed, scored or not.
    pub(super) fn assert_passed(&self, names: &[&str]) {
        let failed: Vec<_> = names.iter().filter(|name| self.scenarios.get(**name) != Some(&true)).collect();
        assert!(failed.is_empty(), "{failed:?}\n{}", self.details());
    }

    /// Fails if a check of this scenario failed, except for "Not testable": an ordinary server has no test tools.
    pub(super) fn assert_testable_checks_passed(&self, scenario: &str) {
        let failed = self.failures.iter().filter(|(name, _)| name.contains(scenario));
        let failed = failed.filter(|(_, check)| !check.reason().starts_with("Not testable"));
        assert_eq!(failed.count(), 0, "{}", self.details());
    }

    fn details(&self) -> String {
        let failures = self.failures.iter();
        let lines = failures.map(|(name, check)| format!("{name}\n    {}: {}\n", check.id, check.reason()));
        format!("{}\n{}", self.summary, lines.collect::<String>())
    }
}

impl Check {
    fn reason(&self) -> &str {
        self.error.as_deref().unwrap_or_default()
    }
}

/// Result lines of scenarios, without their mark.
fn marked(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.lines().map(str::trim).filter_map(|line| {
        line.strip_prefix("✓ ").map(|rest| (rest, true)).or_else(|| Some((line.strip_prefix("✗ ")?, false)))
    })
}

/// All failed checks; the suite writes one directory for each scenario.
fn failures(out: &Path) -> Vec<(String, Check)> {
    let scenarios = fs::read_dir(out).into_iter().flatten().flatten();
    let checks = scenarios.filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let checks: Vec<Check> = serde_json::from_slice(&fs::read(entry.path().join("checks.json")).ok()?).ok()?;
        Some(checks.into_iter().map(move |check| (name.clone(), check)))
    });
    checks.flatten().filter(|(_, check)| check.status == "FAILURE").collect()
}
