//! Recursive validation of a value against a schema.

use super::parts;
use serde_json::{Map, Value};

/// Maximum nesting depth; deeper parts of a value are not checked.
const MAX_DEPTH: usize = 48;
/// Maximum number of schema nodes visited per check; the rest of the schema is ignored.
const MAX_STEPS: usize = 20_000;
/// Maximum number of reported violations; a model fixes only a few at a time.
const MAX_FAULTS: usize = 8;

/// Validates a value and returns the violations; empty if it is valid. References are resolved only within the schema:
/// nothing is fetched, and unresolved references and unknown keywords accept every value.
pub(crate) fn check(schema: &Map<String, Value>, value: &Value) -> Vec<String> {
    let mut walk = SchemaWalk { root: schema, steps: 0, faults: Vec::new() };
    walk.keywords(schema, value, &ValuePath::Root, 0);
    walk.faults
}

/// Path to a part of the value.
pub(super) enum ValuePath<'a> {
    Root,
    Member(&'a ValuePath<'a>, &'a str),
    Entry(&'a ValuePath<'a>, usize),
}

impl ValuePath<'_> {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Root => "the arguments".to_owned(),
            Self::Member(ValuePath::Root, name) => format!("'{name}'"),
            Self::Entry(ValuePath::Root, index) => format!("[{index}]"),
            _ => format!("'{}'", self.path()),
        }
    }

    fn path(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Member(ValuePath::Root, name) => (*name).to_owned(),
            Self::Member(within, name) => format!("{}.{name}", within.path()),
            Self::Entry(within, index) => format!("{}[{index}]", within.path()),
        }
    }
}

struct SchemaWalk<'a> {
    root: &'a Map<String, Value>,
    steps: usize,
    faults: Vec<String>,
}

impl<'a> SchemaWalk<'a> {
    fn schema(&mut self, schema: &'a Value, value: &Value, path: &ValuePath<'_>, depth: usize) {
        match schema {
            Value::Bool(false) => self.fault(format!("{} is not allowed", path.name())),
            Value::Object(keys) => self.keywords(keys, value, path, depth),
            _ => {}
        }
    }

    fn keywords(&mut self, keys: &'a Map<String, Value>, value: &Value, path: &ValuePath<'_>, depth: usize) {
        self.steps += 1;
        if depth > MAX_DEPTH || self.steps > MAX_STEPS || self.faults.len() >= MAX_FAULTS {
            return;
        }
        if let Some(target) = keys.get("$ref").and_then(Value::as_str).and_then(|name| self.resolve_reference(name)) {
            self.schema(target, value, path, depth + 1);
        }
        let before = self.faults.len();
        for fault in parts::check_value(keys, value, path) {
            self.fault(fault);
        }
        // A value of the wrong type is not checked further: nested errors would only repeat the problem.
        if self.faults.len() > before {
            return;
        }
        self.combined(keys, value, path, depth);
        match value {
            Value::Object(members) => self.members(keys, members, path, depth),
            Value::Array(entries) => self.entries(keys, entries, path, depth),
            _ => {}
        }
    }

    /// Resolves a local `$ref`; other documents are never read.
    fn resolve_reference(&self, reference: &str) -> Option<&'a Value> {
        let mut found: Option<&'a Value> = None;
        for step in reference.strip_prefix("#/")?.split('/') {
            let step = step.replace("~1", "/").replace("~0", "~");
            found = match found {
                None => self.root.get(&step),
                Some(Value::Object(map)) => map.get(&step),
                Some(Value::Array(list)) => list.get(step.parse::<usize>().ok()?),
                Some(_) => None,
            };
            found?;
        }
        found
    }

    fn combined(&mut self, keys: &'a Map<String, Value>, value: &Value, path: &ValuePath<'_>, depth: usize) {
        for part in list(keys, "allOf") {
            self.schema(part, value, path, depth + 1);
        }
        let any = list(keys, "anyOf");
        if !any.is_empty() && !any.iter().any(|part| self.fits(part, value, depth)) {
            self.report_no_match(any, value, path, depth);
        }
        let one = list(keys, "oneOf");
        if !one.is_empty() {
            match one.iter().filter(|part| self.fits(part, value, depth)).count() {
                1 => {}
                0 => self.report_no_match(one, value, path, depth),
                _ => self.fault(format!(
                    "{} matches more than one of its allowed forms; it must match exactly one",
                    path.name()
                )),
            }
        }
        if let Some(not) = keys.get("not")
            && self.fits(not, value, depth)
        {
            self.fault(format!("{} matches a schema that is not allowed", path.name()));
        }
        if let Some(condition) = keys.get("if") {
            let branch = if self.fits(condition, value, depth) { "then" } else { "else" };
            if let Some(branch) = keys.get(branch) {
                self.schema(branch, value, path, depth + 1);
            }
        }
    }

    /// Reports that no alternative matches; the violations of a single alternative are reported directly.
    fn report_no_match(&mut self, forms: &'a [Value], value: &Value, path: &ValuePath<'_>, depth: usize) {
        match forms {
            [form] => self.schema(form, value, path, depth + 1),
            _ => self.fault(format!("{} matches none of its {} allowed forms", path.name(), forms.len())),
        }
    }

    fn fits(&mut self, schema: &'a Value, value: &Value, depth: usize) -> bool {
        let mut trial = SchemaWalk { root: self.root, steps: self.steps, faults: Vec::new() };
        trial.schema(schema, value, &ValuePath::Root, depth + 1);
        self.steps = trial.steps;
        trial.faults.is_empty()
    }

    fn members(
        &mut self,
        keys: &'a Map<String, Value>,
        members: &Map<String, Value>,
        path: &ValuePath<'_>,
        depth: usize,
    ) {
        let properties = keys.get("properties").and_then(Value::as_object);
        let patterns = keys.contains_key("patternProperties");
        for (name, member) in members {
            let inside = ValuePath::Member(path, name);
            match (properties.and_then(|properties| properties.get(name)), keys.get("additionalProperties")) {
                (Some(schema), _) => self.schema(schema, member, &inside, depth + 1),
                // A pattern may allow the name, and `patternProperties` is not evaluated.
                (None, Some(other)) if !patterns => match other {
                    Value::Bool(false) => self.fault(unknown_member(&inside, properties)),
                    other => self.schema(other, member, &inside, depth + 1),
                },
                _ => {}
            }
        }
    }

    fn entries(&mut self, keys: &'a Map<String, Value>, entries: &[Value], path: &ValuePath<'_>, depth: usize) {
        let first = list(keys, "prefixItems");
        let rest = keys.get("items");
        for (index, entry) in entries.iter().enumerate() {
            if let Some(schema) = first.get(index).or(rest) {
                self.schema(schema, entry, &ValuePath::Entry(path, index), depth + 1);
            }
        }
    }

    fn fault(&mut self, fault: String) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }
}

