//! Evaluates a filter on the index: the rows that match, and the rows that must be read to decide.

use super::{
    Atom, FieldSources, IndexPredicate, PredicateRows, RowCandidates, RowTable, candidate_rows, find::roots_or_others,
};
use baton_span_ports::SpanStoreError;
use baton_traceql::{
    Aliases, BinaryOp, CompareOp, Field, FieldExpr, Intrinsic, Literal, PipelineExpr, PipelineStage, Query, Root,
    RootPredicate, SpanPredicate, SpansetExpr, TracePredicate, UnaryOp, pushdown_predicate,
};
use roaring::RoaringBitmap;

/// Rows that match a filter; rows in neither set do not.
#[derive(Debug, Default)]
pub(crate) struct FilterRows {
    /// Rows that match.
    pub(crate) certain: RoaringBitmap,
    /// Rows that may match; disjoint from the other set.
    pub(crate) possible: RoaringBitmap,
}

impl FilterRows {
    fn new(certain: RoaringBitmap, perhaps: RoaringBitmap) -> Self {
        Self { possible: perhaps - &certain, certain }
    }

    fn from_certain(certain: RoaringBitmap) -> Self {
        Self { certain, possible: RoaringBitmap::new() }
    }

    fn both(self, other: Self) -> Self {
        let possible = (&self.certain | self.possible) & (&other.certain | other.possible);
        Self::new(self.certain & other.certain, possible)
    }

    fn either(self, other: Self) -> Self {
        Self::new(self.certain | other.certain, self.possible | other.possible)
    }

    fn negate(self, rows: u32) -> Self {
        Self { certain: all(rows) - self.certain - &self.possible, possible: self.possible }
    }
}

fn all(rows: u32) -> RoaringBitmap {
    let mut all = RoaringBitmap::new();
    all.insert_range(0..rows);
    all
}

