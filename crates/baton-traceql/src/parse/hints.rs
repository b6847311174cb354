//! Parsing of hints: `with (most_recent=true)`.

use super::cursor::Parser;
use crate::{
    Hint, Literal, ParseError,
    lex::{Op, TokenKind},
};

/// Hints that a query may set, with their value types.
const KNOWN_HINTS: &[(&str, HintType)] = &[
    ("sample", HintType::SwitchOrShare),
    ("trace_sample", HintType::SwitchOrShare),
    ("span_sample", HintType::SwitchOrShare),
    ("exemplars", HintType::SwitchOrCount),
    ("most_recent", HintType::Switch),
    ("extrapolate", HintType::Switch),
];

/// Hints that Tempo reserves for its operators.
const UNSAFE_HINTS: &[&str] = &["job_interval", "job_size", "time_overlap_cutoff", "concurrent_blocks"];

#[derive(Clone, Copy)]
enum HintType {
    Switch,
    SwitchOrShare,
    SwitchOrCount,
}

impl HintType {
    fn accepts(self, value: &Literal) -> bool {
        match (self, value) {
            (_, Literal::Bool(_)) => true,
            (Self::SwitchOrShare, Literal::Float(share)) => (0.0..=1.0).contains(share),
            (Self::SwitchOrShare, Literal::Int(share)) => (0..=1).contains(share),
            (Self::SwitchOrCount, Literal::Int(count)) => *count >= 0,
            _ => false,
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Switch => "true or false",
            Self::SwitchOrShare => "true, false or a number between 0 and 1",
            Self::SwitchOrCount => "true, false or a number of exemplars",
        }
    }
}

impl Parser<'_> {
    /// Parses all `with` clauses.
    pub(super) fn hints(&mut self) -> Result<Vec<Hint>, ParseError> {
        let mut hints = Vec::new();
        while self.accept(&TokenKind::Keyword("with")) {
            self.require(&TokenKind::OpenParen, "`(` after `with`")?;
            loop {
                hints.push(self.hint()?);
                if !self.accept(&TokenKind::Comma) {
                    break;
                }
            }
            self.require(&TokenKind::CloseParen, "`,` or `)`")?;
        }
        Ok(hints)
    }

    fn hint(&mut self) -> Result<Hint, ParseError> {
        let TokenKind::Identifier(name) = self.peek().clone() else { return self.expected("the name of a hint") };
        let Some((_, takes)) = KNOWN_HINTS.iter().find(|(known, _)| *known == name) else {
            if UNSAFE_HINTS.contains(&name.as_str()) {
                return self.fail(format!("unsafe hint: {name}; queries cannot set it"));
            }
            let known: Vec<_> = KNOWN_HINTS.iter().map(|(known, _)| *known).collect();
            return self.fail(format!("unknown hint: {name}; known hints: {}", known.join(", ")));
        };
        self.advance();
        self.require(&TokenKind::Op(Op::Equal), &format!("`=` after `{name}`"))?;
        let at = self.position();
        let value = match self.literal()? {
            Some(value) => value,
            None => return self.expected(&format!("a value after `{name}=`")),
        };
        if takes.accepts(&value) {
            Ok(Hint { name, value })
        } else {
            self.fail_at(at, format!("hint {name} takes {}", takes.description()))
        }
    }
}
