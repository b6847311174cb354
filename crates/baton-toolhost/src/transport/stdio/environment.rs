//! Environment variables of a program.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::Path,
};

/// Inherited variables that a program may need to work at all; no other variable of Baton is passed on.
const INHERITED_VARIABLES: [&str; 12] = [
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "TZ",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "XDG_RUNTIME_DIR",
];
const MAX_FILE: u64 = 1 << 20;

/// Inherited variables, then those of the file, then those of the definition; later ones take precedence.
pub(super) async fn program_variables(
    base: &str,
    file: Option<&str>,
    env: &BTreeMap<String, String>,
) -> Result<BTreeMap<OsString, OsString>, String> {
    let inherited = INHERITED_VARIABLES.iter().filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
    let mut variables: BTreeMap<OsString, OsString> = inherited.collect();
    let owned = |text: &str| OsStr::new(text).to_owned();
    if let Some(file) = file {
        let text = read(&Path::new(base).join(file))
            .await
            .map_err(|error| format!("its envFile '{file}' cannot be read: {error}"))?;
        for (name, value) in parse(&text).map_err(|line| format!("line {line} of '{file}' is not NAME=value"))? {
            variables.insert(owned(&name), owned(&value));
        }
    }
    variables.extend(env.iter().map(|(name, value)| (owned(name), owned(value))));
    Ok(variables)
}

async fn read(path: &Path) -> std::io::Result<String> {
    let size = tokio::fs::metadata(path).await?.len();
    if size > MAX_FILE {
        return Err(std::io::Error::other("it is larger than 1 MB"));
    }
    tokio::fs::read_to_string(path).await
}

/// Parses `NAME=value` lines, with `export`, quotes and comments; the error is the line number.
fn parse(text: &str) -> Result<Vec<(String, String)>, usize> {
    let mut variables = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=').ok_or(at + 1)?;
        let name = name.trim();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '-') {
            return Err(at + 1);
        }
        variables.push((name.to_owned(), unquoted(value.trim())));
    }
    Ok(variables)
}

fn unquoted(value: &str) -> String {
    if let Some(inside) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        let mut out = String::with_capacity(inside.len());
        let mut chars = inside.chars();
        while let Some(c) = chars.next() {
            match (c, c == '\\') {
                (_, true) => match chars.next() {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some(other) => out.push(other),
                    None => out.push('\\'),
                },
                (c, false) => out.push(c),
            }
        }
        return out;
    }
    if let Some(inside) = value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return inside.to_owned();
    }
    value.split_once(" #").map_or(value, |(value, _)| value.trim_end()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_files_are_parsed() {
        let text = "# keys\nA=1\nexport B = two words # why\nC=\"a\\nb # c\"\nD='x\\n'\n\nE=\nF=a=b";
        let expect = [("A", "1"), ("B", "two words"), ("C", "a\nb # c"), ("D", "x\\n"), ("E", ""), ("F", "a=b")];
        let expect: Vec<_> = expect.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(parse(text), Ok(expect));
        assert_eq!(parse("A=1\nnonsense"), Err(2));
        assert_eq!(parse("A B=1"), Err(1));
    }
}
