//! A whole query.

use super::cursor::Parser;
use super::operand::Meaning;
use crate::lenient::Warnings;
use crate::lex::{Kind, lex};
use crate::{Mode, ParseError, Query, Root};

/// The longest query in bytes.
const MOST_BYTES: usize = 64 * 1024;

/// A query, and what was forgiven on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// What the text means.
    pub query: Query,
    /// What lenient mode read differently than it was written, in words for whoever wrote it.
    pub warnings: Vec<String>,
}

/// Reads a query.
pub fn parse(text: &str, mode: Mode) -> Result<Parsed, ParseError> {
    if text.len() > MOST_BYTES {
        let message = format!("a query can have {MOST_BYTES} bytes; this one has {}", text.len());
        return Err(ParseError { line: 1, column: 1, message });
    }
    let mut warnings = Warnings::default();
    let tokens = lex(text, mode, &mut warnings);
    let mut parser = Parser::new(text, tokens, mode, warnings);
    let query = query(&mut parser)?;
    Ok(Parsed { query, warnings: parser.warnings.into_vec() })
}

fn query(parser: &mut Parser) -> Result<Query, ParseError> {
    if *parser.peek() == Kind::End {
        return parser.fail("expected a query such as `{ span.insight.type = \"decision\" }`");
    }
    let operand = parser.pipeline()?;
    let root = match operand.meaning {
        Meaning::Metrics(metrics) => Root::Metrics(metrics),
        meaning => match meaning.into_pipeline() {
            Ok(pipeline) => Root::Search(pipeline),
            Err(scalar) => return parser.expected(&format!("a comparison after `{scalar}`")),
        },
    };
    let hints = parser.hints()?;
    if *parser.peek() != Kind::End {
        let what = if hints.is_empty() { "`|` or the end of the query" } else { "the end of the query" };
        return parser.expected(what);
    }
    Ok(Query { root, hints })
}
