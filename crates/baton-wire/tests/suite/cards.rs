//! Agent cards, and requests for Baton's own extensions.

use crate::sample::{agent, json};
use baton_types::{
    AgentPublisher, AgentSpec, Effects, HandoffTarget, Permission, PublisherInfo, ToolExecution, ToolRunner, ToolSpec,
};
use baton_wire::a2a::{
    v1::{self, AgentCard, AgentExtension, CardBinding, CardOptions, GrpcEndpoint},
    v03,
};
use insta::assert_snapshot;
use std::collections::BTreeMap;

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

fn card_options(extensions: &[AgentExtension]) -> CardOptions<'_> {
    CardOptions {
        url: "http://127.0.0.1:8700/agents/weather".into(),
        bindings: &CardBinding::ALL,
        grpc: Some(GrpcEndpoint { authority: "127.0.0.1:8700".into(), tenant: Some("weather".into()), with_v03: true }),
        streaming: true,
        push: true,
        extended_card: true,
        extensions,
        issuers: None,
        environment: Some("http://127.0.0.1:8700/agents/weather/mcp".into()),
    }
}

#[test]
fn cards_of_all_versions_contain_the_environment_url() {
    let card = AgentCard::from_spec(&agent(), &card_options(&[]));
    let named = Some("http://127.0.0.1:8700/agents/weather/mcp".to_owned());
    assert_eq!(v1::environment_url(&card), named);
    let old: v03::AgentCard = serde_json::from_str(&pretty(&v03::UnionCard::new(&card))).unwrap();
    assert_eq!(v1::environment_url(&old.into_v1()), named);
    assert_eq!(v1::environment_url(&AgentCard::from_spec(&agent(), &CardOptions::default())), None);
    for wrong in [r#"{"url":7}"#, r#"{"url":""}"#, "{}", "null"] {
        let extension =
            AgentExtension { uri: v1::ENVIRONMENT.to_owned(), params: Some(json(wrong)), ..AgentExtension::default() };
        assert_eq!(v1::environment_url(&AgentCard::from_spec(&agent(), &card_options(&[extension]))), None, "{wrong}");
    }
}

#[test]
fn cards_list_the_required_credentials() {
    let card_options = CardOptions { issuers: Some(vec!["https://login.example/".to_owned()]), ..card_options(&[]) };
    let card = AgentCard::from_spec(&agent(), &card_options);
    let union: serde_json::Value = serde_json::to_value(v03::UnionCard::new(&card)).unwrap();
    let shown = ["securitySchemes", "securityRequirements", "security"].map(|key| (key, union[key].clone()));
    assert_snapshot!(pretty(&BTreeMap::from(shown)));
}

#[test]
fn teamspark_17_cards_contain_publisher_and_documentation() {
    let about = PublisherInfo {
        provider: Some(AgentPublisher {
            organization: "Harbour".to_owned(),
            url: "https://harbour.example".to_owned(),
        }),
        icon_url: Some("https://harbour.example/icon.png".to_owned()),
        documentation_url: Some("https://harbour.example/docs".to_owned()),
    };
    let card = AgentCard::from_spec(&AgentSpec { about, ..agent() }, &card_options(&[]));
    let union: serde_json::Value = serde_json::to_value(v03::UnionCard::new(&card)).unwrap();
    let shown = ["provider", "iconUrl", "documentationUrl"].map(|key| union[key].clone());
    let provider = serde_json::json!({"url": "https://harbour.example", "organization": "Harbour"});
    assert_eq!(shown, [provider, "https://harbour.example/icon.png".into(), "https://harbour.example/docs".into()]);
    let without: serde_json::Value = serde_json::to_value(AgentCard::from_spec(&agent(), &card_options(&[]))).unwrap();
    assert!(["provider", "iconUrl", "documentationUrl"].iter().all(|key| without.get(key).is_none()));
}

