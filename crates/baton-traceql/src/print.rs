//! Canonical form; parsing it yields the same AST.
//!
//! Parentheses are printed where the parser needs them, and where `&&` and `||` or two comparisons are nested, because
//! readers often assume a different precedence.

use std::fmt::{self, Display, Formatter};

use crate::{
    Aggregate, AggregateOp, Hint, PipelineExpr, PipelineStage, Query, Root, Scalar, ScalarFilter, SpansetExpr,
    SpansetOp,
    parse::precedence::{LOGICAL, POWER, PRODUCT, RELATION, SUM},
    print_field::is_negative,
};

impl Display for Query {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.root)?;
        if !self.hints.is_empty() {
            write!(out, " with({})", CommaList(&self.hints))?;
        }
        Ok(())
    }
}

impl Display for Root {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Search(pipeline) => write!(out, "{pipeline}"),
            Self::Metrics(metrics) => write!(out, "{metrics}"),
        }
    }
}

impl Display for Hint {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{}={}", self.name, self.value)
    }
}

/// Comma-separated items.
pub(crate) struct CommaList<'a, T>(pub(crate) &'a [T]);

impl<T: Display> Display for CommaList<'_, T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        separated(out, self.0, ", ")
    }
}

fn separated(out: &mut Formatter<'_>, items: &[impl Display], separator: &str) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        let before = if at == 0 { "" } else { separator };
        write!(out, "{before}{item}")?;
    }
    Ok(())
}

/// Writes the item, in parentheses if needed.
pub(crate) fn wrap(out: &mut Formatter<'_>, item: &impl Display, needed: bool) -> fmt::Result {
    if needed { write!(out, "({item})") } else { write!(out, "{item}") }
}

impl Display for PipelineExpr {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pipeline(stages) => separated(out, stages, " | "),
            Self::Combined { op, left, right } => {
                let is_plain = |side: &Self, right| match side {
                    Self::Pipeline(_) => false,
                    Self::Combined { op: inner, .. } => needs_no_parentheses(*inner, *op, right),
                };
                wrap(out, left, !is_plain(left, false))?;
                write!(out, " {op} ")?;
                wrap(out, right, !is_plain(right, true))
            }
        }
    }
}

impl Display for PipelineStage {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spansets(spansets) => write!(out, "{spansets}"),
            Self::Scalar(filter) => write!(out, "{filter}"),
            Self::By(field) => write!(out, "by({field})"),
            Self::Coalesce => write!(out, "coalesce()"),
            Self::Select(fields) => write!(out, "select({})", CommaList(fields)),
        }
    }
}

impl Display for SpansetExpr {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filter(None) => write!(out, "{{ }}"),
            Self::Filter(Some(field)) => write!(out, "{{ {field} }}"),
            Self::Combined { op, left, right } => {
                let is_plain = |side: &Self, right| match side {
                    Self::Filter(_) => true,
                    Self::Combined { op: inner, .. } => needs_no_parentheses(*inner, *op, right),
                };
                wrap(out, left, !is_plain(left, false))?;
                write!(out, " {op} ")?;
                wrap(out, right, !is_plain(right, true))
            }
        }
    }
}

/// Whether a nested combination needs no parentheses as an operand.
fn needs_no_parentheses(inner: SpansetOp, outer: SpansetOp, right: bool) -> bool {
    let strength = |op| if matches!(op, SpansetOp::And | SpansetOp::Or) { LOGICAL } else { RELATION };
    strength(inner) > strength(outer) || (!right && inner == outer)
}

impl Display for SpansetOp {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::And => "&&",
            Self::Or => "||",
            Self::Child => ">",
            Self::Parent => "<",
            Self::Descendant => ">>",
            Self::Ancestor => "<<",
            Self::Sibling => "~",
            Self::NotChild => "!>",
            Self::NotParent => "!<",
            Self::NotDescendant => "!>>",
            Self::NotAncestor => "!<<",
            Self::NotSibling => "!~",
            Self::UnionChild => "&>",
            Self::UnionParent => "&<",
            Self::UnionDescendant => "&>>",
            Self::UnionAncestor => "&<<",
            Self::UnionSibling => "&~",
        })
    }
}

impl Display for ScalarFilter {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {}", self.left, self.op, self.right)
    }
}

impl Display for Scalar {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(literal) => write!(out, "{literal}"),
            Self::Aggregate(aggregate) => write!(out, "{aggregate}"),
            Self::Pipeline { stages, aggregate } => {
                write!(out, "(")?;
                separated(out, stages, " | ")?;
                write!(out, " | {aggregate})")
            }
            Self::Computed { op, left, right } => {
                let strength = op.strength();
                let weak_left = if strength == POWER { POWER + 1 } else { strength };
                let weak_right = if strength == POWER { POWER } else { strength + 1 };
                wrap(out, left, left.strength() < weak_left)?;
                write!(out, " {op} ")?;
                wrap(out, right, right.strength() < weak_right)
            }
        }
    }
}

impl Scalar {
    fn strength(&self) -> u8 {
        match self {
            Self::Computed { op, .. } => op.strength(),
            Self::Literal(literal) if is_negative(literal) => SUM,
            _ => POWER + 1,
        }
    }
}

impl crate::ArithmeticOp {
    /// Precedence.
    pub(crate) fn strength(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => SUM,
            Self::Multiply | Self::Divide | Self::Modulo => PRODUCT,
            Self::Power => POWER,
        }
    }
}

impl Display for Aggregate {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match &self.of {
            Some(field) => write!(out, "{}({field})", self.op),
            None => write!(out, "{}()", self.op),
        }
    }
}

impl Display for AggregateOp {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Count => "count",
            Self::Min => "min",
            Self::Max => "max",
            Self::Avg => "avg",
            Self::Sum => "sum",
        })
    }
}