fn list<'a>(keys: &'a Map<String, Value>, name: &str) -> &'a [Value] {
    keys.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn unknown_member(path: &ValuePath<'_>, properties: Option<&Map<String, Value>>) -> String {
    let names: Vec<&str> = properties.into_iter().flat_map(Map::keys).take(20).map(String::as_str).collect();
    match names.as_slice() {
        [] => format!("{} is unknown; no arguments are allowed", path.name()),
        names => format!("{} is unknown; known: {}", path.name(), names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use serde_json::{Value, json};

    #[test]
    fn errors_name_the_argument_and_unknown_refs_are_accepted() {
        let schema = json!({
            "type": "object",
            "$defs": {"place": {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]}},
            "properties": {
                "city": {"type": "string", "minLength": 2},
                "days": {"type": ["integer", "null"], "minimum": 1, "maximum": 7},
                "unit": {"enum": ["C", "F"]},
                "place": {"$ref": "#/$defs/place"},
                "far": {"$ref": "https://example.com/never-fetched.json"},
                "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
                "when": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
                "step": {"type": "number", "multipleOf": 0.1, "exclusiveMaximum": 1},
                "no": false,
            },
            "required": ["city"],
            "dependentRequired": {"unit": ["days"]},
            "additionalProperties": false,
            "if": {"properties": {"city": {"const": "Oslo"}}},
            "then": {"required": ["when"]},
        });
        for (given, expect) in [
            (json!({"city": "Rome"}), &[][..]),
            (json!({"city": "Rome", "days": null, "far": [1], "step": 0.3, "when": 1, "place": {"lat": 1}}), &[]),
            (json!([]), &["the arguments must be an object, not an array"]),
            (json!({}), &["'city' is missing"]),
            (json!({"city": "R"}), &["'city' must have at least 2 characters"]),
            (
                json!({"city": "Rome", "days": 2.5}),
                &["'days' must be an integer or null, not a number with a fraction"],
            ),
            (json!({"city": "Rome", "days": 9}), &["'days' must be at most 7"]),
            (json!({"city": "Rome", "unit": "C"}), &["'days' is missing; 'unit' needs it"]),
            (json!({"city": "Rome", "days": 1, "unit": "K"}), &["'unit' must be one of \"C\", \"F\""]),
            (json!({"city": "Rome", "place": {}}), &["'place.lat' is missing"]),
            (json!({"city": "Rome", "tags": ["a", 1]}), &["'tags[1]' must be a string, not a number"]),
            (json!({"city": "Rome", "tags": ["a", "a"]}), &["'tags' must not have the same entry twice"]),
            (json!({"city": "Rome", "when": true}), &["'when' matches none of its 2 allowed forms"]),
            (json!({"city": "Rome", "step": 0.25}), &["'step' must be a multiple of 0.1"]),
            (json!({"city": "Rome", "step": 1}), &["'step' must be less than 1"]),
            (json!({"city": "Rome", "no": 1}), &["'no' is not allowed"]),
            (json!({"city": "Oslo"}), &["'when' is missing"]),
        ] {
            assert_eq!(check(schema.as_object().unwrap(), &given), expect, "{given}");
        }
    }

    #[test]
    fn recursive_schemas_terminate() {
        let circle =
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}}});
        assert_eq!(check(circle.as_object().unwrap(), &json!({})), Vec::<String>::new());
        let many: Value = (0..1000).map(|number| (number.to_string(), json!(number))).collect();
        let schema = json!({"additionalProperties": {"type": "string"}});
        assert_eq!(check(schema.as_object().unwrap(), &many).len(), 8);
    }

    /// A pairwise comparison of all entries would take minutes.
    #[test]
    fn unique_items_check_of_long_list_is_fast() {
        let schema = json!({"properties": {"all": {"type": "array", "uniqueItems": true}}});
        let mut all: Vec<Value> = (0..300_000).map(Value::from).collect();
        assert_eq!(check(schema.as_object().unwrap(), &json!({ "all": all })), Vec::<String>::new());
        all.push(json!(7));
        assert_eq!(check(schema.as_object().unwrap(), &json!({ "all": all })).len(), 1);
    }
}
