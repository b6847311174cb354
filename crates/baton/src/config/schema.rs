//! The JSON Schema of `baton.yaml`, made from the bounds that the reader enforces and published for editors.

use super::raw::{
    ALGORITHMS, BINDINGS, LARGEST_BODY, MODES, MOST_ALLOWED, MOST_BUDGET, MOST_BYTES, MOST_CONNECTIONS, MOST_DAYS,
    MOST_ENTRIES, MOST_EXTENSIONS, MOST_FALLBACKS, MOST_HOSTS, MOST_ISSUERS, MOST_ORIGINS, MOST_PEERS, MOST_PRICE,
    MOST_REQUESTS, MOST_SCOPES, MOST_SIGNERS, MOST_TARGETS, PLACES,
};
use serde_json::{Value, json};

fn object(about: &str, properties: &Value) -> Value {
    json!({"type": "object", "additionalProperties": false, "description": about, "properties": properties})
}

fn with(mut object: Value, required: &[&str]) -> Value {
    object["required"] = json!(required);
    object
}

fn text(about: &str) -> Value {
    json!({"type": "string", "description": about})
}

fn url(about: &str) -> Value {
    json!({"type": "string", "format": "uri", "description": about})
}

fn texts(about: &str, most: usize) -> Value {
    json!({"type": "array", "maxItems": most, "items": {"type": "string"}, "description": about})
}

fn duration(about: &str) -> Value {
    json!({"type": "string", "pattern": "^[0-9]+ ?(ms|s|m|h|d)$", "description": about})
}

fn secret(about: &str) -> Value {
    json!({"type": "string", "pattern": "^(env://[A-Za-z_][A-Za-z0-9_]*|file://.+)$", "description": about})
}

fn on(about: &str) -> Value {
    json!({"type": "boolean", "default": true, "description": about})
}

fn off(about: &str) -> Value {
    json!({"type": "boolean", "default": false, "description": about})
}

/// The key `telemetry.tempo`.
fn tempo() -> Value {
    let basic = object(
        "A name and a password that it is shown.",
        &json!({"user": text("The name."), "secret": secret("Where the password is.")}),
    );
    object(
        "A Tempo elsewhere that is asked for spans; TEMPO_URL names one, too. Since 0.6.",
        &json!({
            "url": url("Where its HTTP API is, such as http://tempo.example.com:3200."),
            "mode": {"enum": MODES.map(|(word, _)| word), "default": "tee",
                "description": "Who answers: the store here and the Tempo together, or the Tempo alone."},
            "hot": duration("For how long the store here knows best, 2m to 365d; 1h when not given."),
            "tenant": text("The tenant that it is asked for, as X-Scope-OrgID."),
            "bearer": secret("Where the bearer token for it is."),
            "basic": with(basic, &["user", "secret"]),
            "headers": {"type": "object", "additionalProperties": {"type": "string"},
                "description": "Further headers of every request; env://NAME and file://PATH name where a secret is."},
        }),
    )
}

