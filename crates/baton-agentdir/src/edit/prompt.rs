//! The system prompt.

use super::{
    EditError,
    amend::{Amended, Subject},
};
use crate::PROMPT_FILE;

/// Another prompt, where the one of now is written.
pub(super) fn set(subject: &Subject<'_>, text: &str) -> Result<Amended, EditError> {
    if text.trim().is_empty() {
        return Err(EditError::Unfit("a prompt has to say something"));
    }
    let now = subject.parsed.agent.as_ref().map(|agent| agent.prompt.as_str());
    if now == Some(text.trim_end()) {
        return Ok(Amended { file: PROMPT_FILE.to_owned(), changes: Default::default() });
    }
    let _ = subject.text(PROMPT_FILE)?;
    Ok(Amended::one(PROMPT_FILE.to_owned(), format!("{}\n", text.trim_end())))
}
