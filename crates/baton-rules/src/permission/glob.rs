//! Glob matching for names and arguments.

/// Whether a name matches a glob; `*` matches any sequence of characters, `?` any single one.
pub fn glob_matches(glob: &str, name: &str) -> bool {
    // Compared by bytes: two texts that differ in a character differ in a byte.
    let (glob, name) = (glob.as_bytes(), name.as_bytes());
    // Fast path: most globs fail at the last byte or the first few.
    match glob.last() {
        Some(last) if !is_wild(*last) && name.last() != Some(last) => return false,
        Some(_) => {}
        None => return name.is_empty(),
    }
    let same =
        glob.iter().zip(name).take_while(|(expected, actual)| expected == actual && !is_wild(**expected)).count();
    match glob.get(same) {
        Some(next) if is_wild(*next) => rest_matches(&glob[same..], &name[same..]),
        Some(_) => false,
        None => name.len() == same,
    }
}

fn is_wild(byte: u8) -> bool {
    matches!(byte, b'*' | b'?')
}

fn rest_matches(glob: &[u8], name: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    // Backtrack position if the text after the last star does not match: after the star, one character later.
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match (glob.get(at), name.get(from)) {
            (Some(b'*'), _) => {
                at += 1;
                let Some(next) = glob.get(at) else { return true };
                if !is_wild(*next) {
                    let Some(found) = find(*next, name, from) else { return false };
                    from = found;
                }
                retry = Some((at, from));
                continue;
            }
            (None, None) => return true,
            (Some(b'?'), Some(_)) => {
                at += 1;
                from = after_character(name, from);
                continue;
            }
            (Some(expected), Some(actual)) if expected == actual => {
                at += 1;
                from += 1;
                continue;
            }
            _ => {}
        }
        let Some((behind, tried)) = retry else { return false };
        if tried >= name.len() {
            return false;
        }
        (at, from) = (behind, after_character(name, tried));
        if let Some(next) = glob.get(at).filter(|next| !is_wild(**next)) {
            let Some(found) = find(*next, name, from) else { return false };
            from = found;
        }
        retry = Some((at, from));
    }
}

fn find(expected: u8, name: &[u8], from: usize) -> Option<usize> {
    Some(from + name.get(from..)?.iter().position(|byte| *byte == expected)?)
}

/// Start of the next character.
fn after_character(text: &[u8], from: usize) -> usize {
    let is_inside = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    let rest = text.get(from + 1..).unwrap_or_default();
    from + 1 + rest.iter().take_while(|byte| is_inside(byte)).count()
}
