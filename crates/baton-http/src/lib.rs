//! The HTTP surface: A2A over JSON-RPC, cards, probes.
