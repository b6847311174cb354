//! Parser of the actions of a rule.

use super::{
    condition::Condition,
    rule::{Action, Call, Ending, Failure, JsonSource, Shape, Speech, Wait},
    template::Template,
};
use baton_agentdir::document::{Fields, Node, Place, Reader, Value};
use std::time::Duration;

const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
const MAX_PIECES: u64 = 1_000_000;
const MAX_CALLS: usize = 64;

/// Parses all actions of a rule.
pub(super) fn action(reader: &mut Reader, fields: &mut Fields, when: &Condition) -> Action {
    let errors = reader.errors();
    let mut parser = Parser { reader, captures: when.capture_names() };
    let action = Action {
        think: fields.take("think").and_then(|node| parser.template("think", &node)),
        wait: fields.take("wait").and_then(|node| parser.wait(&node)),
        speech: parser.speech(fields),
        calls: fields.take("call").map(|node| parser.calls(node)).unwrap_or_default(),
        ending: parser.ending(fields),
    };
    // Skipped after other errors: a rule with a mistyped key or value is not reported as empty as well.
    if fields.is_empty() && parser.reader.errors() == errors {
        parser.consistent(fields.place, &action);
    }
    action
}

struct Parser<'a> {
    reader: &'a mut Reader,
    captures: Vec<String>,
}

