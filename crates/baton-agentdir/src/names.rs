//! Which names are safe to use as path segments and as tool names.

/// Words with which paths of A2A begin; a name can stand there too, so no agent can be called by one of these.
pub const RESERVED_AGENT_NAMES: [&str; 3] = ["agents", "tasks", "v1"];

/// Lower-case letters, digits and dashes, 1 to 64 of them, beginning and ending with a letter or digit; none of
/// [`RESERVED_AGENT_NAMES`].
pub fn is_agent_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=64).contains(&name.len())
        && name.chars().all(allowed)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !RESERVED_AGENT_NAMES.contains(&name)
}

/// Letters, digits, dashes and underscores, 1 to 64: what every model provider accepts.
pub fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}
