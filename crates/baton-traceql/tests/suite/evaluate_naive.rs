//! Naive reference evaluator: values are copied and relations found by search. Its results must equal those of the
//! engine.

use baton_traceql::{
    Aggregate, AggregateOp, Aliases, ArithmeticOp, AttributeScope, BinaryOp, CompareOp, Field, FieldExpr, Intrinsic,
    Literal, PipelineExpr, PipelineStage, Scalar, ScalarFilter, SpansetExpr, SpansetOp, UnaryOp,
};
use baton_types::{Attributes, Span, SpanId, SpanKind, SpanStatus, SpanValue};

/// A value, or `Whole` for one that exists but cannot be compared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NaiveValue {
    Text(String),
    Int(i64),
    Float(f64),
    Duration(i64),
    Bool(bool),
    Status(SpanStatus),
    Kind(SpanKind),
    Whole(SpanValue),
}

pub(crate) struct Naive<'a> {
    pub(crate) spans: &'a [Span],
    pub(crate) aliases: Aliases,
}

type Set = (Vec<usize>, Vec<(String, SpanValue)>);

impl Naive<'_> {
    pub(crate) fn pipeline(&self, expr: &PipelineExpr) -> Vec<Set> {
        let all: Vec<usize> = (0..self.spans.len()).collect();
        let mut sets = match expr {
            PipelineExpr::Combined { op, left, right } => {
                let flat = |sets: Vec<Set>| sets.into_iter().flat_map(|(spans, _)| spans).collect::<Vec<_>>();
                let (left, right) = (flat(self.pipeline(left)), flat(self.pipeline(right)));
                vec![(self.combine(*op, &left, &right), Vec::new())]
            }
            PipelineExpr::Pipeline(stages) => stages.iter().fold(vec![(all, Vec::new())], |sets, stage| {
                let sets = sets.into_iter().filter(|(spans, _)| !spans.is_empty()).collect();
                self.stage(stage, sets)
            }),
        };
        sets.retain(|(spans, _)| !spans.is_empty());
        for (spans, _) in &mut sets {
            spans.sort_by_key(|span| self.place(*span));
        }
        sets
    }

    fn place(&self, span: usize) -> (u64, [u8; 8]) {
        (self.spans[span].start, self.spans[span].id.0)
    }

    fn stage(&self, stage: &PipelineStage, sets: Vec<Set>) -> Vec<Set> {
        match stage {
            PipelineStage::Select(_) => sets,
            PipelineStage::Coalesce if sets.is_empty() => sets,
            PipelineStage::Coalesce => vec![(sets.into_iter().flat_map(|(spans, _)| spans).collect(), Vec::new())],
            PipelineStage::Spansets(expr) => {
                sets.into_iter().map(|(spans, labels)| (self.spansets(expr, &spans), labels)).collect()
            }
            PipelineStage::Scalar(filter) => sets.into_iter().filter_map(|set| self.scalar(filter, set)).collect(),
            PipelineStage::By(of) => sets.into_iter().flat_map(|set| self.by(of, set)).collect(),
        }
    }

    fn by(&self, of: &FieldExpr, (mut spans, labels): Set) -> Vec<Set> {
        spans.sort_by_key(|span| self.place(*span));
        let mut groups: Vec<(Vec<SpanValue>, Vec<usize>)> = Vec::new();
        for span in spans {
            let values: Vec<SpanValue> = match of {
                FieldExpr::Field(field) => self.raw(field, span).into_iter().map(shown).collect(),
                _ => self.values(of, span).into_iter().map(shown).collect(),
            };
            match groups.iter_mut().find(|(known, _)| *known == values) {
                Some((_, group)) => group.push(span),
                None => groups.push((values, vec![span])),
            }
        }
        let named = |(mut values, spans): (Vec<SpanValue>, Vec<usize>)| {
            let value = match values.len() {
                0 => SpanValue::from("nil"),
                1 => values.remove(0),
                _ => SpanValue::List(values),
            };
            (spans, with_label(labels.clone(), format!("by({of})"), value))
        };
        groups.into_iter().map(named).collect()
    }

    fn scalar(&self, filter: &ScalarFilter, (spans, labels): Set) -> Option<Set> {
        let (aggregate, value, turned) = match (&filter.left, &filter.right) {
            (Scalar::Aggregate(aggregate), Scalar::Literal(value)) => (aggregate, value, false),
            (Scalar::Literal(value), Scalar::Aggregate(aggregate)) => (aggregate, value, true),
            _ => panic!("not generated"),
        };
        let (found, is_duration) = self.aggregate(aggregate, &spans)?;
        let value = literal(value)?;
        let (left, right) = if turned { (&value, &found) } else { (&found, &value) };
        if pair(filter.op, left, right) != Some(true) {
            return None;
        }
        let value = match (is_duration, &found) {
            (true, NaiveValue::Int(number)) => shown(NaiveValue::Duration(*number)),
            (true, NaiveValue::Float(number)) => shown(NaiveValue::Duration(number.round() as i64)),
            _ => shown(found),
        };
        Some((spans, with_label(labels, aggregate.to_string(), value)))
    }

    fn aggregate(&self, aggregate: &Aggregate, spans: &[usize]) -> Option<(NaiveValue, bool)> {
        let Some(of) = &aggregate.of else { return Some((NaiveValue::Int(spans.len() as i64), false)) };
        let values: Vec<NaiveValue> = spans.iter().flat_map(|span| self.values(of, *span)).collect();
        let numbers: Vec<NaiveValue> = values.into_iter().filter(|value| number(value).is_some()).collect();
        let is_duration = numbers.iter().all(|value| matches!(value, NaiveValue::Duration(_)));
        let whole = numbers.iter().all(|value| !matches!(value, NaiveValue::Float(_)));
        let floats: Vec<f64> = numbers.iter().filter_map(number).collect();
        let sum: f64 = floats.iter().sum();
        // An integer stands for an equal float.
        let pick = |wanted: f64| {
            let same = numbers.iter().filter(|value| number(value) == Some(wanted));
            let found = same.clone().find(|value| !matches!(value, NaiveValue::Float(_)));
            if found.is_some() { NaiveValue::Int(wanted as i64) } else { NaiveValue::Float(wanted) }
        };
        let found = match aggregate.op {
            _ if numbers.is_empty() => return None,
            AggregateOp::Count => NaiveValue::Int(numbers.len() as i64),
            AggregateOp::Sum if whole => NaiveValue::Int(sum as i64),
            AggregateOp::Sum => NaiveValue::Float(sum),
            AggregateOp::Avg => NaiveValue::Float(sum / floats.len() as f64),
            AggregateOp::Min => pick(floats.iter().copied().fold(f64::INFINITY, f64::min)),
            AggregateOp::Max => pick(floats.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        };
        Some((found, is_duration))
    }

    fn spansets(&self, expr: &SpansetExpr, of: &[usize]) -> Vec<usize> {
        match expr {
            SpansetExpr::Filter(None) => of.to_vec(),
            SpansetExpr::Filter(Some(filter)) => of.iter().copied().filter(|span| self.truth(filter, *span)).collect(),
            SpansetExpr::Combined { op, left, right } => {
                self.combine(*op, &self.spansets(left, of), &self.spansets(right, of))
            }
        }
    }

    fn combine(&self, op: SpansetOp, left: &[usize], right: &[usize]) -> Vec<usize> {
        use SpansetOp::*;
        let both = || -> Vec<usize> {
            (0..self.spans.len()).filter(|span| left.contains(span) || right.contains(span)).collect()
        };
        let relation: fn(&Self, usize, usize) -> bool = match op {
            And if left.is_empty() || right.is_empty() => return Vec::new(),
            And | Or => return both(),
            Child | NotChild | UnionChild => |naive, left, right| naive.parent(right) == Some(left),
            Parent | NotParent | UnionParent => |naive, left, right| naive.parent(left) == Some(right),
            Descendant | NotDescendant | UnionDescendant => |naive, left, right| naive.ancestors(right).contains(&left),
            Ancestor | NotAncestor | UnionAncestor => |naive, left, right| naive.ancestors(left).contains(&right),
            Sibling | NotSibling | UnionSibling => |naive, left, right| {
                let family = |span: usize| naive.spans[span].parent.filter(|_| !naive.is_cut(span));
                left != right && family(left).is_some() && family(left) == family(right)
            },
        };
        let right_of = |span: &usize| left.iter().any(|other| relation(self, *other, *span));
        let left_of = |span: &usize| right.iter().any(|other| relation(self, *span, *other));
        match op {
            NotChild | NotParent | NotDescendant | NotAncestor | NotSibling => {
                right.iter().copied().filter(|span| !right_of(span)).collect()
            }
            UnionChild | UnionParent | UnionDescendant | UnionAncestor | UnionSibling => (0..self.spans.len())
                .filter(|span| (right.contains(span) && right_of(span)) || (left.contains(span) && left_of(span)))
                .collect(),
            _ => right.iter().copied().filter(|span| right_of(span)).collect(),
        }
    }

    fn parent_by_id(&self, span: usize) -> Option<usize> {
        self.spans.iter().position(|other| Some(other.id) == self.spans[span].parent)
    }

    /// Whether the span is the earliest of a cycle.
    fn is_cut(&self, span: usize) -> bool {
        let mut circle = vec![span];
        while let Some(parent) = self.parent_by_id(circle[circle.len() - 1]) {
            if parent == span {
                return circle.iter().all(|other| self.place(span) <= self.place(*other));
            }
            if circle.contains(&parent) {
                return false;
            }
            circle.push(parent);
        }
        false
    }

    fn parent(&self, span: usize) -> Option<usize> {
        self.parent_by_id(span).filter(|_| !self.is_cut(span))
    }

    fn ancestors(&self, span: usize) -> Vec<usize> {
        std::iter::successors(self.parent(span), |span| self.parent(*span)).collect()
    }

    /// Left and right number of the span in a traversal of the forest.
    fn sides(&self, wanted: usize) -> (i64, i64) {
        fn walk(naive: &Naive<'_>, inside: Option<usize>, number: &mut i64, sides: &mut [(i64, i64)]) {
            let mut here: Vec<usize> = (0..naive.spans.len()).filter(|span| naive.parent(*span) == inside).collect();
            here.sort_by_key(|span| naive.place(*span));
            for span in here {
                *number += 1;
                sides[span].0 = *number;
                walk(naive, Some(span), number, sides);
                *number += 1;
                sides[span].1 = *number;
            }
        }
        let mut sides = vec![(0, 0); self.spans.len()];
        walk(self, None, &mut 0, &mut sides);
        sides[wanted]
    }

    pub(crate) fn root(&self) -> usize {
        let mut order: Vec<usize> = (0..self.spans.len()).collect();
        order.sort_by_key(|span| self.place(*span));
        order.iter().copied().find(|span| self.spans[*span].parent.is_none()).unwrap_or(order[0])
    }

    pub(crate) fn truth(&self, expr: &FieldExpr, span: usize) -> bool {
        self.values(expr, span).contains(&NaiveValue::Bool(true))
    }

    fn values(&self, expr: &FieldExpr, span: usize) -> Vec<NaiveValue> {
        match expr {
            FieldExpr::Literal(value) => literal(value).into_iter().collect(),
            FieldExpr::Field(field) => self.raw(field, span).into_iter().flat_map(elements).collect(),
            FieldExpr::Unary { op, of } => self.values(of, span).iter().filter_map(|value| unary(*op, value)).collect(),
            FieldExpr::Binary { op: BinaryOp::And, left, right } => {
                vec![NaiveValue::Bool(self.truth(left, span) && self.truth(right, span))]
            }
            FieldExpr::Binary { op: BinaryOp::Or, left, right } => {
                vec![NaiveValue::Bool(self.truth(left, span) || self.truth(right, span))]
            }
            FieldExpr::Binary { op: BinaryOp::Compare(op), left, right } => {
                vec![NaiveValue::Bool(self.compare(*op, left, right, span))]
            }
            FieldExpr::Binary { op: BinaryOp::Arithmetic(op), left, right } => {
                let rights = self.values(right, span);
                let lefts = self.values(left, span);
                lefts.iter().flat_map(|left| rights.iter().filter_map(|right| compute(*op, left, right))).collect()
            }
        }
    }

    pub(crate) fn compare(&self, op: CompareOp, left: &FieldExpr, right: &FieldExpr, span: usize) -> bool {
        const NIL: FieldExpr = FieldExpr::Literal(Literal::Nil);
        if *left == NIL || *right == NIL {
            let of = if *left == NIL { right } else { left };
            let there = match of {
                FieldExpr::Field(field) => !self.raw(field, span).is_empty(),
                _ => !self.values(of, span).is_empty(),
            };
            return there == (op == CompareOp::NotEqual);
        }
        let rights = match (left, right) {
            (FieldExpr::Field(field), FieldExpr::Literal(value)) => spelled(field, op, value).into_iter().collect(),
            _ => self.values(right, span),
        };
        let lefts = self.values(left, span);
        let results: Vec<bool> =
            lefts.iter().flat_map(|left| rights.iter().filter_map(|right| pair(op, left, right))).collect();
        match op {
            CompareOp::NotEqual | CompareOp::MatchesNot => !results.is_empty() && results.iter().all(|held| *held),
            _ => results.contains(&true),
        }
    }

    /// All values of a field on a span, without flattening lists.
    pub(crate) fn raw(&self, field: &Field, span: usize) -> Vec<NaiveValue> {
        match field {
            Field::Intrinsic(intrinsic) => self.intrinsic(*intrinsic, span),
            Field::Attribute(attribute) => {
                let Some(at) = (if attribute.of_parent { self.parent(span) } else { Some(span) }) else {
                    return Vec::new();
                };
                let others = self.aliases.synonyms(&attribute.name).map(str::to_owned);
                let mut names = std::iter::once(attribute.name.clone()).chain(others);
                let found = |name: String| in_scope(&self.spans[at], attribute.scope, &name);
                names.by_ref().map(found).find(|values| !values.is_empty()).unwrap_or_default()
            }
        }
    }

    fn intrinsic(&self, intrinsic: Intrinsic, at: usize) -> Vec<NaiveValue> {
        let span = &self.spans[at];
        let text = |text: &str| vec![NaiveValue::Text(text.to_owned())];
        let starts = self.spans.iter().map(|span| span.start).min().unwrap();
        let ends = self.spans.iter().map(|span| span.end).max().unwrap();
        match intrinsic {
            Intrinsic::Duration => vec![NaiveValue::Duration(span.duration() as i64)],
            Intrinsic::TraceDuration => vec![NaiveValue::Duration((ends - starts) as i64)],
            Intrinsic::Name => text(&span.name),
            Intrinsic::Kind => vec![NaiveValue::Kind(span.kind)],
            Intrinsic::Status => vec![NaiveValue::Status(span.status)],
            Intrinsic::StatusMessage => text(&span.status_message),
            Intrinsic::SpanId => text(&span.id.to_string()),
            Intrinsic::ParentId => span.parent.iter().map(|id| NaiveValue::Text(id.to_string())).collect(),
            Intrinsic::LinkSpanId => span.links.iter().map(|link| NaiveValue::Text(link.span.to_string())).collect(),
            Intrinsic::RootName => text(&self.spans[self.root()].name),
            Intrinsic::RootService => {
                self.spans[self.root()].service().iter().map(|name| NaiveValue::Text((*name).to_owned())).collect()
            }
            Intrinsic::EventName => span.events.iter().map(|event| NaiveValue::Text(event.name.to_string())).collect(),
            Intrinsic::EventTimeSinceStart => {
                span.events.iter().map(|event| NaiveValue::Duration((event.at - span.start) as i64)).collect()
            }
            Intrinsic::ChildCount => {
                let children = (0..self.spans.len()).filter(|span| self.parent(*span) == Some(at));
                vec![NaiveValue::Int(children.count() as i64)]
            }
            Intrinsic::NestedSetLeft => vec![NaiveValue::Int(self.sides(at).0)],
            Intrinsic::NestedSetRight => vec![NaiveValue::Int(self.sides(at).1)],
            Intrinsic::NestedSetParent => vec![NaiveValue::Int(match (self.parent(at), span.parent) {
                (Some(parent), _) => self.sides(parent).0,
                (None, Some(_)) => 0,
                (None, None) => -1,
            })],
            other => panic!("{other:?} is not generated"),
        }
    }
}

