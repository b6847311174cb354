//! Permissions of one tool of an MCP server.

use super::{RuleOutcome, RulePrecision, RuleSubject, glob_matches, strongest_rule};
use crate::{ArgumentMatch, InclusionMode, InclusionModes, McpServer, Permission, PermissionRule};

/// Permissions of one tool of a server; stored with the tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerToolPermissions {
    /// Default permission.
    pub permission: Permission,
    /// Rules of the server that match the tool or some of its calls.
    pub rules: Vec<PermissionRule>,
    /// When it is part of a session.
    pub include: InclusionMode,
}

impl ServerToolPermissions {
    /// Permissions of a tool, by its name on the server; `None` if it must be hidden: not included, excluded, or denied
    /// for all arguments.
    pub fn for_tool(server: &McpServer, tool: &str) -> Option<Self> {
        let names = |globs: &[String]| globs.iter().any(|glob| glob_matches(glob, tool));
        if !server.include.is_empty() && !names(&server.include) || names(&server.exclude) {
            return None;
        }
        let subject = RuleSubject { server: Some(&server.name), tool };
        let rules: Vec<_> =
            server.permissions.rules.iter().filter(|rule| subject.precision(rule).is_some()).cloned().collect();
        let default = (RulePrecision::Default, server.permissions.default);
        let RuleOutcome::Ranked((_, permission)) =
            strongest_rule(&rules, subject, default, PermissionRule::matches_all_arguments)
        else {
            return None;
        };
        let allows_some_calls = rules.iter().any(|rule| rule.permission != Permission::Deny);
        let is_visible = permission != Permission::Deny || allows_some_calls;
        is_visible.then(|| Self { permission, rules, include: inclusion_mode(&server.modes, tool) })
    }

    /// Permissions for a tool that changed since it was allowed: calls that would run need approval.
    #[must_use]
    pub fn with_approval_required(mut self, tool: &str) -> Self {
        for rule in self.rules.iter_mut().filter(|rule| rule.permission == Permission::Allow) {
            rule.permission = Permission::Ask;
            tool.clone_into(&mut rule.tool);
        }
        if self.permission != Permission::Deny {
            self.permission = Permission::Ask;
            // As precise as possible, so that no other rule takes precedence.
            let (tool, arguments) = (tool.to_owned(), vec![ArgumentMatch::all_arguments()]);
            self.rules.push(PermissionRule { server: None, tool, arguments, permission: Permission::Ask });
        }
        self
    }
}

/// An exact name precedes a glob; among equals the first applies.
fn inclusion_mode(modes: &InclusionModes, tool: &str) -> InclusionMode {
    let exact = modes.tools.iter().find(|(name, _)| name == tool);
    let entry = exact.or_else(|| modes.tools.iter().find(|(glob, _)| glob_matches(glob, tool)));
    entry.map_or(modes.default, |(_, include)| *include)
}
