//! Error codes that every surface of the HTTP API shares.

baton_types::error_codes! {
    NOT_OFFERED = "BTN-1009", "The agent does not offer this operation", "Check the capabilities in its card; you can enable them under a2a in baton.yaml.";
    SCOPE_MISSING = "BTN-1011", "The credentials do not allow this", "Use a token with the scope named in the message; create one with `baton token create --scope`.";
}
