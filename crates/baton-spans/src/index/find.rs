//! Row lookup for a need: conditions on the same span are intersected by row.

use super::{Place, Test, field_places, own};
use baton_ports::SpanStoreError;
use baton_traceql::{Aliases, CompareOp, Comparison, Field, Intrinsic, Literal, Rooted, SpanNeed};
use baton_types::{SpanId, TraceId};
use roaring::RoaringBitmap;

/// Posting lists of a segment; rows are numbers below [`Postings::rows`].
pub(crate) trait Postings {
    /// Number of rows.
    fn rows(&self) -> u32;

    /// Rows with a value that may satisfy the predicate.
    fn find(&self, place: Place, key: &str, test: &Test) -> Result<RoaringBitmap, SpanStoreError>;

    /// Rows with any value.
    fn present(&self, place: Place, key: &str) -> Result<RoaringBitmap, SpanStoreError>;

    /// Rows with an unindexed key: they may have any attribute.
    fn unlisted(&self) -> Result<RoaringBitmap, SpanStoreError>;

    /// The rows of a trace.
    fn trace(&self, id: TraceId) -> Result<RoaringBitmap, SpanStoreError>;

    /// Upper bound of value chunks to read, without any disk access.
    fn at_most(&self, place: Place, key: &str, test: &Test) -> usize;

    /// Estimated number of value chunks to read.
    fn cost(&self, place: Place, key: &str, test: &Test) -> Result<usize, SpanStoreError>;
}

/// Rows that may meet a need.
#[derive(Debug)]
pub(crate) enum Found {
    /// All rows.
    All,
    /// Only these rows.
    Rows(RoaringBitmap),
}

/// Cost of reading the trace of a row, in value chunks.
const STRETCHES: u64 = 8;

/// Looks up the rows that may meet a need.
pub(crate) fn rows_meeting(
    postings: &(impl Postings + ?Sized),
    need: &SpanNeed,
    aliases: Aliases,
) -> Result<Found, SpanStoreError> {
    match need {
        SpanNeed::Anything => Ok(Found::All),
        SpanNeed::Nothing => Ok(Found::Rows(RoaringBitmap::new())),
        SpanNeed::All(needs) => all(postings, needs, aliases),
        SpanNeed::Any(needs) => {
            let mut any = RoaringBitmap::new();
            for need in needs {
                match rows_meeting(postings, need, aliases)? {
                    Found::All => return Ok(Found::All),
                    Found::Rows(rows) => any |= rows,
                }
            }
            Ok(Found::Rows(any))
        }
        SpanNeed::Holds(comparison) => holds(postings, comparison, aliases),
        SpanNeed::Exists(field) => exists(postings, field, aliases),
    }
}

fn all(postings: &(impl Postings + ?Sized), needs: &[SpanNeed], aliases: Aliases) -> Result<Found, SpanStoreError> {
    let at_most = |place: Place, key: &str, test: &Test| Ok(postings.at_most(place, key, test));
    let bounds = needs.iter().map(|need| Ok((need_cost(need, aliases, &at_most)?, need)));
    let mut bounds = bounds.collect::<Result<Vec<(usize, &SpanNeed)>, SpanStoreError>>()?;
    bounds.sort_by_key(|(bound, _)| *bound);
    let mut left: Option<RoaringBitmap> = None;
    for (bound, need) in bounds {
        if let Some(rows) = &left {
            if rows.is_empty() {
                break;
            }
            let worth = usize::try_from(rows.len() * STRETCHES).unwrap_or(usize::MAX);
            let cost = |place: Place, key: &str, test: &Test| postings.cost(place, key, test);
            if worth <= bound && worth <= need_cost(need, aliases, &cost)? {
                continue;
            }
        }
        if let Found::Rows(rows) = rows_meeting(postings, need, aliases)? {
            left = Some(match left {
                Some(mut both) => {
                    both &= rows;
                    both
                }
                None => rows,
            });
        }
    }
    Ok(left.map_or(Found::All, Found::Rows))
}