fn with_label(mut labels: Vec<(String, SpanValue)>, name: String, value: SpanValue) -> Vec<(String, SpanValue)> {
    labels.retain(|(known, _)| *known != name);
    labels.push((name, value));
    labels
}

fn in_scope(span: &Span, scope: AttributeScope, name: &str) -> Vec<NaiveValue> {
    let of = |attributes: &Attributes| {
        let found = attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        found.filter(|value| *value != SpanValue::Empty).map(NaiveValue::Whole)
    };
    match scope {
        AttributeScope::Span => of(&span.attributes).into_iter().collect(),
        AttributeScope::Resource => of(&span.resource.attributes).into_iter().collect(),
        AttributeScope::Instrumentation => of(&span.scope.attributes).into_iter().collect(),
        AttributeScope::Event => span.events.iter().filter_map(|event| of(&event.attributes)).collect(),
        AttributeScope::Link => span.links.iter().filter_map(|link| of(&link.attributes)).collect(),
        AttributeScope::Any => [
            AttributeScope::Span,
            AttributeScope::Resource,
            AttributeScope::Event,
            AttributeScope::Link,
            AttributeScope::Instrumentation,
        ]
        .into_iter()
        .map(|scope| in_scope(span, scope, name))
        .find(|values| !values.is_empty())
        .unwrap_or_default(),
    }
}

