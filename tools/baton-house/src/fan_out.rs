//! How much of the workspace a change rebuilds.

use crate::{
    Tree, Violation,
    layers::{LAYERS, Metadata, dependency_names},
    tree::is_test,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Crates that many others could come to depend on, with the maximum share of source lines that a change in them
/// rebuilds, in percent.
const MAX_SHARES: &[(&str, usize)] = &[
    ("baton-http", 30),
    ("baton-outbound", 35),
    ("baton-responses", 20),
    ("baton-rules", 50),
    ("baton-span-ports", 28),
    ("baton-traceql", 40),
    ("baton-wire", 35),
];

/// Maximum number of crates that are compiled one after the other.
const MAX_PATH: usize = 7;

/// Dependencies and source lines of the product's crates.
pub struct CrateGraph {
    dependencies: BTreeMap<String, BTreeSet<String>>,
    lines: BTreeMap<String, usize>,
}

impl CrateGraph {
    /// The graph of the crates with a layer.
    pub fn new(metadata: &Metadata, tree: &Tree) -> Self {
        let crates: BTreeSet<&str> = LAYERS.iter().map(|(name, _, _)| *name).collect();
        let packages = metadata.packages.iter().filter(|package| crates.contains(package.name.as_str()));
        let dependencies = packages
            .map(|package| {
                let needed = dependency_names(package).filter(|needed| crates.contains(needed)).map(str::to_owned);
                (package.name.clone(), needed.collect())
            })
            .collect();
        let mut lines = BTreeMap::new();
        for (path, text) in tree.rust().filter(|(path, _)| !is_test(path)) {
            let Some((name, file)) = path.strip_prefix("crates/").and_then(|path| path.split_once('/')) else {
                continue;
            };
            if file.starts_with("src/") {
                *lines.entry(name.to_owned()).or_default() += text.lines().count();
            }
        }
        Self { dependencies, lines }
    }

    /// Percentage of all source lines that a change in `name` rebuilds.
    pub fn share(&self, name: &str) -> usize {
        let mut rebuilt = BTreeSet::from([name]);
        let mut open = vec![name];
        while let Some(changed) = open.pop() {
            let users = self.dependencies.iter().filter(|(_, needed)| needed.contains(changed));
            open.extend(users.map(|(user, _)| user.as_str()).filter(|user| rebuilt.insert(user)));
        }
        let count = |name: &str| self.lines.get(name).copied().unwrap_or_default();
        let total: usize = self.lines.values().sum();
        rebuilt.into_iter().map(count).sum::<usize>() * 100 / total.max(1)
    }

    /// The longest chain of crates, from the lowest up.
    pub fn longest_path(&self) -> Vec<&str> {
        let mut paths = BTreeMap::new();
        self.dependencies.keys().map(|name| self.path_to(name, &mut paths)).max_by_key(Vec::len).unwrap_or_default()
    }

    fn path_to<'a>(&'a self, name: &'a str, paths: &mut BTreeMap<&'a str, Vec<&'a str>>) -> Vec<&'a str> {
        if let Some(path) = paths.get(name) {
            return path.clone();
        }
        let needed = self.dependencies.get(name).into_iter().flatten();
        let mut path = needed.map(|needed| self.path_to(needed, paths)).max_by_key(Vec::len).unwrap_or_default();
        path.push(name);
        paths.insert(name, path.clone());
        path
    }
}

/// The shares of all crates, largest first, and the longest chain.
impl fmt::Display for CrateGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shares: Vec<_> = self.dependencies.keys().map(|name| (self.share(name), name)).collect();
        shares.sort_by(|a, b| b.cmp(a));
        for (share, name) in shares {
            writeln!(f, "{share:3} % {name}")?;
        }
        let path = self.longest_path();
        write!(f, "longest chain: {} crates: {}", path.len(), path.join(", "))
    }
}

/// Crates whose changes rebuild too much, and a chain of crates that is too long.
pub fn check(graph: &CrateGraph) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (name, limit) in MAX_SHARES {
        let share = graph.share(name);
        if share > *limit {
            let rule = format!("a change rebuilds {share} % of the source lines, and the limit is {limit} %");
            violations.push(Violation::new(*name, rule));
        }
    }
    let path = graph.longest_path();
    if path.len() > MAX_PATH {
        let rule = format!("{} crates are compiled one after the other; the limit is {MAX_PATH}", path.len());
        violations.push(Violation::new(path.join(", "), rule));
    }
    violations
}