#[test]
fn public_card_lists_all_interfaces() {
    let card = AgentCard::from_spec(&agent(), &card_options(&[]));
    assert_eq!(serde_json::from_str::<AgentCard>(&pretty(&card)).unwrap(), card);
    assert_snapshot!(pretty(&card));
}

#[test]
fn interfaces_depend_on_the_card_options() {
    let shown = |card_options: &CardOptions<'_>| {
        let card = AgentCard::from_spec(&agent(), card_options);
        let interfaces = card.supported_interfaces.into_iter();
        interfaces.map(|it| format!("{} {} {:?}", it.protocol_binding, it.protocol_version, it.tenant)).collect()
    };
    let cases: [(CardOptions<'_>, &[&str]); 6] = [
        (
            CardOptions { bindings: &CardBinding::DEFAULT, ..card_options(&[]) },
            &["JSONRPC 1.0 None", "HTTP+JSON 1.0 None", "JSONRPC 0.3 None", "HTTP+JSON 0.3 None"],
        ),
        (
            CardOptions { bindings: &[CardBinding::Grpc, CardBinding::JsonRpc], ..card_options(&[]) },
            &["GRPC 1.0 Some(\"weather\")", "JSONRPC 1.0 None", "GRPC 0.3 None", "JSONRPC 0.3 None"],
        ),
        (
            CardOptions { bindings: &[CardBinding::Rest], ..card_options(&[]) },
            &["HTTP+JSON 1.0 None", "HTTP+JSON 0.3 None"],
        ),
        (
            CardOptions { grpc: None, ..card_options(&[]) },
            &["JSONRPC 1.0 None", "HTTP+JSON 1.0 None", "JSONRPC 0.3 None", "HTTP+JSON 0.3 None"],
        ),
        (
            CardOptions {
                grpc: card_options(&[]).grpc.map(|grpc| GrpcEndpoint { with_v03: false, ..grpc }),
                ..card_options(&[])
            },
            &[
                "JSONRPC 1.0 None",
                "HTTP+JSON 1.0 None",
                "GRPC 1.0 Some(\"weather\")",
                "JSONRPC 0.3 None",
                "HTTP+JSON 0.3 None",
            ],
        ),
        (
            card_options(&[]),
            &[
                "JSONRPC 1.0 None",
                "HTTP+JSON 1.0 None",
                "GRPC 1.0 Some(\"weather\")",
                "JSONRPC 0.3 None",
                "HTTP+JSON 0.3 None",
                "GRPC 0.3 None",
            ],
        ),
    ];
    for (card_options, expect) in cases {
        let shown: Vec<String> = shown(&card_options);
        assert_eq!(shown, expect);
    }
}

