//! Exposed names of the tools and prompts of servers.
//!
//! A table maps exposed names to (server, tool); a name is never split at an underscore.

use baton_types::Digest;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Maximum name length accepted by every model provider.
const MAX_NAME: usize = 64;
const DIGEST_LEN: usize = 8;
/// Maximum remembered names, including those of removed tools. The servers of an agent may offer more in total; names
/// of removed tools are then evicted immediately.
const MAX_NAMES: usize = 20_000;

/// A tool as (server, name at the server).
pub(super) type NameOwner = (String, String);

/// Assigned names; an owner keeps its name unless the name becomes reserved.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    by_owner: HashMap<NameOwner, String>,
    by_name: BTreeMap<String, NameOwner>,
}

impl NameTable {
    /// The exposed name of a server's tool; never a reserved name or one of another tool.
    pub(super) fn claim(&mut self, server: &str, prefix: &str, tool: &str, reserved: &dyn Fn(&str) -> bool) -> String {
        let owner = (server.to_owned(), tool.to_owned());
        let plain = exposed(prefix, tool);
        if let Some(name) = self.by_owner.get(&owner)
            && !reserved(name)
            && (*name == plain || *name == distinct(prefix, server, tool, 0))
        {
            return name.clone();
        }
        self.release(&owner);
        let free = |name: &str| !reserved(name) && !self.by_name.contains_key(name);
        // Each salt gives another digest, so a free name is found.
        let name = if free(&plain) {
            plain
        } else {
            (0..).map(|salt| distinct(prefix, server, tool, salt)).find(|name| free(name)).unwrap_or_default()
        };
        self.by_name.insert(name.clone(), owner.clone());
        self.by_owner.insert(owner, name.clone());
        name
    }

    /// Removes the names of servers that no longer exist.
    pub(super) fn retain_servers(&mut self, is_there: impl Fn(&str) -> bool) {
        self.by_owner.retain(|(server, _), _| is_there(server));
        self.by_name.retain(|_, (server, _)| is_there(server));
    }

    /// Evicts all other names above the limit: a server that keeps renaming its tools must not exhaust memory.
    pub(super) fn evict_unused<'a>(&mut self, used: impl Iterator<Item = &'a str>) {
        if self.by_name.len() <= MAX_NAMES {
            return;
        }
        let used: HashSet<&str> = used.collect();
        self.by_owner.retain(|_, name| used.contains(name.as_str()));
        self.by_name.retain(|name, _| used.contains(name.as_str()));
    }

    fn release(&mut self, owner: &NameOwner) {
        if let Some(name) = self.by_owner.remove(owner) {
            self.by_name.remove(&name);
        }
    }
}

/// Whether a tool of a server with this prefix could have this exposed name.
pub(super) fn may_have_prefix(name: &str, prefix: &str) -> bool {
    let shortened = prefix.chars().map(sanitize).take(MAX_NAME - DIGEST_LEN - 1);
    name.starts_with(&shortened.collect::<String>())
}

/// The prefix and the tool name; shortened with a digest if too long or with illegal characters.
fn exposed(prefix: &str, tool: &str) -> String {
    let name = joined(prefix, tool);
    let is_legal = name.chars().all(is_legal) && (1..=MAX_NAME).contains(&name.len());
    if is_legal { name } else { with_digest(&name, &Digest::compute(name.as_bytes())) }
}

/// A name that differs from [`exposed`], for tools whose names collide.
fn distinct(prefix: &str, server: &str, tool: &str, salt: u32) -> String {
    let digest = Digest::compute(format!("{server}\0{tool}\0{salt}").as_bytes());
    with_digest(&joined(prefix, tool), &digest)
}

fn joined(prefix: &str, tool: &str) -> String {
    if prefix.is_empty() { tool.to_owned() } else { format!("{prefix}__{tool}") }
}

fn with_digest(name: &str, digest: &Digest) -> String {
    let sanitized: String = name.chars().map(sanitize).take(MAX_NAME - DIGEST_LEN - 1).collect();
    format!("{sanitized}_{}", &digest.as_str()[..DIGEST_LEN])
}

fn sanitize(c: char) -> char {
    if is_legal(c) { c } else { '_' }
}

fn is_legal(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn claim_all(table: &mut NameTable, tools: &[(String, String, String)], reserved: &[String]) -> Vec<String> {
        let is_reserved = |name: &str| reserved.iter().any(|other| other == name);
        tools.iter().map(|(server, prefix, tool)| table.claim(server, prefix, tool, &is_reserved)).collect()
    }

    #[test]
    fn names_have_prefixes_and_digests() {
        let long = "x".repeat(70);
        for (prefix, tool, expect) in [
            ("fs", "read_file", "fs__read_file".to_owned()),
            ("", "read_file", "read_file".to_owned()),
            ("fs", "a.b", format!("fs__a_b_{}", &Digest::compute(b"fs__a.b").as_str()[..8])),
            ("", long.as_str(), format!("{}_{}", "x".repeat(55), &Digest::compute(long.as_bytes()).as_str()[..8])),
        ] {
            assert_eq!(NameTable::default().claim("fs", prefix, tool, &|_| false), expect);
        }
    }

    #[test]
    fn exposed_names_have_the_possible_prefix() {
        let long = "p".repeat(70);
        for prefix in ["fs", "", "my server", long.as_str()] {
            for tool in ["read", "a.b"] {
                assert!(may_have_prefix(&exposed(prefix, tool), prefix), "{prefix} {tool}");
                assert!(may_have_prefix(&distinct(prefix, "s", tool, 0), prefix), "{prefix} {tool}");
            }
        }
        assert!(!may_have_prefix("web__read", "fs"));
    }

    #[test]
    fn collision_never_overrides_an_existing_name() {
        let mut table = NameTable::default();
        let own = |name: &str| name == "search";
        assert_ne!(table.claim("web", "", "search", &own), "search");
        assert_eq!(table.claim("a", "", "read", &own), "read");
        let second = table.claim("b", "", "read", &own);
        assert!(second.starts_with("read_"), "{second}");
        assert_eq!(table.claim("a", "", "read", &own), "read");
        assert_ne!(table.claim("a", "", "read", &|name| name == "read"), "read");
        assert_ne!(table.claim("a", "b__c", "d", &own), table.claim("e", "b", "c__d", &own));
    }

    proptest! {
        #[test]
        fn exposed_names_are_injective_stable_short_and_legal(
            tools in prop::collection::hash_set(("[a-c]{1,2}", "[a_]{0,3}", ".{1,6}|[a_.]{1,5}|[a-z]{60,90}"), 1..40),
            reserved in prop::collection::vec("[a_]{1,6}", 0..4),
        ) {
            let mut seen = std::collections::HashSet::new();
            let tools: Vec<_> = tools.into_iter().filter(|(server, _, tool)| seen.insert((server.clone(), tool.clone()))).collect();
            let mut table = NameTable::default();
            let first = claim_all(&mut table, &tools, &reserved);
            let distinct: std::collections::HashSet<_> = first.iter().collect();
            prop_assert_eq!(distinct.len(), tools.len());
            for name in &first {
                prop_assert!((1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_legal), "{}", name);
                prop_assert!(!reserved.contains(name));
            }
            let backwards: Vec<_> = tools.iter().rev().cloned().collect();
            let mut again = claim_all(&mut table, &backwards, &reserved);
            again.reverse();
            prop_assert_eq!(again, first);
        }
    }
}
