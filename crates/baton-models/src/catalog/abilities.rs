//! Abilities by families of models, from a table that `abilities.py` makes.

use std::sync::LazyLock;

/// What a family of models can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Abilities {
    pub(super) window: u64,
    pub(super) max_output: u64,
    pub(super) images: bool,
}

/// Prefixes in their order.
static TABLE: LazyLock<Vec<(&'static str, Abilities)>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        let name = cells.next()?;
        let (window, max_output) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
        Some((name, Abilities { window, max_output, images: cells.next()? == "images" }))
    };
    include_str!("abilities.tsv").lines().filter_map(row).collect()
});

/// The family with the longest prefix of the name; regions and makers in front of it do not count.
pub(super) fn of(model: &str) -> Option<Abilities> {
    let model = model.rsplit('/').next().unwrap_or(model);
    let region = model.split_once('.').filter(|(region, _)| matches!(*region, "us" | "eu" | "apac" | "global"));
    let model = region.map_or(model, |(_, model)| model);
    let model = model.strip_prefix("anthropic.").unwrap_or(model);
    let fits = TABLE.iter().filter(|(prefix, _)| {
        // `o1` is not a prefix of `o10`, nor `gpt-4` of `gpt-4.5`.
        model.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':', '@']))
    });
    fits.max_by_key(|(prefix, _)| prefix.len()).map(|(_, abilities)| *abilities)
}
