//! Any file contents lead to an agent or a diagnostic.

use super::parse_files;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(agent in prop::collection::vec(any::<u8>(), 0..400), prompt in prop::collection::vec(any::<u8>(), 0..40)) {
        let parsed = parse_files(&[("agent.yaml", &agent), ("prompt.md", &prompt)]);
        prop_assert_eq!(parsed.agent.is_some(), !parsed.diagnostics.iter().any(baton_document::Diagnostic::is_error));
    }

    #[test]
    fn almost_agents(lines in prop::collection::vec((0usize..4, 0usize..14, 0usize..12), 0..20)) {
        const KEYS: [&str; 14] = ["name", "title", "settings", "tools", "- name", "command", "directory", "timeout",
            "parameters", "handoffs", "skills", "- id", "effects", "deadline"];
        const VALUES: [&str; 12] = ["", "a", "[a, b]", "{ a: b }", "7", "true", "\"${x}\"", "[\"sh\", \"${x\"]", "../..",
            "30s", "|", "&a *a"];
        let yaml: String =
            lines.iter().map(|(indent, key, value)| format!("{}{}: {}\n", "  ".repeat(*indent), KEYS[*key], VALUES[*value])).collect();
        let parsed = parse_files(&[("agent.yaml", yaml.as_bytes()), ("prompt.md", b"p")]);
        prop_assert_eq!(parsed.agent.is_some(), !parsed.diagnostics.iter().any(baton_document::Diagnostic::is_error));
        for diagnostic in &parsed.diagnostics {
            prop_assert!(diagnostic.line as usize <= lines.len() + 1, "{}\n{}", diagnostic, yaml);
        }
    }

    #[test]
    fn arbitrary_resources(
        servers in prop::collection::vec(any::<u8>(), 0..400),
        reference in prop::collection::vec(any::<u8>(), 0..100),
        front in "---\n[a-z:{}\" \n-]{0,60}",
    ) {
        let files: &[(&str, &[u8])] = &[
            ("agent.yaml", b"name: a"), ("prompt.md", b"p"), ("mcp.json", &servers), ("tspark.json", &servers),
            ("refs/a.mdt", &reference), ("references/b.mdt", front.as_bytes()),
        ];
        let parsed = parse_files(files);
        // Foreign files never make the agent invalid.
        prop_assert!(parsed.agent.is_some());
    }

    #[test]
    fn almost_servers(entries in prop::collection::vec((0usize..25, 0usize..16), 0..8)) {
        const KEYS: [&str; 25] = ["type", "command", "args", "env", "url", "httpUrl", "headers", "tools", "timeout",
            "permissions", "expose", "oauth", "auth", "env_vars", "env_http_headers", "bearer_token_env_var", "tool",
            "serverToolDefaults", "disabled", "timeouts", "prefix", "era", "scopes", "startup_timeout_sec", "alwaysAllow"];
        const VALUES: [&str; 16] = ["null", "true", "7", "-1e300", "0.0001", "\"\"", "\"stdio\"", "\"https://a\"", "[]",
            "[\"a\", 1, {}]", "{}", "{\"a\": \"b\"}", "{\"default\": \"deny\"}", "{\"include\": []}", "\"30s\"", "\"A_B\""];
        let members: Vec<String> =
            entries.iter().map(|(key, value)| format!("\"{}\": {}", KEYS[*key], VALUES[*value])).collect();
        let server = format!("{{{}}}", members.join(", "));
        let json = format!("{{\"mcpServers\": {{\"s\": {server}}}}}");
        let yaml = format!("name: a\nmcpServers: {{\"s\": {server}}}");
        let theirs = parse_files(&[("agent.yaml", b"name: a"), ("prompt.md", b"p"), ("mcp.json", json.as_bytes())]);
        prop_assert!(theirs.agent.is_some());
        let ours = parse_files(&[("agent.yaml", yaml.as_bytes()), ("prompt.md", b"p")]);
        prop_assert_eq!(ours.agent.is_some(), !ours.diagnostics.iter().any(baton_document::Diagnostic::is_error));
        // The same keys are accepted in foreign files.
        prop_assert!(ours.resources.servers.len() <= theirs.resources.servers.len(), "{}", json);
    }

    #[test]
    fn arbitrary_foreign_agents(bytes in prop::collection::vec(any::<u8>(), 0..300), words in "[a-z:{}\\[\\] ,\"\n-]{0,120}") {
        for file in ["tspark.json", "tsagent.json", "tsagent.yaml"] {
            for bytes in [&bytes[..], words.as_bytes()] {
                let parsed = parse_files(&[(file, bytes), ("prompt.md", bytes), ("rules/a.mdt", bytes), ("AGENTS.md", bytes)]);
                let has_error = parsed.diagnostics.iter().any(baton_document::Diagnostic::is_error);
                prop_assert_eq!(parsed.agent.is_some(), !has_error);
            }
        }
    }

    #[test]
    fn almost_foreign_agents(entries in prop::collection::vec((0usize..26, 0usize..16), 0..12)) {
        const KEYS: [&str; 26] = ["settings", "rules", "references", "systemPrompt", "providers", "mcpServers", "supervisors",
            "skills", "maxChatTurns", "temperature", "topP", "model", "mostRecentModel", "toolPermission", "contextTopK",
            "systemPath", "version", "provider", "iconUrl", "autonomous", "tools", "description", "theme", "text",
            "priorityLevel", "include"];
        const VALUES: [&str; 16] = ["null", "true", "7", "-1e300", "0.0001", "\"\"", "\"20\"", "\"a:b\"", "[]",
            "[\"a\", 1, {}]", "{}", "{\"a\": \"b\"}", "[{\"name\": \"a\", \"text\": \"b\"}]", "{\"s\": {\"command\": \"c\"}}",
            "[{\"id\": \"x\"}]", "[{\"name\": \"t\", \"prompt\": \"{a\"}]"];
        let map = |keys: std::ops::Range<usize>| {
            let mut seen = std::collections::BTreeMap::new();
            for (key, value) in entries.iter().filter(|(key, _)| keys.contains(key)) {
                seen.insert(KEYS[*key], VALUES[*value]);
            }
            seen.iter().map(|(key, value)| format!("\"{key}\": {value}, ")).collect::<String>()
        };
        let json = format!("{{{} \"metadata\": {{ {} \"name\": \"A\" }}, \"other\": 1}}", map(0..26), map(7..26));
        for file in ["tspark.json", "tsagent.json", "tsagent.yaml"] {
            let files = std::collections::BTreeMap::from([(file.to_owned(), json.clone().into_bytes())]);
            let parsed = baton_agentdir::parse(&files, "/agents/a");
            // Whatever is unusual, an agent with a name is valid and can be converted to the native format.
            prop_assert!(parsed.agent.is_some(), "{}\n{:?}", json, parsed.diagnostics);
            let converted = baton_agentdir::convert(&files, baton_agentdir::Format::Native);
            prop_assert!(converted.is_ok(), "{}\n{:?}", json, converted);
        }
    }
}
