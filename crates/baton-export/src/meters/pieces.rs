//! Splits metrics into parts that fit into a request.

use baton_types::{MeterFamily, MeterSnapshot};

/// Number of series.
pub(super) fn series_count(reading: &MeterSnapshot) -> usize {
    reading.families.iter().map(|family| family.points.len()).sum()
}

/// The first `most` series and the rest, if any.
pub(super) fn split(mut reading: MeterSnapshot, max_points: usize) -> (MeterSnapshot, Option<MeterSnapshot>) {
    let mut room = max_points;
    let mut rest = Vec::new();
    for family in std::mem::take(&mut reading.families) {
        let MeterFamily { instrument, mut points } = family;
        let beyond = points.split_off(room.min(points.len()));
        room -= points.len();
        if !points.is_empty() {
            reading.families.push(MeterFamily { instrument, points });
        }
        if !beyond.is_empty() {
            rest.push(MeterFamily { instrument, points: beyond });
        }
    }
    let rest = (!rest.is_empty()).then(|| MeterSnapshot { families: rest, ..reading.clone() });
    (reading, rest)
}
