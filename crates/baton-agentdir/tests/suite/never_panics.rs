//! Whatever is in the files, the answer is an agent or a diagnostic.

use super::parse_files;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(agent in prop::collection::vec(any::<u8>(), 0..400), prompt in prop::collection::vec(any::<u8>(), 0..40)) {
        let parsed = parse_files(&[("agent.yaml", &agent), ("prompt.md", &prompt)]);
        prop_assert_eq!(parsed.agent.is_some(), !parsed.diagnostics.iter().any(baton_agentdir::Diagnostic::is_error));
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
        prop_assert_eq!(parsed.agent.is_some(), !parsed.diagnostics.iter().any(baton_agentdir::Diagnostic::is_error));
        for diagnostic in &parsed.diagnostics {
            prop_assert!(diagnostic.line as usize <= lines.len() + 1, "{}\n{}", diagnostic, yaml);
        }
    }
}
