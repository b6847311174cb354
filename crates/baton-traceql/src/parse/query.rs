//! Entry point of the parser.

use super::cursor::Parser;
use super::operand::OperandKind;
use crate::{
    Mode, ParseError, Query, Root,
    lenient::Warnings,
    lex::{TokenKind, lex},
};

/// Maximum length of a query in bytes.
const MAX_QUERY_BYTES: usize = 64 * 1024;

/// A parsed query with its warnings.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedQuery {
    /// The AST.
    pub query: Query,
    /// One message for each construct that lenient mode reinterpreted.
    pub warnings: Vec<String>,
}

/// Parses a query.
///
/// Every accepted query can be printed and parsed again: the limits also apply to the canonical form, which may have
/// more parentheses than the source text.
pub fn parse(text: &str, mode: Mode) -> Result<ParsedQuery, ParseError> {
    let (parsed, size) = parse_text(text, mode)?;
    if size == LimitProximity::NearLimits && parse_text(&parsed.query.to_string(), Mode::Strict).is_err() {
        let message = "the query is too long or nested too deep once it is in canonical form".to_owned();
        return Err(ParseError { line: 1, column: 1, message });
    }
    Ok(parsed)
}

/// Whether the canonical form can exceed the limits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LimitProximity {
    Ordinary,
    NearLimits,
}

fn parse_text(text: &str, mode: Mode) -> Result<(ParsedQuery, LimitProximity), ParseError> {
    if text.len() > MAX_QUERY_BYTES {
        let message = format!("a query can have {MAX_QUERY_BYTES} bytes; this one has {}", text.len());
        return Err(ParseError { line: 1, column: 1, message });
    }
    let mut warnings = Warnings::default();
    let tokens = lex(text, mode, &mut warnings);
    let mut parser = Parser::new(text, tokens, mode, warnings);
    let query = query(&mut parser)?;
    // A character prints as at most six characters; an operator nests its operands at most two levels deeper.
    let ordinary = text.len() < MAX_QUERY_BYTES / 8 && parser.is_shallow();
    let size = if ordinary { LimitProximity::Ordinary } else { LimitProximity::NearLimits };
    Ok((ParsedQuery { query, warnings: parser.warnings.into_vec() }, size))
}

fn query(parser: &mut Parser) -> Result<Query, ParseError> {
    if *parser.peek() == TokenKind::End {
        return parser.fail("expected a query such as `{ span.insight.type = \"decision\" }`");
    }
    let operand = parser.pipeline()?;
    let root = match operand.meaning {
        OperandKind::Metrics(metrics) => Root::Metrics(metrics),
        meaning => match meaning.into_pipeline() {
            Ok(pipeline) => Root::Search(pipeline),
            Err(scalar) => return parser.expected(&format!("a comparison after `{scalar}`")),
        },
    };
    let hints = parser.hints()?;
    if *parser.peek() != TokenKind::End {
        let description = if hints.is_empty() { "`|` or the end of the query" } else { "the end of the query" };
        return parser.expected(description);
    }
    Ok(Query { root, hints })
}
