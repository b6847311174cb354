//! Mapping of tool names and call ids to forms that services accept, and back.

use baton_types::{CallId, ToolSpec};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum length of a name or id that every service accepts.
const MAX_NAME_LEN: usize = 64;

/// Names that the client library treats as built-in tools of the services.
const RESERVED_NAMES: &[&str] = &["web_search", "googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext"];

/// Tool names of one request: names from MCP servers may contain dots or exceed the length limit of a service.
#[derive(Debug, Default)]
pub(crate) struct WireToolNames {
    sent: BTreeMap<String, String>,
    original: BTreeMap<String, String>,
}

impl WireToolNames {
    /// Maps the tools of a request and those that only occur in its history.
    pub(crate) fn new<'a>(tools: &'a [ToolSpec], mentioned: impl Iterator<Item = &'a str>) -> Self {
        let mut names = Self::default();
        // Names that need no change come first, so that no generated name collides with them.
        let all: BTreeSet<&str> = tools.iter().map(|tool| tool.name.as_str()).chain(mentioned).collect();
        let (plain_names, other_names): (Vec<&str>, Vec<&str>) =
            all.into_iter().partition(|name| is_plain(name) && !RESERVED_NAMES.contains(name));
        for name in plain_names.into_iter().chain(other_names) {
            let sent = names.unused_name(name);
            names.original.insert(sent.clone(), name.to_owned());
            names.sent.insert(name.to_owned(), sent);
        }
        names
    }

    fn unused_name(&self, name: &str) -> String {
        if is_plain(name) && !RESERVED_NAMES.contains(&name) {
            return name.to_owned();
        }
        let base = plain(name, MAX_NAME_LEN - 4);
        let mut candidates =
            (0_u32..).map(|count| if count == 0 { format!("{base}_") } else { format!("{base}_{count}") });
        candidates.find(|candidate| !self.original.contains_key(candidate)).unwrap_or(base)
    }

    /// Name of a tool on the wire.
    pub(crate) fn wire_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.sent.get(name).map_or(name, String::as_str)
    }

    /// Original name of a tool on the wire.
    pub(crate) fn original_name(&self, sent: &str) -> String {
        self.original.get(sent).cloned().unwrap_or_else(|| sent.to_owned())
    }
}

/// Call ids of one request; a call and its result always get the same id.
#[derive(Debug, Default)]
pub(crate) struct WireCallIds(BTreeMap<String, String>);

impl WireCallIds {
    /// Id on the wire.
    pub(crate) fn wire_id(&mut self, id: &CallId) -> String {
        let id = id.to_string();
        if is_plain(&id) {
            return id;
        }
        let fresh = format!("call_{}_{}", self.0.len(), plain(&id, 40));
        self.0.entry(id).or_insert(fresh).clone()
    }
}

fn is_plain(text: &str) -> bool {
    (1..=MAX_NAME_LEN).contains(&text.len())
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_' || it == b'-')
}

fn plain(text: &str, max_len: usize) -> String {
    let ok = |it: char| if it.is_ascii_alphanumeric() || it == '-' { it } else { '_' };
    text.chars().take(max_len).map(ok).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unusual_and_reserved_names_round_trip() {
        let names = WireToolNames::new(&[], ["files.read", "files_read_", "web_search", "ok-1"].into_iter());
        assert_eq!(names.wire_name("ok-1"), "ok-1");
        assert_eq!(names.wire_name("files.read"), "files_read_1");
        assert_ne!(names.wire_name("web_search"), "web_search");
        for name in ["files.read", "files_read_", "web_search", "ok-1"] {
            assert_eq!(names.original_name(names.wire_name(name)), name);
        }
    }

    proptest! {
        #[test]
        fn every_name_is_sent_plainly_and_found_again(all in proptest::collection::btree_set(".{1,90}", 1..12)) {
            let names = WireToolNames::new(&[], all.iter().map(String::as_str));
            for name in &all {
                prop_assert!(is_plain(names.wire_name(name)), "{}", names.wire_name(name));
                prop_assert_eq!(&names.original_name(names.wire_name(name)), name);
            }
        }
    }
}
