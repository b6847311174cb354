//! Names and arguments that fit a pattern.

/// Whether a name fits a glob, in which `*` is any run of characters and `?` is any one.
pub fn glob_matches(glob: &str, name: &str) -> bool {
    let (glob, name) = (glob.as_bytes(), name.as_bytes());
    let (mut at, mut from) = (0, 0);
    // Where to go on when what follows the last star does not fit: behind the star, one character later.
    let mut retry: Option<(usize, usize)> = None;
    loop {
        // Letters are compared byte by byte: two texts that differ in a character differ in a byte of it.
        match (glob.get(at), name.get(from)) {
            (Some(b'*'), _) => {
                at += 1;
                if at == glob.len() {
                    return true;
                }
                retry = Some((at, from));
                continue;
            }
            (None, None) => return true,
            (Some(b'?'), Some(_)) => {
                at += 1;
                from = next_character(name, from);
                continue;
            }
            (Some(wanted), Some(there)) if wanted == there => {
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
        (at, from) = (behind, next_character(name, tried));
        retry = Some((at, from));
    }
}

/// Where the next character begins.
fn next_character(text: &[u8], from: usize) -> usize {
    let is_inside = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    let rest = text.get(from + 1..).unwrap_or_default();
    from + 1 + rest.iter().take_while(|byte| is_inside(byte)).count()
}
