//! Query rewriting for a Tempo: expands key aliases and requests the newest traces.

use baton_telemetry::ALIASES;
use baton_traceql::{
    Aliases, AttributeRef, BinaryOp, CompareFunction, CompareOp, Field, FieldExpr, FirstStage, Hint, Literal,
    MetricsExpr, MetricsQuery, PipelineExpr, PipelineStage, Query, Root, SpansetExpr,
};
use baton_types::{AttributeKey, Attributes};

/// A query as sent to a Tempo.
pub(crate) struct ExpandedQuery {
    pub(crate) query: Query,
    /// Keys of the query that have aliases.
    aliased_keys: Vec<String>,
}

impl ExpandedQuery {
    /// Expands key aliases if `aliases` is set: a condition matches any alias, a selection returns all of them.
    pub(crate) fn new(query: &Query, aliases: bool) -> Self {
        if !aliases {
            return Self { query: query.clone(), aliased_keys: Vec::new() };
        }
        let mut widening = AliasExpander::default();
        let root = match &query.root {
            Root::Search(spans) => Root::Search(widening.pipeline(spans)),
            Root::Metrics(expression) => Root::Metrics(widening.metrics(expression)),
        };
        Self { query: Query { root, hints: query.hints.clone() }, aliased_keys: widening.aliased_keys }
    }

    /// Adds the hint for the newest traces; without it, a Tempo returns the first traces it finds.
    pub(crate) fn with_recency_hint(mut self) -> Self {
        const RECENCY_HINT: &str = "most_recent";
        let hints = &mut self.query.hints;
        if !hints.iter().any(|hint| hint.name == RECENCY_HINT) {
            hints.push(Hint { name: RECENCY_HINT.to_owned(), value: Literal::Bool(true) });
        }
        self
    }

    /// Renames aliased attributes back to the keys of the query.
    pub(crate) fn restore_keys(&self, mut attributes: Attributes) -> Attributes {
        for requested in &self.aliased_keys {
            let others: Vec<&str> = Aliases(ALIASES).synonyms(requested).filter(|other| !self.has_key(other)).collect();
            let own = attributes.iter().any(|(key, _)| key == requested);
            let mut present = own;
            attributes.retain_mut(|(key, _)| {
                if !others.contains(&&**key) {
                    return true;
                }
                let keep = !std::mem::replace(&mut present, true);
                *key = AttributeKey::Owned(requested.clone());
                keep
            });
        }
        attributes
    }

    fn has_key(&self, name: &str) -> bool {
        self.aliased_keys.iter().any(|key| key == name)
    }
}

#[derive(Default)]
struct AliasExpander {
    aliased_keys: Vec<String>,
}

impl AliasExpander {
    fn metrics(&mut self, expression: &MetricsExpr) -> MetricsExpr {
        match expression {
            MetricsExpr::Query(query) => MetricsExpr::Query(MetricsQuery {
                spans: self.pipeline(&query.spans),
                first: match &query.first {
                    FirstStage::Compare(compare) => FirstStage::Compare(CompareFunction {
                        selection: self.spansets(&compare.selection),
                        ..compare.clone()
                    }),
                    first => first.clone(),
                },
                then: query.then.clone(),
            }),
            MetricsExpr::Number(number) => MetricsExpr::Number(*number),
            MetricsExpr::Computed { op, left, right, then } => MetricsExpr::Computed {
                op: *op,
                left: Box::new(self.metrics(left)),
                right: Box::new(self.metrics(right)),
                then: then.clone(),
            },
        }
    }

    fn pipeline(&mut self, spans: &PipelineExpr) -> PipelineExpr {
        match spans {
            PipelineExpr::Pipeline(stages) => {
                PipelineExpr::Pipeline(stages.iter().map(|stage| self.stage(stage)).collect())
            }
            PipelineExpr::Combined { op, left, right } => PipelineExpr::Combined {
                op: *op,
                left: Box::new(self.pipeline(left)),
                right: Box::new(self.pipeline(right)),
            },
        }
    }

    fn stage(&mut self, stage: &PipelineStage) -> PipelineStage {
        match stage {
            PipelineStage::Spansets(sets) => PipelineStage::Spansets(self.spansets(sets)),
            PipelineStage::Select(fields) => {
                let mut selected = Vec::with_capacity(fields.len());
                for name in fields.iter().flat_map(|field| self.names(field)) {
                    if !selected.contains(&name) {
                        selected.push(name);
                    }
                }
                PipelineStage::Select(selected)
            }
            other => other.clone(),
        }
    }

    fn spansets(&mut self, sets: &SpansetExpr) -> SpansetExpr {
        match sets {
            SpansetExpr::Filter(filter) => SpansetExpr::Filter(filter.as_ref().map(|filter| self.condition(filter))),
            SpansetExpr::Combined { op, left, right } => SpansetExpr::Combined {
                op: *op,
                left: Box::new(self.spansets(left)),
                right: Box::new(self.spansets(right)),
            },
        }
    }

    fn condition(&mut self, expr: &FieldExpr) -> FieldExpr {
        let (op, left, right) = match expr {
            FieldExpr::Binary { op, left, right } => (*op, &**left, &**right),
            FieldExpr::Unary { op, of } => return FieldExpr::Unary { op: *op, of: Box::new(self.condition(of)) },
            FieldExpr::Literal(_) | FieldExpr::Field(_) => return expr.clone(),
        };
        let binary =
            |left: FieldExpr, right: FieldExpr| FieldExpr::Binary { op, left: Box::new(left), right: Box::new(right) };
        match (op, left, right) {
            (BinaryOp::Compare(compare), FieldExpr::Field(field), FieldExpr::Literal(literal)) => {
                let names = self.names(field).into_iter().map(FieldExpr::Field);
                join_conditions(names.map(|name| binary(name, right.clone())), compare, literal)
            }
            (BinaryOp::Compare(compare), FieldExpr::Literal(literal), FieldExpr::Field(field)) => {
                let names = self.names(field).into_iter().map(FieldExpr::Field);
                join_conditions(names.map(|name| binary(left.clone(), name)), compare, literal)
            }
            _ => binary(self.condition(left), self.condition(right)),
        }
    }

    /// The field under each of its names, its own name first.
    fn names(&mut self, field: &Field) -> Vec<Field> {
        let mut names = vec![field.clone()];
        let Field::Attribute(attribute) = field else { return names };
        let others = Aliases(ALIASES).synonyms(&attribute.name);
        names.extend(others.map(|name| Field::Attribute(AttributeRef { name: name.to_owned(), ..attribute.clone() })));
        if names.len() > 1 && !self.aliased_keys.contains(&attribute.name) {
            self.aliased_keys.push(attribute.name.clone());
        }
        names
    }
}

/// Joins the conditions with OR. A comparison `= nil` uses AND: a key is missing only if all of its names are.
fn join_conditions(each: impl Iterator<Item = FieldExpr>, compare: CompareOp, with: &Literal) -> FieldExpr {
    let missing = compare == CompareOp::Equal && *with == Literal::Nil;
    let op = if missing { BinaryOp::And } else { BinaryOp::Or };
    let joined = each.reduce(|left, right| FieldExpr::Binary { op, left: Box::new(left), right: Box::new(right) });
    joined.unwrap_or(FieldExpr::Literal(Literal::Bool(false)))
}
