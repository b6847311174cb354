//! Totals of a trace.

use super::{
    formatting::{columns, count, counted, duration, fit, money, wrap},
    span_attributes::{self, SpanTokens},
    terminal_style::TerminalStyle,
    tree::{TraceTree, TreeDefect},
};
use std::collections::BTreeSet;

/// Totals of a trace.
#[derive(Debug, Default)]
pub(crate) struct TraceTotals {
    spans: u64,
    services: BTreeSet<String>,
    agents: BTreeSet<String>,
    tokens: Option<SpanTokens>,
    cost: Option<f64>,
    errors: u64,
    /// End time, name and message of the first error.
    first_error: Option<(u64, String, String)>,
}

impl TraceTotals {
    /// Computes the totals. Agent spans repeat the tokens of their model calls, so only the innermost spans with tokens
    /// are counted.
    pub(crate) fn from_tree(tree: &TraceTree<'_>) -> Self {
        let mut totals = Self { spans: tree.nodes.len() as u64, ..Self::default() };
        let (mut with_tokens, mut with_cost) = (vec![false; tree.nodes.len()], vec![false; tree.nodes.len()]);
        for index in tree.order.iter().rev().copied() {
            let node = &tree.nodes[index];
            if let Some(tokens) = span_attributes::tokens(node.span) {
                if !with_tokens[index] {
                    let sum = totals.tokens.get_or_insert_default();
                    sum.input += tokens.input;
                    sum.output += tokens.output;
                }
                with_tokens[index] = true;
            }
            if let Some(cost) = span_attributes::cost(node.span) {
                if !with_cost[index] {
                    *totals.cost.get_or_insert_default() += cost;
                }
                with_cost[index] = true;
            }
            if let Some(parent) = node.parent {
                with_tokens[parent] |= with_tokens[index];
                with_cost[parent] |= with_cost[index];
            }
        }
        for index in &tree.order {
            let node = &tree.nodes[*index];
            totals.services.extend(node.span.service().map(str::to_owned));
            totals.agents.extend(span_attributes::agent(node.span).map(str::to_owned));
            let Some(error) = span_attributes::error(node.span) else { continue };
            totals.errors += 1;
            // The error that ended first is the cause of later ones: the error of a tool ends before that of its run.
            if totals.first_error.as_ref().is_none_or(|(end, _, _)| node.end <= *end) {
                totals.first_error = Some((node.end, node.span.name.to_string(), error));
            }
        }
        totals
    }

    /// Whether any span has token counts.
    pub(crate) fn has_tokens(&self) -> bool {
        self.tokens.is_some()
    }

    /// Whether any span has a cost.
    pub(crate) fn has_cost(&self) -> bool {
        self.cost.is_some()
    }

    /// Number of spans.
    pub(crate) fn spans(&self) -> u64 {
        self.spans
    }

    /// Number of failed spans.
    pub(crate) fn errors(&self) -> u64 {
        self.errors
    }

    /// Token counts, if any span has them.
    pub(crate) fn tokens(&self) -> Option<SpanTokens> {
        self.tokens
    }

    /// Cost in dollars, if any span has one.
    pub(crate) fn cost(&self) -> Option<f64> {
        self.cost
    }

    /// Service names, sorted.
    pub(crate) fn services(&self) -> &BTreeSet<String> {
        &self.services
    }

    /// Lines below the waterfall.
    pub(crate) fn lines(&self, tree: &TraceTree<'_>, look: &TerminalStyle) -> Vec<String> {
        let mut parts = vec![counted(self.spans, "span"), counted(self.services.len() as u64, "service")];
        if !self.agents.is_empty() {
            parts.push(counted(self.agents.len() as u64, "agent"));
        }
        if let Some(SpanTokens { input, output }) = self.tokens {
            parts.push(format!("{} tokens in, {} out", count(input), count(output)));
        }
        parts.extend(self.cost.map(money));
        parts.push(if self.errors > 0 { counted(self.errors, "error") } else { "no errors".to_owned() });
        let mut lines = joined(&parts, look);
        if self.errors > 0
            && let (Some(line), Some(errors)) = (lines.last_mut(), parts.last())
        {
            *line = line.replace(errors.as_str(), &look.paint.bad(errors));
        }
        if let Some((end, name, error)) = &self.first_error {
            let at = duration(end.saturating_sub(tree.start));
            let line = format!("first error: {name} at +{at}: {error}");
            lines.push(look.paint.bad(&fit(&line, look.width, look.glyphs.more)));
        }
        for (odd, description) in [
            (TreeDefect::ParentMissing, "marked (parent missing): the parent span is not in this trace"),
            (TreeDefect::ParentCycle, "marked (cycle): the chain of parents leads back to the span itself"),
        ] {
            let number = tree.defect_count(odd);
            if number > 0 {
                let note = format!("note: {} {description}", counted(number, "span"));
                lines.extend(wrap(&note, look.width, 4).iter().map(|line| look.paint.warn(line)));
            }
        }
        lines
    }
}

/// Joins the parts into as few lines as possible.
fn joined(parts: &[String], look: &TerminalStyle) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if columns(line) + columns(look.glyphs.between) + columns(part) <= look.width => {
                line.push_str(look.glyphs.between);
                line.push_str(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines
}
