//! Series of one histogram: lookup without allocation, atomic updates.

use crate::instruments::OVERFLOW;
use baton_types::{Attributes, Instrument, InstrumentKind, MeterFamily, MeterPoint, MetricValue, SpanValue};
use foldhash::quality::RandomState;
use std::{
    collections::HashMap,
    hash::BuildHasher as _,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

/// Maximum number of series per instrument; further ones share an overflow series.
pub const MAX_SERIES: usize = 1000;

/// Maximum length of a label value in bytes; names from people and peers can be longer.
const MAX_LABEL_LEN: usize = 128;

/// Value of a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Label<'a> {
    /// Not set.
    #[default]
    None,
    Text(&'a str),
    Number(i64),
}

impl<'a> Label<'a> {
    pub(crate) fn from_value(value: &'a SpanValue) -> Self {
        match value {
            SpanValue::Text(text) => Self::text(text),
            SpanValue::Int(number) => Self::Number(*number),
            _ => Self::None,
        }
    }

    pub(crate) fn text(text: &'a str) -> Self {
        match text.is_empty() {
            true => Self::None,
            false => Self::Text(&text[..text.floor_char_boundary(MAX_LABEL_LEN)]),
        }
    }

    pub(crate) fn or(self, other: Self) -> Self {
        if self == Self::None { other } else { self }
    }

    fn equals(self, value: Option<&SpanValue>) -> bool {
        match (self, value) {
            (Self::None, None) => true,
            (Self::Text(text), Some(SpanValue::Text(known))) => text == known,
            (Self::Number(number), Some(SpanValue::Int(known))) => number == *known,
            _ => false,
        }
    }

    fn owned(self) -> Option<SpanValue> {
        match self {
            Self::None => None,
            Self::Text(text) => Some(text.to_owned().into()),
            Self::Number(number) => Some(number.into()),
        }
    }
}

/// A histogram by labels.
pub(crate) struct HistogramTable {
    instrument: &'static Instrument,
    bounds: &'static [f64],
    per_unit: f64,
    state: RandomState,
    known: RwLock<SeriesIndex>,
    overflow: HistogramSeries,
}

#[derive(Default)]
struct SeriesIndex {
    by_hash: HashMap<u64, Vec<Arc<HistogramSeries>>, RandomState>,
    count: usize,
}

struct HistogramSeries {
    /// In the order of the instrument's labels.
    labels: Box<[Option<SpanValue>]>,
    buckets: Box<[AtomicU64]>,
    /// In recorded units, which avoids rounding.
    sum: AtomicU64,
}

impl HistogramTable {
    /// An empty table; an instrument that is not a histogram has one bucket.
    pub(crate) fn new(instrument: &'static Instrument) -> Self {
        let (bounds, per_unit): (&[f64], u64) = match instrument.kind {
            InstrumentKind::Histogram { bounds, per_unit } => (bounds, per_unit),
            InstrumentKind::Counter | InstrumentKind::Gauge => (&[], 1),
        };
        let overflow = HistogramSeries::new(Box::default(), bounds.len());
        let (state, known) = (RandomState::default(), RwLock::default());
        Self { instrument, bounds, per_unit: per_unit as f64, state, known, overflow }
    }

    /// Records one value, with label values in the order of the instrument's labels.
    pub(crate) fn record<const N: usize>(&self, labels: [Label<'_>; N], value: u64) {
        debug_assert_eq!(N, self.instrument.labels.len(), "{}", self.instrument.name);
        let units = value as f64 / self.per_unit;
        let bucket = self.bounds.partition_point(|bound| *bound < units);
        let hash = self.state.hash_one(labels);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(series) = known.find(hash, &labels) {
            return series.add(bucket, value);
        }
        drop(known);
        match self.insert(hash, &labels) {
            Some(series) => series.add(bucket, value),
            None => self.overflow.add(bucket, value),
        }
    }

    /// Inserts a series; returns an existing one from a concurrent insert, or none at the limit.
    fn insert(&self, hash: u64, labels: &[Label<'_>]) -> Option<Arc<HistogramSeries>> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(series) = known.find(hash, labels) {
            return Some(Arc::clone(series));
        }
        if known.count >= MAX_SERIES {
            return None;
        }
        known.count += 1;
        let owned = labels.iter().map(|label| label.owned()).collect();
        let series = Arc::new(HistogramSeries::new(owned, self.bounds.len()));
        known.by_hash.entry(hash).or_default().push(Arc::clone(&series));
        Some(series)
    }

    /// Data of the instrument, if anything was recorded.
    pub(crate) fn snapshot(&self) -> Option<MeterFamily> {
        let series: Vec<Arc<HistogramSeries>> = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            known.by_hash.values().flatten().map(Arc::clone).collect()
        };
        let named = |series: &HistogramSeries| -> Attributes {
            let values = self.instrument.labels.iter().zip(&series.labels);
            values.filter_map(|(name, value)| Some(((*name).into(), value.clone()?))).collect()
        };
        let mut points: Vec<MeterPoint> = (series.iter())
            .map(|series| MeterPoint { labels: named(series), value: series.snapshot(self.per_unit) })
            .collect();
        let overflow = self.overflow.snapshot(self.per_unit);
        if overflow.total() > 0 {
            points.push(MeterPoint { labels: vec![(OVERFLOW.into(), true.into())], value: overflow });
        }
        (!points.is_empty()).then_some(MeterFamily { instrument: self.instrument, points })
    }
}

impl SeriesIndex {
    fn find(&self, hash: u64, labels: &[Label<'_>]) -> Option<&Arc<HistogramSeries>> {
        let same = |series: &&Arc<HistogramSeries>| {
            labels.iter().zip(&series.labels).all(|(label, known)| label.equals(known.as_ref()))
        };
        self.by_hash.get(&hash)?.iter().find(same)
    }
}

impl HistogramSeries {
    fn new(labels: Box<[Option<SpanValue>]>, bounds: usize) -> Self {
        Self { labels, buckets: (0..=bounds).map(|_| AtomicU64::new(0)).collect(), sum: AtomicU64::new(0) }
    }

    fn add(&self, bucket: usize, value: u64) {
        if let Some(count) = self.buckets.get(bucket) {
            self.sum.fetch_add(value, Ordering::Relaxed);
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn snapshot(&self, per_unit: f64) -> MetricValue {
        let buckets = self.buckets.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        MetricValue::Histogram { buckets, sum: self.sum.load(Ordering::Relaxed) as f64 / per_unit }
    }
}
