//! Allowed dependencies between crates.

use crate::Violation;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Layer and rank of every crate under `crates/`. A crate depends on lower layers, and on lower ranks of its own layer.
/// The ranks of a layer are stated in ARCHITECTURE.md.
pub const LAYERS: &[(&str, u8, u8)] = &[
    ("baton-document", 0, 0),
    ("baton-encoding", 0, 0),
    ("baton-types", 0, 0),
    ("baton-api", 0, 1),
    ("baton-otlp", 0, 1),
    ("baton-responses", 0, 1),
    ("baton-wire", 0, 1),
    ("baton-proto", 0, 2),
    ("baton-agentdir", 1, 0),
    ("baton-ports", 1, 0),
    ("baton-relevance", 1, 0),
    ("baton-rules", 1, 0),
    ("baton-telemetry", 1, 0),
    ("baton-traceql", 1, 0),
    ("baton-dashboards", 1, 1),
    ("baton-span-ports", 1, 1),
    ("baton-outbound", 2, 0),
    ("baton-system", 2, 0),
    ("baton-identity", 2, 1),
    ("baton-journal", 2, 1),
    ("baton-local", 2, 1),
    ("baton-manage", 2, 1),
    ("baton-meters", 2, 1),
    ("baton-models", 2, 1),
    ("baton-parquet", 2, 1),
    ("baton-providers", 2, 1),
    ("baton-push", 2, 1),
    ("baton-spans", 2, 1),
    ("baton-tempo", 2, 1),
    ("baton-export", 2, 2),
    ("baton-model-registry", 2, 2),
    ("baton-peers", 2, 2),
    ("baton-toolhost", 2, 2),
    ("baton-orchestrator", 2, 3),
    ("baton-engine", 3, 0),
    ("baton-client", 4, 0),
    ("baton-http", 4, 0),
    ("baton-http-a2a", 4, 1),
    ("baton-http-api", 4, 1),
    ("baton-http-openai", 4, 1),
    ("baton-http-telemetry", 4, 1),
    ("baton-mcp", 4, 1),
    ("baton-tui", 4, 1),
    ("baton-server", 4, 2),
    ("baton-sdk", 4, 3),
    ("baton", 4, 4),
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

/// Impure crates that a crate of layers 0 and 1 may depend on, with the reason.
const PURE_USES: &[(&str, &str, &str)] =
    &[("baton-proto", "tonic", "the generated code names its types; without the transport feature it does no I/O")];

/// Downward dependencies that are nevertheless forbidden, direct or transitive.
const FORBIDDEN_DEPENDENCIES: &[(&str, &str, &str)] = &[
    ("baton-tui", "baton-engine", "the terminal speaks to a server through baton-client"),
    ("baton-client", "baton-engine", "the client knows the HTTP surface only"),
    ("baton-engine", "baton-journal", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-models", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-model-registry", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-providers", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-local", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-outbound", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-identity", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-peers", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-toolhost", "the engine drives ports; baton-server composes the implementations"),
    ("baton-engine", "baton-wire", "the engine knows no wire dialect"),
    ("baton-engine", "baton-responses", "the engine knows no wire dialect"),
    ("baton-http", "baton-engine", "the core serves surfaces; it submits no commands"),
    ("baton-http", "baton-wire", "the core knows no dialect; a surface gives its errors their form"),
    ("baton-http-a2a", "baton-journal", "surfaces submit commands and read views; only the engine appends"),
    ("baton-http-api", "baton-journal", "surfaces submit commands and read views; only the engine appends"),
    ("baton-http-openai", "baton-journal", "surfaces submit commands and read views; only the engine appends"),
    ("baton-http-openai", "baton-wire", "the OpenAI dialects are in baton-responses"),
    ("baton-http-telemetry", "baton-journal", "surfaces submit commands and read views; only the engine appends"),
    ("baton-http-telemetry", "baton-wire", "the dialects of telemetry are in baton-otlp"),
    ("baton-mcp", "baton-journal", "surfaces submit commands and read views; only the engine appends"),
    ("baton-mcp", "baton-wire", "MCP knows no other dialect"),
    ("baton-ports", "baton-traceql", "most ports ask no queries; baton-span-ports does"),
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
    let layers: BTreeMap<&str, (u8, u8)> = LAYERS.iter().map(|(name, layer, rank)| (*name, (*layer, *rank))).collect();
    let tools: BTreeSet<&str> =
        metadata.packages.iter().filter(|package| is_tool(package)).map(|package| package.name.as_str()).collect();
    let mut violations = Vec::new();
    for package in metadata.packages.iter().filter(|package| !is_tool(package)) {
        if is_example(package) {
            violations.extend(check_example(package, &layers, &tools));
            continue;
        }
        let Some((layer, rank)) = layers.get(package.name.as_str()) else {
            violations.push(Violation::new(&package.name, "has no layer; give it one in tools/baton-house"));
            continue;
        };
        for needed in dependency_names(package) {
            if let Some((needed_layer, needed_rank)) = layers.get(needed) {
                violations.extend(check_edge(package, needed, (*layer, *rank), (*needed_layer, *needed_rank)));
            }
            if tools.contains(needed) {
                violations.push(Violation::new(&package.name, format!("depends on the tool {needed}; only tests may")));
            }
            if *layer <= 1 && IMPURE_CRATES.contains(&needed) && !is_pure_use(package, needed) {
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

/// A dependency that does not point down.
fn check_edge(package: &Package, needed: &str, from: (u8, u8), to: (u8, u8)) -> Option<Violation> {
    let ((layer, rank), (needed_layer, needed_rank)) = (from, to);
    let message = if needed_layer > layer {
        format!("is in layer {layer} and depends on {needed} in layer {needed_layer}; dependencies point down")
    } else if needed_layer == layer && needed_rank >= rank {
        format!(
            "has rank {rank} of layer {layer} and depends on {needed} with rank {needed_rank}; within a layer, \
             dependencies point to lower ranks"
        )
    } else {
        return None;
    };
    Some(Violation::new(&package.name, message))
}

fn is_pure_use(package: &Package, needed: &str) -> bool {
    PURE_USES.iter().any(|(user, used, _)| *user == package.name && *used == needed)
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
    layers: &'a BTreeMap<&str, (u8, u8)>,
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

pub(crate) fn dependency_names(package: &Package) -> impl Iterator<Item = &str> {
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
