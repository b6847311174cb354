//! Applies steps to the values and to the text of a file.

use super::{json, step::EditStep, yaml};
use baton_document::{Diagnostic, DocumentNode};

/// Syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileSyntax {
    Yaml,
    Json,
}

impl FileSyntax {
    /// Detects the syntax from the file name.
    pub(super) fn from_file_name(file: &str) -> Self {
        if file.ends_with(".json") { Self::Json } else { Self::Yaml }
    }

    /// The values of a text; embeddings are skipped.
    pub(super) fn read(self, file: &str, text: &str) -> Result<DocumentNode, Diagnostic> {
        match self {
            Self::Yaml => baton_document::read_lean(file, text.as_bytes()),
            Self::Json => baton_document::read_json_lean(file, text.as_bytes()),
        }
    }

    /// The text with all steps applied in order; `None` if a step has no place in the text where it has exactly the
    /// intended effect.
    pub(super) fn apply_steps(self, text: &str, steps: &[EditStep]) -> Option<String> {
        self.apply_steps_where(text, steps, &|_| true)
    }

    /// The same with an additional condition on the text.
    pub(super) fn apply_steps_where(
        self,
        text: &str,
        steps: &[EditStep],
        fits: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let mut expected = self.read("", text).ok()?.to_json();
        let mut changed = text.to_owned();
        for step in steps {
            step.apply(&mut expected)?;
            let is_expected =
                |text: &str| fits(text) && self.read("", text).is_ok_and(|root| root.to_json() == expected);
            let take = match self {
                Self::Yaml => yaml::apply_step,
                Self::Json => json::apply_step,
            };
            changed = take(&changed, step, &is_expected)?;
        }
        Some(changed)
    }
}
