//! How things look on this terminal: how wide, in which letters, in which colours.

use crate::screen::Paint;
use std::io::IsTerminal as _;

/// The width when nobody says.
const USUAL_WIDTH: usize = 100;
/// Narrower than this nothing can be read.
const LEAST_WIDTH: usize = 40;
const MOST_WIDTH: usize = 400;

/// How things look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Columns.
    pub(crate) width: usize,
    /// Letters.
    pub(crate) glyphs: Glyphs,
    /// Colours.
    pub(crate) paint: Paint,
}

/// The marks that are drawn with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glyphs {
    /// Before a child that is followed by another.
    pub(crate) child: &'static str,
    /// Before the last child.
    pub(crate) last: &'static str,
    /// Below a child that is followed by another.
    pub(crate) rail: &'static str,
    /// What is cut off.
    pub(crate) more: char,
    /// What is left out.
    pub(crate) folded: &'static str,
    /// Something went wrong.
    pub(crate) error: &'static str,
    /// From one to another.
    pub(crate) to: &'static str,
    /// Between parts of a line.
    pub(crate) between: &'static str,
    /// Spans by kind: unspecified, internal, server, client, producer, consumer.
    pub(crate) kinds: [&'static str; 6],
    /// Pieces of a bar from an eighth to the whole of a column.
    pub(crate) bar: &'static [char],
    /// Columns from low to high.
    pub(crate) levels: &'static [char],
}

impl Glyphs {
    /// For terminals that know more than ASCII.
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

    /// For terminals that do not.
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

impl Look {
    /// How stdout looks, at the width that somebody asked for.
    pub(crate) fn of_stdout(width: Option<usize>, paint: Paint) -> Self {
        let seen = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
        let width = width.or_else(seen).unwrap_or(USUAL_WIDTH).clamp(LEAST_WIDTH, MOST_WIDTH);
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
        Self { width, glyphs: glyphs(locale.as_deref()), paint }
    }
}

/// The width for lines that nobody may cut off: all of it when no terminal reads them.
pub(crate) fn uncut(width: Option<usize>) -> Option<usize> {
    width.or_else(|| (!std::io::stdout().is_terminal()).then_some(MOST_WIDTH))
}

/// What a locale knows; where none is set, terminals of today know all of it.
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
    fn a_locale_says_which_letters() {
        for (locale, more) in
            [(None, '…'), (Some("C.UTF-8"), '…'), (Some("de_DE.utf8"), '…'), (Some("C"), '~'), (Some("POSIX"), '~')]
        {
            assert_eq!(glyphs(locale).more, more, "{locale:?}");
        }
    }
}
