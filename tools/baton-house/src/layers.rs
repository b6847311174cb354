//! Allowed dependencies between crates.

use crate::Violation;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The layer of every crate under `crates/`; dependencies point to the same layer or down.
pub const LAYERS: &[(&str, u8)] = &[
    ("baton-types", 0),
    ("baton-wire", 0),
    ("baton-responses", 0),
    ("baton-ports", 1),
    ("baton-relevance", 1),
    ("baton-rules", 1),
    ("baton-traceql", 1),
    ("baton-agentdir", 1),
    ("baton-telemetry", 1),
    ("baton-dashboards", 1),
    ("baton-journal", 2),
    ("baton-spans", 2),
    ("baton-export", 2),
    ("baton-otlp", 2),
    ("baton-tempo", 2),
    ("baton-parquet", 2),
    ("baton-models", 2),
    ("baton-manage", 2),
    ("baton-mcp", 2),
    ("baton-toolhost", 2),
    ("baton-identity", 2),
    ("baton-orchestrator", 2),
    ("baton-peers", 2),
    ("baton-proto", 2),
    ("baton-model-registry", 2),
    ("baton-providers", 2),
    ("baton-local", 2),
    ("baton-outbound", 2),
    ("baton-engine", 3),
    ("baton-http", 4),
    ("baton-server", 4),
    ("baton-client", 4),
    ("baton-sdk", 4),
    ("baton-tui", 4),
    ("baton", 4),
];

/// The SDK for agents written in Rust.
const SDK: &str = "baton-sdk";

/// Crates that provide I/O, a clock or randomness; forbidden in layers 0 and 1.
const IMPURE_CRATES: &[&str] = &[
    "async-std",
    "axum",
    "chrono",
    "fastrand",
    "getrandom",
    "hyper",
    "hyper-rustls",
    "hyper-util",
    "mio",
    "notify",
    "rand",
    "reqwest",
    "rusqlite",
    "rustls-native-certs",
    "smol",
    "socket2",
    "tempfile",
    "time",
    "tokio",
    "tokio-postgres",
    "tokio-util",
    "tonic",
    "ureq",
    "uuid",
    "walkdir",
];

/// Downward dependencies that are nevertheless forbidden, direct or transitive.
const FORBIDDEN_DEPENDENCIES: &[(&str, &str, &str)] = &[
    ("baton-tui", "baton-engine", "the terminal speaks to a server through baton-client"),
    ("baton-client", "baton-engine", "the client knows the HTTP surface only"),
    ("baton-client", "baton-http", "the client knows the wire, not the server"),
    ("baton-engine", "baton-journal", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-models", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-model-registry", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-providers", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-local", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-outbound", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-identity", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-peers", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-toolhost", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-mcp", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-wire", "the engine knows no wire dialect"),
    ("baton-engine", "baton-responses", "the engine knows no wire dialect"),
    ("baton-http", "baton-journal", "surfaces submit commands and read views; only the engine appends"),
    ("baton-agentdir", "baton-rules", "a definition is parsed without the rules of its runs"),
    ("baton-rules", "baton-ports", "the rules take values and return values"),
];

/// The crate that composes the engine, the implementations of its ports and the HTTP surface.
const COMPOSITION: &str = "baton-server";

/// Implementations of the engine's ports.
const PORT_IMPLEMENTATIONS: &[&str] = &[
    "baton-identity",
    "baton-journal",
    "baton-local",
    "baton-model-registry",
    "baton-models",
    "baton-peers",
    "baton-providers",
    "baton-spans",
    "baton-tempo",
    "baton-toolhost",
];

/// Crates that a user of the composition gets from it. The others hold values of a configuration as well.
const COMPOSED_CRATES: &[&str] = &[
    "baton-engine",
    "baton-export",
    "baton-http",
    "baton-identity",
    "baton-journal",
    "baton-mcp",
    "baton-model-registry",
    "baton-models",
    "baton-providers",
    "baton-spans",
    "baton-tempo",
    "baton-toolhost",
];

/// Output of `cargo metadata --no-deps`.
#[derive(Clone, Debug, Deserialize)]
pub struct Metadata {
    /// The workspace's crates.
    pub packages: Vec<Package>,
}

/// One crate of the workspace.
#[derive(Clone, Debug, Deserialize)]
pub struct Package {
    /// Crate name.
    pub name: String,
    /// Path of the manifest.
    pub manifest_path: String,
    /// Declared dependencies.
    pub dependencies: Vec<Dependency>,
}

