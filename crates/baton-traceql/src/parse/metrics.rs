//! Parsing of metrics functions.

use super::cursor::Parser;
use super::precedence;
use crate::{
    AggregateOp, CompareFunction, Field, FirstStage, Literal, MetricsExpr, MetricsQuery, ParseError, PipelineExpr,
    PipelineStage, SecondStage, lex::TokenKind,
};

impl Parser<'_> {
    /// Whether a metrics function comes next.
    pub(super) fn at_metrics_function(&self) -> bool {
        self.peek_word().is_some_and(|word| {
            matches!(word, "rate" | "compare" | "quantile_over_time" | "histogram_over_time" | "count_over_time")
                || aggregate_over_time(word).is_some()
        })
    }

    /// Parses a metrics function and its second stages.
    pub(super) fn metrics_query(&mut self, stages: Vec<PipelineStage>) -> Result<MetricsExpr, ParseError> {
        let first = self.metrics_function()?;
        let spans = PipelineExpr::Pipeline(stages);
        self.second_stages(MetricsExpr::Query(MetricsQuery { spans, first, then: Vec::new() }))
    }

    fn metrics_function(&mut self) -> Result<FirstStage, ParseError> {
        let word = self.peek_word().unwrap_or_default();
        self.advance();
        self.require(&TokenKind::OpenParen, &format!("`(` after `{word}`"))?;
        let first = match word {
            "rate" => {
                self.close()?;
                FirstStage::Rate { by: self.metrics_by()? }
            }
            "count_over_time" => {
                self.close()?;
                FirstStage::CountOverTime { by: self.metrics_by()? }
            }
            "compare" => FirstStage::Compare(self.compare()?),
            "quantile_over_time" => {
                let of = self.field(&format!("an attribute after `{word}(`"))?;
                let quantiles = self.quantiles()?;
                FirstStage::QuantileOverTime { of, quantiles, by: self.metrics_by()? }
            }
            _ => {
                let of = self.field(&format!("an attribute after `{word}(`"))?;
                self.close()?;
                let by = self.metrics_by()?;
                match aggregate_over_time(word) {
                    Some(op) => FirstStage::AggregateOverTime { op, of, by },
                    None => FirstStage::HistogramOverTime { of, by },
                }
            }
        };
        Ok(first)
    }

    fn close(&mut self) -> Result<(), ParseError> {
        self.require(&TokenKind::CloseParen, "`)`")
    }

    fn metrics_by(&mut self) -> Result<Vec<Field>, ParseError> {
        if self.accept(&TokenKind::Keyword("by")) { self.fields() } else { Ok(Vec::new()) }
    }

    fn quantiles(&mut self) -> Result<Vec<f64>, ParseError> {
        let mut quantiles = Vec::new();
        while self.accept(&TokenKind::Comma) {
            let at = self.position();
            let quantile = match self.number("`,`")? {
                Literal::Int(value) => value as f64,
                Literal::Float(number) => number,
                _ => -1.0,
            };
            if !(0.0..=1.0).contains(&quantile) {
                return self.fail_at(at, "a quantile is a number between 0 and 1");
            }
            quantiles.push(quantile);
        }
        if quantiles.is_empty() {
            return self.expected("`,` and a quantile such as 0.99");
        }
        self.close()?;
        Ok(quantiles)
    }

    fn compare(&mut self) -> Result<CompareFunction, ParseError> {
        let selection = self.filter()?;
        let top = self.integer_argument()?;
        let start = if top.is_some() { self.integer_argument()? } else { None };
        let end = if start.is_some() { self.integer_argument()? } else { None };
        if start.is_some() && end.is_none() {
            return self.expected("`,` and the end of the selection");
        }
        self.close()?;
        Ok(CompareFunction { selection, top, start, end })
    }

    fn integer_argument(&mut self) -> Result<Option<i64>, ParseError> {
        if self.accept(&TokenKind::Comma) { self.integer("`,`").map(Some) } else { Ok(None) }
    }

    fn integer(&mut self, after: &str) -> Result<i64, ParseError> {
        let at = self.position();
        match self.literal()? {
            Some(Literal::Int(integer)) => Ok(integer),
            Some(_) => self.fail_at(at, format!("expected a whole number after {after}")),
            None => self.expected(&format!("a whole number after {after}")),
        }
    }

    /// Parses any number of second stages: `| topk(5)`, `> 10`.
    pub(super) fn second_stages(&mut self, mut metrics: MetricsExpr) -> Result<MetricsExpr, ParseError> {
        loop {
            let at = self.position();
            let stage = if let Some((op, compare)) =
                self.peek_op().and_then(|op| Some((op, precedence::compare_numbers(op)?)))
            {
                self.operator()?;
                SecondStage::Filter { op: compare, value: self.number(&format!("`{}`", op.symbol()))? }
            } else if self.accept(&TokenKind::Pipe) {
                self.limit()?
            } else if let Some(op) = self.peek_op().filter(|op| precedence::arithmetic(*op).is_some()) {
                return self
                    .fail(format!("metrics queries that `{}` combines are written in parentheses", op.symbol()));
            } else {
                return Ok(metrics);
            };
            metrics = self.then(metrics, stage, at)?;
        }
    }

    fn limit(&mut self) -> Result<SecondStage, ParseError> {
        let stage = match self.peek_word() {
            Some("topk") => SecondStage::TopK,
            Some("bottomk") => SecondStage::BottomK,
            _ => return self.expected("`topk` or `bottomk` after a metrics function"),
        };
        self.advance();
        self.require(&TokenKind::OpenParen, "`(`")?;
        let at = self.position();
        let count = self.integer("`(`")?;
        if count < 1 {
            return self.fail_at(at, "expected a number of series that is 1 or more");
        }
        self.close()?;
        Ok(stage(count))
    }

    /// Appends a second stage.
    pub(super) fn then(&self, metrics: MetricsExpr, stage: SecondStage, at: usize) -> Result<MetricsExpr, ParseError> {
        match metrics {
            MetricsExpr::Query(MetricsQuery { first: FirstStage::Compare(_), .. }) => {
                self.fail_at(at, "nothing can follow `compare`")
            }
            MetricsExpr::Query(mut query) => {
                query.then.push(stage);
                Ok(MetricsExpr::Query(query))
            }
            MetricsExpr::Computed { op, left, right, mut then } => {
                then.push(stage);
                Ok(MetricsExpr::Computed { op, left, right, then })
            }
            MetricsExpr::Number(_) => self.fail_at(at, "a number has no series"),
        }
    }
}

fn aggregate_over_time(word: &str) -> Option<AggregateOp> {
    Some(match word {
        "min_over_time" => AggregateOp::Min,
        "max_over_time" => AggregateOp::Max,
        "avg_over_time" => AggregateOp::Avg,
        "sum_over_time" => AggregateOp::Sum,
        _ => return None,
    })
}
