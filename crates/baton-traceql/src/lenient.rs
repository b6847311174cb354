//! Lenient mode: warnings, and default scopes of keys.

use crate::said::said;
use crate::{Attribute, Scope};

/// Scopes of Baton's own key prefixes, used for keys without a scope.
const NAMESPACES: &[(&str, Scope)] = &[
    ("insight.", Scope::Span),
    ("handoff.", Scope::Span),
    ("agent.", Scope::Span),
    ("gen_ai.", Scope::Span),
    ("codegen.", Scope::Span),
    ("gate.", Scope::Span),
    ("evidence.", Scope::Event),
];

/// Maximum number of warnings per query.
const MOST_WARNINGS: usize = 32;

/// Deduplicated warnings.
#[derive(Debug, Default)]
pub(crate) struct Warnings(Vec<String>);

impl Warnings {
    pub(crate) fn add(&mut self, warning: &str) {
        let warning = said(warning);
        if self.0.len() < MOST_WARNINGS && !self.0.contains(&warning) {
            self.0.push(warning);
        }
    }

    pub(crate) fn into_vec(self) -> Vec<String> {
        self.0
    }
}

/// The attribute for a key without a scope.
pub(crate) fn attribute(name: String, warnings: &mut Warnings) -> Attribute {
    let scope =
        NAMESPACES.iter().find(|(prefix, _)| name.starts_with(prefix)).map_or(Scope::Any, |(_, scope)| *scope);
    let attribute = Attribute { scope, of_parent: false, name };
    warnings.add(&format!("`{}` has no scope: read as `{attribute}`", attribute.name));
    attribute
}
