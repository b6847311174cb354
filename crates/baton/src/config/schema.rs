//! The JSON Schema of `baton.yaml`, generated from the limits that the parser enforces and published for editors.

use super::raw::{
    ALGORITHMS, BINDINGS, KEY_PLACES, MAX_ALLOW_ENTRIES, MAX_BODY_BYTES, MAX_BUDGET, MAX_CONNECTIONS, MAX_ENTRIES,
    MAX_EXTENSIONS, MAX_FALLBACKS, MAX_HOSTS, MAX_ISSUERS, MAX_ORIGINS, MAX_PEERS, MAX_PRICE, MAX_REQUEST_RATE,
    MAX_RETENTION_DAYS, MAX_SCOPES, MAX_SIGNERS, MAX_STORE_BYTES, MAX_TARGETS, TEMPO_MODES,
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

fn texts(about: &str, max_items: usize) -> Value {
    json!({"type": "array", "maxItems": max_items, "items": {"type": "string"}, "description": about})
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
        "User name and password for HTTP basic authentication.",
        &json!({"user": text("The user name."), "secret": secret("Reference to the password.")}),
    );
    object(
        "A remote Tempo server to query for spans; can also be set with TEMPO_URL. Since 0.6.",
        &json!({
            "url": url("URL of its HTTP API, such as http://tempo.example.com:3200."),
            "mode": {"enum": TEMPO_MODES.map(|(name, _)| name), "default": "tee",
                "description": "Source of results: the local store and Tempo merged (tee), or Tempo only."},
            "hot": duration("Age up to which the local store is authoritative, 2m to 365d; default 1h."),
            "tenant": text("Tenant id, sent as X-Scope-OrgID."),
            "bearer": secret("Reference to the bearer token."),
            "basic": with(basic, &["user", "secret"]),
            "headers": {"type": "object", "additionalProperties": {"type": "string"},
                "description": "Additional headers of every request; env://NAME and file://PATH refer to secrets."},
        }),
    )
}

/// The key `telemetry.export`.
fn export() -> Value {
    let target = object(
        "One target.",
        &json!({
            "name": text("Local name."),
            "endpoint": url("OTLP endpoint; over HTTP, the base URL."),
            "protocol": {"enum": baton_server::export::OtlpProtocol::NAMES.map(|(name, _)| name),
                "description": "OTLP protocol; by default grpc for port 4317 and http/protobuf for other ports."},
            "compression": {"enum": ["gzip", "none"], "default": "gzip", "description": "Compression of request bodies."},
            "headers": {"type": "object", "additionalProperties": {"type": "string"},
                "description": "Additional headers of every request; env://NAME and file://PATH refer to secrets."},
            "timeout": duration("Request timeout, 100ms to 10m; default 10s."),
            "certificate": text("PEM file with CA certificates to trust in addition to the system's, relative to this file."),
            "client_cert": text("PEM file with the client certificate, relative to this file."),
            "client_key": text("PEM file with the key of the client certificate, relative to this file."),
            "signals": {"type": "array", "items": {"enum": baton_server::export::Signal::ALL.map(baton_server::export::Signal::as_str)},
                "description": "Signals to export; default all."},
            "content": {"type": "boolean", "description": "Whether to export the inputs and outputs of models and tools; defaults to capture_content."},
        }),
    );
    object(
        "Export of telemetry over OTLP. Since 0.6.",
        &json!({
            "enabled": on("Whether telemetry is exported."),
            "bytes": {"oneOf": [
                {"type": "integer", "minimum": 1 << 20, "maximum": MAX_STORE_BYTES},
                {"type": "string", "pattern": "^[0-9]+ ?(B|KB|MB|GB)$"}],
                "description": "Maximum size of the queue on disk for unavailable targets, oldest dropped first; default 1GB."},
            "targets": {"type": "array", "maxItems": MAX_TARGETS, "items": with(target, &["name", "endpoint"]),
                "description": "Export targets; default a collector on localhost:4317, if there is one."},
        }),
    )
}

