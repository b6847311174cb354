//! Parsing of pipelines: stages separated by `|`.

use super::cursor::Parser;
use super::operand::{Meaning, Operand};
use crate::lex::Kind;
use crate::{ParseError, Scalar, Stage};

impl Parser<'_> {
    /// Parses up to the end, a closing parenthesis or hints.
    pub(super) fn pipeline(&mut self) -> Result<Operand, ParseError> {
        let at = self.here();
        let meaning = self.first_stage()?;
        if let Meaning::Metrics(metrics) = meaning {
            let metrics = self.second_stages(metrics)?;
            return Ok(Operand { meaning: Meaning::Metrics(metrics), wrapped: false, at });
        }
        if *self.peek() != Kind::Pipe {
            return Ok(Operand { meaning, wrapped: false, at });
        }
        let mut stages = match meaning {
            Meaning::Pipelines(_) => return self.fail("combined pipelines cannot be followed by a stage"),
            meaning => match meaning.into_pipeline() {
                Ok(crate::PipelineExpr::Pipeline(stages)) => stages,
                Ok(crate::PipelineExpr::Combined { .. }) => Vec::new(),
                Err(scalar) => return self.expected(&format!("a comparison after `{scalar}`")),
            },
        };
        let meaning = loop {
            if !self.accept(&Kind::Pipe) {
                break Meaning::Stages(stages);
            }
            if self.at_metrics_function() {
                break Meaning::Metrics(self.metrics_query(stages)?);
            }
            match self.stage()? {
                Next::Stage(stage) => stages.push(stage),
                Next::Aggregate(aggregate) => break Meaning::Scalar(Scalar::Pipeline { stages, aggregate }),
            }
        };
        Ok(Operand { meaning, wrapped: false, at })
    }

    fn first_stage(&mut self) -> Result<Meaning, ParseError> {
        match self.peek_word() {
            Some("by" | "select") => Ok(Meaning::Stages(vec![self.named_stage()?])),
            Some("coalesce") => self.fail("`coalesce()` cannot come first: it needs spansets before it"),
            Some(word) if self.at_metrics_function() => {
                self.fail(format!("`{word}` cannot come first: it needs spans before it, as in `{{ }} | {word}(..)`"))
            }
            _ => Ok(self.operation(0, "")?.meaning),
        }
    }

    fn stage(&mut self) -> Result<Next, ParseError> {
        if let Some("by" | "select" | "coalesce") = self.peek_word() {
            return self.named_stage().map(Next::Stage);
        }
        let at = self.here();
        match self.operation(0, "`|`")?.meaning {
            Meaning::Spansets(spansets) => Ok(Next::Stage(Stage::Spansets(spansets))),
            Meaning::Filter(filter) => Ok(Next::Stage(Stage::Scalar(filter))),
            Meaning::Scalar(Scalar::Aggregate(aggregate)) if *self.peek() == Kind::CloseParen => {
                Ok(Next::Aggregate(aggregate))
            }
            Meaning::Scalar(scalar) => self.expected(&format!("a comparison after `{scalar}`")),
            other => self.fail_at(at, format!("{} cannot be a stage", other.noun())),
        }
    }

    fn named_stage(&mut self) -> Result<Stage, ParseError> {
        let word = self.peek_word().unwrap_or_default();
        self.advance();
        if word == "select" {
            return self.fields().map(Stage::Select);
        }
        self.require(&Kind::OpenParen, &format!("`(` after `{word}`"))?;
        let stage = match word {
            "by" => Stage::By(self.field_expr("`by(`")?),
            _ => Stage::Coalesce,
        };
        self.require(&Kind::CloseParen, "`)`")?;
        Ok(stage)
    }
}

/// Result of parsing the stage after a pipe.
enum Next {
    Stage(Stage),
    /// Ends a pipeline that is used as a scalar.
    Aggregate(crate::Aggregate),
}
