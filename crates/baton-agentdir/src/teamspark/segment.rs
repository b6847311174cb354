//! Derives the path segment of an agent with a free-text name.

use baton_types::{AgentName, Digest, RESERVED_AGENT_NAMES, is_agent_name};

const MAX: usize = 64;
const DIGITS: usize = 8;

/// The name in lower case, with one dash for each run of characters that a path cannot hold. A name without any allowed
/// character yields digits derived from `base_directory`, which are stable as long as the agent is not moved.
pub fn segment(name: &str, base_directory: &str) -> AgentName {
    let mut segment = String::with_capacity(name.len());
    for c in name.chars().flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '0'..='9' => segment.push(c),
            _ if segment.is_empty() || segment.ends_with('-') => {}
            _ => segment.push('-'),
        }
        if segment.len() == MAX {
            break;
        }
    }
    let segment = segment.trim_end_matches('-');
    if is_agent_name(segment) {
        return AgentName::from(segment);
    }
    if RESERVED_AGENT_NAMES.contains(&segment) {
        return AgentName::from(format!("agent-{segment}"));
    }
    let digest = Digest::compute(base_directory.as_bytes());
    let digits: String = digest.as_str().chars().filter(char::is_ascii_hexdigit).take(DIGITS).collect();
    AgentName::from(format!("agent-{digits}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_segments() {
        let long = "Very ".repeat(30);
        for (name, expect) in [
            ("Bob Agent", "bob-agent"),
            ("  Bob -- the 2nd!  ", "bob-the-2nd"),
            ("ÄGYPTEN", "gypten"),
            ("Tasks", "agent-tasks"),
            ("V1", "agent-v1"),
            (&long, "very-very-very-very-very-very-very-very-very-very-very-very-very"),
        ] {
            let made = segment(name, "/agents/x");
            assert_eq!(made.as_str(), expect, "{name}");
            assert!(is_agent_name(made.as_str()), "{name}");
        }
        let nameless = ["日本", "---", ""].map(|name| segment(name, "/agents/x"));
        assert!(nameless.iter().all(|name| is_agent_name(name.as_str()) && *name == nameless[0]), "{nameless:?}");
        assert_ne!(segment("日本", "/agents/y"), nameless[0]);
    }
}