/// The key `telemetry.export`.
fn export() -> Value {
    let target = object(
        "One target.",
        &json!({
            "name": text("What it is called here."),
            "endpoint": url("Where it takes OTLP; over HTTP, below what address."),
            "protocol": {"enum": baton_export::Protocol::WORDS.map(|(word, _)| word),
                "description": "What to speak; grpc for port 4317, http/protobuf for others when not given."},
            "compression": {"enum": ["gzip", "none"], "default": "gzip", "description": "Whether bodies are made smaller."},
            "headers": {"type": "object", "additionalProperties": {"type": "string"},
                "description": "Further headers of every request; env://NAME and file://PATH name where a secret is."},
            "timeout": duration("How long a request may take, 100ms to 10m; 10s when not given."),
            "certificate": text("A PEM file with authorities to trust besides those of the system, relative to this file."),
            "client_cert": text("A PEM file with the certificate that it is shown, relative to this file."),
            "client_key": text("A PEM file with the key of that certificate, relative to this file."),
            "signals": {"type": "array", "items": {"enum": baton_export::Signal::ALL.map(baton_export::Signal::as_str)},
                "description": "What it is for; all of them when not given."},
            "content": {"type": "boolean", "description": "Whether it may see what models and tools read and wrote; as capture_content says when not given."},
        }),
    );
    object(
        "Who is sent what Baton keeps, over OTLP. Since 0.6.",
        &json!({
            "enabled": on("Whether anybody is."),
            "bytes": {"oneOf": [
                {"type": "integer", "minimum": 1 << 20, "maximum": MOST_BYTES},
                {"type": "string", "pattern": "^[0-9]+ ?(B|KB|MB|GB)$"}],
                "description": "Most that waits on disk for targets that do not take it, oldest first to go; 1GB when not given."},
            "targets": {"type": "array", "maxItems": MOST_TARGETS, "items": with(target, &["name", "endpoint"]),
                "description": "To whom; without any, whoever listens on localhost:4317."},
        }),
    )
}

/// The key `telemetry`.
fn telemetry() -> Value {
    let retention = object(
        "How long telemetry is kept; insights, handoffs and gate results always are.",
        &json!({
            "age": duration("Telemetry older than this goes; 14d when not given."),
            "bytes": {"oneOf": [
                {"type": "integer", "minimum": 1 << 20, "maximum": MOST_BYTES},
                {"type": "string", "pattern": "^[0-9]+ ?(B|KB|MB|GB)$"}],
                "description": "Telemetry beyond this goes, oldest first; 8GB when not given."},
        }),
    );
    object(
        "What Baton says about itself, as spans. Since 0.5.",
        &json!({
            "enabled": on("Whether Baton makes spans of its own."),
            "service_name": text("The service that spans name; baton when not given."),
            "project": text("The project that spans name, as project.id of their resource; none when not given. Since 0.6."),
            "emit_mode": {"enum": ["dual", "legacy", "otel"], "default": "dual",
                "description": "Which names are used for what has an older and a newer one."},
            "schema": {"enum": ["1.41", "latest"], "default": "1.41", "description": "Which GenAI conventions are followed."},
            "capture_content": off("Whether spans show what models and tools read and wrote."),
            "retention": retention,
            "tempo": tempo(),
            "export": export(),
        }),
    )
}

/// The key `prices`.
fn prices() -> Value {
    let part = |about: &str| json!({"type": "number", "minimum": 0, "maximum": MOST_PRICE, "description": about});
    let price = object(
        "One model.",
        &json!({
            "input": part("For tokens that it reads."),
            "output": part("For tokens that it writes."),
            "cached": part("For tokens that it reads from a cache; as input when not given."),
            "cache_write": part("For tokens that it writes to a cache; as input when not given."),
        }),
    );
    json!({"type": "object", "maxProperties": MOST_ENTRIES, "additionalProperties": with(price, &["input", "output"]),
        "description": "What models cost, by the name that spans have for them, in dollars for a million tokens. Since 0.6."})
}

/// The key `budgets`.
fn budgets() -> Value {
    let amount = |about: &str| json!({"type": "number", "minimum": 0, "maximum": MOST_BUDGET, "description": about});
    let named = |about: &str| {
        json!({"type": "object", "maxProperties": MOST_ENTRIES, "description": about,
            "additionalProperties": {"type": "number", "minimum": 0, "maximum": MOST_BUDGET}})
    };
    object(
        "What may be spent, in dollars; baton costs shows how much of it was. Since 0.6.",
        &json!({
            "day": amount("On a day, in UTC."),
            "month": amount("In a month, in UTC."),
            "agents": named("By an agent in a month, by its name."),
            "projects": named("For a project in a month, by its name."),
        }),
    )
}

