//! What lenient mode makes of text that is no TraceQL yet.

use crate::said::said;
use crate::{Attribute, Scope};

/// Where Baton's own keys are: whoever writes one without a scope means exactly this.
const NAMESPACES: &[(&str, Scope)] = &[
    ("insight.", Scope::Span),
    ("handoff.", Scope::Span),
    ("agent.", Scope::Span),
    ("gen_ai.", Scope::Span),
    ("codegen.", Scope::Span),
    ("gate.", Scope::Span),
    ("evidence.", Scope::Event),
];

/// Enough to learn from.
const MOST_WARNINGS: usize = 32;

/// What was forgiven, each kind of mistake once.
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

/// The attribute that a key without a scope means.
pub(crate) fn attribute(name: String, warnings: &mut Warnings) -> Attribute {
    let scope = NAMESPACES.iter().find(|(prefix, _)| name.starts_with(prefix)).map_or(Scope::Any, |(_, scope)| *scope);
    let attribute = Attribute { scope, of_parent: false, name };
    warnings.add(&format!("`{}` has no scope: read as `{attribute}`", attribute.name));
    attribute
}
