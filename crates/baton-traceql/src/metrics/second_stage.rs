//! Second stages: filters on samples.

use super::{series::Series, steps::Steps};
use crate::{CompareOp, Literal, SecondStage};
use std::cmp::Ordering;

/// Applies the stages in order; series without samples are removed.
pub(super) fn apply_stages(mut series: Vec<Series>, stages: &[SecondStage], steps: Steps) -> Vec<Series> {
    for stage in stages {
        match stage {
            SecondStage::TopK(limit) => keep_first(&mut series, *limit, |left, right| right.total_cmp(&left)),
            SecondStage::BottomK(limit) => keep_first(&mut series, *limit, |left, right| left.total_cmp(&right)),
            SecondStage::Filter { op, value } => keep_matching(&mut series, *op, value),
        }
        series.retain(Series::has_samples);
    }
    if !stages.is_empty() {
        for one in &mut series {
            let samples = &one.samples;
            one.exemplars.retain(|exemplar| steps.index(exemplar.at).is_some_and(|index| samples[index].is_some()));
        }
    }
    series
}

/// Keeps the first `most` samples of every interval; ties are broken by label order.
fn keep_first(series: &mut [Series], limit: i64, order: impl Fn(f64, f64) -> Ordering) {
    let limit = usize::try_from(limit).unwrap_or_default();
    let intervals = series.iter().map(|one| one.samples.len()).max().unwrap_or_default();
    let mut ranked: Vec<(f64, usize)> = Vec::with_capacity(series.len());
    for interval in 0..intervals {
        ranked.clear();
        let samples = series.iter().enumerate();
        ranked.extend(samples.filter_map(|(index, one)| one.samples[interval].map(|sample| (sample, index))));
        ranked.sort_unstable_by(|left, right| order(left.0, right.0).then(left.1.cmp(&right.1)));
        for (_, index) in ranked.iter().skip(limit) {
            series[*index].samples[interval] = None;
        }
    }
}

fn keep_matching(series: &mut [Series], op: CompareOp, value: &Literal) {
    let against = match value {
        Literal::Int(number) => *number as f64,
        Literal::Float(number) => *number,
        // Series are in seconds.
        Literal::Duration(nanoseconds) => *nanoseconds as f64 / 1e9,
        _ => return,
    };
    let holds = |sample: f64| match op {
        CompareOp::Equal => sample == against,
        CompareOp::NotEqual => sample != against,
        CompareOp::Less => sample < against,
        CompareOp::LessEqual => sample <= against,
        CompareOp::Greater => sample > against,
        CompareOp::GreaterEqual => sample >= against,
        CompareOp::Matches | CompareOp::MatchesNot => false,
    };
    for one in series {
        one.samples.iter_mut().for_each(|sample| *sample = sample.filter(|sample| holds(*sample)));
    }
}
