//! Parser of the actions of a rule.

use super::{
    condition::RuleCondition,
    rule::{AnswerContent, AnswerDelay, JsonSource, JsonTemplate, RuleAction, RuleEnd, RuleFailure, RuleToolCall},
    template::PlaybookTemplate,
};
use baton_document::{DocumentNode, DocumentReader, Fields, NodeValue, SourceLocation};
use std::time::Duration;

const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
const MAX_PIECES: u64 = 1_000_000;
const MAX_CALLS: usize = 64;

/// Parses all actions of a rule.
pub(super) fn action(reader: &mut DocumentReader, fields: &mut Fields, when: &RuleCondition) -> RuleAction {
    let errors = reader.error_count();
    let mut parser = ActionParser { reader, captures: when.capture_names() };
    let action = RuleAction {
        think: fields.take("think").and_then(|node| parser.template("think", &node)),
        wait: fields.take("wait").and_then(|node| parser.wait(&node)),
        content: parser.speech(fields),
        calls: fields.take("call").map(|node| parser.calls(node)).unwrap_or_default(),
        end: parser.ending(fields),
    };
    // Skipped after other errors: a rule with a mistyped key or value is not reported as empty as well.
    if fields.is_empty() && parser.reader.error_count() == errors {
        parser.check_consistency(fields.location, &action);
    }
    action
}

struct ActionParser<'a> {
    reader: &'a mut DocumentReader,
    captures: Vec<String>,
}

