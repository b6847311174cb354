//! What a caller carries between the rounds of a call.

/// What was settled in earlier rounds.
///
/// It is not sealed, because there is nothing to gain by changing it: whoever may call a tool may approve the call, and
/// what the tool itself carries is the tool's to protect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Carried {
    /// Whether the call was approved.
    pub(super) approved: bool,
    /// What the tool wanted to have back.
    pub(super) tool: Option<String>,
}

impl Carried {
    pub(super) fn write(&self) -> String {
        let approved = if self.approved { "approved" } else { "asked" };
        match &self.tool {
            Some(state) => format!("{approved}:{state}"),
            None => approved.to_owned(),
        }
    }

    /// Nothing, when it is not of [`Carried::write`].
    pub(super) fn read(text: &str) -> Option<Self> {
        let (word, tool) = match text.split_once(':') {
            Some((word, state)) => (word, Some(state.to_owned())),
            None => (text, None),
        };
        match word {
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
    fn what_is_written_is_read() {
        for approved in [true, false] {
            for tool in [None, Some(""), Some("a:b")] {
                let carried = Carried { approved, tool: tool.map(str::to_owned) };
                assert_eq!(Carried::read(&carried.write()), Some(carried));
            }
        }
        assert_eq!(Carried::read("whatever:1"), None);
    }
}
