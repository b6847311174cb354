//! Measured figures of README and docs are those of the benchmark's report.
//!
//! A block starts with `<!-- figures: NAME -->` and ends with `<!-- end of figures -->`. `make bench` copies the blocks
//! of the report into the other pages.

use crate::{Tree, Violation};
use std::collections::BTreeMap;

/// The report of the benchmark.
pub const REPORT: &str = "bench/RESULTS.md";

/// Pages that repeat blocks of the report; each has at least one.
pub const PAGES: &[&str] = &["README.md", "bench/README.md", "docs/performance.md"];

const BEGIN: &str = "<!-- figures: ";
const END: &str = "<!-- end of figures -->";

/// Blocks that differ from the report, and figures outside of blocks under README's heading "Performance".
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut report = BTreeMap::new();
    for block in blocks(tree, REPORT, &mut violations) {
        if report.insert(block.name, block.text).is_some() {
            violations.push(Violation::new(REPORT, format!("has two blocks named '{}'", block.name)));
        }
    }
    for page in PAGES {
        let found = blocks(tree, page, &mut violations);
        if found.is_empty() {
            violations.push(Violation::new(*page, format!("repeats no figures of {REPORT}")));
        }
        for block in found {
            let location = format!("{page}: figures '{}'", block.name);
            match report.get(block.name) {
                None => violations.push(Violation::new(location, format!("are not in {REPORT}"))),
                Some(text) if *text != block.text => {
                    let rule = format!("differ from {REPORT}; `python3 bench/report.py` copies them");
                    violations.push(Violation::new(location, rule));
                }
                Some(_) => {}
            }
        }
    }
    violations.extend(loose_figures(tree.text("README.md").unwrap_or_default()));
    violations
}

struct FigureBlock<'a> {
    name: &'a str,
    text: &'a str,
}

/// The blocks of a page; malformed ones are violations.
fn blocks<'a>(tree: &'a Tree, page: &str, violations: &mut Vec<Violation>) -> Vec<FigureBlock<'a>> {
    let Some(text) = tree.text(page) else {
        violations.push(Violation::new(page, "is missing"));
        return Vec::new();
    };
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some((_, begun)) = rest.split_once(BEGIN) {
        let block = begun.split_once(" -->\n").and_then(|(name, after)| Some((name, after.split_once(END)?)));
        match block {
            Some((name, (text, after))) if !text.contains(BEGIN) => {
                found.push(FigureBlock { name, text });
                rest = after;
            }
            _ => {
                let name = begun.split_whitespace().next().unwrap_or_default();
                violations.push(Violation::new(page, format!("the block '{name}' has no end")));
                break;
            }
        }
    }
    found
}

/// Lines below "## Performance" of README, outside of blocks, with a figure such as `14,032` or `1.81`.
fn loose_figures(readme: &str) -> Vec<Violation> {
    let (mut violations, mut section, mut block) = (Vec::new(), false, false);
    for (number, line) in readme.lines().enumerate() {
        match line {
            _ if line.starts_with("## ") => section = line == "## Performance",
            _ if line.starts_with(BEGIN) => block = true,
            END => block = false,
            _ if section && !block && has_figure(line) => {
                let rule = format!("a measured figure outside of a block; repeat one of {REPORT}");
                violations.push(Violation::new(format!("README.md:{}", number + 1), rule));
            }
            _ => {}
        }
    }
    violations
}

fn has_figure(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.windows(3).any(|part| part[0].is_ascii_digit() && matches!(part[1], b',' | b'.') && part[2].is_ascii_digit())
}
