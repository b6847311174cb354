//! Evaluates a filter on the index: the rows that match, and the rows that must be read to decide.

use super::{Atom, Found, Held, Sources, Table, Test, find::roots_or_others, rows_meeting};
use baton_ports::SpanStoreError;
use baton_traceql::{
    Aliases, BinaryOp, CompareOp, Field, FieldExpr, Intrinsic, Literal, PipelineExpr, Query, Root, Rooted, SpanNeed,
    SpansetExpr, Stage, TraceNeed, UnaryOp, need,
};
use roaring::RoaringBitmap;

/// Rows that match a filter; rows in neither set do not.
#[derive(Debug, Default)]
pub(crate) struct Decided {
    /// Rows that match.
    pub(crate) yes: RoaringBitmap,
    /// Rows that may match; disjoint from the other set.
    pub(crate) perhaps: RoaringBitmap,
}

impl Decided {
    fn new(yes: RoaringBitmap, perhaps: RoaringBitmap) -> Self {
        Self { perhaps: perhaps - &yes, yes }
    }

    fn surely(yes: RoaringBitmap) -> Self {
        Self { yes, perhaps: RoaringBitmap::new() }
    }

    fn both(self, other: Self) -> Self {
        let possible = (&self.yes | self.perhaps) & (&other.yes | other.perhaps);
        Self::new(self.yes & other.yes, possible)
    }

    fn either(self, other: Self) -> Self {
        Self::new(self.yes | other.yes, self.perhaps | other.perhaps)
    }

    fn opposite(self, rows: u32) -> Self {
        Self { yes: all(rows) - self.yes - &self.perhaps, perhaps: self.perhaps }
    }
}

fn all(rows: u32) -> RoaringBitmap {
    let mut all = RoaringBitmap::new();
    all.insert_range(0..rows);
    all
}

/// Evaluates a filter that depends on a single span.
pub(crate) fn decide(table: &dyn Table, filter: &FieldExpr, aliases: Aliases) -> Result<Decided, SpanStoreError> {
    match filter {
        FieldExpr::Literal(literal) => {
            let truth = *literal == Literal::Bool(true);
            Ok(Decided::surely(if truth { all(table.rows()) } else { RoaringBitmap::new() }))
        }
        FieldExpr::Field(field) => compared(table, field, CompareOp::Equal, &Literal::Bool(true), filter, aliases),
        FieldExpr::Unary { op: UnaryOp::Not, of } => match of.as_ref() {
            FieldExpr::Field(field) => compared(table, field, CompareOp::Equal, &Literal::Bool(false), filter, aliases),
            FieldExpr::Binary { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Compare(_), .. } => {
                Ok(decide(table, of, aliases)?.opposite(table.rows()))
            }
            _ => undecided(table, filter, aliases),
        },
        FieldExpr::Binary { op: BinaryOp::And, left, right } => {
            Ok(decide(table, left, aliases)?.both(decide(table, right, aliases)?))
        }
        FieldExpr::Binary { op: BinaryOp::Or, left, right } => {
            Ok(decide(table, left, aliases)?.either(decide(table, right, aliases)?))
        }
        FieldExpr::Binary { op: BinaryOp::Compare(op), left, right } => match (left.as_ref(), right.as_ref()) {
            (FieldExpr::Field(field), FieldExpr::Literal(value)) => compared(table, field, *op, value, filter, aliases),
            (FieldExpr::Literal(value), FieldExpr::Field(field)) => match flipped(*op) {
                Some(op) => compared(table, field, op, value, filter, aliases),
                None => undecided(table, filter, aliases),
            },
            // Dashboards use this to test whether a variable has a value.
            (FieldExpr::Literal(Literal::Text(one)), FieldExpr::Literal(Literal::Text(other)))
                if *op == CompareOp::Equal =>
            {
                Ok(Decided::surely(if one == other { all(table.rows()) } else { RoaringBitmap::new() }))
            }
            _ => undecided(table, filter, aliases),
        },
        FieldExpr::Unary { op: UnaryOp::Negative, .. } | FieldExpr::Binary { op: BinaryOp::Arithmetic(_), .. } => {
            undecided(table, filter, aliases)
        }
    }
}

/// The comparison with swapped operands; pattern matches have none.
fn flipped(op: CompareOp) -> Option<CompareOp> {
    Some(match op {
        CompareOp::Equal | CompareOp::NotEqual => op,
        CompareOp::Less => CompareOp::Greater,
        CompareOp::LessEqual => CompareOp::GreaterEqual,
        CompareOp::Greater => CompareOp::Less,
        CompareOp::GreaterEqual => CompareOp::LessEqual,
        CompareOp::Matches | CompareOp::MatchesNot => return None,
    })
}

