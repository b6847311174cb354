//! Models, providers and the settings of their output.

use baton_agentdir::{Format, convert, parse};
use baton_types::{Budget, GuardRunner, GuardStage, ProviderEntry, Thousandths};
use std::collections::BTreeMap;

const SECRET: &str = "sk-planted-0123456789";

fn files(list: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    list.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
}

fn native(yaml: &str) -> BTreeMap<String, Vec<u8>> {
    files(&[("agent.yaml", yaml), ("prompt.md", "You help.")])
}

fn entry(id: &str, keys: &[(&str, &str)]) -> ProviderEntry {
    let keys = keys.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    ProviderEntry { id: id.to_owned(), keys }
}

const FULL: &str = "name: desk
model: anthropic:claude-sonnet-4-5
fallbacks: [openai:gpt-5-mini, playbook]
providers:
  anthropic: { ANTHROPIC_API_KEY: sk-planted-0123456789 }
  openai:
  house: { base_url: http://127.0.0.1:8080/v1, api_key: env://HOUSE_KEY, headers: { X-Team: a }, concurrency: 2, idle_timeout: 30s }
answer: { schema: { type: object, properties: { city: { type: string } } }, repairs: 1 }
guardrails:
  - { name: words, on: [output, input], command: [sh, guards/words.sh], timeout: 2s }
  - { name: service, on: tool_call, http: { url: https://guard.example.com/check, headers: { Authorization: Bearer env://GUARD } }, on_failure: allow }
settings:
  effort: high
  tool_errors: 3
  spill_bytes: 8KB
  compact_at: 0.5
  budgets: { run: { tokens: 1000, dollars: 0.25 }, month: { tool_calls: 7 } }
tools:
  - { name: pay, description: Pays., command: [sh], sequential: true }
";

#[test]
fn full_definition_is_parsed() {
    let mut all = native(FULL);
    all.insert(".env".to_owned(), b"HOUSE_KEY=abc\n".to_vec());
    let parsed = parse(&all, "/agents/desk");
    assert_eq!(parsed.diagnostics, []);
    let agent = parsed.agent.expect("an agent");
    assert_eq!(agent.writing.model.as_deref(), Some("claude:claude-sonnet-4-5"));
    assert_eq!(agent.writing.fallbacks, ["openai:gpt-5-mini", "playbook"]);
    assert_eq!(agent.writing.effort.as_deref(), Some("high"));
    let limits = &agent.limits;
    assert_eq!((limits.tool_errors, limits.spill_bytes, limits.compact_at), (3, 8192, Thousandths(500)));
    let run = Budget { tokens: Some(1000), micro_dollars: Some(250_000), tool_calls: None };
    assert_eq!((limits.budgets.run, limits.budgets.month.tool_calls), (run, Some(7)));
    assert_eq!(agent.answer.as_ref().map(|answer| answer.repairs), Some(1));
    assert!(agent.tools[0].sequential);
    let [words, service] = &agent.guardrails[..] else { panic!("two guardrails") };
    assert_eq!(words.on, [GuardStage::Input, GuardStage::Output]);
    assert!(matches!(&words.runner, GuardRunner::Command { directory, .. } if directory == "/agents/desk"));
    assert!(service.fails_open && matches!(&service.runner, GuardRunner::Http { .. }));
    let house = [
        ("base_url", "http://127.0.0.1:8080/v1"),
        ("api_key", "env://HOUSE_KEY"),
        ("headers.X-Team", "a"),
        ("concurrency", "2"),
        ("idle_timeout", "30s"),
    ];
    let expect = [entry("claude", &[("ANTHROPIC_API_KEY", SECRET)]), entry("openai", &[]), entry("house", &house)];
    assert_eq!(parsed.resources.providers, expect);
    assert_eq!(parsed.resources.variables.0.get("HOUSE_KEY").map(String::as_str), Some("abc"));
    // Neither journaled nor logged values contain a key.
    assert!(!agent.to_json().expect("JSON").as_str().contains(SECRET));
    assert!(!format!("{:?}", parsed.resources).contains(SECRET) && !format!("{:?}", parsed.resources).contains("abc"));
}

#[test]
fn errors_have_a_position_and_show_no_value() {
    let yaml = "name: desk
model: gpt
fallbacks: [nobody]
providers:
  openai: { OPENAI_KEY: sk-planted-0123456789 }
  claude: { ANTHROPIC_API_KEY: op://vault/sk-planted-0123456789/key }
  anthropic: {}
  elsewhere: { api_key: sk-planted-0123456789 }
  local: { MODEL_DIRECTORY: /weights }
  docker: { BASE_URL: env://1-sk-planted-0123456789, idle_timeout: 3 }
answer: { repairs: 99 }
guardrails:
  - { name: g, command: [sh], http: { url: https://a.example } }
settings: { effort: loud, compact_at: 2, budgets: { run: { dollars: -1, cents: 3 } } }
";
    let mut all = native(yaml);
    all.insert(".env".to_owned(), format!("KEY={SECRET}\n{SECRET}\n").into_bytes());
    let parsed = parse(&all, "/agents/desk");
    assert!(parsed.agent.is_none());
    let told: Vec<String> = parsed.diagnostics.iter().map(ToString::to_string).collect();
    assert!(told.iter().all(|remark| !remark.contains(SECRET)), "{told:#?}");
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn providers_survive_conversion_between_all_formats() {
    let theirs = files(&[
        (
            "tspark.json",
            r#"{"metadata": {"name": "Clerk"}, "settings": {"mostRecentModel": "anthropic:claude-3"},
                "providers": {"anthropic": {"ANTHROPIC_API_KEY": "env://KEY"},
                "bedrock": {"BEDROCK_ACCESS_KEY_ID": "sk-planted-0123456789", "BEDROCK_SECRET_ACCESS_KEY": "env://B"},
                "docker": {"BASE_URL": "http://localhost:12434/engines/v1"}, "test": {}}}"#,
        ),
        (".env", "KEY=abc\n"),
    ]);
    let before = parse(&theirs, "/agents/clerk");
    assert_eq!(before.diagnostics, []);
    assert_eq!(before.resources.providers[1].keys["BEDROCK_ACCESS_KEY_ID"], SECRET);
    let mut now = theirs;
    for form in [Format::Native, Format::Tsagent, Format::TsagentJson, Format::Tspark, Format::Native] {
        let converted = convert(&now, form).expect("the conversion succeeds");
        assert!(converted.lost.iter().all(|lost| lost.contains("address")), "{form:?}: {:?}", converted.lost);
        let after = parse(&converted.files, "/agents/clerk");
        assert_eq!(
            (&after.resources.providers, &after.resources.variables),
            (&before.resources.providers, &before.resources.variables),
            "{form:?}"
        );
        assert_eq!(after.agent.expect("an agent").writing.model.as_deref(), Some("claude:claude-3"));
        now = converted.files;
    }
}
