//! Query rewriting for a Tempo: expands key aliases and requests the newest traces.

use baton_telemetry::ALIASES;
use baton_traceql::{
    Aliases, Attribute, BinaryOp, Compare, CompareOp, Field, FieldExpr, FirstStage, Hint, Literal, MetricsExpr,
    MetricsQuery, PipelineExpr, Query, Root, SpansetExpr, Stage,
};
use baton_types::{AttributeKey, Attributes};

/// A query as sent to a Tempo.
pub(crate) struct Widened {
    pub(crate) query: Query,
    /// Keys of the query that have aliases.
    asked: Vec<String>,
}

impl Widened {
    /// Expands key aliases if `aliases` is set: a condition matches any alias, a selection returns all of them.
    pub(crate) fn new(query: &Query, aliases: bool) -> Self {
        if !aliases {
            return Self { query: query.clone(), asked: Vec::new() };
        }
        let mut widening = Widening::default();
        let root = match &query.root {
            Root::Search(spans) => Root::Search(widening.pipeline(spans)),
            Root::Metrics(expression) => Root::Metrics(widening.metrics(expression)),
        };
        Self { query: Query { root, hints: query.hints.clone() }, asked: widening.asked }
    }

    /// Adds the hint for the newest traces; without it, a Tempo returns the first traces it finds.
    pub(crate) fn newest(mut self) -> Self {
        const MOST_RECENT: &str = "most_recent";
        let hints = &mut self.query.hints;
        if !hints.iter().any(|hint| hint.name == MOST_RECENT) {
            hints.push(Hint { name: MOST_RECENT.to_owned(), value: Literal::Bool(true) });
        }
        self
    }

    /// Renames aliased attributes back to the keys of the query.
    pub(crate) fn as_asked(&self, mut attributes: Attributes) -> Attributes {
        for asked in &self.asked {
            let others: Vec<&str> = Aliases(ALIASES).of(asked).filter(|other| !self.asks_for(other)).collect();
            let own = attributes.iter().any(|(key, _)| key == asked);
            let mut taken = own;
            attributes.retain_mut(|(key, _)| {
                if !others.contains(&&**key) {
                    return true;
                }
                let kept = !std::mem::replace(&mut taken, true);
                *key = AttributeKey::Owned(asked.clone());
                kept
            });
        }
        attributes
    }

    fn asks_for(&self, name: &str) -> bool {
        self.asked.iter().any(|asked| asked == name)
    }
}

#[derive(Default)]
struct Widening {
    asked: Vec<String>,
}

impl Widening {
    fn metrics(&mut self, expression: &MetricsExpr) -> MetricsExpr {
        match expression {
            MetricsExpr::Query(query) => MetricsExpr::Query(MetricsQuery {
                spans: self.pipeline(&query.spans),
                first: match &query.first {
                    FirstStage::Compare(compare) => {
                        FirstStage::Compare(Compare { selection: self.spansets(&compare.selection), ..compare.clone() })
                    }
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

    fn stage(&mut self, stage: &Stage) -> Stage {
        match stage {
            Stage::Spansets(sets) => Stage::Spansets(self.spansets(sets)),
            Stage::Select(fields) => {
                let mut wanted = Vec::with_capacity(fields.len());
                for name in fields.iter().flat_map(|field| self.names(field)) {
                    if !wanted.contains(&name) {
                        wanted.push(name);
                    }
                }
                Stage::Select(wanted)
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

    fn condition(&mut self, given: &FieldExpr) -> FieldExpr {
        let (op, left, right) = match given {
            FieldExpr::Binary { op, left, right } => (*op, &**left, &**right),
            FieldExpr::Unary { op, of } => return FieldExpr::Unary { op: *op, of: Box::new(self.condition(of)) },
            FieldExpr::Literal(_) | FieldExpr::Field(_) => return given.clone(),
        };
        let binary =
            |left: FieldExpr, right: FieldExpr| FieldExpr::Binary { op, left: Box::new(left), right: Box::new(right) };
        match (op, left, right) {
            (BinaryOp::Compare(compare), FieldExpr::Field(field), FieldExpr::Literal(literal)) => {
                let names = self.names(field).into_iter().map(FieldExpr::Field);
                any(names.map(|name| binary(name, right.clone())), compare, literal)
            }
            (BinaryOp::Compare(compare), FieldExpr::Literal(literal), FieldExpr::Field(field)) => {
                let names = self.names(field).into_iter().map(FieldExpr::Field);
                any(names.map(|name| binary(left.clone(), name)), compare, literal)
            }
            _ => binary(self.condition(left), self.condition(right)),
        }
    }

    /// The field under each of its names, its own name first.
    fn names(&mut self, field: &Field) -> Vec<Field> {
        let mut names = vec![field.clone()];
        let Field::Attribute(attribute) = field else { return names };
        let others = Aliases(ALIASES).of(&attribute.name);
        names.extend(others.map(|name| Field::Attribute(Attribute { name: name.to_owned(), ..attribute.clone() })));
        if names.len() > 1 && !self.asked.contains(&attribute.name) {
            self.asked.push(attribute.name.clone());
        }
        names
    }
}

/// Joins the conditions with OR. A comparison `= nil` uses AND: a key is missing only if all of its names are.
fn any(each: impl Iterator<Item = FieldExpr>, compare: CompareOp, with: &Literal) -> FieldExpr {
    let missing = compare == CompareOp::Equal && *with == Literal::Nil;
    let op = if missing { BinaryOp::And } else { BinaryOp::Or };
    let joined = each.reduce(|left, right| FieldExpr::Binary { op, left: Box::new(left), right: Box::new(right) });
    joined.unwrap_or(FieldExpr::Literal(Literal::Bool(false)))
}
