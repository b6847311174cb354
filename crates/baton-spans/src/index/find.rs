//! Row lookup for a need: conditions on the same span are intersected by row.

use super::{IndexPredicate, ValueLocation, field_locations, own};
use baton_span_ports::SpanStoreError;
use baton_traceql::{Aliases, CompareOp, Comparison, Field, Intrinsic, Literal, RootPredicate, SpanPredicate};
use baton_types::{SpanId, TraceId};
use roaring::RoaringBitmap;

/// Posting lists of a segment; rows are numbers below [`Postings::rows`].
pub(crate) trait Postings {
    /// Number of rows.
    fn rows(&self) -> u32;

    /// Rows with a value that may satisfy the predicate.
    fn find(&self, location: ValueLocation, key: &str, test: &IndexPredicate) -> Result<RoaringBitmap, SpanStoreError>;

    /// Rows with any value.
    fn present(&self, location: ValueLocation, key: &str) -> Result<RoaringBitmap, SpanStoreError>;

    /// Rows with an unindexed key: they may have any attribute.
    fn unindexed(&self) -> Result<RoaringBitmap, SpanStoreError>;

    /// The rows of a trace.
    fn trace(&self, id: TraceId) -> Result<RoaringBitmap, SpanStoreError>;

    /// Upper bound of value chunks to read, without any disk access.
    fn max_cost(&self, location: ValueLocation, key: &str, test: &IndexPredicate) -> usize;

    /// Estimated number of value chunks to read.
    fn cost(&self, location: ValueLocation, key: &str, test: &IndexPredicate) -> Result<usize, SpanStoreError>;
}

/// Rows that may meet a need.
#[derive(Debug)]
pub(crate) enum RowCandidates {
    /// All rows.
    All,
    /// Only these rows.
    Rows(RoaringBitmap),
}

/// Cost of reading the trace of a row, in value chunks.
const TRACE_READ_COST: u64 = 8;

/// Looks up the rows that may meet a need.
pub(crate) fn candidate_rows(
    postings: &(impl Postings + ?Sized),
    need: &SpanPredicate,
    aliases: Aliases,
) -> Result<RowCandidates, SpanStoreError> {
    match need {
        SpanPredicate::Anything => Ok(RowCandidates::All),
        SpanPredicate::Nothing => Ok(RowCandidates::Rows(RoaringBitmap::new())),
        SpanPredicate::All(needs) => rows_meeting_all(postings, needs, aliases),
        SpanPredicate::Any(needs) => {
            let mut any = RoaringBitmap::new();
            for need in needs {
                match candidate_rows(postings, need, aliases)? {
                    RowCandidates::All => return Ok(RowCandidates::All),
                    RowCandidates::Rows(rows) => any |= rows,
                }
            }
            Ok(RowCandidates::Rows(any))
        }
        SpanPredicate::Holds(comparison) => rows_matching(postings, comparison, aliases),
        SpanPredicate::Exists(field) => rows_with_field(postings, field, aliases),
    }
}

fn rows_meeting_all(
    postings: &(impl Postings + ?Sized),
    needs: &[SpanPredicate],
    aliases: Aliases,
) -> Result<RowCandidates, SpanStoreError> {
    let at_most =
        |location: ValueLocation, key: &str, test: &IndexPredicate| Ok(postings.max_cost(location, key, test));
    let bounds = needs.iter().map(|need| Ok((need_cost(need, aliases, &at_most)?, need)));
    let mut bounds = bounds.collect::<Result<Vec<(usize, &SpanPredicate)>, SpanStoreError>>()?;
    bounds.sort_by_key(|(bound, _)| *bound);
    let mut left: Option<RoaringBitmap> = None;
    for (bound, need) in bounds {
        if let Some(rows) = &left {
            if rows.is_empty() {
                break;
            }
            let worth = usize::try_from(rows.len() * TRACE_READ_COST).unwrap_or(usize::MAX);
            let cost = |location: ValueLocation, key: &str, test: &IndexPredicate| postings.cost(location, key, test);
            if worth <= bound && worth <= need_cost(need, aliases, &cost)? {
                continue;
            }
        }
        if let RowCandidates::Rows(rows) = candidate_rows(postings, need, aliases)? {
            left = Some(match left {
                Some(mut both) => {
                    both &= rows;
                    both
                }
                None => rows,
            });
        }
    }
    Ok(left.map_or(RowCandidates::All, RowCandidates::Rows))
}

