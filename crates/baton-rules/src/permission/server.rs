//! What an agent's definition says about one tool of a server.

use super::{
    arguments::Arguments,
    glob_matches,
    word::{Named, Precision, Word, precision, strongest},
};
use baton_types::{ArgumentMatch, Include, IncludeModes, McpServer, Permission, PermissionRule};

/// What is said about one tool of a server; the tool carries it from then on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolWords {
    /// What holds for calls of which nothing more is said.
    pub permission: Permission,
    /// The rules of the server that are about the tool, or about some of its calls.
    pub rules: Vec<PermissionRule>,
    /// When it is part of a session.
    pub include: Include,
}

impl ToolWords {
    /// What is said about a tool, by the name that its server knows; `None` when it is not to be seen at all: not
    /// included, excluded, or denied whatever the arguments.
    pub fn of(server: &McpServer, tool: &str) -> Option<Self> {
        let names = |globs: &[String]| globs.iter().any(|glob| glob_matches(glob, tool));
        if !server.include.is_empty() && !names(&server.include) || names(&server.exclude) {
            return None;
        }
        let named = Named { server: Some(&server.name), tool };
        let rules: Vec<_> =
            server.permissions.rules.iter().filter(|rule| precision(rule, named).is_some()).cloned().collect();
        let default = (Precision::Default, server.permissions.default);
        let Word::Said((_, permission)) = strongest(&rules, named, &Arguments::of(None), default) else { return None };
        let lets_some = rules.iter().any(|rule| rule.permission != Permission::Deny);
        let is_seen = permission != Permission::Deny || lets_some;
        is_seen.then(|| Self { permission, rules, include: include(&server.modes, tool) })
    }

    /// The same for a tool that is no longer what it was when somebody allowed it: what would run is asked about.
    #[must_use]
    pub fn doubted(mut self, tool: &str) -> Self {
        // As precise as a rule can be, so that no other word is heard over it.
        let every_call = ArgumentMatch { path: String::new(), glob: "*".to_owned() };
        for rule in self.rules.iter_mut().filter(|rule| rule.permission == Permission::Allow) {
            rule.permission = Permission::Ask;
            tool.clone_into(&mut rule.tool);
        }
        if self.permission != Permission::Deny {
            self.permission = Permission::Ask;
            let (tool, arguments) = (tool.to_owned(), vec![every_call]);
            self.rules.push(PermissionRule { server: None, tool, arguments, permission: Permission::Ask });
        }
        self
    }
}

/// An exact name counts before a glob, and among equals the first.
fn include(modes: &IncludeModes, tool: &str) -> Include {
    let exact = modes.tools.iter().find(|(name, _)| name == tool);
    let said = exact.or_else(|| modes.tools.iter().find(|(glob, _)| glob_matches(glob, tool)));
    said.map_or(modes.default, |(_, include)| *include)
}