/// The key `telemetry`.
fn telemetry() -> Value {
    let retention = object(
        "Retention of telemetry; insights, handoffs and gate results are always kept.",
        &json!({
            "age": duration("Maximum age of telemetry; default 14d."),
            "bytes": {"oneOf": [
                {"type": "integer", "minimum": 1 << 20, "maximum": MAX_STORE_BYTES},
                {"type": "string", "pattern": "^[0-9]+ ?(B|KB|MB|GB)$"}],
                "description": "Maximum size of telemetry, oldest deleted first; default 8GB."},
        }),
    );
    object(
        "Telemetry of this server. Since 0.5.",
        &json!({
            "enabled": on("Whether this server emits spans."),
            "service_name": text("Service name of spans; default baton."),
            "project": text("Project of spans, as the resource attribute project.id; default none. Since 0.6."),
            "emit_mode": {"enum": ["dual", "legacy", "otel"], "default": "dual",
                "description": "Attribute names to emit: legacy, OpenTelemetry, or both."},
            "schema": {"enum": ["1.41", "latest"], "default": "1.41", "description": "Version of the OpenTelemetry GenAI conventions."},
            "capture_content": off("Whether spans contain the inputs and outputs of models and tools."),
            "retention": retention,
            "tempo": tempo(),
            "export": export(),
        }),
    )
}

/// The key `prices`.
fn prices() -> Value {
    let part = |about: &str| json!({"type": "number", "minimum": 0, "maximum": MAX_PRICE, "description": about});
    let price = object(
        "One model.",
        &json!({
            "input": part("Price of input tokens."),
            "output": part("Price of output tokens."),
            "cached": part("Price of input tokens read from a cache; defaults to input."),
            "cache_write": part("Price of input tokens written to a cache; defaults to input."),
        }),
    );
    json!({"type": "object", "maxProperties": MAX_ENTRIES, "additionalProperties": with(price, &["input", "output"]),
        "description": "Model prices in dollars per million tokens, by model name as in spans. Since 0.6."})
}

/// The key `budgets`.
fn budgets() -> Value {
    let amount = |about: &str| json!({"type": "number", "minimum": 0, "maximum": MAX_BUDGET, "description": about});
    let named = |about: &str| {
        json!({"type": "object", "maxProperties": MAX_ENTRIES, "description": about,
            "additionalProperties": {"type": "number", "minimum": 0, "maximum": MAX_BUDGET}})
    };
    object(
        "Spending budgets in dollars; baton costs shows how much is used. Since 0.6.",
        &json!({
            "day": amount("Per day, in UTC."),
            "month": amount("Per month, in UTC."),
            "agents": named("Per month, by agent name."),
            "projects": named("Per month, by project name."),
        }),
    )
}

/// The key `auth`.
fn auth() -> Value {
    let issuer = object(
        "One issuer.",
        &json!({
            "issuer": url("Issuer URL, exactly as in its tokens."),
            "audience": {"oneOf": [{"type": "string"}, {"type": "array", "minItems": 1, "items": {"type": "string"}}],
            "description": "Accepted audiences; a token must have one of them."},
            "jwks_url": url("URL of its JWK set; default from its discovery document."),
            "tenant": text("Tenant of its callers; defaults to the issuer URL."),
            "algorithms": {"type": "array", "items": {"enum": ALGORITHMS.map(baton_server::Algorithm::as_str)}, "description": "Accepted signature algorithms."},
            "scopes": texts("Scopes of its callers; default call.", MAX_SCOPES),
            "scope_claim": text("Claim with the scopes of a caller; if not set, all callers have the same scopes."),
        }),
    );
    object(
        "Authentication. Since 0.3.",
        &json!({
            "required": off("Whether callers must present a token."),
            "cards": {"enum": ["public", "private"], "default": "public", "description": "Access to agent cards: public, or authenticated callers only."},
            "metrics": {"enum": ["public", "private"], "default": "private",
                "description": "Access to /metrics: public, or callers with the scope telemetry:read. Since 0.6."},
            "issuers": {"type": "array", "maxItems": MAX_ISSUERS, "items": with(issuer, &["issuer", "audience"]),
                "description": "Issuers of accepted JSON Web Tokens, in addition to tokens issued here."},
        }),
    )
}

