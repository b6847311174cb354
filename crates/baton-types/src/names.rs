//! Valid agent names, tool names and idempotency keys.

/// Maximum bytes of an idempotency key.
const MAX_IDEMPOTENCY_KEY_LEN: usize = 255;

/// First segments of A2A paths. An agent name can be at the same position, so these names are reserved.
pub const RESERVED_AGENT_NAMES: [&str; 3] = ["agents", "tasks", "v1"];

/// Lower-case letters, digits and dashes, 1 to 64, starting and ending with a letter or digit; not one of
/// [`RESERVED_AGENT_NAMES`].
pub fn is_agent_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=64).contains(&name.len())
        && name.chars().all(allowed)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !RESERVED_AGENT_NAMES.contains(&name)
}

/// Whether `key` is valid for storage and headers: 1 to 255 visible ASCII characters.
pub fn is_idempotency_key(key: &str) -> bool {
    (1..=MAX_IDEMPOTENCY_KEY_LEN).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Letters, digits, dashes and underscores, 1 to 64: the common subset of all model providers.
pub fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}