/// Cost of a need, given the cost of a comparison on one key in one location.
fn need_cost(
    need: &SpanNeed,
    aliases: Aliases,
    cost: &impl Fn(Place, &str, &Test) -> Result<usize, SpanStoreError>,
) -> Result<usize, SpanStoreError> {
    match need {
        SpanNeed::Anything | SpanNeed::Nothing | SpanNeed::Exists(_) => Ok(0),
        SpanNeed::All(needs) | SpanNeed::Any(needs) => needs.iter().map(|need| need_cost(need, aliases, cost)).sum(),
        SpanNeed::Holds(comparison) => {
            let Some(test) = Test::new(comparison.op, &comparison.value) else { return Ok(0) };
            let (places, key) = field_places(&comparison.field);
            let of_key = |key: &str| -> Result<usize, SpanStoreError> {
                places.iter().map(|place| cost(*place, key, &test)).sum()
            };
            let of_others: usize = other_names(&comparison.field, aliases).map(of_key).sum::<Result<_, _>>()?;
            Ok(of_key(key)? + of_others)
        }
    }
}

/// Aliases of the key.
fn other_names(field: &Field, aliases: Aliases) -> impl Iterator<Item = &'static str> {
    let name = match field {
        Field::Attribute(attribute) => Some(attribute.name.as_str()),
        Field::Intrinsic(_) => None,
    };
    name.map(|name| aliases.of(name)).into_iter().flatten()
}

fn exists(postings: &(impl Postings + ?Sized), field: &Field, aliases: Aliases) -> Result<Found, SpanStoreError> {
    let Field::Attribute(attribute) = field else { return Ok(Found::All) };
    if attribute.of_parent {
        return Ok(Found::All);
    }
    let mut rows = postings.unlisted()?;
    for place in Place::of(attribute.scope) {
        rows |= postings.present(*place, &attribute.name)?;
        for name in aliases.of(&attribute.name) {
            rows |= postings.present(*place, name)?;
        }
    }
    Ok(Found::Rows(rows))
}

fn holds(
    postings: &(impl Postings + ?Sized),
    comparison: &Comparison,
    aliases: Aliases,
) -> Result<Found, SpanStoreError> {
    let Comparison { field, op, value } = comparison;
    let attribute = match field {
        Field::Attribute(attribute) if attribute.of_parent => return Ok(Found::All),
        Field::Attribute(attribute) => attribute,
        Field::Intrinsic(intrinsic) => return intrinsic_holds(postings, *intrinsic, *op, value),
    };
    if *value == Literal::Nil {
        return if *op == CompareOp::NotEqual { exists(postings, field, aliases) } else { Ok(Found::All) };
    }
    let Some(test) = Test::new(*op, value) else { return exists(postings, field, aliases) };
    let mut rows = postings.unlisted()?;
    for place in Place::of(attribute.scope) {
        rows |= postings.find(*place, &attribute.name, &test)?;
        for name in aliases.of(&attribute.name) {
            rows |= postings.find(*place, name, &test)?;
        }
    }
    Ok(Found::Rows(rows))
}

