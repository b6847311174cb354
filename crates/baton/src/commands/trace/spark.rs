//! Sparklines.

/// Sparkline with at most `width` columns. Each column shows the maximum of its values, so spikes stay visible; columns
/// without values are blank. The lowest level is zero, or the minimum if it is negative.
pub(super) fn sparkline(values: &[Option<f64>], width: usize, levels: &[char]) -> String {
    let known = || values.iter().flatten().copied().filter(|value| value.is_finite());
    let (low, high) = (known().fold(0.0, f64::min), known().fold(0.0, f64::max));
    let highest = levels.len().saturating_sub(1);
    let level = |value: f64| {
        let part = if high > low { (value.clamp(low, high) - low) / (high - low) } else { 0.0 };
        levels.get((part * highest as f64).round() as usize).copied().unwrap_or(' ')
    };
    let columns = values.len().min(width);
    let column = |index: usize| {
        let of = |column: usize| column * values.len() / columns;
        let greatest = values[of(index)..of(index + 1)].iter().flatten().copied().filter(|value| !value.is_nan());
        greatest.reduce(f64::max).map_or(' ', level)
    };
    (0..columns).map(column).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparklines_are_scaled_to_levels_and_width() {
        let levels = ['0', '1', '2', '3', '4'];
        let some = |values: &[f64]| values.iter().copied().map(Some).collect::<Vec<_>>();
        for (values, width, expect) in [
            (some(&[0.0, 1.0, 2.0, 3.0, 4.0]), 9, "01234"),
            (some(&[1.0, 1.0, 9.0, 1.0, 2.0, 2.0]), 3, "041"),
            (some(&[-2.0, 0.0, 2.0]), 9, "024"),
            (some(&[0.0, 0.0]), 9, "00"),
            (some(&[7.0]), 9, "4"),
            (vec![None, Some(1.0), None, Some(f64::NAN), Some(f64::INFINITY), None], 9, " 4  4"),
            (vec![None, None], 9, ""),
            (vec![], 9, ""),
            (some(&[1.0, 2.0]), 0, ""),
        ] {
            assert_eq!(sparkline(&values, width, &levels), expect, "{values:?} in {width}");
        }
    }
}
