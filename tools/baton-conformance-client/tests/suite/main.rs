//! The tool host against the public MCP conformance suite.

#[cfg(test)]
mod conformance;
