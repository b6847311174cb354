//! Canonical form of expressions over one span.

use std::fmt::{self, Display, Formatter, Write};

use baton_types::{SpanKind, SpanStatus};

use crate::{
    ArithmeticOp, AttributeRef, AttributeScope, BinaryOp, CompareOp, Field, FieldExpr, Intrinsic, Literal, UnaryOp,
    lex_name::is_name_char,
    lex_words,
    parse::precedence::{LOGICAL, POWER, RELATION, SUM},
    print::wrap,
};

impl Display for FieldExpr {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(literal) => write!(out, "{literal}"),
            Self::Field(field) => write!(out, "{field}"),
            Self::Unary { op, of } => {
                let is_plain = match **of {
                    Self::Field(_) => true,
                    Self::Literal(_) => {
                        *op == UnaryOp::Not && !matches!(&**of, Self::Literal(literal) if is_negative(literal))
                    }
                    _ => false,
                };
                out.write_str(if *op == UnaryOp::Not { "!" } else { "-" })?;
                wrap(out, of, !is_plain)
            }
            Self::Binary { op, left, right } => {
                wrap(out, left, !left.needs_no_parentheses(*op, false))?;
                write!(out, " {op} ")?;
                wrap(out, right, !right.needs_no_parentheses(*op, true))
            }
        }
    }
}

impl FieldExpr {
    /// Whether it needs no parentheses as an operand.
    fn needs_no_parentheses(&self, outer: BinaryOp, right: bool) -> bool {
        let strength = outer.strength();
        if strength == LOGICAL || strength == RELATION {
            let same = matches!(self, Self::Binary { op, .. } if *op == outer);
            return self.strength() > strength || (strength == LOGICAL && same && !right);
        }
        let associates = right == (strength == POWER);
        self.strength() > strength || (associates && self.strength() == strength)
    }

    fn strength(&self) -> u8 {
        match self {
            Self::Binary { op, .. } => op.strength(),
            Self::Unary { op: UnaryOp::Negative, .. } => SUM,
            // `!` binds tighter, but readers take it as the negation of the whole expression that follows.
            Self::Unary { op: UnaryOp::Not, .. } => RELATION,
            Self::Literal(literal) if is_negative(literal) => SUM,
            Self::Literal(_) | Self::Field(_) => POWER + 1,
        }
    }
}

impl BinaryOp {
    fn strength(self) -> u8 {
        match self {
            Self::And | Self::Or => LOGICAL,
            Self::Compare(_) => RELATION,
            Self::Arithmetic(op) => op.strength(),
        }
    }
}

impl Display for BinaryOp {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::And => out.write_str("&&"),
            Self::Or => out.write_str("||"),
            Self::Compare(op) => write!(out, "{op}"),
            Self::Arithmetic(op) => write!(out, "{op}"),
        }
    }
}

impl Display for CompareOp {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Matches => "=~",
            Self::MatchesNot => "!~",
        })
    }
}

impl Display for ArithmeticOp {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
            Self::Power => "^",
        })
    }
}

impl Display for Field {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute(attribute) => write!(out, "{attribute}"),
            Self::Intrinsic(intrinsic) => write!(out, "{intrinsic}"),
        }
    }
}

impl Display for Intrinsic {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(lex_words::canonical(*self))
    }
}

impl Display for AttributeRef {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(if self.of_parent { "parent" } else { "" })?;
        let scope = match self.scope {
            AttributeScope::Any => "",
            scope if self.of_parent => return write!(out, ".{scope}.{}", AttributeNameDisplay(self)),
            scope => return write!(out, "{scope}.{}", AttributeNameDisplay(self)),
        };
        write!(out, "{scope}.{}", AttributeNameDisplay(self))
    }
}

impl Display for AttributeScope {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Any => "",
            Self::Span => "span",
            Self::Resource => "resource",
            Self::Event => "event",
            Self::Link => "link",
            Self::Instrumentation => "instrumentation",
        })
    }
}

