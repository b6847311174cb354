//! Metrics evaluation agrees with the naive one, regardless of how spans are distributed over tallies.

use super::{
    evaluate::ALIASES,
    metrics_generate::{intervals, metrics_queries, trace_lists},
    metrics_naive::{Line, NaiveMetrics, by_labels},
    predicate::trace_meets,
};
use baton_traceql::{
    Aliases, MetricsLimits, MetricsPlan, Mode, Query, Root, Series, Steps, Tally, TraceSpans, check_metrics, parse,
};
use proptest::{collection::vec, prelude::*};

const LIMITS: MetricsLimits = MetricsLimits { series: 1_000, exemplars: 2, bytes: 1 << 20, samples: 1 << 20 };

fn measure(query: &Query, aliases: Aliases, steps: Steps) -> MetricsPlan {
    MetricsPlan::new(query, aliases, steps, LIMITS).unwrap()
}

/// Adds every trace to the tally given by `places`.
fn fill_tallies(measure: &MetricsPlan, leaf: usize, traces: &[TraceSpans], places: &[usize]) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = (0..4).map(|_| measure.tally(leaf)).collect();
    for (index, trace) in traces.iter().enumerate() {
        assert!(measure.add_trace(leaf, &mut tallies[places[index]], trace, &|| false));
    }
    tallies
}

fn evaluate_all(query: &Query, aliases: Aliases, steps: Steps, traces: &[TraceSpans]) -> Vec<Series> {
    let measure = measure(query, aliases, steps);
    let tallies = (0..measure.leaves()).map(|leaf| fill_tallies(&measure, leaf, traces, &[0; 8]).remove(0)).collect();
    let (series, complete) = measure.finish(tallies).unwrap();
    assert!(complete);
    series
}

fn near(left: Option<f64>, right: Option<f64>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => (left - right).abs() <= 1e-12 * left.abs().max(right.abs()),
        (left, right) => left.is_none() && right.is_none(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn series_match_the_naive_evaluator(
        query in metrics_queries(), traces in trace_lists(), steps in intervals(), aliased in any::<bool>(),
    ) {
        prop_assert_eq!(check_metrics(&query), Ok(()), "{}", query);
        let aliases = if aliased { ALIASES } else { Aliases::NONE };
        let Root::Metrics(metrics) = &query.root else { panic!("not generated") };
        let mut wanted: Vec<Line> = NaiveMetrics { traces: &traces, aliases, steps }.answer(metrics);
        wanted.sort_by(|left, right| by_labels(&left.0, &right.0));
        let found = evaluate_all(&query, aliases, steps, &traces);
        let same = found.len() == wanted.len() && found.iter().zip(&wanted).all(|(series, (labels, samples))| {
            series.labels == *labels
                && series.samples.len() == samples.len()
                && series.samples.iter().zip(samples).all(|(left, right)| near(*left, *right))
        });
        prop_assert!(same, "{}\nfound {:#?}\nwanted {:#?}", query, found, wanted);
    }

    #[test]
    fn result_does_not_depend_on_the_distribution_of_traces(
        query in metrics_queries(), traces in trace_lists(), steps in intervals(),
        places in vec(0..4_usize, 8), order in Just(vec![0, 1, 2, 3]).prop_shuffle(),
    ) {
        let at_once = evaluate_all(&query, ALIASES, steps, &traces);
        let measure = measure(&query, ALIASES, steps);
        let merged = (0..measure.leaves()).map(|leaf| {
            let tallies = fill_tallies(&measure, leaf, &traces, &places);
            order.iter().fold(measure.tally(leaf), |mut all, place| {
                all.merge(tallies[*place].clone());
                all
            })
        });
        let merged = merged.collect();
        prop_assert_eq!(measure.finish(merged), Ok((at_once, true)), "{}", query);
    }

    #[test]
    fn pushdown_counts_match_whole_traces(query in metrics_queries(), traces in trace_lists(), steps in intervals()) {
        let at_once = evaluate_all(&query, ALIASES, steps, &traces);
        let measure = measure(&query, ALIASES, steps);
        let tally = |leaf: usize| {
            let mut tally = measure.tally(leaf);
            for trace in &traces {
                if measure.pushdown(leaf).is_some() {
                    trace.spans.iter().for_each(|span| measure.add_span(leaf, &mut tally, span));
                } else {
                    measure.add_trace(leaf, &mut tally, trace, &|| false);
                }
            }
            tally
        };
        let tallies = (0..measure.leaves()).map(tally).collect();
        prop_assert_eq!(measure.finish(tallies), Ok((at_once, true)), "{}", query);
    }

    #[test]
    fn traces_that_fail_the_predicate_do_not_count(
        query in metrics_queries(), traces in trace_lists(), steps in intervals(),
    ) {
        let at_once = evaluate_all(&query, ALIASES, steps, &traces);
        let measure = measure(&query, ALIASES, steps);
        let tally = |leaf: usize| {
            let need = measure.predicate(leaf);
            let needed: Vec<TraceSpans> = traces.iter().filter(|trace| trace_meets(&need, trace)).cloned().collect();
            fill_tallies(&measure, leaf, &needed, &[0; 8]).remove(0)
        };
        let tallies = (0..measure.leaves()).map(tally).collect();
        prop_assert_eq!(measure.finish(tallies), Ok((at_once, true)), "{}", query);
    }

    #[test]
    fn quantiles_of_many_values_are_accurate(
        values in vec((0.0..1e12_f64, 1..200_u64), 1..200), split in any::<prop::sample::Index>(), quantile in 0.0..=1.0_f64,
    ) {
        let text = format!("{{ }} | quantile_over_time(span.a, {quantile:?})");
        let query = parse(&text, Mode::Strict).unwrap().query;
        let (sum, mean) = ("{ } | sum_over_time(span.a)", "{ } | avg_over_time(span.a)");
        let mut all: Vec<f64> = values.iter().flat_map(|(value, times)| vec![*value; *times as usize]).collect();
        all.sort_by(f64::total_cmp);
        let measured = |query: &Query, parts: &[&[(f64, u64)]]| {
            let measure = measure(query, Aliases::NONE, Steps::single(0, 1));
            let mut tally = measure.tally(0);
            for part in parts {
                let mut other = measure.tally(0);
                let group = other.group(&[]).unwrap();
                part.iter().for_each(|(value, times)| other.add_many(group, 0, *value, *times));
                tally.merge(other);
            }
            measure.finish(vec![tally]).unwrap().0[0].samples[0].unwrap()
        };
        let (left, right) = values.split_at(split.index(values.len()));
        let found = measured(&query, &[&values]);
        prop_assert_eq!(found, measured(&query, &[right, left]));
        let way = quantile * (all.len() - 1) as f64;
        let (below, above) = (all[way.floor() as usize], all[way.ceil() as usize]);
        let exact = below + (above - below) * way.fract();
        let allowed = if all.len() <= 256 { 1e-12 } else { 1.0 / 256.0 } * above;
        prop_assert!((found - exact).abs() <= allowed, "{} of {} is {}, not {}", quantile, all.len(), found, exact);

        for (text, exact) in [(sum, all.iter().sum::<f64>()), (mean, all.iter().sum::<f64>() / all.len() as f64)] {
            let query = parse(text, Mode::Strict).unwrap().query;
            let found = measured(&query, &[left, right]);
            let turned: Vec<(f64, u64)> = values.iter().rev().copied().collect();
            prop_assert_eq!(found, measured(&query, &[&turned]));
            prop_assert!((found - exact).abs() <= 1e-9 * exact, "{} is {}, not {}", text, found, exact);
        }
    }
}
