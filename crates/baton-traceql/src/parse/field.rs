//! Parsing of expressions over one span, as in braces.

use super::cursor::Parser;
use super::operand::aggregate_op;
use super::{precedence, rules};
use crate::{
    BinaryOp, Field, FieldExpr, Literal, Mode, ParseError, SpansetExpr, UnaryOp, lenient,
    lex::{Op, TokenKind},
};
use baton_types::{SpanKind, SpanStatus};

impl Parser<'_> {
    /// `{ .. }`.
    pub(super) fn filter(&mut self) -> Result<SpansetExpr, ParseError> {
        self.require(&TokenKind::OpenBrace, "`{`")?;
        if self.accept(&TokenKind::CloseBrace) {
            return Ok(SpansetExpr::Filter(None));
        }
        let field = self.field_expr("`{`")?;
        self.require(&TokenKind::CloseBrace, "`&&`, `||` or `}`")?;
        Ok(SpansetExpr::Filter(Some(field)))
    }

    /// Parses an expression; `after` is the preceding text, for error messages.
    pub(super) fn field_expr(&mut self, after: &str) -> Result<FieldExpr, ParseError> {
        self.field_operation(0, after)
    }

    fn field_operation(&mut self, weakest: u8, after: &str) -> Result<FieldExpr, ParseError> {
        self.nested(|parser| {
            let mut left = parser.field_operand(after)?;
            while let Some(op) = parser.peek_op() {
                let Some(precedence) = precedence::binary_precedence(op).filter(|precedence| *precedence >= weakest)
                else {
                    break;
                };
                left = parser.field_binary(left, op, precedence)?;
            }
            Ok(left)
        })
    }

    fn field_binary(&mut self, left: FieldExpr, op: Op, precedence: u8) -> Result<FieldExpr, ParseError> {
        let Some(binary) = precedence::binary(op) else {
            return self.fail(format!("`{}` combines spansets; it cannot be used in braces", op.symbol()));
        };
        let at = self.position();
        self.operator()?;
        if self.is_incomplete(binary) {
            return Ok(self.complete(left, op, binary));
        }
        let right_at = self.position();
        let right =
            self.field_operation(precedence::right_operand_precedence(op, precedence), &format!("`{}`", op.symbol()))?;
        if let BinaryOp::Compare(compare) = binary {
            rules::check_nil(self, &left, compare, &right, at)?;
            rules::check_pattern(self, compare, &right, right_at)?;
        }
        Ok(FieldExpr::Binary { op: binary, left: Box::new(left), right: Box::new(right) })
    }

    /// Whether the right operand is missing, as in a query that is still being typed.
    fn is_incomplete(&self, op: BinaryOp) -> bool {
        let ends = matches!(self.peek(), TokenKind::CloseBrace | TokenKind::CloseParen);
        let goes_on = matches!(self.peek(), TokenKind::Op(Op::And | Op::Or));
        self.mode == Mode::Lenient
            && match op {
                BinaryOp::And | BinaryOp::Or => ends,
                BinaryOp::Compare(_) => ends || goes_on,
                BinaryOp::Arithmetic(_) => false,
            }
    }

    fn complete(&mut self, left: FieldExpr, op: Op, binary: BinaryOp) -> FieldExpr {
        let anything = FieldExpr::Literal(Literal::Bool(true));
        let symbol = op.symbol();
        if matches!(binary, BinaryOp::Compare(_)) {
            self.warnings.add(&format!("`{left} {symbol}` has no value: read as `true`"));
            return anything;
        }
        self.warnings.add(&format!("`{symbol}` has no right operand: read as `true`"));
        FieldExpr::Binary { op: binary, left: Box::new(left), right: Box::new(anything) }
    }

    fn field_operand(&mut self, after: &str) -> Result<FieldExpr, ParseError> {
        match self.peek() {
            TokenKind::OpenParen => {
                self.advance();
                let inner = self.field_expr("`(`")?;
                self.require(&TokenKind::CloseParen, "`)`")?;
                Ok(inner)
            }
            TokenKind::Op(Op::Not) => {
                self.operator()?;
                let of = Box::new(self.field_operation(precedence::NOT + 1, "`!`")?);
                Ok(FieldExpr::Unary { op: UnaryOp::Not, of })
            }
            TokenKind::Op(Op::Subtract) => self.negative(),
            TokenKind::Keyword(word) if aggregate_op(word).is_some() => self.fail(format!(
                "`{word}` aggregates several spans: use it after the braces, as in `{{ }} | {word}(..) > 2`"
            )),
            _ => match self.literal()? {
                Some(literal) => Ok(FieldExpr::Literal(literal)),
                None => Ok(FieldExpr::Field(self.field(&format!("a value after {after}"))?)),
            },
        }
    }

    /// `-x`; the sign is part of a number literal unless the next operator binds tighter, as in `-2 ^ 2`.
    fn negative(&mut self) -> Result<FieldExpr, ParseError> {
        let number = matches!(self.peek_second(), TokenKind::Int(_) | TokenKind::Float(_) | TokenKind::Duration(_));
        if number && !self.binds_tighter_than_sign() {
            let literal = self.literal()?;
            return Ok(FieldExpr::Literal(literal.unwrap_or(Literal::Nil)));
        }
        self.operator()?;
        let of = Box::new(self.field_operation(precedence::SUM + 1, "`-`")?);
        Ok(FieldExpr::Unary { op: UnaryOp::Negative, of })
    }

    /// Parses a field of a span.
    pub(super) fn field(&mut self, description: &str) -> Result<Field, ParseError> {
        match self.peek().clone() {
            TokenKind::Field(field) => {
                self.advance();
                Ok(field)
            }
            TokenKind::Identifier(name) if self.mode == Mode::Lenient => {
                self.advance();
                Ok(Field::Attribute(lenient::attribute(name, &mut self.warnings)))
            }
            _ => self.expected(description),
        }
    }

    /// Parses comma-separated fields in parentheses.
    pub(super) fn fields(&mut self) -> Result<Vec<Field>, ParseError> {
        self.require(&TokenKind::OpenParen, "`(`")?;
        let mut fields = vec![self.field("an attribute after `(`")?];
        while self.accept(&TokenKind::Comma) {
            fields.push(self.field("an attribute after `,`")?);
        }
        self.require(&TokenKind::CloseParen, "`,` or `)`")?;
        Ok(fields)
    }

    /// Parses a constant, if one comes next; numbers may have a sign.
    pub(super) fn literal(&mut self) -> Result<Option<Literal>, ParseError> {
        let negative = self.peek_op() == Some(Op::Subtract);
        let kind = if negative { self.peek_second() } else { self.peek() };
        let literal = match kind {
            TokenKind::Int(integer) => signed(*integer, negative).map(Literal::Int),
            TokenKind::Duration(nanos) => signed(*nanos, negative).map(Literal::Duration),
            TokenKind::Float(number) => Some(Literal::Float(if negative { -number } else { *number })),
            TokenKind::Text(text) if !negative => Some(Literal::Text(text.clone())),
            TokenKind::Keyword(word) if !negative => match constant(word) {
                Some(literal) => Some(literal),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        if literal.is_none() {
            return self.fail(format!("`{}` is too large for a number", self.source_text()));
        }
        if negative {
            self.advance();
        }
        self.advance();
        Ok(literal)
    }

    fn binds_tighter_than_sign(&self) -> bool {
        self.peek_third_op()
            .and_then(precedence::binary_precedence)
            .is_some_and(|precedence| precedence > precedence::SUM)
    }
}

fn signed(magnitude: u64, negative: bool) -> Option<i64> {
    if negative { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

/// The constant for a keyword.
fn constant(word: &str) -> Option<Literal> {
    Some(match word {
        "true" => Literal::Bool(true),
        "false" => Literal::Bool(false),
        "nil" => Literal::Nil,
        "ok" => Literal::Status(SpanStatus::Ok),
        "error" => Literal::Status(SpanStatus::Error),
        "unset" => Literal::Status(SpanStatus::Unset),
        "unspecified" => Literal::Kind(SpanKind::Unspecified),
        "internal" => Literal::Kind(SpanKind::Internal),
        "server" => Literal::Kind(SpanKind::Server),
        "client" => Literal::Kind(SpanKind::Client),
        "producer" => Literal::Kind(SpanKind::Producer),
        "consumer" => Literal::Kind(SpanKind::Consumer),
        "minInt" => Literal::Int(i64::MIN),
        "maxInt" => Literal::Int(i64::MAX),
        _ => return None,
    })
}