/// Attribute name, quoted if the lexer would read it differently without quotes.
struct AttributeNameDisplay<'a>(&'a AttributeRef);

impl AttributeNameDisplay<'_> {
    fn needs_quotes(&self) -> bool {
        let AttributeRef { scope, of_parent, name } = self.0;
        let plain = |next: char| is_name_char(next) && next != '"' && next != '\\' && !next.is_control();
        let like_number =
            *scope == AttributeScope::Any && !of_parent && name.starts_with(|next: char| next.is_ascii_digit());
        let like_scope = *scope == AttributeScope::Any
            && *of_parent
            && ["span.", "resource."].iter().any(|like| name.starts_with(like));
        name.is_empty() || like_number || like_scope || !name.chars().all(plain)
    }
}

impl Display for AttributeNameDisplay<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if !self.needs_quotes() {
            return out.write_str(&self.0.name);
        }
        out.write_char('"')?;
        for next in self.0.name.chars() {
            if matches!(next, '"' | '\\') {
                out.write_char('\\')?;
            }
            out.write_char(next)?;
        }
        out.write_char('"')
    }
}

/// Whether it prints with a minus sign.
pub(crate) fn is_negative(literal: &Literal) -> bool {
    match literal {
        // `i64::MIN` prints as `minInt`.
        Literal::Int(integer) => *integer < 0 && *integer != i64::MIN,
        Literal::Duration(nanos) => *nanos < 0,
        Literal::Float(number) => number.is_sign_negative(),
        _ => false,
    }
}

impl Display for Literal {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write_text(out, text),
            Self::Int(i64::MIN) => out.write_str("minInt"),
            Self::Int(i64::MAX) => out.write_str("maxInt"),
            Self::Int(integer) => write!(out, "{integer}"),
            // `Debug` keeps the decimal point, which distinguishes floats from integers.
            Self::Float(number) => write!(out, "{number:?}"),
            Self::Duration(nanos) => write_duration(out, *nanos),
            Self::Bool(value) => write!(out, "{value}"),
            Self::Nil => out.write_str("nil"),
            Self::Status(status) => out.write_str(match status {
                SpanStatus::Ok => "ok",
                SpanStatus::Error => "error",
                SpanStatus::Unset => "unset",
            }),
            Self::Kind(kind) => out.write_str(match kind {
                SpanKind::Unspecified => "unspecified",
                SpanKind::Internal => "internal",
                SpanKind::Server => "server",
                SpanKind::Client => "client",
                SpanKind::Producer => "producer",
                SpanKind::Consumer => "consumer",
            }),
        }
    }
}

fn write_text(out: &mut Formatter<'_>, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for next in text.chars() {
        match next {
            '"' | '\\' => write!(out, "\\{next}")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            _ if next.is_control() => write!(out, "\\u{:04x}", u32::from(next))?,
            _ => out.write_char(next)?,
        }
    }
    out.write_char('"')
}

/// Whole hours and minutes, the rest in its largest unit: `1h30m`, `1.5s`, `250ms`.
fn write_duration(out: &mut Formatter<'_>, nanos: i64) -> fmt::Result {
    const SECOND: u64 = 1_000_000_000;
    let mut rest = nanos.unsigned_abs();
    out.write_str(if nanos < 0 { "-" } else { "" })?;
    let long = rest >= SECOND;
    for (unit, length) in [("h", 3600 * SECOND), ("m", 60 * SECOND)] {
        if rest >= length {
            write!(out, "{}{unit}", rest / length)?;
            rest %= length;
        }
    }
    if rest == 0 {
        return out.write_str(if long { "" } else { "0s" });
    }
    let units = [("s", SECOND), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];
    let (unit, length) = units.into_iter().find(|(_, length)| rest >= *length).unwrap_or(("ns", 1));
    write!(out, "{}", rest / length)?;
    if !rest.is_multiple_of(length) {
        let digits = length.ilog10() as usize;
        let fraction = format!("{:0digits$}", rest % length);
        write!(out, ".{}", fraction.trim_end_matches('0'))?;
    }
    out.write_str(unit)
}