/// An entry of the key `peers`.
fn peer() -> Value {
    let (bindings, key_locations) = (BINDINGS.map(|(name, _)| name), KEY_PLACES.map(|(name, _)| name));
    let key = object(
        "API key.",
        &json!({
            "in": {"enum": key_locations, "default": "header", "description": "Location of the key."},
            "name": text("Name of the header, query parameter or cookie."),
            "secret": secret("Reference to the key."),
        }),
    );
    let basic = object(
        "User name and password for HTTP basic authentication.",
        &json!({
            "user": text("The user name."),
            "secret": secret("Reference to the password."),
        }),
    );
    let oauth2 = object(
        "OAuth 2.0 client credentials.",
        &json!({
            "token_url": url("Token endpoint."),
            "client_id": text("Client id of this server."),
            "secret": secret("Reference to the client secret."),
            "scopes": texts("Scopes to request.", MAX_SCOPES),
            "audience": text("Audience of the tokens."),
        }),
    );
    let peer = object(
        "One agent.",
        &json!({
            "name": text("Local name."),
            "url": url("URL of its agent card, or the base URL."),
            "binding": {"enum": bindings, "description": "Protocol binding; defaults to the preference of its card."},
            "bearer": secret("Reference to the bearer token."),
            "api_key": with(key, &["name", "secret"]),
            "basic": with(basic, &["user", "secret"]),
            "oauth2": with(oauth2, &["token_url", "client_id", "secret"]),
            "client_cert": text("PEM file with the client certificate, relative to this file."),
            "client_key": text("PEM file with the key of the client certificate, relative to this file."),
            "hosts": texts("Additional hosts that its card may refer to.", MAX_HOSTS),
            "allow": texts("Private addresses that are allowed for it, such as 10.1.2.3 or 127.0.0.0/8.", MAX_HOSTS),
            "signers": texts("Trusted signers of its card: key ids, or URLs of JWK sets.", MAX_SIGNERS),
            "require_signature": off("Whether its card must be signed by a trusted signer."),
            "listed": off("Whether the catalog of this server lists it."),
            "push": off("Whether to use push notifications instead of a stream."),
            "patience": duration("How long it may be unreachable before a task fails, 1s to 1d."),
        }),
    );
    with(peer, &["name", "url"])
}