pub(crate) fn elements(value: NaiveValue) -> Vec<NaiveValue> {
    match value {
        NaiveValue::Whole(SpanValue::List(values)) => {
            values.into_iter().flat_map(|value| elements(NaiveValue::Whole(value))).collect()
        }
        NaiveValue::Whole(SpanValue::Text(text)) => vec![NaiveValue::Text(text.into_owned())],
        NaiveValue::Whole(SpanValue::Int(number)) => vec![NaiveValue::Int(number)],
        NaiveValue::Whole(SpanValue::Float(number)) => vec![NaiveValue::Float(number)],
        NaiveValue::Whole(SpanValue::Bool(value)) => vec![NaiveValue::Bool(value)],
        NaiveValue::Whole(_) => Vec::new(),
        other => vec![other],
    }
}

pub(crate) fn shown(value: NaiveValue) -> SpanValue {
    match value {
        NaiveValue::Whole(value) => value,
        NaiveValue::Text(text) => SpanValue::from(text),
        NaiveValue::Int(number) => SpanValue::Int(number),
        NaiveValue::Float(number) => SpanValue::Float(number),
        NaiveValue::Bool(value) => SpanValue::Bool(value),
        NaiveValue::Duration(number) => SpanValue::from(Literal::Duration(number).to_string()),
        NaiveValue::Status(status) => SpanValue::from(Literal::Status(status).to_string()),
        NaiveValue::Kind(kind) => SpanValue::from(Literal::Kind(kind).to_string()),
    }
}

