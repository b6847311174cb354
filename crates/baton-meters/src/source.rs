//! Metrics that are collected on read.

use baton_ports::BoxFuture;
use baton_types::{Attributes, Instrument, InstrumentKind, MeterFamily, MeterPoint, MetricValue, SpanValue};

/// A source of values that are collected on read.
pub trait MeterSource: Send + Sync + 'static {
    /// Adds all values; slow or unknown ones are left out.
    fn collect<'a>(&'a self, levels: &'a mut MeterLevels) -> BoxFuture<'a, ()>;
}

/// Collected values.
#[derive(Debug, Default)]
pub struct MeterLevels {
    families: Vec<MeterFamily>,
}

impl MeterLevels {
    /// Adds the value of a counter or gauge, with label values in order; histograms are ignored.
    pub fn add(&mut self, instrument: &'static Instrument, labels: &[&str], figure: u64) {
        let shown = match instrument.kind {
            InstrumentKind::Counter => MetricValue::Counter(figure),
            InstrumentKind::Gauge => MetricValue::Gauge(figure),
            InstrumentKind::Histogram { .. } => return,
        };
        let labels: Attributes = (instrument.labels.iter().zip(labels))
            .map(|(name, value)| ((*name).into(), SpanValue::from((*value).to_owned())))
            .collect();
        let point = MeterPoint { labels, value: shown };
        match self.families.iter_mut().find(|family| family.instrument.name == instrument.name) {
            Some(family) => family.points.push(point),
            None => self.families.push(MeterFamily { instrument, points: vec![point] }),
        }
    }

    /// The collected values.
    pub(crate) fn into_families(self) -> Vec<MeterFamily> {
        self.families
    }
}
