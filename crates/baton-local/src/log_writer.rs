//! Log output to stderr, without terminal control characters.

use baton_types::{escape_json, escape_text};
use std::io::{self, IsTerminal as _, Write};
use tracing_subscriber::fmt::MakeWriter;

/// Writes log lines to stderr. Control characters in untrusted text are escaped, so the formatter must not emit
/// colours; the level is coloured here.
#[derive(Clone, Copy, Debug)]
pub struct LogWriter {
    form: LineForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineForm {
    Json,
    Text { colour: bool },
}

impl LogWriter {
    /// Writer for JSON lines.
    pub fn json() -> Self {
        Self { form: LineForm::Json }
    }

    /// Writer for text lines, with colours if requested and stderr is a terminal.
    pub fn text(wants_colour: bool) -> Self {
        Self { form: LineForm::Text { colour: wants_colour && io::stderr().is_terminal() } }
    }

    fn line(self, line: &str) -> String {
        match self.form {
            LineForm::Json => escape_json(line).into_owned(),
            LineForm::Text { colour: false } => escape_text(line).into_owned(),
            LineForm::Text { colour: true } => coloured(&escape_text(line)),
        }
    }
}

/// The line with its level in colour; the text before the level is the time.
fn coloured(line: &str) -> String {
    let levels = [("ERROR", "31"), ("WARN", "33"), ("INFO", "32"), ("DEBUG", "34"), ("TRACE", "35")];
    let mut parts = line.splitn(2, ' ');
    let (time, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let level = levels.iter().find(|(level, _)| rest.trim_start().starts_with(level));
    let Some((level, code)) = level else { return line.to_owned() };
    format!("{time} {}", rest.replacen(level, &format!("\u{1b}[{code}m{level}\u{1b}[0m"), 1))
}

impl Write for LogWriter {
    /// Each call receives a complete line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(self.line(&String::from_utf8_lossy(line)).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = Self;

    fn make_writer(&'a self) -> Self::Writer {
        *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_level_is_coloured_and_controls_are_escaped() {
        let said = "2026-01-01T00:00:00Z  WARN baton: title=\u{1b}]52;c;aGk=\u{7}\u{9b}1m ERROR\n";
        let plain = LogWriter { form: LineForm::Text { colour: false } }.line(said);
        assert_eq!(plain, "2026-01-01T00:00:00Z  WARN baton: title=\\u{1b}]52;c;aGk=\\u{7}\\u{9b}1m ERROR\n");
        let coloured = LogWriter { form: LineForm::Text { colour: true } }.line(said);
        assert_eq!(coloured, plain.replacen("WARN", "\u{1b}[33mWARN\u{1b}[0m", 1));
        let json = LogWriter::json().line("{\"title\":\"\u{9b}\u{7f}\"}\n");
        assert_eq!(json, "{\"title\":\"\\u009b\\u007f\"}\n");
    }
}
