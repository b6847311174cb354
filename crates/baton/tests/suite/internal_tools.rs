//! Agents that read and change their rules, references and tools; tool names, limits and secrets that TeamSpark users
//! rely on.

use crate::{
    binary::{CommandOutput, Home},
    mcp::fixture,
};
use serde_json::{Value, json};
use std::fs;

const PLAYBOOK: &str = r#"rules:
  - when: { after_tool: "*" }
    say: "${result}"
  - when: { user: "^create (?P<name>[a-z]+) (?P<mode>[a-z]+) (?P<text>.+)$", turn: first }
    call: [{ tool: own_rules__createRule, args: { name: "${name}", text: "${text}", include: "${mode}", description: "About ${name}." } }]
  - when: { user: "^update (?P<name>[a-z]+) (?P<text>.+)$", turn: first }
    call: [{ tool: own_rules__updateRule, args: { name: "${name}", text: "${text}", priorityLevel: 700 } }]
  - when: { user: "^include (?P<name>[a-z]+)$", turn: first }
    call: [{ tool: own_rules__includeRule, args: { name: "${name}" } }]
  - when: { user: "^exclude (?P<name>[a-z]+)$", turn: first }
    call: [{ tool: own_rules__excludeRule, args: { name: "${name}" } }]
  - when: { user: "^delete (?P<name>[a-z]+)$", turn: first }
    call: [{ tool: own_rules__deleteRule, args: { name: "${name}" } }]
  - when: { user: "^search (?P<query>.+)$", turn: first }
    call: [{ tool: own_rules__searchRules, args: { query: "${query}" } }]
  - when: { user: "^context$", turn: first }
    call: [{ tool: own_rules__listContextRules, args: {} }]
  - when: { user: "^wrong$", turn: first }
    call: [{ tool: own_rules__createRule, args: { name: "x", text: "y", priority: 5 } }]
  - when: { user: "^remember (?P<text>.+)$", turn: first }
    call: [{ tool: memory__createReference, args: { name: "noted", text: "${text}" } }]
  - when: { user: "^servers$", turn: first }
    call: [{ tool: own_tools__listToolServers, args: {} }]
  - when: { user: "^find (?P<query>.+)$", turn: first }
    call: [{ tool: own_tools__searchTools, args: { query: "${query}", topN: 1 } }]
  - when: { user: "^mode (?P<mode>[a-z]+)$", turn: first }
    call: [{ tool: own_tools__setToolIncludeMode, args: { serverName: memory, toolName: listReferences, mode: "${mode}" } }]
  - when: { user: "^take (?P<tool>[A-Za-z]+)$", turn: first }
    call: [{ tool: own_tools__includeTool, args: { serverName: memory, toolName: "${tool}" } }]
  - say: "${tools}"
"#;

fn ok(ended: &CommandOutput) -> String {
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
    ended.stdout.trim_end().to_owned()
}

