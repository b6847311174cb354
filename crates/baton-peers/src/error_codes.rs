//! Error codes of remote agents and their registry.

pub(crate) use baton_ports::error_codes::JOURNAL_UNAVAILABLE;

baton_types::error_codes! {
    PEER_CARD_INVALID = "BTN-2016", "There is no usable agent card at that address", "Check the address in a browser: it, or /.well-known/agent-card.json below it, must return an A2A agent card.";
    PEER_UNTRUSTED = "BTN-2017", "The remote agent's card or address is not trusted", "Check with its operator; then allow the host, the key or the private address for this peer in baton.yaml.";
    ALREADY_EXISTS = "BTN-5004", "The file or directory exists already", "Choose another name, or remove it first.";
}