/// Evaluates a filter that depends on a single span.
pub(crate) fn evaluate_filter(
    table: &dyn RowTable,
    filter: &FieldExpr,
    aliases: Aliases,
) -> Result<FilterRows, SpanStoreError> {
    match filter {
        FieldExpr::Literal(literal) => {
            let truth = *literal == Literal::Bool(true);
            Ok(FilterRows::from_certain(if truth { all(table.rows()) } else { RoaringBitmap::new() }))
        }
        FieldExpr::Field(field) => {
            evaluate_comparison(table, field, CompareOp::Equal, &Literal::Bool(true), filter, aliases)
        }
        FieldExpr::Unary { op: UnaryOp::Not, of } => match of.as_ref() {
            FieldExpr::Field(field) => {
                evaluate_comparison(table, field, CompareOp::Equal, &Literal::Bool(false), filter, aliases)
            }
            FieldExpr::Binary { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Compare(_), .. } => {
                Ok(evaluate_filter(table, of, aliases)?.negate(table.rows()))
            }
            _ => possible_rows(table, filter, aliases),
        },
        FieldExpr::Binary { op: BinaryOp::And, left, right } => {
            Ok(evaluate_filter(table, left, aliases)?.both(evaluate_filter(table, right, aliases)?))
        }
        FieldExpr::Binary { op: BinaryOp::Or, left, right } => {
            Ok(evaluate_filter(table, left, aliases)?.either(evaluate_filter(table, right, aliases)?))
        }
        FieldExpr::Binary { op: BinaryOp::Compare(op), left, right } => match (left.as_ref(), right.as_ref()) {
            (FieldExpr::Field(field), FieldExpr::Literal(value)) => {
                evaluate_comparison(table, field, *op, value, filter, aliases)
            }
            (FieldExpr::Literal(value), FieldExpr::Field(field)) => match flipped(*op) {
                Some(op) => evaluate_comparison(table, field, op, value, filter, aliases),
                None => possible_rows(table, filter, aliases),
            },
            // Dashboards use this to test whether a variable has a value.
            (FieldExpr::Literal(Literal::Text(one)), FieldExpr::Literal(Literal::Text(other)))
                if *op == CompareOp::Equal =>
            {
                Ok(FilterRows::from_certain(if one == other { all(table.rows()) } else { RoaringBitmap::new() }))
            }
            _ => possible_rows(table, filter, aliases),
        },
        FieldExpr::Unary { op: UnaryOp::Negative, .. } | FieldExpr::Binary { op: BinaryOp::Arithmetic(_), .. } => {
            possible_rows(table, filter, aliases)
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
fn possible_rows(table: &dyn RowTable, filter: &FieldExpr, aliases: Aliases) -> Result<FilterRows, SpanStoreError> {
    let stage = PipelineStage::Spansets(SpansetExpr::Filter(Some(filter.clone())));
    let query = Query { root: Root::Search(PipelineExpr::Pipeline(vec![stage])), hints: Vec::new() };
    let need = match pushdown_predicate(&query, aliases) {
        TracePredicate::Span(need) => need,
        _ => SpanPredicate::Anything,
    };
    Ok(match candidate_rows(table, &need, aliases)? {
        RowCandidates::All => FilterRows { certain: RoaringBitmap::new(), possible: all(table.rows()) },
        RowCandidates::Rows(rows) => FilterRows { certain: RoaringBitmap::new(), possible: rows },
    })
}

fn evaluate_comparison(
    table: &dyn RowTable,
    field: &Field,
    op: CompareOp,
    value: &Literal,
    filter: &FieldExpr,
    aliases: Aliases,
) -> Result<FilterRows, SpanStoreError> {
    match field {
        Field::Intrinsic(Intrinsic::NestedSetParent) => {
            return RootPredicate::from_op_and_value(op, value)
                .map_or_else(|| possible_rows(table, filter, aliases), |predicate| root_rows(table, predicate));
        }
        // The presence of a parent id distinguishes roots from other spans.
        Field::Intrinsic(Intrinsic::ParentId) if (op, value) == (CompareOp::NotEqual, &Literal::Nil) => {
            return root_rows(table, RootPredicate { roots: false, others: true });
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
    let Some(sources) = FieldSources::from_field(field, aliases).filter(|_| fits) else {
        return possible_rows(table, filter, aliases);
    };
    if *value == Literal::Nil {
        return match op {
            CompareOp::NotEqual => present_rows(table, &sources),
            CompareOp::Equal => Ok(present_rows(table, &sources)?.negate(table.rows())),
            _ => Ok(FilterRows::default()),
        };
    }
    match IndexPredicate::new(op, value)
        .or_else(|| IndexPredicate::from_code(op, value).filter(|_| matches!(field, Field::Intrinsic(_))))
    {
        Some(test) => first_present_matches(table, &sources, &test),
        None => possible_rows(table, filter, aliases),
    }
}

/// Rows selected by the presence of a parent.
fn root_rows(table: &dyn RowTable, predicate: RootPredicate) -> Result<FilterRows, SpanStoreError> {
    Ok(FilterRows::from_certain(roots_or_others(table, predicate)?))
}

/// Rows with any value.
fn present_rows(table: &dyn RowTable, sources: &FieldSources<'_>) -> Result<FilterRows, SpanStoreError> {
    let (mut yes, mut perhaps) = (RoaringBitmap::new(), unindexed_rows(table, sources)?);
    for (location, key) in &sources.locations {
        // A value that cannot be compared may be empty; several values always count as present.
        let unclear = table.not_single_valued(*location, key)?;
        yes |= table.present(*location, key)? - &unclear;
        perhaps |= unclear;
    }
    Ok(FilterRows::new(yes - &perhaps, perhaps))
}

/// Rows where the first location that has a value satisfies the predicate.
fn first_present_matches(
    table: &dyn RowTable,
    sources: &FieldSources<'_>,
    test: &IndexPredicate,
) -> Result<FilterRows, SpanStoreError> {
    let mut perhaps = unindexed_rows(table, sources)?;
    let mut yes = RoaringBitmap::new();
    let mut already_present = RoaringBitmap::new();
    let several = sources.locations.len() > 1 || sources.default_text.is_some();
    for (location, key) in &sources.locations {
        let PredicateRows { certain: surely, possible: maybe } = table.matching_rows(*location, key, test)?;
        let unclear = table.not_single_valued(*location, key)?;
        yes |= surely - &already_present - &unclear;
        perhaps |= (maybe | unclear) - &already_present;
        if several {
            already_present |= table.present(*location, key)?;
        }
    }
    if sources.default_text.is_some_and(|text| test.holds(Atom::Text(text))) {
        yes |= all(table.rows()) - already_present;
    }
    yes -= &perhaps;
    Ok(FilterRows { certain: yes, possible: perhaps })
}

/// Rows that may have an attribute with an unindexed key.
fn unindexed_rows(table: &dyn RowTable, sources: &FieldSources<'_>) -> Result<RoaringBitmap, SpanStoreError> {
    if sources.may_be_unindexed() { table.unindexed() } else { Ok(RoaringBitmap::new()) }
}
