//! Output of the program: data on stdout, messages on stderr.
//!
//! Much of the output is untrusted text of agents, peers, models and tools. All of it is escaped here, at the last
//! step, so that it cannot control a terminal; only colour codes added by [`Paint`] pass.

use crate::failure::{CliError, Exit, diagnostic_json};
use baton_document::Diagnostic;
use baton_types::{escape_json, escape_text};
use std::{
    borrow::Cow,
    hash::{BuildHasher as _, RandomState},
    io::{self, IsTerminal, Write},
    sync::{LazyLock, OnceLock},
};

/// Placeholder for the start of a colour code until the text is written. It is random per process and never printed, so
/// untrusted text cannot contain it.
static COLOUR_MARK: LazyLock<String> = LazyLock::new(|| {
    let drawn = RandomState::new().hash_one("colour").to_le_bytes();
    let private = |pair: &[u8]| 0xf_0000 + u32::from(pair[0]) * 0x80 + u32::from(pair[1]) % 0x80;
    drawn.chunks(2).filter_map(|pair| char::from_u32(private(pair))).collect()
});

/// The first write error on stdout; one per process, like stdout.
static FIRST_WRITE_ERROR: OnceLock<io::Error> = OnceLock::new();

/// Output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScreenFormat {
    /// For people.
    Text,
    /// `--json`.
    Json,
}

/// stdout and stderr with their format and colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    format: ScreenFormat,
    stdout: Paint,
    stderr: Paint,
}

impl Screen {
    pub(crate) fn new(format: ScreenFormat) -> Self {
        let allowed = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let stdout = Paint { enabled: allowed && io::stdout().is_terminal() };
        let stderr = Paint { enabled: allowed && io::stderr().is_terminal() };
        Self { format, stdout, stderr }
    }

    /// Whether `--json` was given.
    pub(crate) fn is_json(self) -> bool {
        self.format == ScreenFormat::Json
    }

    /// Colours of stdout.
    pub(crate) fn stdout_paint(self) -> Paint {
        self.stdout
    }

    /// Colours of stderr.
    pub(crate) fn stderr_paint(self) -> Paint {
        self.stderr
    }

    /// Prints a line of data to stdout.
    pub(crate) fn print(self, line: &str) {
        record_write_error(writeln!(io::stdout(), "{}", self.escaped(line)));
    }

    /// Prints JSON to stdout, in either format.
    pub(crate) fn print_json(self, json: &str) {
        record_write_error(writeln!(io::stdout(), "{}", escape_json(json)));
    }

    /// Writes data without a line end to stdout, and flushes.
    pub(crate) fn stream(self, text: &str) {
        let mut out = io::stdout();
        record_write_error(out.write_all(self.escaped(text).as_bytes()).and_then(|()| out.flush()));
    }

    /// Prints a message line to stderr.
    pub(crate) fn print_stderr(self, line: &str) {
        let _ = writeln!(io::stderr(), "{}", self.escaped(line));
    }

    /// Writes a message without a line end to stderr, such as a prompt.
    pub(crate) fn prompt(self, text: &str) {
        let mut out = io::stderr();
        let _ = out.write_all(self.escaped(text).as_bytes()).and_then(|()| out.flush());
    }

    fn escaped(self, text: &str) -> Cow<'_, str> {
        match self.format {
            ScreenFormat::Text => render(text),
            ScreenFormat::Json => escape_json(text),
        }
    }

    /// The error to report at exit if data could not be written, for example on a full disk.
    pub(crate) fn write_failure(self) -> Option<CliError> {
        let error = FIRST_WRITE_ERROR.get()?;
        let failure = CliError::without_code(Exit::Server, format!("the output could not be written: {error}"));
        Some(failure.hint("Free some disk space or write to another disk, then run the command again."))
    }

    /// Prints a diagnostic about a file.
    pub(crate) fn diagnostic(self, diagnostic: &Diagnostic) {
        if self.is_json() {
            self.print_stderr(&diagnostic_json(diagnostic).to_string());
            return;
        }
        let severity = match diagnostic.is_error() {
            true => self.stderr.bad("error"),
            false => self.stderr.warn("warning"),
        };
        let Diagnostic { file, line, column, message, .. } = diagnostic;
        self.print_stderr(&format!(
            "{}: {severity}: {message}",
            self.stderr.strong(&format!("{file}:{line}:{column}"))
        ));
        if let Some(hint) = &diagnostic.hint {
            self.print_stderr(&format!("  hint: {hint}"));
        }
    }
}

/// The text as it is written: escaped, with the colour codes of [`Paint`].
pub(crate) fn render(text: &str) -> Cow<'_, str> {
    if !text.contains(COLOUR_MARK.as_str()) {
        return escape_text(text);
    }
    let mut pieces = text.split(COLOUR_MARK.as_str());
    let mut line = pieces.next().map(escape_text).unwrap_or_default().into_owned();
    for piece in pieces {
        line.push_str("\u{1b}[");
        line.push_str(&escape_text(piece));
    }
    Cow::Owned(line)
}

/// Writes a protocol message to stdout: JSON on one line.
pub(crate) fn write_message(json: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", escape_json(json))?;
    out.flush()
}

/// Records a write error. A closed pipe is not an error: the reader needs no more data.
fn record_write_error(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        // Only the first error is kept; later ones have the same cause.
        let _ = FIRST_WRITE_ERROR.set(error);
    }
}

/// Colours, enabled if the output is a terminal that allows them. Colour is never the only indication of anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    enabled: bool,
}

impl Paint {
    /// No colours.
    #[cfg(test)]
    pub(crate) const PLAIN: Self = Self { enabled: false };
    /// Colours regardless of the output.
    #[cfg(test)]
    pub(crate) const ALWAYS_COLOURED: Self = Self { enabled: true };

    fn wrap(self, code: &str, text: &str) -> String {
        match self.enabled {
            true => format!("{mark}{code}m{text}{mark}0m", mark = *COLOUR_MARK),
            false => text.to_owned(),
        }
    }

    /// Headings.
    pub(crate) fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// Secondary text.
    pub(crate) fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// Names.
    pub(crate) fn name(self, text: &str) -> String {
        self.wrap("36", text)
    }

    /// Success.
    pub(crate) fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// Warnings.
    pub(crate) fn warn(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// Errors.
    pub(crate) fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }
}

/// Rows with aligned columns; the last column is not padded.
pub(crate) fn columns<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Untrusted text on one line of at most `max_chars` characters, without control characters.
pub(crate) fn one_line(text: &str, max_chars: usize) -> String {
    let mut line = String::new();
    for (index, c) in text.trim().chars().enumerate() {
        if index == max_chars {
            line.push('…');
            break;
        }
        line.push(if c.is_control() { ' ' } else { c });
    }
    line
}

/// Untrusted text with terminal control characters escaped.
pub(crate) fn escape_for_terminal(text: &str) -> String {
    escape_text(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_baton_colours_reach_a_terminal() {
        let foreign = "\u{1b}[31mred\u{1b}[0m \u{1b}]52;c;aGk=\u{7}";
        let shown = "\\u{1b}[31mred\\u{1b}[0m \\u{1b}]52;c;aGk=\\u{7}";
        assert_eq!(render(foreign), shown);
        let painted = format!("{}: {foreign}", Paint::ALWAYS_COLOURED.bad(foreign));
        assert_eq!(render(&painted), format!("\u{1b}[31m{shown}\u{1b}[0m: {shown}"));
        assert_eq!(render(&Paint::PLAIN.bad(foreign)), shown);
        assert_eq!(COLOUR_MARK.chars().count(), 4, "as long as was drawn");
    }
}