/// Ids may be written without leading zeros in comparisons for equality.
fn spelled(field: &Field, op: CompareOp, value: &Literal) -> Option<NaiveValue> {
    let is_id = matches!(field, Field::Intrinsic(Intrinsic::SpanId | Intrinsic::ParentId | Intrinsic::LinkSpanId));
    match (value, op) {
        (Literal::Text(text), CompareOp::Equal | CompareOp::NotEqual) if is_id => {
            let id = text.parse::<SpanId>().map(|id| id.to_string());
            Some(NaiveValue::Text(id.unwrap_or_else(|_| text.clone())))
        }
        _ => literal(value),
    }
}

fn literal(literal: &Literal) -> Option<NaiveValue> {
    Some(match literal {
        Literal::Text(text) => NaiveValue::Text(text.clone()),
        Literal::Int(number) => NaiveValue::Int(*number),
        Literal::Float(number) => NaiveValue::Float(*number),
        Literal::Duration(number) => NaiveValue::Duration(*number),
        Literal::Bool(value) => NaiveValue::Bool(*value),
        Literal::Status(status) => NaiveValue::Status(*status),
        Literal::Kind(kind) => NaiveValue::Kind(*kind),
        Literal::Nil => return None,
    })
}

pub(crate) fn number(value: &NaiveValue) -> Option<f64> {
    match value {
        NaiveValue::Int(number) | NaiveValue::Duration(number) => Some(*number as f64),
        NaiveValue::Float(number) => Some(*number),
        _ => None,
    }
}

