//! Error codes of starting a server, and the list of those of every crate of the composition.

pub(crate) use baton_peers::error_codes::PEER_CARD_INVALID;
pub(crate) use baton_ports::error_codes::{JOURNAL_LOCKED, JOURNAL_MISSING, JOURNAL_UNAVAILABLE};
use baton_types::ErrorCode;

baton_types::error_codes! {
    PORT_IN_USE = "BTN-5003", "The port is taken", "Choose another with --port, or --port 0 for any free one.";
    USAGE = "BTN-5005", "The command line or an environment variable is wrong", "Run the command with --help for its arguments and examples.";
    EXPOSED = "BTN-5007", "Others could use this Baton without authentication", "Add --auth and give them tokens, listen on 127.0.0.1, or add --insecure on a network you trust.";
    KEYS_UNUSABLE = "BTN-5009", "The keys that sign agent cards cannot be used", "Only the user that runs Baton may use the files under keys in its data directory; the message says which one is wrong.";
    DATA_EXPOSED = "BTN-5011", "Others can read or change the data directory", "Run the chmod command that the message shows as the owner of the directory, or choose another one with --data.";
}

/// The error codes of every crate of the composition, and the shared ones.
pub fn all() -> impl Iterator<Item = &'static ErrorCode> {
    [
        ErrorCode::SHARED_CODES,
        ALL,
        baton_agentdir::error_codes::ALL,
        baton_api::error_codes::ALL,
        baton_engine::error_codes::ALL,
        baton_http::error_codes::ALL,
        baton_http_a2a::error_codes::ALL,
        baton_http_api::error_codes::ALL,
        baton_http_openai::error_codes::ALL,
        baton_manage::error_codes::ALL,
        baton_mcp::error_codes::ALL,
        baton_peers::error_codes::ALL,
        baton_ports::error_codes::ALL,
        baton_rules::error_codes::ALL,
        baton_span_ports::error_codes::ALL,
        baton_wire::error_codes::ALL,
    ]
    .into_iter()
    .flatten()
}
