//! Error codes of the OpenAI surface.

pub(crate) use baton_http::error_codes::{BODY_TOO_LARGE, RATE_LIMITED};

baton_types::error_codes! {
    CONVERSATION_FULL = "BTN-1016", "The conversation is full", "Start a new conversation with the items you still need.";
    RESPONSE_NOT_FOUND = "BTN-2034", "There is no such response, conversation or item", "Use the id that was returned when it was created; items that were deleted, not stored, or belong to another owner are reported as missing.";
    APPROVAL_UNMATCHED = "BTN-2045", "The answer matches no question of this conversation", "Send the whole conversation unchanged with the answer at the end, or answer with `baton approvals answer`.";
    APPROVAL_UNCLEAR = "BTN-2046", "The answer to an approval is neither yes nor no", "Answer yes, always or no, or use `baton approvals answer`.";
}
