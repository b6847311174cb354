//! The public conformance suite as a program, and what it reports.

use super::served::{NODE, PACKAGES};
use crate::foreign::command;
use serde::Deserialize;
use std::{collections::BTreeMap, fs, path::Path};
use tempfile::TempDir;

/// How the scenarios of one revision went.
pub(super) struct Report {
    /// Whether each scenario passed; also those that do not count.
    scenarios: BTreeMap<String, bool>,
    /// Scenarios that do not count.
    unscored: Vec<String>,
    details: String,
}

/// One check of a scenario, as the suite writes it down.
#[derive(Deserialize)]
struct Check {
    id: String,
    status: String,
    #[serde(rename = "errorMessage")]
    error: Option<String>,
}

/// Lets the suite loose on a server with everything that a revision of the protocol requires.
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
    let details = format!("{summary}\n{}", failures(Path::new(out)));
    Report { scenarios: scenarios.collect(), unscored: unscored.collect(), details }
}

impl Report {
    /// Fails unless all of the scenarios that count passed, and there were so many.
    pub(super) fn requires(&self, count: usize) {
        let scored = || self.scenarios.iter().filter(|(name, _)| !self.unscored.contains(name));
        let passed = scored().filter(|(_, passed)| **passed).count();
        assert_eq!((passed, scored().count()), (count, count), "{}", self.details);
    }

    /// Fails unless these scenarios passed, whether they count or not.
    pub(super) fn passes(&self, names: &[&str]) {
        let failed: Vec<_> = names.iter().filter(|name| self.scenarios.get(**name) != Some(&true)).collect();
        assert!(failed.is_empty(), "{failed:?}\n{}", self.details);
    }
}

/// Lines that say how a scenario went, without their mark.
fn marked(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.lines().map(str::trim).filter_map(|line| {
        line.strip_prefix("✓ ").map(|rest| (rest, true)).or_else(|| Some((line.strip_prefix("✗ ")?, false)))
    })
}

/// Every check that failed, with the reason.
fn failures(out: &Path) -> String {
    let scenarios = fs::read_dir(out).into_iter().flatten().flatten();
    let checks = scenarios.filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let checks: Vec<Check> = serde_json::from_slice(&fs::read(entry.path().join("checks.json")).ok()?).ok()?;
        Some((name, checks))
    });
    let failed = checks.flat_map(|(name, checks)| {
        let failed = checks.into_iter().filter(|check| check.status == "FAILURE");
        failed.map(move |check| format!("{name}\n    {}: {}\n", check.id, check.error.unwrap_or_default()))
    });
    failed.collect()
}
