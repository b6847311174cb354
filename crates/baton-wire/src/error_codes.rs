//! Error codes of messages that violate the A2A dialects.

baton_types::error_codes! {
    TOO_MANY_PARTS = "BTN-1004", "The message has too many parts", "Split the message; 256 parts are accepted.";
}
