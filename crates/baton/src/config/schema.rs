//! The JSON Schema of `baton.yaml`, made from the bounds that the reader enforces and published for editors.

use super::raw::{LARGEST_BODY, MOST_ALLOWED, MOST_CONNECTIONS, MOST_DAYS, MOST_EXTENSIONS};
use serde_json::{Value, json};

/// What `docs/baton.schema.json` holds.
fn schema() -> Value {
    let texts = |about: &str| json!({"type": "array", "items": {"type": "string"}, "description": about});
    let count =
        |about: &str| json!({"type": "integer", "minimum": 1, "maximum": MOST_CONNECTIONS, "description": about});
    let object = |about: &str, properties: Value| json!({"type": "object", "additionalProperties": false, "description": about, "properties": properties});
    let switch = |about: &str| json!({"type": "boolean", "default": true, "description": about});
    let mut extension = object(
        "One extension.",
        json!({
            "uri": {"type": "string", "format": "uri", "description": "Its URI."},
            "description": {"type": "string", "description": "What the agents do with it."},
            "required": {"type": "boolean", "default": false, "description": "Whether senders must name it."},
        }),
    );
    extension["required"] = json!(["uri"]);
    let mut schema = object(
        "The configuration of `baton up`; flags and environment variables come before it.",
        json!({
            "port": {"type": "integer", "minimum": 0, "maximum": u16::MAX, "default": 8700,
                "description": "Where to listen; 0 takes any free port. Since 0.1."},
            "host": {"type": "string", "default": "127.0.0.1", "description": "The address to listen at. Since 0.1."},
            "data": {"type": "string", "default": ".baton",
                "description": "Where the journal is, relative to this file. Since 0.1."},
            "public_url": {"type": "string", "format": "uri",
                "description": "The address in cards, when Baton is behind a proxy. Since 0.1."},
            "allow_hosts": texts("Further names by which clients may call this server. Since 0.1."),
            "tools": {"enum": ["agent", "caller"],
                "description": "Who runs tools, for all agents; each agent's own setting otherwise. Since 0.1."},
            "agents": texts("Agent directories to serve, relative to this file. Since 0.1."),
            "limits": object("Bounds of the server. Since 0.1.", json!({
                "body_bytes": {"oneOf": [
                    {"type": "integer", "minimum": 1024, "maximum": LARGEST_BODY},
                    {"type": "string", "pattern": "^[0-9]+ ?(B|KB|MB|GB)$"}],
                    "description": "Largest request body, such as 8MB."},
                "max_connections": count("Connections at the same time."),
                "max_streams": count("Event streams at the same time."),
            })),
            "retention": object("What may be forgotten of ended tasks; without it nothing is. Since 0.1.", json!({
                "days": {"type": "integer", "minimum": 1, "maximum": MOST_DAYS,
                    "description": "Forget tasks that ended longer ago."},
                "keep": {"type": "integer", "minimum": 0, "description": "Forget the oldest beyond this many."},
            })),
            "a2a": object("What of A2A is offered; agent cards say the same. Since 0.2.", json!({
                "streaming": switch("Whether replies and tasks can be streamed."),
                "push": switch("Whether callers can have notifications pushed to them."),
                "extended_card": switch("Whether there is a card that says more than the public one."),
                "version": {"enum": ["lenient", "strict"], "default": "lenient",
                    "description": "What a request without A2A-Version means: lenient goes by its method name, strict means 0.3."},
                "extensions": {"type": "array", "maxItems": MOST_EXTENSIONS, "items": extension,
                    "description": "Extensions that cards declare besides Baton's own."},
            })),
            "push": object("Notifications to receivers outside. Since 0.2.", json!({
                "allow": {"type": "array", "maxItems": MOST_ALLOWED, "items": {"type": "string"},
                    "description": "Receivers that may be private: hooks.internal, *.corp.example, 10.1.2.3 or 127.0.0.0/8."},
                "deadline": {"type": "string", "pattern": "^[0-9]+ ?(ms|s|m|h|d)$", "default": "24h",
                    "description": "A notification that nobody takes is dropped after this long, 1s to 30d."},
            })),
        }),
    );
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "baton.yaml".into();
    schema
}

#[test]
fn the_published_schema_is_the_one_in_force() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/baton.schema.json");
    let text = format!("{:#}\n", schema());
    if std::env::var_os("BATON_WRITE_SCHEMA").is_some() {
        std::fs::write(path, &text).expect("the file can be written");
    }
    let published = std::fs::read_to_string(path).expect("docs/baton.schema.json exists");
    assert_eq!(published, text, "run the test with BATON_WRITE_SCHEMA=1 and commit the file");
}

#[test]
fn the_schema_and_the_reader_know_the_same_keys() {
    // `a_full_file` names every field of the configuration, or it would not compile.
    let full = super::raw::FULL_FILE;
    let file: Value = serde_saphyr::from_str(full).expect("YAML");
    let schema = schema();
    let same = |given: &Value, known: &Value| {
        let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
        let (mut given, mut known) = (keys(given), keys(&known["properties"]));
        given.sort();
        known.sort();
        assert_eq!(given, known);
    };
    same(&file, &schema);
    for key in ["limits", "retention", "a2a", "push"] {
        same(&file[key], &schema["properties"][key]);
    }
    same(&file["a2a"]["extensions"][0], &schema["properties"]["a2a"]["properties"]["extensions"]["items"]);
}
