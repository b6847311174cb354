//! Text output of pending approvals.

use crate::{
    form::{InputForm, escape_invisible},
    screen::{Paint, escape_for_terminal, one_line},
};
use baton_api::{ApprovalEntry, ApprovalKind};
use baton_types::Timestamp;
use std::time::Duration;

/// Maximum characters of a name from a third party.
const MAX_NAME_CHARS: usize = 120;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const MAX_HOURS_AGE: Duration = Duration::from_secs(48 * 60 * 60);

/// Lines for one approval: id and age, agent and request, up to `max_chars` characters of the arguments, and the chain.
pub(super) fn lines(entry: &ApprovalEntry, max_chars: usize, now: Timestamp, paint: Paint) -> Vec<String> {
    let mut lines = vec![format!("{}  {}", paint.strong(&one_line(&entry.id, 500)), paint.faint(&age(entry, now)))];
    let agent = paint.name(&one_line(&entry.agent, MAX_NAME_CHARS));
    let tool = one_line(entry.tool.as_deref().unwrap_or("a tool"), MAX_NAME_CHARS);
    let message = escape_for_terminal(&entry.message);
    lines.push(match entry.kind {
        ApprovalKind::Approval => format!("  {agent} wants to call {tool}"),
        ApprovalKind::Form => format!("  {agent}: {tool} asks for values: {message}"),
        ApprovalKind::Visit => format!("  {agent}: {tool} asks you to visit a URL: {message}"),
        ApprovalKind::Question => format!("  {agent} asks: {message}"),
    });
    if entry.kind != ApprovalKind::Question
        && let Some(arguments) = entry.arguments.as_ref().filter(|arguments| arguments.as_str() != "{}")
    {
        lines.push(format!("  with {}", escape_invisible(arguments.as_str(), max_chars)));
    }
    lines.extend(entry.url.iter().map(|url| format!("  visit {}", one_line(url, 2000))));
    lines.extend(entry.schema.iter().flat_map(|schema| InputForm::from_schema(schema).lines()));
    for question in &entry.further_questions {
        lines.push(format!("  and asks: {}", escape_for_terminal(&question.message)));
    }
    if !entry.chain.is_empty() {
        let chain: Vec<String> = entry.chain.iter().map(|agent| one_line(agent, MAX_NAME_CHARS)).collect();
        lines.push(format!("  for {}", chain.join(" → ")));
    }
    lines
}

/// Age of the approval.
fn age(entry: &ApprovalEntry, now: Timestamp) -> String {
    let Some(asked_at) = entry.asked_at else { return String::new() };
    let waited = asked_at.until(now);
    let (count, unit) = match waited {
        waited if waited < MINUTE => return "just now".to_owned(),
        waited if waited < HOUR => (waited.as_secs() / MINUTE.as_secs(), "min"),
        waited if waited < MAX_HOURS_AGE => (waited.as_secs() / HOUR.as_secs(), "h"),
        _ => {
            let text = asked_at.to_string();
            return format!("since {}", text.split('T').next().unwrap_or(&text));
        }
    };
    format!("{count} {unit} ago")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_rounded_down() {
        let asked = Timestamp::parse("2026-11-16T08:00:00.000Z").unwrap();
        let entry = ApprovalEntry { asked_at: Some(asked), ..ApprovalEntry::default() };
        for (seconds, expect) in [
            (0, "just now"),
            (59, "just now"),
            (60, "1 min ago"),
            (3599, "59 min ago"),
            (3600, "1 h ago"),
            (172_799, "47 h ago"),
            (172_800, "since 2026-11-16"),
        ] {
            assert_eq!(age(&entry, asked.after(Duration::from_secs(seconds))), expect, "{seconds}");
        }
    }

    #[test]
    fn invisible_characters_in_arguments_are_escaped() {
        assert_eq!(escape_invisible("a\u{202e}b\u{7}\u{200b}c", 100), r"a\u202eb\u0007\u200bc");
        assert_eq!(escape_invisible("abcdef", 4), "abcd… and 2 more characters");
    }
}
