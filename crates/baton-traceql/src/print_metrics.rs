//! Canonical form of metrics queries.

use std::fmt::{self, Display, Formatter};

use crate::{
    CompareFunction, Field, FirstStage, MetricsExpr, MetricsQuery, SecondStage,
    parse::precedence::POWER,
    print::{CommaList, wrap},
};

impl Display for MetricsExpr {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query(query) => write!(out, "{query}"),
            // Integers below 1e15 print without an exponent; larger ones would be too long.
            Self::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => write!(out, "{number}"),
            Self::Number(number) => write!(out, "{number:?}"),
            Self::Computed { op, left, right, then } => {
                wrap(out, left, left.strength() < op.strength())?;
                write!(out, " {op} ")?;
                wrap(out, right, right.strength() <= op.strength())?;
                then.iter().try_for_each(|stage| write!(out, "{stage}"))
            }
        }
    }
}

impl MetricsExpr {
    fn strength(&self) -> u8 {
        match self {
            Self::Number(number) if number.is_sign_positive() => POWER + 1,
            Self::Computed { op, then, .. } if then.is_empty() => op.strength(),
            _ => 0,
        }
    }
}

impl Display for MetricsQuery {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{} | {}", self.spans, self.first)?;
        self.then.iter().try_for_each(|stage| write!(out, "{stage}"))
    }
}

impl Display for FirstStage {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate { by } => write!(out, "rate(){}", ByClause(by)),
            Self::CountOverTime { by } => write!(out, "count_over_time(){}", ByClause(by)),
            Self::AggregateOverTime { op, of, by } => write!(out, "{op}_over_time({of}){}", ByClause(by)),
            Self::QuantileOverTime { of, quantiles, by } => {
                write!(out, "quantile_over_time({of}, {}){}", CommaList(quantiles), ByClause(by))
            }
            Self::HistogramOverTime { of, by } => write!(out, "histogram_over_time({of}){}", ByClause(by)),
            Self::Compare(compare) => write!(out, "{compare}"),
        }
    }
}

struct ByClause<'a>(&'a [Field]);

impl Display for ByClause<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(out, " by({})", CommaList(self.0)) }
    }
}

impl Display for CompareFunction {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "compare({}", self.selection)?;
        for argument in [self.top, self.start, self.end].into_iter().flatten() {
            write!(out, ", {argument}")?;
        }
        write!(out, ")")
    }
}

/// Includes the leading space or pipe.
impl Display for SecondStage {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::TopK(limit) => write!(out, " | topk({limit})"),
            Self::BottomK(limit) => write!(out, " | bottomk({limit})"),
            Self::Filter { op, value } => write!(out, " {op} {value}"),
        }
    }
}
