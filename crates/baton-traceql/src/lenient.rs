//! Lenient mode: warnings, and default scopes of keys.

use crate::{AttributeRef, AttributeScope, message_format::single_line};

/// Scopes of Baton's own key prefixes, used for keys without a scope.
const NAMESPACES: &[(&str, AttributeScope)] = &[
    ("insight.", AttributeScope::Span),
    ("handoff.", AttributeScope::Span),
    ("agent.", AttributeScope::Span),
    ("gen_ai.", AttributeScope::Span),
    ("codegen.", AttributeScope::Span),
    ("gate.", AttributeScope::Span),
    ("evidence.", AttributeScope::Event),
];

/// Maximum number of warnings per query.
const MAX_WARNINGS: usize = 32;

/// Deduplicated warnings.
#[derive(Debug, Default)]
pub(crate) struct Warnings(Vec<String>);

impl Warnings {
    pub(crate) fn add(&mut self, warning: &str) {
        let warning = single_line(warning);
        if self.0.len() < MAX_WARNINGS && !self.0.contains(&warning) {
            self.0.push(warning);
        }
    }

    pub(crate) fn into_vec(self) -> Vec<String> {
        self.0
    }
}

/// The attribute for a key without a scope.
pub(crate) fn attribute(name: String, warnings: &mut Warnings) -> AttributeRef {
    let scope =
        NAMESPACES.iter().find(|(prefix, _)| name.starts_with(prefix)).map_or(AttributeScope::Any, |(_, scope)| *scope);
    let attribute = AttributeRef { scope, of_parent: false, name };
    warnings.add(&format!("`{}` has no scope: read as `{attribute}`", attribute.name));
    attribute
}
