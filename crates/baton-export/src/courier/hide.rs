//! Secrets that receivers repeat: what they say is told to people, what they were shown is not.

use super::Delivery;
use ::http::HeaderMap;

/// What is shorter is no secret, and would be found in every second word.
const SHORTEST: usize = 6;

/// Stands in the place of a secret.
const HIDDEN: &str = "[hidden]";

/// The same answer without what the headers of the request said.
pub(super) fn hide(mut delivery: Delivery, shown: &HeaderMap) -> Delivery {
    let (Delivery::Taken { said: text, .. }
    | Delivery::Later { why: text, .. }
    | Delivery::TooLarge(text)
    | Delivery::Refused(text)
    | Delivery::Misplaced(text)
    | Delivery::Broken(text)) = &mut delivery;
    for value in shown.values().filter_map(|value| value.to_str().ok()) {
        // Of `Bearer TOKEN` the token alone is a secret as well.
        for secret in [value, value.rsplit(' ').next().unwrap_or_default()] {
            strip(text, secret);
        }
    }
    delivery
}

fn strip(text: &mut String, secret: &str) {
    if secret.len() < SHORTEST {
        return;
    }
    if text.contains(secret) {
        *text = text.replace(secret, HIDDEN);
    }
    // What was said may have been cut in the middle of it.
    let cut = (SHORTEST..secret.len()).rev().filter_map(|end| secret.get(..end)).find(|part| text.ends_with(part));
    if let Some(part) = cut {
        text.truncate(text.len() - part.len());
        text.push_str(HIDDEN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_shown_is_not_told() {
        let mut shown = HeaderMap::new();
        shown.insert("authorization", "Bearer s3cret-token".parse().expect("a value"));
        shown.insert("x-tenant", "a".parse().expect("a value"));
        for (said, told) in [
            ("401: no", "401: no"),
            ("401: Bearer s3cret-token is not known", "401: [hidden] is not known"),
            ("401: s3cret-token, s3cret-token!", "401: [hidden], [hidden]!"),
            ("401: who is s3cret-", "401: who is [hidden]"),
            ("401: Bearer s3", "401: [hidden]"),
            ("401: s3c", "401: s3c"),
        ] {
            let text = said.to_owned();
            assert_eq!(hide(Delivery::Misplaced(text.clone()), &shown), Delivery::Misplaced(told.to_owned()));
            let taken = hide(Delivery::Taken { rejected: 1, said: text }, &shown);
            assert_eq!(taken, Delivery::Taken { rejected: 1, said: told.to_owned() });
        }
    }
}
