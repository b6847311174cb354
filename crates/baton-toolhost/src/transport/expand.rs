//! Variables in the values of a definition.

use baton_types::McpTransport;
use std::collections::BTreeMap;

/// Where the values of variables come from.
pub type Variables<'a> = dyn Fn(&str) -> Option<String> + Send + Sync + 'a;

/// Why a value cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// The variable has no value and no default.
    #[error("`{field}` uses the variable {name}, which is not set")]
    Unset {
        /// The field that uses it.
        field: String,
        /// The variable.
        name: String,
    },
    /// A `${` without its end.
    #[error("`{field}` has `${{` without `}}`")]
    Open {
        /// The field.
        field: String,
    },
}

/// Replaces `${VAR}`, `${VAR:-default}` and `${env:VAR}` in every value of a transport; the error names the field.
pub fn expand(transport: &McpTransport, get: &Variables<'_>) -> Result<McpTransport, ExpandError> {
    let one = |field: &str, text: &str| expanded(field, text, get);
    let some = |field: &str, text: &Option<String>| text.as_ref().map(|text| one(field, text)).transpose();
    let all = |field: &str, map: &BTreeMap<String, String>| -> Result<BTreeMap<String, String>, ExpandError> {
        map.iter().map(|(name, text)| Ok((name.clone(), one(&format!("{field}.{name}"), text)?))).collect()
    };
    Ok(match transport {
        McpTransport::Stdio { command, args, env, env_file, cwd, base } => McpTransport::Stdio {
            command: one("command", command)?,
            args: args
                .iter()
                .enumerate()
                .map(|(at, text)| one(&format!("args[{at}]"), text))
                .collect::<Result<_, ExpandError>>()?,
            env: all("env", env)?,
            env_file: some("envFile", env_file)?,
            cwd: some("cwd", cwd)?,
            base: base.clone(),
        },
        McpTransport::Http { url, headers } => {
            McpTransport::Http { url: one("url", url)?, headers: all("headers", headers)? }
        }
        McpTransport::Sse { url, headers } => {
            McpTransport::Sse { url: one("url", url)?, headers: all("headers", headers)? }
        }
        McpTransport::Remote { url, headers } => {
            McpTransport::Remote { url: one("url", url)?, headers: all("headers", headers)? }
        }
        McpTransport::Internal { .. } => transport.clone(),
    })
}

/// What is put in is never looked at again, so a value cannot smuggle a variable in.
fn expanded(field: &str, text: &str, get: &Variables<'_>) -> Result<String, ExpandError> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let (inside, behind) = after.split_once('}').ok_or_else(|| ExpandError::Open { field: field.to_owned() })?;
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let name = name.strip_prefix("env:").unwrap_or(name);
        // As in a shell, `:-` also replaces an empty value.
        let value = get(name).filter(|value| default.is_none() || !value.is_empty());
        match value.or_else(|| default.map(str::to_owned)) {
            Some(value) => out.push_str(&value),
            None => return Err(ExpandError::Unset { field: field.to_owned(), name: name.to_owned() }),
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(name: &str) -> Option<String> {
        match name {
            "KEY" => Some("s3cret".to_owned()),
            "EMPTY" => Some(String::new()),
            "TRICK" => Some("${KEY}".to_owned()),
            _ => None,
        }
    }

    #[test]
    fn variables_are_replaced_once() {
        for (text, expect) in [
            ("plain $KEY", "plain $KEY"),
            ("${KEY}", "s3cret"),
            ("Bearer ${env:KEY}!", "Bearer s3cret!"),
            ("${NONE:-fallback}/${KEY}", "fallback/s3cret"),
            ("${EMPTY:-full}", "full"),
            ("${EMPTY}", ""),
            ("${NONE:-}", ""),
            ("${TRICK}", "${KEY}"),
        ] {
            assert_eq!(expanded("x", text, &get).as_deref(), Ok(expect), "{text}");
        }
    }

    #[test]
    fn an_unset_variable_names_its_field() {
        let headers = BTreeMap::from([("Authorization".to_owned(), "Bearer ${TOKEN}".to_owned())]);
        let error = expand(&McpTransport::Http { url: "http://x".into(), headers }, &get).unwrap_err();
        assert_eq!(error.to_string(), "`headers.Authorization` uses the variable TOKEN, which is not set");
        let error = expanded("args[2]", "a${b", &get).unwrap_err();
        assert_eq!(error.to_string(), "`args[2]` has `${` without `}`");
    }
}