/// Content of `docs/baton.schema.json`.
fn schema() -> Value {
    let all = |about: &str| json!({"type": "array", "items": {"type": "string"}, "description": about});
    let count =
        |about: &str| json!({"type": "integer", "minimum": 1, "maximum": MAX_CONNECTIONS, "description": about});
    let often =
        |about: &str| json!({"type": "integer", "minimum": 1, "maximum": MAX_REQUEST_RATE, "description": about});
    let extension = object(
        "One extension.",
        &json!({
            "uri": {"type": "string", "format": "uri", "description": "Its URI."},
            "description": {"type": "string", "description": "How the agents use it."},
            "required": {"type": "boolean", "default": false, "description": "Whether clients must activate it."},
        }),
    );
    let a2a_settings = baton_agentdir::a2a_settings_schema();
    let mut schema = object(
        "The configuration of `baton up`; flags and environment variables take precedence.",
        &json!({
            "port": {"type": "integer", "minimum": 0, "maximum": u16::MAX, "default": 8700,
                "description": "Port to listen on; 0 selects a free port. Since 0.1."},
            "host": {"type": "string", "default": "127.0.0.1", "description": "Address to listen on. Since 0.1."},
            "data": {"type": "string", "default": ".baton",
                "description": "Data directory with the journal, relative to this file. Since 0.1."},
            "public_url": {"type": "string", "format": "uri",
                "description": "URL in agent cards if the server is behind a proxy. Since 0.1."},
            "allow_hosts": all("Additional host names that clients may use for this server. Since 0.1."),
            "tools": {"enum": ["agent", "caller"],
                "description": "Where tools run, for all agents; defaults to the setting of each agent. Since 0.1."},
            "agents": all("Agent directories to serve, relative to this file. Since 0.1."),
            "new_agents": text("Folder for agents that are created at runtime, relative to this file; its agents are \
                served as well. In memory if not set. Since 0.8."),
            "limits": object("Limits of the server. Since 0.1.", &json!({
                "body_bytes": {"oneOf": [
                    {"type": "integer", "minimum": 1024, "maximum": MAX_BODY_BYTES},
                    {"type": "string", "pattern": "^[0-9]+ ?(B|KB|MB|GB)$"}],
                    "description": "Maximum size of a request body, such as 8MB."},
                "max_connections": count("Maximum concurrent connections."),
                "max_streams": count("Maximum concurrent event streams."),
                "principal_share": {"type": "integer", "minimum": 1, "maximum": 100, "default": 25,
                    "description": "Percent of the streams, WebSockets, MCP sessions and request bodies at the same time that one \
                        principal may hold; without authentication, one client address. Since 0.9."},
                "requests_per_second": often("Sustained request rate per caller; default 50 with authentication, else unlimited. Since 0.3."),
                "burst": often("Burst size per caller; default four times the rate. Since 0.3."),
            })),
            "retention": object("Retention of ended tasks; without it, all are kept. Since 0.1.", &json!({
                "days": {"type": "integer", "minimum": 1, "maximum": MAX_RETENTION_DAYS,
                    "description": "Delete tasks that ended longer ago."},
                "keep": {"type": "integer", "minimum": 0, "description": "Number of ended tasks to keep; older ones are deleted."},
            })),
            "telemetry": telemetry(),
            "a2a": object("A2A features to offer, also declared in agent cards. Since 0.2.", &json!({
                "streaming": on("Whether replies and tasks can be streamed."),
                "push": on("Whether clients can register push notifications."),
                "extended_card": on("Whether there is an extended agent card."),
                "version": {"enum": ["lenient", "strict"], "default": "lenient",
                    "description": "Version of a request without A2A-Version: lenient derives it from the method name, strict means 0.3."},
                "answer": a2a_settings["answer"].clone(),
                "stream_text": a2a_settings["stream_text"].clone(),
                "bindings": {"type": "array", "minItems": 1, "uniqueItems": true,
                    "items": {"enum": ["jsonrpc", "rest", "grpc"]}, "default": ["jsonrpc", "rest"],
                    "description": "The bindings that agent cards list, preferred first; all three are always served. Since 0.10."},
                "extensions": {"type": "array", "maxItems": MAX_EXTENSIONS, "items": with(extension, &["uri"]),
                    "description": "Extensions that cards declare besides Baton's own."},
            })),
            "responses": object("Settings of /v1/responses and /v1/chat/completions. Since 0.8.", &json!({
                "default_agent": text("Agent for requests that name none, if several agents are served."),
                "strict_model": off("Whether requests must name an agent as their model."),
                "mcp_servers": on("Whether requests may include MCP servers."),
                "mcp_allow": texts(
                    "Private addresses allowed for such servers: tools.internal, *.corp.example, 10.1.2.3 or 127.0.0.0/8.",
                    MAX_ALLOW_ENTRIES,
                ),
            })),
            "push": object("Push notifications. Since 0.2.", &json!({
                "allow": {"type": "array", "maxItems": MAX_ALLOW_ENTRIES, "items": {"type": "string"},
                    "description": "Private addresses allowed for receivers: hooks.internal, *.corp.example, 10.1.2.3 or 127.0.0.0/8."},
                "deadline": {"type": "string", "pattern": "^[0-9]+ ?(ms|s|m|h|d)$", "default": "24h",
                    "description": "Undeliverable notifications are dropped after this time, 1s to 30d."},
            })),
            "auth": auth(),
            "tls": object("TLS, with PEM files relative to this file. Since 0.3.", &json!({
                "cert": text("The server's certificate chain."),
                "key": text("The key of that certificate."),
                "client_ca": text("CA of client certificates; if set, clients must present one."),
            })),
            "cors": object("Web pages of other origins that may call the server; default none. Since 0.3.", &json!({
                "origins": {"type": "array", "maxItems": MAX_ORIGINS, "items": {"type": "string"},
                    "description": "Origins such as https://app.example.com; * allows all, only with authentication."},
            })),
            "model": {"type": "string", "pattern": "^(playbook|[^:]+:.+)$",
                "description": "Default model for agents that name none, as provider:model; detected if not set. Since 0.7."},
            "fallbacks": {"type": "array", "maxItems": MAX_FALLBACKS,
                "items": {"type": "string", "pattern": "^(playbook|[^:]+:.+)$"},
                "description": "Fallback models, in this order. Since 0.7."},
            "providers": baton_agentdir::providers_schema(),
            "embeddings": {"type": "string", "pattern": "^[^:]+:.+$",
                "description": "Embedding model for the selection of rules, references and tools; lexical matching only if not set. Since 0.7."},
            "production": off("Whether to refuse the playbook as a substitute for a model. Since 0.7."),
            "prices": prices(),
            "budgets": budgets(),
            "peers": {"type": "array", "maxItems": MAX_PEERS, "items": peer(),
                "description": "Remote agents. Since 0.3."},
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