#[test]
fn added_extensions_extend_or_replace_the_built_in_ones() {
    let added = [
        AgentExtension { uri: v1::IDEMPOTENCY.into(), required: true, ..AgentExtension::default() },
        AgentExtension {
            uri: "https://example.com/billing/v1".into(),
            params: Some(json(r#"{"price":1.10}"#)),
            ..AgentExtension::default()
        },
    ];
    let card = AgentCard::from_spec(&agent(), &card_options(&added));
    let uris: Vec<_> = card.capabilities.extensions.iter().map(|it| (it.uri.as_str(), it.required)).collect();
    let expect = [
        (v1::TOOL_EXECUTION, false),
        (v1::GENERATION, false),
        (v1::STREAM_TEXT, false),
        (v1::TOOL_CALLS, false),
        (v1::ENVIRONMENT, false),
        (v1::IDEMPOTENCY, true),
        ("https://example.com/billing/v1", false),
    ];
    assert_eq!(uris, expect);
    assert!(pretty(&card).contains("{\"price\":1.10}"));
}

#[test]
fn extended_card_lists_tools_and_handoffs() {
    let agent = AgentSpec {
        tools: vec![ToolSpec {
            name: "get_weather".into(),
            description: String::new(),
            parameters: json("{}"),
            effects: Effects::ReadOnly,
            runner: ToolRunner::BuiltIn,
            output: None,
            permission: Permission::Allow,
            rules: Vec::new(),
            include: Default::default(),
            sequential: false,
        }],
        handoffs: vec![HandoffTarget { agent: "travel".into(), description: "Books the journey".into(), url: None }],
        input_modes: vec!["*/*".into()],
        ..agent()
    };
    let (public, extended) =
        (AgentCard::from_spec(&agent, &card_options(&[])), AgentCard::extended(&agent, &card_options(&[])));
    assert_eq!(AgentCard { skills: public.skills.clone(), ..extended.clone() }, public);
    assert_eq!(extended.default_input_modes, ["*/*"]);
    assert_snapshot!(pretty(&extended.skills));
}

#[test]
fn foreign_cards_are_parsed_in_either_spelling() {
    let camel = r#"{"name":"Peer","description":null,"version":"1","iconUrl":"https://example.com/i.png",
        "documentationUrl":"https://example.com","provider":{"url":"https://example.com","organization":"Example"},
        "supportedInterfaces":[{"url":"example.com:443","protocolBinding":"GRPC","protocolVersion":"1.0","tenant":"t"}],
        "capabilities":{"streaming":true,"pushNotifications":null,"extendedAgentCard":true,
          "extensions":[{"uri":"u","params":{"n":1.0}}]},
        "securitySchemes":{
          "key":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"},"type":"apiKey","in":"header"},
          "bearer":{"httpAuthSecurityScheme":{"scheme":"Bearer","bearerFormat":"JWT"}},
          "oauth":{"oauth2SecurityScheme":{"oauth2MetadataUrl":"m","flows":{
            "authorizationCode":{"authorizationUrl":"a","tokenUrl":"t","scopes":{"read":"Reads"},"pkceRequired":true}}}},
          "machine":{"oauth2SecurityScheme":{"flows":{
            "clientCredentials":{"tokenUrl":"t","refreshUrl":"r","scopes":{}}}}},
          "device":{"oauth2SecurityScheme":{"flows":{
            "deviceCode":{"deviceAuthorizationUrl":"d","tokenUrl":"t","scopes":{}}}}},
          "old":{"oauth2SecurityScheme":{"flows":{"implicit":{"authorizationUrl":"a","scopes":{}},
            "password":{"tokenUrl":"t","scopes":{}}}}},
          "oidc":{"openIdConnectSecurityScheme":{"openIdConnectUrl":"o","description":"Company account"}},
          "cert":{"mtlsSecurityScheme":{}}},
        "securityRequirements":[{"schemes":{"oauth":{"list":["read"]},"cert":{"list":[]}}}],
        "defaultInputModes":["text/plain"],"defaultOutputModes":null,
        "skills":[{"id":"s","name":"S","description":"","tags":[],"inputModes":["text/plain"],
          "outputModes":["image/png"],"securityRequirements":[{"schemes":{"bearer":{}}}]}],
        "signatures":[{"protected":"e30","signature":"c2ln","header":{"kid":"1"}}],"someday":[1]}"#;
    let snake = [
        "supportedInterfaces",
        "protocolBinding",
        "protocolVersion",
        "iconUrl",
        "documentationUrl",
        "pushNotifications",
        "extendedAgentCard",
        "securitySchemes",
        "apiKeySecurityScheme",
        "httpAuthSecurityScheme",
        "bearerFormat",
        "oauth2SecurityScheme",
        "oauth2MetadataUrl",
        "authorizationCode",
        "authorizationUrl",
        "tokenUrl",
        "pkceRequired",
        "clientCredentials",
        "refreshUrl",
        "deviceCode",
        "deviceAuthorizationUrl",
        "openIdConnectSecurityScheme",
        "openIdConnectUrl",
        "mtlsSecurityScheme",
        "securityRequirements",
        "defaultInputModes",
        "defaultOutputModes",
        "inputModes",
        "outputModes",
    ]
    .into_iter()
    .fold(camel.to_owned(), |text, name| text.replace(&format!("\"{name}\""), &format!("\"{}\"", snake_case(name))));
    assert_ne!(camel, snake);
    let card: AgentCard = serde_json::from_str(camel).unwrap();
    assert_eq!(serde_json::from_str::<AgentCard>(&snake).unwrap(), card);
    assert_eq!(serde_json::from_str::<AgentCard>(&pretty(&card)).unwrap(), card);
    assert_snapshot!(pretty(&card));
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[test]
fn extensions_round_trip() {
    for choice in [ToolExecution::Agent, ToolExecution::Caller] {
        let metadata = v1::tool_execution_metadata(choice);
        assert_eq!(v1::requested_tool_execution(Some(&metadata)), Ok(Some(choice)));
    }
    assert_eq!(
        v1::generation_metadata(u64::MAX).as_str(),
        format!(r#"{{"{}":{{"generation":18446744073709551615}}}}"#, v1::GENERATION)
    );
    let long = format!(r#"{{"key":"{}"}}"#, "k".repeat(255));
    let too_long = format!(r#"{{"key":"{}"}}"#, "k".repeat(256));
    let cases = [
        (v1::TOOL_EXECUTION, r#"{"toolExecution":"caller"}"#, Ok(Some("Caller".to_owned()))),
        (v1::TOOL_EXECUTION, r#"{"toolExecution":"nobody"}"#, Err(())),
        (v1::TOOL_EXECUTION, "null", Ok(None)),
        (v1::TOOL_EXECUTION, "[\"caller\"]", Err(())),
        (v1::IDEMPOTENCY, r#"{"key":"order-7"}"#, Ok(Some("order-7".to_owned()))),
        (v1::IDEMPOTENCY, &long, Ok(Some("k".repeat(255)))),
        (v1::IDEMPOTENCY, &too_long, Err(())),
        (v1::IDEMPOTENCY, r#"{"key":""}"#, Err(())),
        (v1::IDEMPOTENCY, r#"{"key":"a b"}"#, Err(())),
        (v1::IDEMPOTENCY, r#"{"key":"ä"}"#, Err(())),
        (v1::IDEMPOTENCY, r#"{"key":7}"#, Err(())),
        (v1::IDEMPOTENCY, "{}", Err(())),
        (v1::GENERATION, r#"{"ifGenerationMatch":5}"#, Ok(Some("5".to_owned()))),
        (v1::GENERATION, r#"{"ifGenerationMatch":"5"}"#, Ok(Some("5".to_owned()))),
        (v1::GENERATION, r#"{"ifGenerationMatch":0}"#, Ok(Some("0".to_owned()))),
        (v1::GENERATION, r#"{"ifGenerationMatch":-1}"#, Err(())),
        (v1::GENERATION, r#"{"ifGenerationMatch":1.5}"#, Err(())),
        (v1::GENERATION, r#"{"ifGenerationMatch":null}"#, Err(())),
        (v1::GENERATION, r#"{"ifGenerationMatch":"many"}"#, Err(())),
        (v1::GENERATION, "{}", Err(())),
    ];
    for (uri, said, expect) in cases {
        let metadata = json(&format!(r#"{{"other":1.0,"{uri}":{said}}}"#));
        let read = match uri {
            v1::TOOL_EXECUTION => {
                v1::requested_tool_execution(Some(&metadata)).map(|it| it.map(|it| format!("{it:?}")))
            }
            v1::IDEMPOTENCY => v1::requested_idempotency_key(Some(&metadata)),
            _ => v1::requested_generation(Some(&metadata)).map(|it| it.map(|it| it.to_string())),
        };
        let read = read.map_err(|error| assert_eq!(error.violations[0].field, format!("message.metadata[\"{uri}\"]")));
        assert_eq!(read, expect, "{uri} {said}");
    }
    for metadata in [None, Some(json("{}"))] {
        assert_eq!(v1::requested_tool_execution(metadata.as_ref()), Ok(None));
        assert_eq!(v1::requested_idempotency_key(metadata.as_ref()), Ok(None));
        assert_eq!(v1::requested_generation(metadata.as_ref()), Ok(None));
    }
}