/// Cost of a need, given the cost of a comparison on one key in one location.
fn need_cost(
    need: &SpanPredicate,
    aliases: Aliases,
    cost: &impl Fn(ValueLocation, &str, &IndexPredicate) -> Result<usize, SpanStoreError>,
) -> Result<usize, SpanStoreError> {
    match need {
        SpanPredicate::Anything | SpanPredicate::Nothing | SpanPredicate::Exists(_) => Ok(0),
        SpanPredicate::All(needs) | SpanPredicate::Any(needs) => {
            needs.iter().map(|need| need_cost(need, aliases, cost)).sum()
        }
        SpanPredicate::Holds(comparison) => {
            let Some(test) = IndexPredicate::new(comparison.op, &comparison.value) else { return Ok(0) };
            let (locations, key) = field_locations(&comparison.field);
            let of_key = |key: &str| -> Result<usize, SpanStoreError> {
                locations.iter().map(|location| cost(*location, key, &test)).sum()
            };
            let of_others: usize = key_aliases(&comparison.field, aliases).map(of_key).sum::<Result<_, _>>()?;
            Ok(of_key(key)? + of_others)
        }
    }
}

/// Aliases of the key.
fn key_aliases(field: &Field, aliases: Aliases) -> impl Iterator<Item = &'static str> {
    let name = match field {
        Field::Attribute(attribute) => Some(attribute.name.as_str()),
        Field::Intrinsic(_) => None,
    };
    name.map(|name| aliases.synonyms(name)).into_iter().flatten()
}

fn rows_with_field(
    postings: &(impl Postings + ?Sized),
    field: &Field,
    aliases: Aliases,
) -> Result<RowCandidates, SpanStoreError> {
    let Field::Attribute(attribute) = field else { return Ok(RowCandidates::All) };
    if attribute.of_parent {
        return Ok(RowCandidates::All);
    }
    let mut rows = postings.unindexed()?;
    for location in ValueLocation::in_scope(attribute.scope) {
        rows |= postings.present(*location, &attribute.name)?;
        for name in aliases.synonyms(&attribute.name) {
            rows |= postings.present(*location, name)?;
        }
    }
    Ok(RowCandidates::Rows(rows))
}

fn rows_matching(
    postings: &(impl Postings + ?Sized),
    comparison: &Comparison,
    aliases: Aliases,
) -> Result<RowCandidates, SpanStoreError> {
    let Comparison { field, op, value } = comparison;
    let attribute = match field {
        Field::Attribute(attribute) if attribute.of_parent => return Ok(RowCandidates::All),
        Field::Attribute(attribute) => attribute,
        Field::Intrinsic(intrinsic) => return rows_matching_intrinsic(postings, *intrinsic, *op, value),
    };
    if *value == Literal::Nil {
        return if *op == CompareOp::NotEqual {
            rows_with_field(postings, field, aliases)
        } else {
            Ok(RowCandidates::All)
        };
    }
    let Some(test) = IndexPredicate::new(*op, value) else { return rows_with_field(postings, field, aliases) };
    let mut rows = postings.unindexed()?;
    for location in ValueLocation::in_scope(attribute.scope) {
        rows |= postings.find(*location, &attribute.name, &test)?;
        for name in aliases.synonyms(&attribute.name) {
            rows |= postings.find(*location, name, &test)?;
        }
    }
    Ok(RowCandidates::Rows(rows))
}