impl Parser<'_> {
    fn template(&mut self, what: &str, node: &Node) -> Option<Template> {
        let text = match &node.value {
            Value::Number(_) | Value::Bool(_) => node.to_json().to_string(),
            _ => self.reader.text(what, node)?.value,
        };
        self.parse_template(node.place, &text)
    }

    fn parse_template(&mut self, place: Place, text: &str) -> Option<Template> {
        match Template::parse(text, &self.captures) {
            Ok(template) => Some(template),
            Err(error) => {
                let known = "result, result./pointer, results, args.NAME, user, tools, agent, turn, attempt, unique";
                let captures = self.captures.join(", ");
                let hint = match captures.as_str() {
                    "" => format!("known: {known}; name a capture with (?P<name>...), write $${{ for a literal ${{"),
                    _ => format!("known: {known}, and the captures {captures}; write $${{ for a literal ${{"),
                };
                self.reader.error(place, error.to_string(), hint);
                None
            }
        }
    }

    fn wait(&mut self, node: &Node) -> Option<Wait> {
        if node.value == Value::Text("forever".to_owned()) {
            return Some(Wait::Forever);
        }
        self.reader.duration("wait", node, Duration::ZERO, MAX_WAIT).map(Wait::For)
    }

    fn speech(&mut self, fields: &mut Fields) -> Option<Speech> {
        let say = fields.take("say");
        let json = fields.take("say_json");
        let long = fields.take("long");
        let repeat = fields.take("repeat");
        if [&say, &json, &long].into_iter().flatten().count() > 1 {
            self.reader.error(fields.place, "a rule has more than one of say, say_json and long", "keep one of them");
            return None;
        }
        if repeat.is_some() && say.is_none() {
            self.reader.error(fields.place, "repeat needs a say to repeat", "add say, or use long instead");
        }
        let times = repeat.and_then(|node| self.reader.integer("repeat", &node, 1, MAX_PIECES)).unwrap_or(1);
        if let Some(node) = say {
            return Some(Speech::Text { text: self.template("say", &node)?, times });
        }
        if let Some(node) = json {
            return Some(Speech::Json(self.json(node)?));
        }
        let pieces = self.reader.integer("long", &long?, 1, MAX_PIECES)?;
        Some(Speech::Long { pieces })
    }

    /// `auto`, or a value with templates in it.
    fn json(&mut self, node: Node) -> Option<JsonSource> {
        if node.value == Value::Text("auto".to_owned()) {
            return Some(JsonSource::Schema);
        }
        self.shape(node).map(JsonSource::Written)
    }

    fn shape(&mut self, node: Node) -> Option<Shape> {
        match node.value {
            Value::Text(text) => self.parse_template(node.place, &text).map(Shape::Text),
            Value::List(nodes) => {
                nodes.into_iter().map(|node| self.shape(node)).collect::<Option<_>>().map(Shape::List)
            }
            Value::Map(entries) => {
                let entries = entries.into_iter().map(|entry| Some((entry.key, self.shape(entry.node)?)));
                entries.collect::<Option<_>>().map(Shape::Map)
            }
            _ => Some(Shape::Plain(node.to_json())),
        }
    }

    fn calls(&mut self, node: Node) -> Vec<Call> {
        let place = node.place;
        let nodes = match node.value {
            Value::List(nodes) => nodes,
            _ => vec![node],
        };
        if nodes.len() > MAX_CALLS {
            self.reader.error(place, format!("a rule makes {} calls", nodes.len()), format!("keep it to {MAX_CALLS}"));
            return Vec::new();
        }
        nodes.into_iter().filter_map(|node| self.call(node)).collect()
    }

    fn call(&mut self, node: Node) -> Option<Call> {
        if let Value::Text(tool) = node.value {
            return Some(Call { tool, args: JsonSource::Written(Shape::Map(Vec::new())) });
        }
        let mut fields = Fields::open(self.reader, "a call", node)?;
        let tool = fields.required_text(self.reader, "tool", "name the tool: { tool: get_weather, args: {...} }");
        let args = match fields.take("args") {
            None => Some(JsonSource::Written(Shape::Map(Vec::new()))),
            Some(node) => {
                let fits = matches!(&node.value, Value::Map(_)) || node.value == Value::Text("auto".to_owned());
                if fits {
                    self.json(node)
                } else {
                    self.reader.expected("args", "a map of keys or `auto`", &node)
                }
            }
        };
        fields.finish(self.reader);
        Some(Call { tool: tool?.value, args: args? })
    }

    fn ending(&mut self, fields: &mut Fields) -> Ending {
        let fail = fields.take("fail");
        let refuse = fields.take("refuse");
        if fail.is_some() && refuse.is_some() {
            self.reader.error(fields.place, "a rule cannot both fail and refuse", "keep one of them");
        }
        if let Some(node) = fail {
            return self.failure(node).map_or(Ending::Usual, Ending::Fail);
        }
        match refuse {
            Some(node) => self.template("refuse", &node).map_or(Ending::Usual, Ending::Refuse),
            None => Ending::Usual,
        }
    }

    fn failure(&mut self, node: Node) -> Option<Failure> {
        if let Value::Text(_) = node.value {
            let message = self.template("fail", &node)?;
            return Some(Failure { status: None, message, retry_after: None });
        }
        let mut fields = Fields::open(self.reader, "fail", node)?;
        let status = fields.take("status").and_then(|n| self.reader.integer("status", &n, 400, 599));
        let message = match fields.take("message") {
            Some(node) => self.template("message", &node),
            None => self.parse_template(fields.place, "simulated failure of the playbook"),
        };
        let zero = Duration::ZERO;
        let retry_after =
            fields.take("retry_after").and_then(|n| self.reader.duration("retry_after", &n, zero, MAX_WAIT));
        fields.finish(self.reader);
        Some(Failure { status: status.and_then(|n| u16::try_from(n).ok()), message: message?, retry_after })
    }

    fn consistent(&mut self, place: Place, action: &Action) {
        let speaks = action.speech.is_some() || !action.calls.is_empty();
        let acts = speaks || action.wait.is_some() || action.think.is_some() || !matches!(action.ending, Ending::Usual);
        if !acts {
            let hint = "add one of: say, call, say_json, long, think, wait, fail, refuse";
            self.reader.error(place, "the rule does nothing", hint);
        }
        if speaks && matches!(action.ending, Ending::Refuse(_)) {
            let hint = "put the text under refuse, and remove say and call";
            self.reader.error(place, "a rule that refuses cannot also say or call", hint);
        }
    }
}