impl ActionParser<'_> {
    fn template(&mut self, key: &str, node: &DocumentNode) -> Option<PlaybookTemplate> {
        let text = match &node.value {
            NodeValue::Number(_) | NodeValue::Bool(_) => node.to_json().to_string(),
            _ => self.reader.text(key, node)?.value,
        };
        self.parse_template(node.location, &text)
    }

    fn parse_template(&mut self, location: SourceLocation, text: &str) -> Option<PlaybookTemplate> {
        match PlaybookTemplate::parse(text, &self.captures) {
            Ok(template) => Some(template),
            Err(error) => {
                let valid_names =
                    "result, result./pointer, results, args.NAME, user, tools, agent, turn, attempt, unique";
                let captures = self.captures.join(", ");
                let hint = match captures.as_str() {
                    "" => {
                        format!("known: {valid_names}; name a capture with (?P<name>...), write $${{ for a literal ${{")
                    }
                    _ => format!("known: {valid_names}, and the captures {captures}; write $${{ for a literal ${{"),
                };
                self.reader.error(location, error.to_string(), hint);
                None
            }
        }
    }

    fn wait(&mut self, node: &DocumentNode) -> Option<AnswerDelay> {
        if node.value == NodeValue::Text("forever".to_owned()) {
            return Some(AnswerDelay::Forever);
        }
        self.reader.duration("wait", node, Duration::ZERO, MAX_WAIT).map(AnswerDelay::For)
    }

    fn speech(&mut self, fields: &mut Fields) -> Option<AnswerContent> {
        let say = fields.take("say");
        let json = fields.take("say_json");
        let long = fields.take("long");
        let repeat = fields.take("repeat");
        if [&say, &json, &long].into_iter().flatten().count() > 1 {
            self.reader.error(
                fields.location,
                "a rule has more than one of say, say_json and long",
                "keep one of them",
            );
            return None;
        }
        if repeat.is_some() && say.is_none() {
            self.reader.error(fields.location, "repeat needs a say to repeat", "add say, or use long instead");
        }
        let times = repeat.and_then(|node| self.reader.integer("repeat", &node, 1, MAX_PIECES)).unwrap_or(1);
        if let Some(node) = say {
            return Some(AnswerContent::Text { text: self.template("say", &node)?, times });
        }
        if let Some(node) = json {
            return Some(AnswerContent::Json(self.json(node)?));
        }
        let pieces = self.reader.integer("long", &long?, 1, MAX_PIECES)?;
        Some(AnswerContent::Long { pieces })
    }

    /// `auto`, or a value with templates in it.
    fn json(&mut self, node: DocumentNode) -> Option<JsonSource> {
        if node.value == NodeValue::Text("auto".to_owned()) {
            return Some(JsonSource::Schema);
        }
        self.shape(node).map(JsonSource::Template)
    }

    fn shape(&mut self, node: DocumentNode) -> Option<JsonTemplate> {
        match node.value {
            NodeValue::Text(text) => self.parse_template(node.location, &text).map(JsonTemplate::Text),
            NodeValue::List(nodes) => {
                nodes.into_iter().map(|node| self.shape(node)).collect::<Option<_>>().map(JsonTemplate::List)
            }
            NodeValue::Map(entries) => {
                let entries = entries.into_iter().map(|entry| Some((entry.key, self.shape(entry.node)?)));
                entries.collect::<Option<_>>().map(JsonTemplate::Map)
            }
            _ => Some(JsonTemplate::Plain(node.to_json())),
        }
    }

    fn calls(&mut self, node: DocumentNode) -> Vec<RuleToolCall> {
        let location = node.location;
        let nodes = match node.value {
            NodeValue::List(nodes) => nodes,
            _ => vec![node],
        };
        if nodes.len() > MAX_CALLS {
            self.reader.error(
                location,
                format!("a rule makes {} calls", nodes.len()),
                format!("keep it to {MAX_CALLS}"),
            );
            return Vec::new();
        }
        nodes.into_iter().filter_map(|node| self.call(node)).collect()
    }

    fn call(&mut self, node: DocumentNode) -> Option<RuleToolCall> {
        if let NodeValue::Text(tool) = node.value {
            return Some(RuleToolCall { tool, args: JsonSource::Template(JsonTemplate::Map(Vec::new())) });
        }
        let mut fields = Fields::open(self.reader, "a call", node)?;
        let tool = fields.required_text(self.reader, "tool", "name the tool: { tool: get_weather, args: {...} }");
        let args = match fields.take("args") {
            None => Some(JsonSource::Template(JsonTemplate::Map(Vec::new()))),
            Some(node) => {
                let fits = matches!(&node.value, NodeValue::Map(_)) || node.value == NodeValue::Text("auto".to_owned());
                if fits {
                    self.json(node)
                } else {
                    self.reader.report_expected("args", "a map of keys or `auto`", &node)
                }
            }
        };
        fields.finish(self.reader);
        Some(RuleToolCall { tool: tool?.value, args: args? })
    }

    fn ending(&mut self, fields: &mut Fields) -> RuleEnd {
        let fail = fields.take("fail");
        let refuse = fields.take("refuse");
        if fail.is_some() && refuse.is_some() {
            self.reader.error(fields.location, "a rule cannot both fail and refuse", "keep one of them");
        }
        if let Some(node) = fail {
            return self.failure(node).map_or(RuleEnd::Normal, RuleEnd::Fail);
        }
        match refuse {
            Some(node) => self.template("refuse", &node).map_or(RuleEnd::Normal, RuleEnd::Refuse),
            None => RuleEnd::Normal,
        }
    }

    fn failure(&mut self, node: DocumentNode) -> Option<RuleFailure> {
        if let NodeValue::Text(_) = node.value {
            let message = self.template("fail", &node)?;
            return Some(RuleFailure { status: None, message, retry_after: None });
        }
        let mut fields = Fields::open(self.reader, "fail", node)?;
        let status = fields.take("status").and_then(|n| self.reader.integer("status", &n, 400, 599));
        let message = match fields.take("message") {
            Some(node) => self.template("message", &node),
            None => self.parse_template(fields.location, "simulated failure of the playbook"),
        };
        let zero = Duration::ZERO;
        let retry_after =
            fields.take("retry_after").and_then(|n| self.reader.duration("retry_after", &n, zero, MAX_WAIT));
        fields.finish(self.reader);
        Some(RuleFailure { status: status.and_then(|n| u16::try_from(n).ok()), message: message?, retry_after })
    }

    fn check_consistency(&mut self, location: SourceLocation, action: &RuleAction) {
        let speaks = action.content.is_some() || !action.calls.is_empty();
        let acts = speaks || action.wait.is_some() || action.think.is_some() || !matches!(action.end, RuleEnd::Normal);
        if !acts {
            let hint = "add one of: say, call, say_json, long, think, wait, fail, refuse";
            self.reader.error(location, "the rule does nothing", hint);
        }
        if speaks && matches!(action.end, RuleEnd::Refuse(_)) {
            let hint = "put the text under refuse, and remove say and call";
            self.reader.error(location, "a rule that refuses cannot also say or call", hint);
        }
    }
}