/// The key `auth`.
fn auth() -> Value {
    let issuer = object(
        "One issuer.",
        &json!({
            "issuer": url("Its address, as it stands in its tokens."),
            "audience": {"oneOf": [{"type": "string"}, {"type": "array", "minItems": 1, "items": {"type": "string"}}],
            "description": "What its tokens for this Baton say as audience; a token must be for one of them."},
            "jwks_url": url("Where its keys are; its discovery document says so when not given."),
            "tenant": text("Whose data its callers see; its address when not given."),
            "algorithms": {"type": "array", "items": {"enum": ALGORITHMS.map(baton_identity::Algorithm::as_str)}, "description": "How its tokens may be signed."},
            "scopes": texts("What its callers may do; call when not given.", MOST_SCOPES),
            "scope_claim": text("The claim that says what a caller may do; each caller may do the same when not given."),
        }),
    );
    object(
        "Who must be known. Since 0.3.",
        &json!({
            "required": off("Whether callers must show a token."),
            "cards": {"enum": ["public", "private"], "default": "public", "description": "Who may read agent cards."},
            "metrics": {"enum": ["public", "private"], "default": "private",
                "description": "Who may read /metrics: everybody, or those with the scope telemetry:read. Since 0.6."},
            "issuers": {"type": "array", "maxItems": MOST_ISSUERS, "items": with(issuer, &["issuer", "audience"]),
                "description": "Whose JSON Web Tokens are accepted besides the tokens made here."},
        }),
    )
}

/// An entry of the key `peers`.
fn peer() -> Value {
    let (bindings, places) = (BINDINGS.map(|(word, _)| word), PLACES.map(|(word, _)| word));
    let key = object(
        "A key that it is shown.",
        &json!({
            "in": {"enum": places, "default": "header", "description": "Where the key stands."},
            "name": text("The header, query parameter or cookie."),
            "secret": secret("Where the key is."),
        }),
    );
    let basic = object(
        "A name and a password that it is shown.",
        &json!({
            "user": text("The name."),
            "secret": secret("Where the password is."),
        }),
    );
    let oauth2 = object(
        "Tokens that an authorization server gives for a secret.",
        &json!({
            "token_url": url("Where it gives tokens."),
            "client_id": text("Under which it knows this Baton."),
            "secret": secret("Where the secret is."),
            "scopes": texts("What to ask for.", MOST_SCOPES),
            "audience": text("For whom the tokens are."),
        }),
    );
    let peer = object(
        "One agent.",
        &json!({
            "name": text("What it is called here."),
            "url": url("Where its card is, or below what address."),
            "binding": {"enum": bindings, "description": "What to speak; as its card prefers when not given."},
            "bearer": secret("Where the bearer token for it is."),
            "api_key": with(key, &["name", "secret"]),
            "basic": with(basic, &["user", "secret"]),
            "oauth2": with(oauth2, &["token_url", "client_id", "secret"]),
            "client_cert": text("A PEM file with the certificate that it is shown, relative to this file."),
            "client_key": text("A PEM file with the key of that certificate, relative to this file."),
            "hosts": texts("Hosts besides that of its card to which the card may point.", MOST_HOSTS),
            "allow": texts("Private addresses that it may have, such as 10.1.2.3 or 127.0.0.0/8.", MOST_HOSTS),
            "signers": texts("Whose signatures of its card are trusted: ids of keys, or addresses of JWK sets.", MOST_SIGNERS),
            "require_signature": off("Whether its card must be signed by one of them."),
            "listed": off("Whether the catalog of this Baton names it."),
            "push": off("Whether it may notify this Baton instead of being listened to."),
            "patience": duration("How long it may be away before a task gives it up, 1s to 1d."),
        }),
    );
    with(peer, &["name", "url"])
}

