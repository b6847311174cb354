//! Variable expansion in the values of a definition.

use baton_outbound::SecretRedactor;
use baton_types::McpTransport;
use std::collections::BTreeMap;

/// Lookup of variable values.
pub type Variables<'a> = dyn Fn(&str) -> Option<String> + Send + Sync + 'a;

/// Prefix of a reference to a secret variable.
const SECRET_PREFIX: &str = "env://";

/// Words in the name of a variable or a header that mark its value as secret, however it is written.
const SECRET_WORDS: [&str; 13] = [
    "apikey",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "credentials",
    "key",
    "passwd",
    "password",
    "pat",
    "pwd",
    "secret",
    "token",
];

/// A transport with expanded variables.
#[derive(Clone, Debug)]
pub struct ExpandedTransport {
    /// The expanded transport.
    pub transport: McpTransport,
    /// Values to redact: variables referenced as `env://NAME`, and values with a secret name.
    pub secrets: SecretRedactor,
}

/// Expansion error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// The variable has no value and no default.
    #[error("`{field}` uses the variable {name}, which is not set")]
    Unset {
        /// The field that references it.
        field: String,
        /// The variable.
        name: String,
    },
    /// A `${` without its closing brace.
    #[error("`{field}` has `${{` without `}}`")]
    Unclosed {
        /// The field.
        field: String,
    },
    /// An `env://` without a variable name.
    #[error("`{field}` has `env://` without the name of a variable")]
    Nameless {
        /// The field.
        field: String,
    },
}

/// Expands `${VAR}`, `${VAR:-default}` and `${env:VAR}` in every value of a transport, and `env://VAR` in environment
/// variables and headers. The error names the field.
pub fn expand(transport: &McpTransport, get: &Variables<'_>) -> Result<ExpandedTransport, ExpandError> {
    let mut secrets = Vec::new();
    let one = |field: &str, text: &str| expand_text(field, text, find_plain_reference, get, &mut Vec::new());
    let some = |field: &str, text: &Option<String>| text.as_ref().map(|text| one(field, text)).transpose();
    let mut all = |field: &str, map: &BTreeMap<String, String>| -> Result<BTreeMap<String, String>, ExpandError> {
        let mut values = BTreeMap::new();
        for (name, text) in map {
            let value = expand_text(&format!("{field}.{name}"), text, find_reference, get, &mut secrets)?;
            if is_secret_name(name) {
                secrets.push(value.clone());
            }
            values.insert(name.clone(), value);
        }
        Ok(values)
    };
    let transport = match transport {
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
    };
    Ok(ExpandedTransport { transport, secrets: SecretRedactor::from_values(secrets.iter().map(String::as_str)) })
}

/// A transport with literal values and all headers treated as secrets.
pub(crate) fn literal_transport(transport: &McpTransport) -> ExpandedTransport {
    let secrets = match transport {
        McpTransport::Http { headers, .. }
        | McpTransport::Sse { headers, .. }
        | McpTransport::Remote { headers, .. } => SecretRedactor::from_values(headers.values().map(String::as_str)),
        McpTransport::Stdio { .. } | McpTransport::Internal { .. } => SecretRedactor::from_values([]),
    };
    ExpandedTransport { transport: transport.clone(), secrets }
}

pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.split(['_', '-', '.']).any(|word| SECRET_WORDS.contains(&word))
}

/// A variable reference in a text.
struct VariableReference<'t> {
    before: &'t str,
    name: &'t str,
    default: Option<&'t str>,
    is_secret: bool,
    behind: &'t str,
}

/// Finds the first variable reference of a text.
type ReferenceFinder = for<'t> fn(&str, &'t str) -> Result<Option<VariableReference<'t>>, ExpandError>;

