//! Entry point of the parser.

use super::cursor::Parser;
use super::operand::Meaning;
use crate::lenient::Warnings;
use crate::lex::{Kind, lex};
use crate::{Mode, ParseError, Query, Root};

/// Maximum length of a query in bytes.
const MOST_BYTES: usize = 64 * 1024;

/// A parsed query with its warnings.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The AST.
    pub query: Query,
    /// One message for each construct that lenient mode reinterpreted.
    pub warnings: Vec<String>,
}

/// Parses a query.
///
/// Every accepted query can be printed and parsed again: the limits also apply to the canonical form, which may have
/// more parentheses than the source text.
pub fn parse(text: &str, mode: Mode) -> Result<Parsed, ParseError> {
    let (parsed, size) = read(text, mode)?;
    if size == Size::NearLimits && read(&parsed.query.to_string(), Mode::Strict).is_err() {
        let message = "the query is too long or nested too deep once it is in canonical form".to_owned();
        return Err(ParseError { line: 1, column: 1, message });
    }
    Ok(parsed)
}

/// Whether the canonical form can exceed the limits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Ordinary,
    NearLimits,
}

fn read(text: &str, mode: Mode) -> Result<(Parsed, Size), ParseError> {
    if text.len() > MOST_BYTES {
        let message = format!("a query can have {MOST_BYTES} bytes; this one has {}", text.len());
        return Err(ParseError { line: 1, column: 1, message });
    }
    let mut warnings = Warnings::default();
    let tokens = lex(text, mode, &mut warnings);
    let mut parser = Parser::new(text, tokens, mode, warnings);
    let query = query(&mut parser)?;
    // A character prints as at most six characters; an operator nests its operands at most two levels deeper.
    let ordinary = text.len() < MOST_BYTES / 8 && parser.is_shallow();
    let size = if ordinary { Size::Ordinary } else { Size::NearLimits };
    Ok((Parsed { query, warnings: parser.warnings.into_vec() }, size))
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