/// What `docs/baton.schema.json` holds.
fn schema() -> Value {
    let all = |about: &str| json!({"type": "array", "items": {"type": "string"}, "description": about});
    let count =
        |about: &str| json!({"type": "integer", "minimum": 1, "maximum": MOST_CONNECTIONS, "description": about});
    let often = |about: &str| json!({"type": "integer", "minimum": 1, "maximum": MOST_REQUESTS, "description": about});
    let extension = object(
        "One extension.",
        &json!({
            "uri": {"type": "string", "format": "uri", "description": "Its URI."},
            "description": {"type": "string", "description": "What the agents do with it."},
            "required": {"type": "boolean", "default": false, "description": "Whether senders must name it."},
        }),
    );
    let a2a_settings = baton_agentdir::a2a_settings_schema();
    let mut schema = object(
        "The configuration of `baton up`; flags and environment variables come before it.",
        &json!({
            "port": {"type": "integer", "minimum": 0, "maximum": u16::MAX, "default": 8700,
                "description": "Where to listen; 0 takes any free port. Since 0.1."},
            "host": {"type": "string", "default": "127.0.0.1", "description": "The address to listen at. Since 0.1."},
            "data": {"type": "string", "default": ".baton",
                "description": "Where the journal is, relative to this file. Since 0.1."},
            "public_url": {"type": "string", "format": "uri",
                "description": "The address in cards, when Baton is behind a proxy. Since 0.1."},
            "allow_hosts": all("Further names by which clients may call this server. Since 0.1."),
            "tools": {"enum": ["agent", "caller"],
                "description": "Who runs tools, for all agents; each agent's own setting otherwise. Since 0.1."},
            "agents": all("Agent directories to serve, relative to this file. Since 0.1."),
            "new_agents": text("The folder in which agents are kept that are made while Baton runs, relative to this file; it \
                is served, too. In memory when not given. Since 0.8."),
            "limits": object("Bounds of the server. Since 0.1.", &json!({
                "body_bytes": {"oneOf": [
                    {"type": "integer", "minimum": 1024, "maximum": LARGEST_BODY},
                    {"type": "string", "pattern": "^[0-9]+ ?(B|KB|MB|GB)$"}],
                    "description": "Largest request body, such as 8MB."},
                "max_connections": count("Connections at the same time."),
                "max_streams": count("Event streams at the same time."),
                "principal_share": {"type": "integer", "minimum": 1, "maximum": 100, "default": 25,
                    "description": "Percent of the streams, WebSockets, MCP sessions and request bodies at the same time that one \
                        principal may hold; without authentication, one client address. Since 0.9."},
                "requests_per_second": often("Requests of one caller in the long run; 50 with authentication. Since 0.3."),
                "burst": often("Requests of one caller at once; four seconds' worth when not given. Since 0.3."),
            })),
            "retention": object("What may be forgotten of ended tasks; without it nothing is. Since 0.1.", &json!({
                "days": {"type": "integer", "minimum": 1, "maximum": MOST_DAYS,
                    "description": "Forget tasks that ended longer ago."},
                "keep": {"type": "integer", "minimum": 0, "description": "Forget the oldest beyond this many."},
            })),
            "telemetry": telemetry(),
            "a2a": object("What of A2A is offered; agent cards say the same. Since 0.2.", &json!({
                "streaming": on("Whether replies and tasks can be streamed."),
                "push": on("Whether callers can have notifications pushed to them."),
                "extended_card": on("Whether there is a card that says more than the public one."),
                "version": {"enum": ["lenient", "strict"], "default": "lenient",
                    "description": "What a request without A2A-Version means: lenient goes by its method name, strict means 0.3."},
                "answer": a2a_settings["answer"].clone(),
                "stream_text": a2a_settings["stream_text"].clone(),
                "bindings": {"type": "array", "minItems": 1, "uniqueItems": true,
                    "items": {"enum": ["jsonrpc", "rest", "grpc"]}, "default": ["jsonrpc", "rest"],
                    "description": "The bindings that agent cards list, preferred first; all three are always served. Since 0.10."},
                "extensions": {"type": "array", "maxItems": MOST_EXTENSIONS, "items": with(extension, &["uri"]),
                    "description": "Extensions that cards declare besides Baton's own."},
            })),
            "responses": object("How /v1/responses and /v1/chat/completions take requests that leave something open. Since 0.8.", &json!({
                "default_agent": text("Who answers requests that name nobody, when several agents are served."),
                "strict_model": off("Whether requests must name an agent as their model."),
                "mcp_servers": on("Whether requests may bring MCP servers of their own."),
                "mcp_allow": texts(
                    "Such servers that may be private: tools.internal, *.corp.example, 10.1.2.3 or 127.0.0.0/8.",
                    MOST_ALLOWED,
                ),
            })),
            "push": object("Notifications to receivers outside. Since 0.2.", &json!({
                "allow": {"type": "array", "maxItems": MOST_ALLOWED, "items": {"type": "string"},
                    "description": "Receivers that may be private: hooks.internal, *.corp.example, 10.1.2.3 or 127.0.0.0/8."},
                "deadline": {"type": "string", "pattern": "^[0-9]+ ?(ms|s|m|h|d)$", "default": "24h",
                    "description": "A notification that nobody takes is dropped after this long, 1s to 30d."},
            })),
            "auth": auth(),
            "tls": object("Encryption, with PEM files relative to this one. Since 0.3.", &json!({
                "cert": text("The server's certificate, then those that lead to its authority."),
                "key": text("The key of that certificate."),
                "client_ca": text("Who signs the certificates of callers; with it, callers must show one."),
            })),
            "cors": object("Web pages of other origins that may call; without it none may. Since 0.3.", &json!({
                "origins": {"type": "array", "maxItems": MOST_ORIGINS, "items": {"type": "string"},
                    "description": "Such as https://app.example.com; * is every page, with authentication only."},
            })),
            "model": {"type": "string", "pattern": "^(playbook|[^:]+:.+)$",
                "description": "Who answers for agents that name nobody, as provider:model; what is found when not given. Since 0.7."},
            "fallbacks": {"type": "array", "maxItems": MOST_FALLBACKS,
                "items": {"type": "string", "pattern": "^(playbook|[^:]+:.+)$"},
                "description": "Who is asked when that one does not answer, in this order. Since 0.7."},
            "providers": baton_agentdir::providers_schema(),
            "embeddings": {"type": "string", "pattern": "^[^:]+:.+$",
                "description": "Who turns texts into vectors, by which rules, references and tools are chosen; words alone when not given. Since 0.7."},
            "production": off("Whether the playbook may not stand in for a model. Since 0.7."),
            "prices": prices(),
            "budgets": budgets(),
            "peers": {"type": "array", "maxItems": MOST_PEERS, "items": peer(),
                "description": "Agents that live elsewhere. Since 0.3."},
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
    for key in ["limits", "retention", "a2a", "responses", "push", "auth", "tls", "cors", "telemetry", "budgets"] {
        same(&file[key], &schema["properties"][key]);
    }
    same(&file["prices"]["sonnet"], &schema["properties"]["prices"]["additionalProperties"]);
    let telemetry = &schema["properties"]["telemetry"]["properties"]["retention"];
    same(&file["telemetry"]["retention"], telemetry);
    same(&file["telemetry"]["tempo"], &schema["properties"]["telemetry"]["properties"]["tempo"]);
    let export = &schema["properties"]["telemetry"]["properties"]["export"];
    same(&file["telemetry"]["export"], export);
    same(&file["telemetry"]["export"]["targets"][0], &export["properties"]["targets"]["items"]);
    same(&file["a2a"]["extensions"][0], &schema["properties"]["a2a"]["properties"]["extensions"]["items"]);
    same(&file["auth"]["issuers"][0], &schema["properties"]["auth"]["properties"]["issuers"]["items"]);
    let peer = &schema["properties"]["peers"]["items"];
    let mut everything = file["peers"][0].clone();
    for (index, kind) in [(1, "api_key"), (2, "basic"), (3, "oauth2")] {
        let credential = &file["peers"][index][kind];
        same(credential, &peer["properties"][kind]);
        everything[kind] = credential.clone();
    }
    same(&everything, peer);
}