/// Expanded values are not expanded again, so a value cannot inject a variable reference.
fn expand_text(
    field: &str,
    text: &str,
    next: ReferenceFinder,
    get: &Variables<'_>,
    secrets: &mut Vec<String>,
) -> Result<String, ExpandError> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(VariableReference { before, name, default, is_secret, behind }) = next(field, rest)? {
        out.push_str(before);
        // As in a shell, `:-` also replaces an empty value. Secrets read from a file often end with a line break.
        let value = match is_secret {
            true => get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()),
            false => get(name).filter(|value| default.is_none() || !value.is_empty()),
        };
        let Some(value) = value.or_else(|| default.map(str::to_owned)) else {
            return Err(ExpandError::Unset { field: field.to_owned(), name: name.to_owned() });
        };
        out.push_str(&value);
        if is_secret {
            secrets.push(value);
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

fn find_plain_reference<'t>(field: &str, text: &'t str) -> Result<Option<VariableReference<'t>>, ExpandError> {
    let Some((before, after)) = text.split_once("${") else { return Ok(None) };
    let (inside, behind) = after.split_once('}').ok_or_else(|| ExpandError::Unclosed { field: field.to_owned() })?;
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let name = name.strip_prefix("env:").unwrap_or(name);
    Ok(Some(VariableReference { before, name, default, is_secret: false, behind }))
}

fn find_reference<'t>(field: &str, text: &'t str) -> Result<Option<VariableReference<'t>>, ExpandError> {
    let Some((before, after)) = text.split_once(SECRET_PREFIX).filter(|(before, _)| !before.contains("${")) else {
        return find_plain_reference(field, text);
    };
    let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
    let (name, behind) = after.split_at(end);
    match name {
        "" => Err(ExpandError::Nameless { field: field.to_owned() }),
        _ => Ok(Some(VariableReference { before, name, default: None, is_secret: true, behind })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(name: &str) -> Option<String> {
        match name {
            "KEY" => Some("s3cret".to_owned()),
            "EMPTY" => Some(String::new()),
            "TRICK" => Some("${KEY} env://KEY".to_owned()),
            "LINE" => Some("from-a-file\n".to_owned()),
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
            ("${TRICK}", "${KEY} env://KEY"),
            ("Bearer env://KEY", "Bearer s3cret"),
            ("env://KEY:${KEY}/env://LINE", "s3cret:s3cret/from-a-file"),
            ("${NONE:-env://KEY}", "env://KEY"),
        ] {
            assert_eq!(expand_text("x", text, find_reference, &get, &mut Vec::new()).as_deref(), Ok(expect), "{text}");
        }
        assert_eq!(
            expand_text("url", "env://KEY", find_plain_reference, &get, &mut Vec::new()).as_deref(),
            Ok("env://KEY")
        );
    }

    #[test]
    fn secret_values_are_redacted() {
        let env = [("A", "env://LINE"), ("GITHUB_TOKEN", "literal-token"), ("KEYBOARD", "german"), ("DIR", "${TRICK}")];
        let transport = McpTransport::Stdio {
            command: "x".to_owned(),
            args: Vec::new(),
            env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            env_file: None,
            cwd: None,
            base: String::new(),
        };
        let secrets = expand(&transport, &get).unwrap().secrets;
        assert_eq!(
            secrets.redact("from-a-file, literal-token, german, ${KEY} env://KEY"),
            "[hidden], [hidden], german, ${KEY} env://KEY"
        );
    }

    #[test]
    fn unset_variable_error_names_the_field() {
        let headers = BTreeMap::from([("Authorization".to_owned(), "Bearer ${TOKEN}".to_owned())]);
        let error = expand(&McpTransport::Http { url: "http://x".into(), headers }, &get).unwrap_err();
        assert_eq!(error.to_string(), "`headers.Authorization` uses the variable TOKEN, which is not set");
        for (text, expect) in [
            ("a${b", "`env.X` has `${` without `}`"),
            ("env:// ", "`env.X` has `env://` without the name of a variable"),
            ("env://TOKEN", "`env.X` uses the variable TOKEN, which is not set"),
            ("env://EMPTY", "`env.X` uses the variable EMPTY, which is not set"),
        ] {
            let error = expand_text("env.X", text, find_reference, &get, &mut Vec::new()).unwrap_err();
            assert_eq!(error.to_string(), expect);
        }
    }
}