/// One dependency of a manifest.
#[derive(Clone, Debug, Deserialize)]
pub struct Dependency {
    /// Name of the dependency.
    pub name: String,
    /// `None` for a normal dependency, else `dev` or `build`.
    #[serde(default)]
    pub kind: Option<String>,
}

/// Upward edges, crates without a layer, impure crates below layer 2, and the forbidden edges above.
pub fn check(metadata: &Metadata) -> Vec<Violation> {
    let layers: BTreeMap<&str, u8> = LAYERS.iter().copied().collect();
    let tools: BTreeSet<&str> =
        metadata.packages.iter().filter(|package| is_tool(package)).map(|package| package.name.as_str()).collect();
    let mut violations = Vec::new();
    for package in metadata.packages.iter().filter(|package| !is_tool(package)) {
        if is_example(package) {
            violations.extend(check_example(package, &layers, &tools));
            continue;
        }
        let Some(layer) = layers.get(package.name.as_str()) else {
            violations.push(Violation::new(&package.name, "has no layer; give it one in tools/baton-house"));
            continue;
        };
        for needed in dependency_names(package) {
            if let Some(below) = layers.get(needed)
                && below > layer
            {
                violations.push(Violation::new(
                    &package.name,
                    format!("is in layer {layer} and depends on {needed} in layer {below}; dependencies point down"),
                ));
            }
            if tools.contains(needed) {
                violations.push(Violation::new(&package.name, format!("depends on the tool {needed}; only tests may")));
            }
            if *layer <= 1 && IMPURE_CRATES.contains(&needed) {
                violations.push(Violation::new(
                    &package.name,
                    format!("is in layer {layer} and depends on {needed}; I/O, time and chance come in as arguments"),
                ));
            }
        }
    }
    violations.extend(check_forbidden(metadata));
    violations.extend(metadata.packages.iter().filter(|package| !is_tool(package)).flat_map(check_composition));
    violations
}

/// Only the composition depends on the engine together with implementations of its ports; its users depend on it
/// instead.
fn check_composition(package: &Package) -> Option<Violation> {
    if package.name == COMPOSITION {
        return None;
    }
    let needs = |name: &str| dependency_names(package).any(|needed| needed == name);
    if needs(COMPOSITION)
        && let Some(composed) = COMPOSED_CRATES.iter().find(|name| needs(name))
    {
        let rule = format!("depends on {COMPOSITION} and on {composed}, which only {COMPOSITION} composes");
        return Some(Violation::new(&package.name, rule));
    }
    if needs("baton-engine")
        && let Some(implementation) = PORT_IMPLEMENTATIONS.iter().find(|name| needs(name))
    {
        let rule = format!("depends on baton-engine and on {implementation}; only {COMPOSITION} composes them");
        return Some(Violation::new(&package.name, rule));
    }
    None
}

/// An example shows the public interface, so it may depend on the SDK only.
fn check_example<'a>(
    package: &'a Package,
    layers: &'a BTreeMap<&str, u8>,
    tools: &'a BTreeSet<&str>,
) -> impl Iterator<Item = Violation> + 'a {
    let ours = |needed: &&str| layers.contains_key(needed) || tools.contains(needed);
    dependency_names(package).filter(ours).filter(|needed| *needed != SDK).map(|needed| {
        Violation::new(&package.name, format!("is an example and depends on {needed}; users have {SDK} only"))
    })
}

fn check_forbidden(metadata: &Metadata) -> impl Iterator<Item = Violation> {
    let needed_by: BTreeMap<&str, Vec<&str>> =
        metadata.packages.iter().map(|package| (package.name.as_str(), dependency_names(package).collect())).collect();
    FORBIDDEN_DEPENDENCIES.iter().filter_map(move |(from, to, reason)| {
        let mut seen = BTreeSet::new();
        let mut open = vec![*from];
        while let Some(package) = open.pop() {
            for next in needed_by.get(package).into_iter().flatten() {
                if next == to {
                    return Some(Violation::new(*from, format!("reaches {to} through {package}; {reason}")));
                }
                if seen.insert(*next) {
                    open.push(next);
                }
            }
        }
        None
    })
}

fn dependency_names(package: &Package) -> impl Iterator<Item = &str> {
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind.as_deref() != Some("dev"))
        .map(|dependency| dependency.name.as_str())
}

fn is_example(package: &Package) -> bool {
    package.manifest_path.replace('\\', "/").contains("/examples/")
}

fn is_tool(package: &Package) -> bool {
    package.manifest_path.replace('\\', "/").contains("/tools/")
}
