//! The entry of the agent, then that of `baton.yaml`, then variables; the agent's own variables first.

use crate::fixtures::{SECRET, entry, environment, resources, with_profiles};
use baton_model_registry::{ModelRegistryError, resolve_provider};
use baton_types::{AgentResources, ProviderEntry, ProviderKind};

struct Case {
    what: &'static str,
    resources: AgentResources,
    house: Vec<ProviderEntry>,
    environment: &'static [(&'static str, &'static str)],
    expect: Option<(&'static str, &'static str)>,
}

#[test]
fn keys_are_resolved_in_order_of_precedence() {
    let openai = |value: &str| entry("openai", &[("OPENAI_API_KEY", value)]);
    let house = |value: &str| vec![entry("openai", &[("api_key", value)])];
    let cases = [
        Case {
            what: "a literal of the agent before everything",
            resources: resources(&[openai("mine")], &[("OPENAI_API_KEY", "dotenv")]),
            house: house("house"),
            environment: &[("OPENAI_API_KEY", "process")],
            expect: Some(("mine", "the agent's providers.openai.OPENAI_API_KEY")),
        },
        Case {
            what: "the agent's variable before that of the process",
            resources: resources(&[openai("env://KEY")], &[("KEY", "dotenv")]),
            house: vec![],
            environment: &[("KEY", "process")],
            expect: Some(("dotenv", "KEY")),
        },
        Case {
            what: "the process's when the agent has none",
            resources: resources(&[openai("env://KEY")], &[]),
            house: vec![],
            environment: &[("KEY", "process")],
            expect: Some(("process", "KEY")),
        },
        Case {
            what: "baton.yaml before the environment",
            resources: resources(&[entry("openai", &[])], &[]),
            house: house("house"),
            environment: &[("OPENAI_API_KEY", "process")],
            expect: Some(("house", "baton.yaml's providers.openai.api_key")),
        },
        Case {
            what: "the environment at last, blanks around it left out",
            resources: resources(&[], &[]),
            house: vec![],
            environment: &[("OPENAI_API_KEY", " process\n")],
            expect: Some(("process", "OPENAI_API_KEY")),
        },
        Case {
            what: "no key of others for an address of the agent's own",
            resources: resources(&[entry("openai", &[("base_url", "http://elsewhere.example")])], &[]),
            house: house("house"),
            environment: &[("OPENAI_API_KEY", "process")],
            expect: None,
        },
        Case {
            what: "nor for one in its variables",
            resources: resources(&[], &[("OPENAI_BASE_URL", "http://elsewhere.example")]),
            house: vec![],
            environment: &[("OPENAI_API_KEY", "process")],
            expect: None,
        },
        Case {
            what: "nor for another protocol, which has an address of its own",
            resources: resources(&[entry("openai", &[("kind", "ollama")])], &[]),
            house: house("house"),
            environment: &[("OPENAI_API_KEY", "process")],
            expect: None,
        },
        Case {
            what: "an address of the environment goes with its key",
            resources: resources(&[], &[]),
            house: vec![],
            environment: &[("OPENAI_API_KEY", "process"), ("OPENAI_BASE_URL", "http://proxy.example")],
            expect: Some(("process", "OPENAI_API_KEY")),
        },
    ];
    for case in cases {
        let settings =
            resolve_provider("openai", &case.resources, &case.house, &environment(case.environment)).expect(case.what);
        let key = settings.key.as_ref().map(|key| (key.value.as_str(), key.source.as_str()));
        assert_eq!(key, case.expect, "{}", case.what);
    }
}

#[test]
fn ids_kinds_and_foreign_keys_are_resolved() {
    let environment = environment(&[("AWS_REGION", "eu-central-1"), ("GOOGLE_API_KEY", "g")]);
    let settings =
        |id: &str, entries: &[ProviderEntry]| resolve_provider(id, &resources(entries, &[]), &[], &environment);
    let claude = settings("anthropic", &[entry("claude", &[("ANTHROPIC_API_KEY", "k")])]).expect("claude");
    assert_eq!((claude.id.as_str(), claude.kind), ("claude", ProviderKind::Anthropic));
    assert_eq!(settings("google", &[]).expect("gemini").key.map(|key| key.source).as_deref(), Some("GOOGLE_API_KEY"));
    let seed = [("BEDROCK_ACCESS_KEY_ID", "a"), ("BEDROCK_SECRET_ACCESS_KEY", "b")];
    let bedrock = settings("bedrock", &[entry("bedrock", &seed)]).expect("bedrock");
    assert!(bedrock.pair.is_some() && bedrock.region.as_deref() == Some("eu-central-1"));
    let house =
        [("base_url", "http://h"), ("kind", "anthropic"), ("rpm", "30"), ("idle_timeout", "5s"), ("headers.X-A", "b")];
    let own = settings("house", &[entry("house", &house)]).expect("a provider of one's own");
    assert_eq!((own.kind, own.per_minute, own.headers.len()), (ProviderKind::Anthropic, Some(30), 1));
    assert!(settings("ollama", &[]).is_ok(), "needs nothing");
}

/// The region becomes part of the host name, so no character may end the host early.
#[test]
fn region_must_be_one_host_label() {
    let environment = environment(&[("AWS_BEARER_TOKEN_BEDROCK", "process")]);
    for (region, is_good) in [
        ("eu-west-1", true),
        ("us-gov-east-1", true),
        ("x.evil.example/#", false),
        ("x.evil.example", false),
        ("x@evil", false),
        ("x:1", false),
        ("x\\y", false),
    ] {
        let entry = resources(&[entry("bedrock", &[("AWS_REGION", region)])], &[]);
        let variable = resources(&[], &[("AWS_REGION", region)]);
        for resources in [entry, variable] {
            let resolved = resolve_provider("bedrock", &resources, &[], &environment);
            assert_eq!(resolved.is_ok(), is_good, "{region}");
            assert!(resolved.is_ok_and(|settings| settings.key.is_some()) == is_good, "{region}");
        }
    }
}

