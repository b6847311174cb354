//! Parsing of pipelines: stages separated by `|`.

use super::cursor::Parser;
use super::operand::{Operand, OperandKind};
use crate::{ParseError, PipelineStage, Scalar, lex::TokenKind};

impl Parser<'_> {
    /// Parses up to the end, a closing parenthesis or hints.
    pub(super) fn pipeline(&mut self) -> Result<Operand, ParseError> {
        let at = self.position();
        let meaning = self.first_stage()?;
        if let OperandKind::Metrics(metrics) = meaning {
            let metrics = self.second_stages(metrics)?;
            return Ok(Operand { meaning: OperandKind::Metrics(metrics), parenthesized: false, at });
        }
        if *self.peek() != TokenKind::Pipe {
            return Ok(Operand { meaning, parenthesized: false, at });
        }
        let mut stages = match meaning {
            OperandKind::Pipelines(_) => return self.fail("combined pipelines cannot be followed by a stage"),
            meaning => match meaning.into_pipeline() {
                Ok(crate::PipelineExpr::Pipeline(stages)) => stages,
                Ok(crate::PipelineExpr::Combined { .. }) => Vec::new(),
                Err(scalar) => return self.expected(&format!("a comparison after `{scalar}`")),
            },
        };
        let meaning = loop {
            if !self.accept(&TokenKind::Pipe) {
                break OperandKind::Stages(stages);
            }
            if self.at_metrics_function() {
                break OperandKind::Metrics(self.metrics_query(stages)?);
            }
            match self.stage()? {
                ParsedStage::Stage(stage) => stages.push(stage),
                ParsedStage::Aggregate(aggregate) => break OperandKind::Scalar(Scalar::Pipeline { stages, aggregate }),
            }
        };
        Ok(Operand { meaning, parenthesized: false, at })
    }

    fn first_stage(&mut self) -> Result<OperandKind, ParseError> {
        match self.peek_word() {
            Some("by" | "select") => Ok(OperandKind::Stages(vec![self.named_stage()?])),
            Some("coalesce") => self.fail("`coalesce()` cannot come first: it needs spansets before it"),
            Some(word) if self.at_metrics_function() => {
                self.fail(format!("`{word}` cannot come first: it needs spans before it, as in `{{ }} | {word}(..)`"))
            }
            _ => Ok(self.operation(0, "")?.meaning),
        }
    }

    fn stage(&mut self) -> Result<ParsedStage, ParseError> {
        if let Some("by" | "select" | "coalesce") = self.peek_word() {
            return self.named_stage().map(ParsedStage::Stage);
        }
        let at = self.position();
        match self.operation(0, "`|`")?.meaning {
            OperandKind::Spansets(spansets) => Ok(ParsedStage::Stage(PipelineStage::Spansets(spansets))),
            OperandKind::Filter(filter) => Ok(ParsedStage::Stage(PipelineStage::Scalar(filter))),
            OperandKind::Scalar(Scalar::Aggregate(aggregate)) if *self.peek() == TokenKind::CloseParen => {
                Ok(ParsedStage::Aggregate(aggregate))
            }
            OperandKind::Scalar(scalar) => self.expected(&format!("a comparison after `{scalar}`")),
            other => self.fail_at(at, format!("{} cannot be a stage", other.noun())),
        }
    }

    fn named_stage(&mut self) -> Result<PipelineStage, ParseError> {
        let word = self.peek_word().unwrap_or_default();
        self.advance();
        if word == "select" {
            return self.fields().map(PipelineStage::Select);
        }
        self.require(&TokenKind::OpenParen, &format!("`(` after `{word}`"))?;
        let stage = match word {
            "by" => PipelineStage::By(self.field_expr("`by(`")?),
            _ => PipelineStage::Coalesce,
        };
        self.require(&TokenKind::CloseParen, "`)`")?;
        Ok(stage)
    }
}

/// Result of parsing the stage after a pipe.
enum ParsedStage {
    Stage(PipelineStage),
    /// Ends a pipeline that is used as a scalar.
    Aggregate(crate::Aggregate),
}
