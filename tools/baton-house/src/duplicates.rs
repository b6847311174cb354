//! Crates present in several versions: each version but one must be an exception in `deny.toml` with a reason.
//!
//! `cargo deny` checks the same on the build graph where it is installed. `Cargo.lock` contains every crate of that
//! graph and some more, so this check also works without it.

use crate::Violation;
use std::collections::{BTreeMap, BTreeSet};

/// An exception: `crate = "name@1.2"`.
struct Skip<'a> {
    name: &'a str,
    version: &'a str,
    has_reason: bool,
}

/// Compares the versions in `Cargo.lock` with `bans.skip` of `deny.toml`.
pub fn check(lock: &str, deny: &str) -> Vec<Violation> {
    let versions = locked_versions(lock);
    let skips = skips(deny);
    let mut violations = Vec::new();
    if !deny.lines().any(|line| line.trim() == "multiple-versions = \"deny\"") {
        violations.push(Violation::new("deny.toml", "does not deny multiple versions of a crate"));
    }
    for (name, versions) in &versions {
        let is_skipped = |version: &&&str| skips.iter().any(|skip| skip.covers(name, version));
        let left: Vec<&str> = versions.iter().filter(|version| !is_skipped(version)).copied().collect();
        if left.len() > 1 {
            let rule =
                format!("has the versions {}; keep one, or put the others into skip with a reason", left.join(", "));
            violations.push(Violation::new(format!("Cargo.lock: {name}"), rule));
        }
    }
    for skip in &skips {
        let location = format!("deny.toml: {}@{}", skip.name, skip.version);
        let all_versions = versions.get(skip.name);
        let is_needed =
            all_versions.is_some_and(|all| all.len() > 1 && all.iter().any(|one| skip.covers(skip.name, one)));
        if !is_needed {
            violations.push(Violation::new(location, "is not a second version of anything; remove the exception"));
        } else if !skip.has_reason {
            violations.push(Violation::new(location, "is an exception without a reason"));
        }
    }
    violations
}

impl Skip<'_> {
    /// Whether a version matches: the same numbers as far as they are given.
    fn covers(&self, name: &str, version: &str) -> bool {
        let rest = version.strip_prefix(self.version);
        self.name == name && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

fn locked_versions(lock: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        if let (Some(name), Some(version)) = (value(package, "name"), value(package, "version")) {
            all.entry(name).or_default().insert(version);
        }
    }
    all
}

/// The value of a line `key = "value"`.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let pairs = text.lines().filter_map(|line| line.split_once(" = "));
    pairs.into_iter().find(|(name, _)| *name == key).map(|(_, value)| value.trim_matches('"'))
}

fn skips(deny: &str) -> Vec<Skip<'_>> {
    let lines = deny.lines().skip_while(|line| line.trim() != "skip = [").skip(1);
    let entries = lines.take_while(|line| line.trim() != "]").filter(|line| !line.trim_start().starts_with('#'));
    entries
        .filter_map(|line| {
            let quoted: Vec<&str> = line.split('"').collect();
            let (name, version) = quoted.get(1)?.split_once('@')?;
            let has_reason =
                line.contains("reason = ") && quoted.get(3).is_some_and(|reason| !reason.trim().is_empty());
            Some(Skip { name, version, has_reason })
        })
        .collect()
}