fn say(home: &Home, agent: &str, words: &str) -> String {
    ok(&home.run(&["run", agent, words, "--context", "talk", "--quiet"]))
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The rules in the last model request, with the reason of each.
fn given(home: &Home, agent: &str) -> Vec<(String, String)> {
    let shown = ok(&home.run(&["sessions", "show", "talk", "--agent", agent, "--json"]));
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    let messages = shown["messages"].as_array().expect("messages");
    let items = messages.iter().rev().find_map(|message| message["request_context"].as_array());
    let rules = items.into_iter().flatten().filter(|item| item["kind"] == "rule");
    let text = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().to_owned();
    rules.map(|item| (text(item, "name"), text(item, "include"))).collect()
}

/// All three servers, without approval, in the TeamSpark format, which all agents accept.
fn servers() -> Value {
    let free = json!({"permissionRequired": false});
    let one = |tool: &str| json!({"type": "internal", "tool": tool, "serverToolDefaults": free});
    json!({"own_rules": one("rules"), "memory": one("references"), "own_tools": one("tools")})
}

/// The same agent as a Baton directory, a TeamSpark directory and a single file.
fn forms() -> (Home, [(&'static str, &'static str); 3]) {
    let home = Home::new();
    home.agent("native", "", PLAYBOOK);
    home.write("native/mcp.json", &json!({"mcpServers": servers()}).to_string());
    let spark = json!({"metadata": {"name": "Spark", "description": "For a test."}, "mcpServers": servers()});
    home.write("spark/tspark.json", &spark.to_string());
    home.write("spark/prompt.md", "You are a test.\n");
    home.write("spark/playbook.yaml", PLAYBOOK);
    let single = format!(
        "# Ours.\nmetadata:\n  name: Single # kept\n  description: For a test.\nsystemPrompt: You are a test.\n\
         mcpServers: {}\n",
        servers()
    );
    home.write("single/tsagent.yaml", &single);
    home.write("single/playbook.yaml", PLAYBOOK);
    let files =
        [("native", "native/rules/tides.md"), ("spark", "spark/rules/tides.mdt"), ("single", "single/tsagent.yaml")];
    (home, files)
}

#[test]
fn teamspark_14_agent_changes_are_in_its_file_and_the_next_request() {
    let (home, files) = forms();
    let (server, _) = home.up(&["--port", "0"]);
    for (agent, file) in files {
        let text = || fs::read_to_string(home.path(file)).unwrap_or_default();
        let created = say(&home, agent, "create tides always The harbour floods at high tide.");
        assert!(created.starts_with("The rule 'tides' was created."), "{agent}: {created}");
        assert!(text().contains("The harbour floods at high tide."), "{agent}: {}", text());
        let offered = say(&home, agent, "hello");
        assert!(offered.contains("own_rules__createRule") && offered.contains("own_tools__searchTools"), "{offered}");
        assert_eq!(given(&home, agent), [("tides".to_owned(), "always".to_owned())], "{agent}");

        let again = say(&home, agent, "create tides always Something else.");
        assert!(again.contains("already") && again.contains("updateRule"), "{agent}: {again}");
        assert!(!text().contains("Something else."), "{agent}: the existing rule is kept");
        say(&home, agent, "update tides Ships wait for the ebb.");
        assert!(text().contains("Ships wait for the ebb.") && !text().contains("floods"), "{agent}: {}", text());
        assert!(text().contains("700"), "{agent}: {}", text());

        say(&home, agent, "create gulls manual Gulls steal chips.");
        say(&home, agent, "hello");
        assert_eq!(given(&home, agent).len(), 1, "{agent}: a manual rule is included only by name");
        say(&home, agent, "include gulls");
        say(&home, agent, "exclude tides");
        say(&home, agent, "hello");
        assert_eq!(given(&home, agent), [("gulls".to_owned(), "manual".to_owned())], "{agent}");
        let context: Value = json_of(&say(&home, agent, "context"));
        let expect = json!({"rules": [{"name": "gulls", "include": "manual"}], "excluded": ["tides"]});
        assert_eq!(context, expect, "{agent}");

        let found: Value = json_of(&say(&home, agent, "search who steals chips"));
        let first = &found["matches"][0];
        assert_eq!((&first["name"], &first["text"]), (&json!("gulls"), &json!("Gulls steal chips.")), "{found}");
        assert!(first["score"].as_f64().is_some_and(|score| score > 0.5), "{found}");

        let wrong = say(&home, agent, "wrong");
        assert!(wrong.starts_with("BTN-3014: ") && wrong.contains("'priority'"), "{wrong}");
        say(&home, agent, "delete gulls");
        let gone = say(&home, agent, "include gulls");
        assert_eq!(gone, "there is no rule 'gulls'; there are: tides", "{agent}");
        say(&home, agent, "remember The pier is closed.");
        let reference = format!("{agent}/references/noted.md");
        let kept = [reference.as_str(), "spark/refs/noted.mdt", "single/tsagent.yaml"];
        let kept = kept.map(|path| fs::read_to_string(home.path(path)).unwrap_or_default());
        assert!(kept.iter().any(|text| text.contains("The pier is closed.")), "{agent}: {kept:?}");
    }
    let single = fs::read_to_string(home.path("single/tsagent.yaml")).expect("there");
    assert!(single.starts_with("# Ours.") && single.contains("name: Single # kept"), "{single}");
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn teamspark_14_model_searches_excludes_and_includes_tools() {
    let (home, _) = forms();
    let (server, _) = home.up(&["--port", "0"]);
    let listed: Value = serde_json::from_str(&say(&home, "native", "servers")).expect("JSON");
    let names: Vec<&str> =
        listed["servers"].as_array().expect("servers").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names.len(), 3, "{listed}");
    let found: Value = serde_json::from_str(&say(&home, "native", "find delete a reference")).expect("JSON");
    let first = &found["matches"][0];
    assert_eq!((&first["toolName"], &first["serverName"]), (&json!("deleteReference"), &json!("memory")), "{found}");
    assert_eq!(first["inputSchema"]["required"], json!(["name"]), "{found}");
    let set = say(&home, "native", "mode manual");
    assert!(set.contains("once it is requested by name"), "{set}");
    assert!(fs::read_to_string(home.path("native/mcp.json")).expect("there").contains("\"manual\""));
    assert!(!say(&home, "native", "hello").contains("memory__listReferences"));
    let taken = say(&home, "native", "take listReferences");
    assert!(taken.starts_with("The tool 'memory__listReferences' is part of this conversation"), "{taken}");
    assert!(say(&home, "native", "hello").contains("memory__listReferences"));
    // Another conversation does not include it.
    let other = ok(&home.run(&["run", "native", "hello", "--context", "other", "--quiet"]));
    assert!(!other.contains("memory__listReferences"), "{other}");
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn teamspark_14_autonomous_agent_is_not_offered_tools_that_change_it() {
    let home = Home::new();
    home.agent("alone", "autonomous: true\n", PLAYBOOK);
    home.write("alone/mcp.json", &json!({"mcpServers": servers()}).to_string());
    home.write("alone/rules/tides.md", "---\ninclude: always\n---\nShips wait for the ebb.\n");
    let offered = say(&home, "alone", "hello");
    let of = |server: &str| {
        let mut tools: Vec<String> = offered
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter_map(|word| word.strip_prefix(&format!("{server}__")).map(str::to_owned))
            .collect();
        tools.sort_unstable();
        tools
    };
    assert_eq!(of("own_rules"), ["getRule", "listContextRules", "listRules", "searchRules"], "{offered}");
    assert_eq!(
        of("memory"),
        ["getReference", "listContextReferences", "listReferences", "searchReferences"],
        "{offered}"
    );
    let looks = ["getTool", "getToolServer", "listContextTools", "listToolServers", "listTools", "searchTools"];
    assert_eq!(of("own_tools"), looks, "{offered}");
    for words in
        ["create gulls always Gulls steal chips.", "include tides", "exclude tides", "delete tides", "mode manual"]
    {
        let refused = say(&home, "alone", words);
        assert!(refused.contains("BTN-3012") && refused.contains("an autonomous agent"), "{words}: {refused}");
    }
    assert!(!home.path("alone/rules/gulls.md").exists());
    let found = say(&home, "alone", "search when do ships wait");
    assert!(found.contains("Ships wait for the ebb."), "{found}");
}

#[test]
fn outside_of_a_conversation_definitions_can_be_changed_and_sessions_cannot() {
    let home = Home::new();
    home.agent("native", "", PLAYBOOK);
    let mut all = servers();
    all["guard"] = json!({"type": "internal", "tool": "supervision"});
    home.write("native/mcp.json", &json!({"mcpServers": all}).to_string());
    let call = |tool: &str, arguments: &str| home.run(&["tools", "call", "native", tool, "--json-args", arguments]);
    let created = call("memory__createReference", r#"{"name": "pier", "text": "Closed."}"#);
    assert_eq!(created.code, Some(0), "{}", created.shown());
    assert!(home.path("native/references/pier.md").exists());
    for (tool, arguments, expect) in [
        ("memory__includeReference", r#"{"name": "pier"}"#, "no conversation"),
        (
            "memory__createReference",
            r#"{"name": "p", "text": "t", "enabled": false}"#,
            "there is no argument 'enabled'",
        ),
        ("memory__createReference", r#"{"name": "a b", "text": "t"}"#, "BTN-2023"),
        ("memory__updateReference", r#"{"name": "pier", "priorityLevel": 1000}"#, "from 0 to 999"),
        ("memory__updateReference", r#"{"name": "pier"}"#, "at least one of"),
        ("memory__searchReferences", r#"{"query": "pier", "topN": 51}"#, "from 1 to 50"),
        ("own_tools__getTool", r#"{"serverName": "nobody", "toolName": "x"}"#, "there are: "),
        ("own_tools__getTool", r#"{"serverName": "memory", "toolName": "x"}"#, "it has: createReference"),
    ] {
        let refused = call(tool, arguments);
        let said = format!("{}{}", refused.stdout, refused.stderr);
        assert!(refused.code != Some(0) && said.contains(expect), "{tool} {arguments}: {}", refused.shown());
    }
    let list = home.run(&["tools", "list", "native", "--wait", "5s"]);
    assert!(list.stdout.contains("has no internal server 'supervision' yet"), "{}", list.shown());
}

#[test]
fn teamspark_13_servers_with_underscores_and_long_names_work_from_end_to_end() {
    let home = Home::new();
    let long = format!("server_{}", "of_a_long_name_".repeat(3));
    let one = json!({"command": fixture(), "permissions": {"default": "allow"}});
    let servers: serde_json::Map<String, Value> =
        ["my_own_files", "my_own", &long].map(|name| (name.to_owned(), one.clone())).into_iter().collect();
    home.agent("helper", "", "rules: [{ say: none }]\n");
    home.write("helper/mcp.json", &json!({"mcpServers": servers}).to_string());
    let list = ok(&home.run(&["tools", "list", "helper", "--wait", "30s", "--json"]));
    let list: Value = serde_json::from_str(&list).expect("JSON");
    let tools = list["tools"].as_array().expect("tools");
    let name_in = |server: &str| {
        let is_it =
            |tool: &&Value| tool["source"] == format!("server:{server}") && tool["description"] == "Returns text";
        let found: Vec<&str> = tools.iter().filter(is_it).filter_map(|tool| tool["name"].as_str()).collect();
        let [name] = found[..] else { panic!("{server}: {found:?}") };
        name
    };
    let names = ["my_own_files", "my_own", &long].map(name_in);
    assert_eq!(names[..2], ["my_own_files__test_simple_text", "my_own__test_simple_text"]);
    assert!(names[2].len() <= 64 && names[2].starts_with(&long[..40]), "{names:?}");
    let rules = names.map(|name| json!({"when": {"user": format!("^{name}$"), "turn": "first"}, "call": [name]}));
    let mut all = vec![json!({"when": {"after_tool": "*"}, "say": "${result}"})];
    all.extend(rules);
    home.write("helper/playbook.yaml", &json!({"rules": all}).to_string());
    for name in names {
        let said = ok(&home.run(&["run", "helper", name, "--quiet"]));
        assert_eq!(said, "This is a simple text response for testing.", "{name}");
    }
}

#[test]
fn teamspark_15_exactly_as_many_model_calls_as_allowed_and_an_error_only_when_cut() {
    let home = Home::new();
    let settings = json!({"maxChatTurns": "3"});
    let about = json!({"name": "Spark", "description": "For a test."});
    let spark = json!({"metadata": about, "settings": settings, "mcpServers": servers()});
    home.write("spark/tspark.json", &spark.to_string());
    home.write("spark/prompt.md", "You are a test.\n");
    home.write(
        "spark/playbook.yaml",
        "rules:\n  - when: { user: enough, turn: 3 }\n    say: \"done at ${turn}\"\n  - when: { turn: any }\n    \
         call: [{ tool: own_rules__listRules, args: {} }]\n",
    );
    let said = ok(&home.run(&["run", "spark", "enough", "--quiet"]));
    assert_eq!(said, "done at 3", "the last allowed call may answer");
    let cut = home.run(&["run", "spark", "forever", "--context", "talk"]);
    assert_eq!(cut.code, Some(1), "{}", cut.shown());
    assert!(cut.stderr.contains("BTN-3001"), "{}", cut.shown());
    let shown = ok(&home.run(&["sessions", "show", "talk", "--json"]));
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    let messages = shown["messages"].as_array().expect("messages");
    let turns = messages.iter().filter(|message| message.to_string().contains("\"tool_calls\"")).count();
    assert_eq!(turns, 3, "{shown:#}");
}

#[test]
fn teamspark_16_secrets_reach_only_mcp_servers() {
    const SECRETS: [&str; 3] = ["s3cret-of-the-environment", "s3cret-in-the-file", "s3cret-beside-the-agent"];
    let home = Home::new();
    home.agent("helper", "", PLAYBOOK);
    home.write("helper/.env", &format!("BESIDE={}\n", SECRETS[2]));
    // The program logs its variables and works only if all of them are correct.
    let [outside, literal, beside] = SECRETS;
    let checks = format!(
        "echo \"given $FROM_ENV $API_KEY $OWN\" >&2\n\
         test \"$FROM_ENV\" = {outside} && test \"$API_KEY\" = {literal} && test \"$OWN\" = {beside} && exec \"$0\"\n"
    );
    home.write("check.sh", &checks);
    let script = format!(". '{}'", home.path("check.sh").display());
    let env = json!({"FROM_ENV": "env://OUTSIDE", "API_KEY": literal, "OWN": "env://BESIDE"});
    let headers = json!({"Authorization": format!("Bearer {literal}"), "X-Key": "env://OUTSIDE"});
    let mut all = servers();
    all["good"] = json!({"command": "sh", "args": ["-c", script, fixture()], "env": env});
    all["missing"] = json!({"command": fixture(), "env": {"KEY": "env://NOBODY_SET_THIS"}});
    all["remote"] = json!({"type": "http", "url": "http://127.0.0.1:9/mcp", "headers": headers});
    home.write("helper/mcp.json", &json!({"mcpServers": all}).to_string());
    let variables = [("OUTSIDE", outside)];
    let list = home.run_with(&variables, &["tools", "list", "helper", "--wait", "20s", "--json"]);
    let told: Value = serde_json::from_str(&list.stdout).expect("JSON");
    let status = |name: &str| {
        let servers = told["servers"].as_array().expect("servers");
        servers.iter().find(|server| server["name"] == name).expect("it").clone()
    };
    assert_eq!(status("good")["state"], "ready", "{told:#}");
    assert!(status("good")["log"].to_string().contains("given [hidden] [hidden] [hidden]"), "{told:#}");
    assert_eq!(status("missing")["state"], "failed", "{told:#}");
    let missing = "`env.KEY` uses the variable NOBODY_SET_THIS, which is not set";
    assert_eq!(status("missing")["reason"], missing, "{told:#}");
    assert_ne!(status("remote")["state"], "ready", "{told:#}");
    let logged =
        home.run_with(&variables, &["run", "helper", "servers", "--context", "talk", "--quiet", "--log", "trace"]);
    assert!(logged.stdout.contains("NOBODY_SET_THIS"), "{}", logged.shown());
    let session = home.run(&["sessions", "export", "talk"]);
    for ended in [list, logged, session] {
        assert_eq!(ended.code, Some(0), "{}", ended.shown());
        for secret in SECRETS {
            assert!(!ended.shown().contains(secret), "{}", ended.shown());
        }
    }
}