fn intrinsic_holds(
    postings: &(impl Postings + ?Sized),
    intrinsic: Intrinsic,
    op: CompareOp,
    value: &Literal,
) -> Result<Found, SpanStoreError> {
    let text = matches!(value, Literal::Text(_));
    let number = matches!(value, Literal::Int(_) | Literal::Float(_) | Literal::Duration(_));
    let ask = |place: Place, key: &str| match Test::new(op, value) {
        Some(test) => postings.find(place, key, &test).map(Found::Rows),
        None => Ok(Found::All),
    };
    match intrinsic {
        Intrinsic::Duration if number => ask(Place::Own, own::DURATION),
        Intrinsic::Name if text => ask(Place::Own, own::NAME),
        Intrinsic::InstrumentationName if text => ask(Place::Maker, own::MAKER_NAME),
        Intrinsic::InstrumentationVersion if text => ask(Place::Maker, own::MAKER_VERSION),
        Intrinsic::Kind if matches!(value, Literal::Kind(_)) => code(postings, own::KIND, op, value),
        Intrinsic::Status if matches!(value, Literal::Status(_)) => code(postings, own::STATUS, op, value),
        Intrinsic::StatusMessage if text => status_message(postings, op, value),
        Intrinsic::EventName if text => ask(Place::Own, own::EVENT_NAME),
        Intrinsic::LinkTraceId => {
            let written = whole(value, |text| text.parse::<TraceId>().ok().map(|id| id.to_string()));
            linked(postings, own::LINK_TRACE, op, &written)
        }
        Intrinsic::LinkSpanId => {
            let written = whole(value, |text| text.parse::<SpanId>().ok().map(|id| id.to_string()));
            linked(postings, own::LINK_SPAN, op, &written)
        }
        Intrinsic::TraceId if op == CompareOp::Equal => match value {
            Literal::Text(text) => match text.parse() {
                Ok(id) => postings.trace(id).map(Found::Rows),
                Err(_) => Ok(Found::All),
            },
            _ => Ok(Found::All),
        },
        Intrinsic::NestedSetParent => match Rooted::of(op, value) {
            Some(says) => roots_or_others(postings, says).map(Found::Rows),
            None => Ok(Found::All),
        },
        _ => Ok(Found::All),
    }
}

/// Rows of root spans, of all other spans, of both or of none.
pub(super) fn roots_or_others(
    postings: &(impl Postings + ?Sized),
    says: Rooted,
) -> Result<RoaringBitmap, SpanStoreError> {
    let mut rows = RoaringBitmap::new();
    if says.others {
        rows.insert_range(0..postings.rows());
    }
    if says.roots != says.others {
        // Root names are indexed separately, and every span has a name.
        let roots = postings.present(Place::Own, own::ROOT_NAME)?;
        if says.roots {
            rows = roots;
        } else {
            rows -= roots;
        }
    }
    Ok(rows)
}

fn code(
    postings: &(impl Postings + ?Sized),
    key: &str,
    op: CompareOp,
    value: &Literal,
) -> Result<Found, SpanStoreError> {
    match Test::code(op, value) {
        Some(test) => postings.find(Place::Own, key, &test).map(Found::Rows),
        None => Ok(Found::All),
    }
}

/// Empty messages are not indexed.
fn status_message(
    postings: &(impl Postings + ?Sized),
    op: CompareOp,
    value: &Literal,
) -> Result<Found, SpanStoreError> {
    let Some(test) = Test::new(op, value) else { return Ok(Found::All) };
    let mut rows = postings.find(Place::Own, own::STATUS_MESSAGE, &test)?;
    if test.holds(super::Atom::Text("")) {
        let mut silent = RoaringBitmap::new();
        silent.insert_range(0..postings.rows());
        silent -= postings.present(Place::Own, own::STATUS_MESSAGE)?;
        rows |= silent;
    }
    Ok(Found::Rows(rows))
}

/// The id in its full form.
fn whole(value: &Literal, read: impl Fn(&str) -> Option<String>) -> Literal {
    match value {
        Literal::Text(text) => Literal::Text(read(text).unwrap_or_else(|| text.clone())),
        other => other.clone(),
    }
}

/// The index holds ids in their full form, whatever form the query uses.
fn linked(
    postings: &(impl Postings + ?Sized),
    key: &str,
    op: CompareOp,
    value: &Literal,
) -> Result<Found, SpanStoreError> {
    match Test::new(op, value) {
        Some(test) if test.is_equality() => postings.find(Place::Own, key, &test).map(Found::Rows),
        _ => postings.present(Place::Own, key).map(Found::Rows),
    }
}