fn rows_matching_intrinsic(
    postings: &(impl Postings + ?Sized),
    intrinsic: Intrinsic,
    op: CompareOp,
    value: &Literal,
) -> Result<RowCandidates, SpanStoreError> {
    let text = matches!(value, Literal::Text(_));
    let number = matches!(value, Literal::Int(_) | Literal::Float(_) | Literal::Duration(_));
    let ask = |location: ValueLocation, key: &str| match IndexPredicate::new(op, value) {
        Some(test) => postings.find(location, key, &test).map(RowCandidates::Rows),
        None => Ok(RowCandidates::All),
    };
    match intrinsic {
        Intrinsic::Duration if number => ask(ValueLocation::Own, own::DURATION),
        Intrinsic::Name if text => ask(ValueLocation::Own, own::NAME),
        Intrinsic::InstrumentationName if text => ask(ValueLocation::Maker, own::MAKER_NAME),
        Intrinsic::InstrumentationVersion if text => ask(ValueLocation::Maker, own::MAKER_VERSION),
        Intrinsic::Kind if matches!(value, Literal::Kind(_)) => rows_with_code(postings, own::KIND, op, value),
        Intrinsic::Status if matches!(value, Literal::Status(_)) => rows_with_code(postings, own::STATUS, op, value),
        Intrinsic::StatusMessage if text => rows_with_status_message(postings, op, value),
        Intrinsic::EventName if text => ask(ValueLocation::Own, own::EVENT_NAME),
        Intrinsic::LinkTraceId => {
            let written = canonical_id(value, |text| text.parse::<TraceId>().ok().map(|id| id.to_string()));
            rows_with_link(postings, own::LINK_TRACE, op, &written)
        }
        Intrinsic::LinkSpanId => {
            let written = canonical_id(value, |text| text.parse::<SpanId>().ok().map(|id| id.to_string()));
            rows_with_link(postings, own::LINK_SPAN, op, &written)
        }
        Intrinsic::TraceId if op == CompareOp::Equal => match value {
            Literal::Text(text) => match text.parse() {
                Ok(id) => postings.trace(id).map(RowCandidates::Rows),
                Err(_) => Ok(RowCandidates::All),
            },
            _ => Ok(RowCandidates::All),
        },
        Intrinsic::NestedSetParent => match RootPredicate::from_op_and_value(op, value) {
            Some(predicate) => roots_or_others(postings, predicate).map(RowCandidates::Rows),
            None => Ok(RowCandidates::All),
        },
        _ => Ok(RowCandidates::All),
    }
}

/// Rows of root spans, of all other spans, of both or of none.
pub(super) fn roots_or_others(
    postings: &(impl Postings + ?Sized),
    predicate: RootPredicate,
) -> Result<RoaringBitmap, SpanStoreError> {
    let mut rows = RoaringBitmap::new();
    if predicate.others {
        rows.insert_range(0..postings.rows());
    }
    if predicate.roots != predicate.others {
        // Root names are indexed separately, and every span has a name.
        let roots = postings.present(ValueLocation::Own, own::ROOT_NAME)?;
        if predicate.roots {
            rows = roots;
        } else {
            rows -= roots;
        }
    }
    Ok(rows)
}

fn rows_with_code(
    postings: &(impl Postings + ?Sized),
    key: &str,
    op: CompareOp,
    value: &Literal,
) -> Result<RowCandidates, SpanStoreError> {
    match IndexPredicate::from_code(op, value) {
        Some(test) => postings.find(ValueLocation::Own, key, &test).map(RowCandidates::Rows),
        None => Ok(RowCandidates::All),
    }
}

/// Empty messages are not indexed.
fn rows_with_status_message(
    postings: &(impl Postings + ?Sized),
    op: CompareOp,
    value: &Literal,
) -> Result<RowCandidates, SpanStoreError> {
    let Some(test) = IndexPredicate::new(op, value) else { return Ok(RowCandidates::All) };
    let mut rows = postings.find(ValueLocation::Own, own::STATUS_MESSAGE, &test)?;
    if test.holds(super::Atom::Text("")) {
        let mut silent = RoaringBitmap::new();
        silent.insert_range(0..postings.rows());
        silent -= postings.present(ValueLocation::Own, own::STATUS_MESSAGE)?;
        rows |= silent;
    }
    Ok(RowCandidates::Rows(rows))
}

/// The id in its full form.
fn canonical_id(value: &Literal, read: impl Fn(&str) -> Option<String>) -> Literal {
    match value {
        Literal::Text(text) => Literal::Text(read(text).unwrap_or_else(|| text.clone())),
        other => other.clone(),
    }
}

/// The index holds ids in their full form, whatever form the query uses.
fn rows_with_link(
    postings: &(impl Postings + ?Sized),
    key: &str,
    op: CompareOp,
    value: &Literal,
) -> Result<RowCandidates, SpanStoreError> {
    match IndexPredicate::new(op, value) {
        Some(test) if test.is_equality() => postings.find(ValueLocation::Own, key, &test).map(RowCandidates::Rows),
        _ => postings.present(ValueLocation::Own, key).map(RowCandidates::Rows),
    }
}