fn unary(op: UnaryOp, value: &NaiveValue) -> Option<NaiveValue> {
    match (op, value) {
        (UnaryOp::Not, NaiveValue::Bool(value)) => Some(NaiveValue::Bool(!value)),
        (UnaryOp::Negative, NaiveValue::Int(number)) => Some(NaiveValue::Int(-number)),
        (UnaryOp::Negative, NaiveValue::Duration(number)) => Some(NaiveValue::Duration(-number)),
        (UnaryOp::Negative, NaiveValue::Float(number)) => Some(NaiveValue::Float(-number)),
        _ => None,
    }
}

fn compute(op: ArithmeticOp, left: &NaiveValue, right: &NaiveValue) -> Option<NaiveValue> {
    let whole = !matches!((left, right), (NaiveValue::Float(_), _) | (_, NaiveValue::Float(_)));
    let (left, right) = (number(left)?, number(right)?);
    let result = match op {
        ArithmeticOp::Add => left + right,
        ArithmeticOp::Subtract => left - right,
        ArithmeticOp::Multiply => left * right,
        ArithmeticOp::Divide | ArithmeticOp::Modulo if right == 0.0 => return None,
        ArithmeticOp::Divide => left / right,
        ArithmeticOp::Modulo => left % right,
        ArithmeticOp::Power => left.powf(right),
    };
    Some(if whole && result.fract() == 0.0 { NaiveValue::Int(result as i64) } else { NaiveValue::Float(result) })
}

