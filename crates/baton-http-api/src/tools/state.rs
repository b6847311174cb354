//! State that the caller carries between the rounds of a call.

/// Results of earlier rounds.
///
/// The state is not authenticated, because a forged one gains nothing: a caller that may call a tool may also approve
/// the call, and the tool must protect its own state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolCallState {
    /// Whether the call was approved.
    pub(super) approved: bool,
    /// Opaque state of the tool.
    pub(super) tool: Option<String>,
}

impl ToolCallState {
    pub(super) fn write(&self) -> String {
        let approved = if self.approved { "approved" } else { "asked" };
        match &self.tool {
            Some(state) => format!("{approved}:{state}"),
            None => approved.to_owned(),
        }
    }

    /// Parses the output of [`ToolCallState::write`]; `None` for any other text.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (label, tool) = match text.split_once(':') {
            Some((label, state)) => (label, Some(state.to_owned())),
            None => (text, None),
        };
        match label {
            "approved" => Some(Self { approved: true, tool }),
            "asked" => Some(Self { approved: false, tool }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_state_can_be_read() {
        for approved in [true, false] {
            for tool in [None, Some(""), Some("a:b")] {
                let carried = ToolCallState { approved, tool: tool.map(str::to_owned) };
                assert_eq!(ToolCallState::read(&carried.write()), Some(carried));
            }
        }
        assert_eq!(ToolCallState::read("whatever:1"), None);
    }
}
