//! Figures that somebody else keeps.

use super::{Instrument, InstrumentKind, MeterFamily, MeterPoint, Shown};
use baton_ports::BoxFuture;
use baton_types::{Attributes, Value};

/// Tells figures that it keeps itself, when somebody looks.
pub trait MeterSource: Send + Sync + 'static {
    /// Tells all of them; what is slow or unknown is left out.
    fn tell<'a>(&'a self, levels: &'a mut Levels) -> BoxFuture<'a, ()>;
}

/// Where sources put their figures.
#[derive(Debug, Default)]
pub struct Levels {
    families: Vec<MeterFamily>,
}

impl Levels {
    /// Tells the figure of a counter or a gauge of the table, with values for its labels in their order; histograms are
    /// not told this way.
    pub fn tell(&mut self, instrument: &'static Instrument, labels: &[&str], figure: u64) {
        let shown = match instrument.kind {
            InstrumentKind::Counter => Shown::Count(figure),
            InstrumentKind::Gauge => Shown::Level(figure),
            InstrumentKind::Histogram { .. } => return,
        };
        let labels: Attributes = (instrument.labels.iter().zip(labels))
            .map(|(name, value)| ((*name).into(), Value::from((*value).to_owned())))
            .collect();
        let point = MeterPoint { labels, shown };
        match self.families.iter_mut().find(|family| family.instrument.name == instrument.name) {
            Some(family) => family.points.push(point),
            None => self.families.push(MeterFamily { instrument, points: vec![point] }),
        }
    }

    /// What was told.
    pub(super) fn into_families(self) -> Vec<MeterFamily> {
        self.families
    }
}
