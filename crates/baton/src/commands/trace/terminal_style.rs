//! Output style of the terminal: width, glyphs and colors.

use crate::screen::Paint;
use std::io::IsTerminal as _;

/// Default width, in columns.
const DEFAULT_WIDTH: usize = 100;
/// Minimum width for readable output.
const MIN_WIDTH: usize = 40;
const MAX_WIDTH: usize = 400;

/// Output style.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TerminalStyle {
    /// Width in columns.
    pub(crate) width: usize,
    /// Character set.
    pub(crate) glyphs: Glyphs,
    /// Colors.
    pub(crate) paint: Paint,
}

/// Characters for drawing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glyphs {
    /// Before a child that is followed by another.
    pub(crate) child: &'static str,
    /// Before the last child.
    pub(crate) last: &'static str,
    /// Below a child that is followed by another.
    pub(crate) rail: &'static str,
    /// Truncation mark.
    pub(crate) more: char,
    /// Mark of omitted rows.
    pub(crate) folded: &'static str,
    /// Error mark.
    pub(crate) error: &'static str,
    /// Arrow between two parties.
    pub(crate) to: &'static str,
    /// Separator between parts of a line.
    pub(crate) between: &'static str,
    /// Marks of span kinds: unspecified, internal, server, client, producer, consumer.
    pub(crate) kinds: [&'static str; 6],
    /// Bar segments, from one eighth to a full column.
    pub(crate) bar: &'static [char],
    /// Sparkline levels, from low to high.
    pub(crate) levels: &'static [char],
}

impl Glyphs {
    /// Glyphs for terminals with Unicode support.
    pub(crate) const UNICODE: Self = Self {
        child: "├ ",
        last: "└ ",
        rail: "│ ",
        more: '…',
        folded: "⋯",
        error: "✗",
        to: "→",
        between: " · ",
        kinds: ["•", "•", "◂", "▸", "▸▸", "◂◂"],
        bar: &['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'],
        levels: &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
    };

    /// Glyphs for ASCII terminals.
    pub(crate) const ASCII: Self = Self {
        child: "|-",
        last: "`-",
        rail: "| ",
        more: '~',
        folded: "...",
        error: "!",
        to: "->",
        between: ", ",
        kinds: ["*", "*", "<", ">", ">>", "<<"],
        bar: &['#'],
        levels: &['_', '.', ':', '-', '=', '+', '*', '#'],
    };
}

impl TerminalStyle {
    /// Style of stdout, with an explicit width if given.
    pub(crate) fn for_stdout(width: Option<usize>, paint: Paint) -> Self {
        let seen = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
        let width = width.or_else(seen).unwrap_or(DEFAULT_WIDTH).clamp(MIN_WIDTH, MAX_WIDTH);
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
        Self { width, glyphs: glyphs(locale.as_deref()), paint }
    }
}

/// Width for lines that must not be truncated: the maximum if stdout is not a terminal.
pub(crate) fn untruncated_width(width: Option<usize>) -> Option<usize> {
    width.or_else(|| (!std::io::stdout().is_terminal()).then_some(MAX_WIDTH))
}

/// Glyphs for a locale; Unicode if none is set.
fn glyphs(locale: Option<&str>) -> Glyphs {
    let locale = locale.map(str::to_ascii_lowercase);
    match locale {
        Some(locale) if !locale.contains("utf-8") && !locale.contains("utf8") => Glyphs::ASCII,
        _ => Glyphs::UNICODE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locale_selects_the_glyphs() {
        for (locale, more) in
            [(None, '…'), (Some("C.UTF-8"), '…'), (Some("de_DE.utf8"), '…'), (Some("C"), '~'), (Some("POSIX"), '~')]
        {
            assert_eq!(glyphs(locale).more, more, "{locale:?}");
        }
    }
}