/// Fallback if the index cannot decide: all rows that may match.
fn undecided(table: &dyn Table, filter: &FieldExpr, aliases: Aliases) -> Result<Decided, SpanStoreError> {
    let stage = Stage::Spansets(SpansetExpr::Filter(Some(filter.clone())));
    let query = Query { root: Root::Search(PipelineExpr::Pipeline(vec![stage])), hints: Vec::new() };
    let need = match need(&query, aliases) {
        TraceNeed::Span(need) => need,
        _ => SpanNeed::Anything,
    };
    Ok(match rows_meeting(table, &need, aliases)? {
        Found::All => Decided { yes: RoaringBitmap::new(), perhaps: all(table.rows()) },
        Found::Rows(rows) => Decided { yes: RoaringBitmap::new(), perhaps: rows },
    })
}

fn compared(
    table: &dyn Table,
    field: &Field,
    op: CompareOp,
    value: &Literal,
    filter: &FieldExpr,
    aliases: Aliases,
) -> Result<Decided, SpanStoreError> {
    match field {
        Field::Intrinsic(Intrinsic::NestedSetParent) => {
            return Rooted::of(op, value).map_or_else(|| undecided(table, filter, aliases), |says| rooted(table, says));
        }
        // The presence of a parent id distinguishes roots from other spans.
        Field::Intrinsic(Intrinsic::ParentId) if (op, value) == (CompareOp::NotEqual, &Literal::Nil) => {
            return rooted(table, Rooted { roots: false, others: true });
        }
        _ => {}
    }
    let fits = match field {
        Field::Attribute(_) => true,
        Field::Intrinsic(Intrinsic::Kind) => matches!(value, Literal::Kind(_)),
        Field::Intrinsic(Intrinsic::Status) => matches!(value, Literal::Status(_)),
        // Ids have several text forms.
        Field::Intrinsic(Intrinsic::LinkTraceId | Intrinsic::LinkSpanId) => false,
        Field::Intrinsic(_) => *value != Literal::Nil,
    };
    let Some(sources) = Sources::of(field, aliases).filter(|_| fits) else { return undecided(table, filter, aliases) };
    if *value == Literal::Nil {
        return match op {
            CompareOp::NotEqual => present(table, &sources),
            CompareOp::Equal => Ok(present(table, &sources)?.opposite(table.rows())),
            _ => Ok(Decided::default()),
        };
    }
    match Test::new(op, value).or_else(|| Test::code(op, value).filter(|_| matches!(field, Field::Intrinsic(_)))) {
        Some(test) => first_that_says(table, &sources, &test),
        None => undecided(table, filter, aliases),
    }
}

/// Rows selected by the presence of a parent.
fn rooted(table: &dyn Table, says: Rooted) -> Result<Decided, SpanStoreError> {
    Ok(Decided::surely(roots_or_others(table, says)?))
}

/// Rows with any value.
fn present(table: &dyn Table, sources: &Sources<'_>) -> Result<Decided, SpanStoreError> {
    let (mut yes, mut perhaps) = (RoaringBitmap::new(), unlisted(table, sources)?);
    for (place, key) in &sources.places {
        // A value that cannot be compared may be empty; several values always count as present.
        let unclear = table.unclear(*place, key)?;
        yes |= table.present(*place, key)? - &unclear;
        perhaps |= unclear;
    }
    Ok(Decided::new(yes - &perhaps, perhaps))
}

/// Rows where the first location that has a value satisfies the predicate.
fn first_that_says(table: &dyn Table, sources: &Sources<'_>, test: &Test) -> Result<Decided, SpanStoreError> {
    let mut perhaps = unlisted(table, sources)?;
    let mut yes = RoaringBitmap::new();
    let mut said = RoaringBitmap::new();
    let several = sources.places.len() > 1 || sources.otherwise.is_some();
    for (place, key) in &sources.places {
        let Held { surely, perhaps: maybe } = table.held(*place, key, test)?;
        let unclear = table.unclear(*place, key)?;
        yes |= surely - &said - &unclear;
        perhaps |= (maybe | unclear) - &said;
        if several {
            said |= table.present(*place, key)?;
        }
    }
    if sources.otherwise.is_some_and(|text| test.holds(Atom::Text(text))) {
        yes |= all(table.rows()) - said;
    }
    yes -= &perhaps;
    Ok(Decided { yes, perhaps })
}

/// Rows that may have an attribute with an unindexed key.
fn unlisted(table: &dyn Table, sources: &Sources<'_>) -> Result<RoaringBitmap, SpanStoreError> {
    if sources.may_be_unlisted() { table.unlisted() } else { Ok(RoaringBitmap::new()) }
}
