//! Globs of permission rules.

use baton_types::glob_matches;
use proptest::prelude::*;

#[test]
fn globs() {
    for (glob, name, expect) in [
        ("", "", true),
        ("", "a", false),
        ("*", "", true),
        ("*", "anything", true),
        ("?", "", false),
        ("?", "ä", true),
        ("??", "ä", false),
        ("get_*", "get_", true),
        ("*_file", "read_file", true),
        ("*_file", "read_files", false),
        ("a*b*c", "a-b-b-c", true),
        ("a*b*c", "a-c-b", false),
        ("**", "x", true),
        ("*a*", "bab", true),
        ("*ab", "aab", true),
        ("a.c", "abc", false),
        ("[a]", "a", false),
        ("[!a]", "b", false),
        ("{a,b}", "a", false),
        ("a\\*", "a\\b", true),
        ("a\\*", "a*", false),
        ("/tmp/*", "/tmp/a/b", true),
        ("Read*", "read", false),
        ("?*é?", "xéß", true),
        ("*🙂?", "a🙂ü", true),
    ] {
        assert_eq!(glob_matches(glob, name), expect, "{glob:?} {name:?}");
    }
}

/// Reference implementation of glob matching, with exponential run time.
fn matches_by_definition(glob: &[char], name: &[char]) -> bool {
    match (glob.split_first(), name.split_first()) {
        (None, None) => true,
        (Some(('*', rest)), _) => {
            matches_by_definition(rest, name) || (!name.is_empty() && matches_by_definition(glob, &name[1..]))
        }
        (Some(('?', rest)), Some((_, name))) => matches_by_definition(rest, name),
        (Some((wanted, rest)), Some((there, name))) => wanted == there && matches_by_definition(rest, name),
        _ => false,
    }
}

/// Many wildcards against a long name that does not match: the time must not grow exponentially.
#[test]
fn many_wildcards_are_fast() {
    let name = format!("{}c", "ab".repeat(10_000));
    assert!(!glob_matches(&format!("{}d*c", "*a?".repeat(100)), &name));
}

proptest! {
    #[test]
    fn glob_matching_equals_its_definition(glob in "[abä🙂/\\\\\\[!\\]*?]{0,8}", name in "[abäö🙂/\\\\\\[!\\]]{0,8}") {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        prop_assert_eq!(glob_matches(&glob, &name), matches_by_definition(&letters(&glob), &letters(&name)));
    }
}