/// `None` if values of these types cannot be compared with the operator.
fn pair(op: CompareOp, left: &NaiveValue, right: &NaiveValue) -> Option<bool> {
    use CompareOp::*;
    if let (NaiveValue::Text(text), NaiveValue::Text(pattern), Matches | MatchesNot) = (left, right, op) {
        let found = regex::Regex::new(&format!("^({pattern})$")).unwrap().is_match(text);
        return Some(found == (op == Matches));
    }
    if let (Some(left), Some(right)) = (number(left), number(right)) {
        return by_order(op, left.partial_cmp(&right));
    }
    match (left, right) {
        (NaiveValue::Text(left), NaiveValue::Text(right)) => by_order(op, Some(left.cmp(right))),
        (NaiveValue::Bool(_), NaiveValue::Bool(_))
        | (NaiveValue::Status(_), NaiveValue::Status(_))
        | (NaiveValue::Kind(_), NaiveValue::Kind(_)) => match op {
            Equal => Some(left == right),
            NotEqual => Some(left != right),
            _ => None,
        },
        _ => None,
    }
}

fn by_order(op: CompareOp, order: Option<std::cmp::Ordering>) -> Option<bool> {
    use CompareOp::*;
    let order = order?;
    Some(match op {
        Equal => order.is_eq(),
        NotEqual => order.is_ne(),
        Less => order.is_lt(),
        LessEqual => order.is_le(),
        Greater => order.is_gt(),
        GreaterEqual => order.is_ge(),
        Matches | MatchesNot => return None,
    })
}