#[test]
fn missing_settings_are_named_without_secrets() {
    let none = environment(&[]);
    let error = |id: &str, entries: &[ProviderEntry]| {
        resolve_provider(id, &resources(entries, &[]), &[], &none).expect_err("incomplete").to_string()
    };
    let told = [
        error("openai", &[]),
        error("claude", &[entry("claude", &[("ANTHROPIC_API_KEY", "env://MY_KEY")])]),
        error("gemini", &[entry("gemini", &[("GOOGLE_API_KEY", "op://vault/sk-planted-0123456789/key")])]),
        error("bedrock", &[]),
        error("bedrock", &[entry("bedrock", &[("AWS_ACCESS_KEY_ID", SECRET)])]),
        error("bedrock", &[entry("bedrock", &[("secret_access_key", SECRET)])]),
        error("bedrock", &[entry("bedrock", &[("AWS_PROFILE", SECRET)])]),
        error("own", &[entry("own", &[("base_url", "http://h"), ("kind", "bedrock")])]),
        error("docker", &[entry("docker", &[("API_KEY", SECRET)])]),
        error("local", &[entry("local", &[("MODEL_DIRECTORY", "/weights")])]),
        error("nobody", &[]),
        error("openai", &[entry("openai", &[("api_key", SECRET), ("rpm", SECRET)])]),
    ];
    assert!(told.iter().all(|text| !text.contains(SECRET)), "{told:#?}");
    insta::assert_snapshot!(told.join("\n"));
    let unset =
        resolve_provider("claude", &resources(&[entry("claude", &[("api_key", "env://MY_KEY")])], &[]), &[], &none);
    let setting = "the agent's providers.claude.api_key".to_owned();
    assert_eq!(unset, Err(ModelRegistryError::UnsetVariable { variable: "MY_KEY".to_owned(), setting }));
    let good = resolve_provider(
        "openai",
        &resources(&[entry("openai", &[("api_key", SECRET), ("headers.A", SECRET)])], &[]),
        &[],
        &none,
    );
    assert!(!format!("{good:?}").contains(SECRET));
}

/// The source of the signing keys for Bedrock, or the error: key id, secret, token.
fn signing(agent: &[(&str, &str)], house: &[(&str, &str)], own: &[(&str, &str)], process: &[(&str, &str)]) -> String {
    let entries = |keys: &[(&str, &str)]| if keys.is_empty() { vec![] } else { vec![entry("bedrock", keys)] };
    let environment = with_profiles(environment(process));
    match resolve_provider("bedrock", &resources(&entries(agent), own), &entries(house), &environment) {
        Ok(settings) => {
            let (key, pair) = (settings.key, settings.pair);
            let parts = key.into_iter().chain(pair.into_iter().flat_map(|it| [Some(it.0), Some(it.1), it.2]).flatten());
            parts.map(|asked| format!("{}={}", asked.source, asked.value)).collect::<Vec<_>>().join(", ")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn key_pair_comes_from_one_source() {
    let process = [("AWS_ACCESS_KEY_ID", "p1"), ("AWS_SECRET_ACCESS_KEY", "p2"), ("AWS_SESSION_TOKEN", "p3")];
    let bearer = [("AWS_BEARER_TOKEN_BEDROCK", "pb"), ("AWS_REGION", "eu-west-1")];
    let own = [("access_key_id", "a1"), ("secret_access_key", "env://MINE")];
    let mine = ("MINE", "a2");
    let told = [
        signing(&[], &[], &[], &process),
        // An own key pair is not combined with another source's bearer token or session token.
        signing(&own, &[], &[mine], &process),
        signing(&own, &[], &[mine], &bearer),
        signing(&[], &[], &[process[0], process[1]], &bearer),
        signing(&[], &[("AWS_ACCESS_KEY_ID", "h1"), ("AWS_SECRET_ACCESS_KEY", "h2")], &[process[0], process[1]], &[]),
        signing(&[("api_key", "ab")], &[], &[], &process),
        signing(&[], &[], &[], &[process[0], process[1], bearer[0]]),
        // Seed names, also with half of another pair.
        signing(&[("BEDROCK_ACCESS_KEY_ID", "s1"), ("BEDROCK_SECRET_ACCESS_KEY", "s2")], &[], &[], &process),
        signing(&[], &[], &[], &[process[0], ("BEDROCK_ACCESS_KEY_ID", "s1"), ("BEDROCK_SECRET_ACCESS_KEY", "s2")]),
        // Half of a pair; no other source completes it.
        signing(&[("AWS_ACCESS_KEY_ID", "a1")], &[], &[], &process),
        signing(&[], &[], &[process[1]], &process),
        signing(&[], &[], &[], &[process[0]]),
        // Not sent to an address that the agent configured.
        signing(&[("base_url", "http://elsewhere.example")], &[], &[], &process),
        // A profile, if the environment has no keys.
        signing(&[("AWS_PROFILE", "work")], &[], &[], &[("HOME", "/people/me")]),
        signing(&[], &[], &[], &[("AWS_PROFILE", "work"), process[0], process[1], ("HOME", "/people/me")]),
        signing(&[], &[], &[], &[("AWS_PROFILE", "sso"), ("HOME", "/people/me")]),
        signing(&[], &[], &[], &[("AWS_PROFILE", "gone"), ("HOME", "/people/me")]),
        signing(&[], &[], &[], &[("AWS_PROFILE", "work"), ("HOME", "/nowhere")]),
    ];
    insta::assert_snapshot!(told.join("\n"));
}
