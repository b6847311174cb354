//! Key pairs in the credentials file of the AWS tools.

use crate::EnvironmentVariables;
use std::path::PathBuf;

/// Entries of a profile.
#[derive(Default)]
pub(crate) struct AwsProfile {
    pub(crate) id: Option<String>,
    pub(crate) secret: Option<String>,
    pub(crate) token: Option<String>,
}

/// The profile of this name; `None` if the file or the profile does not exist.
pub(crate) fn find_profile(name: &str, environment: &EnvironmentVariables) -> Option<AwsProfile> {
    parse_profile(name, &environment.file(&credentials_path(environment)?)?)
}

fn credentials_path(environment: &EnvironmentVariables) -> Option<PathBuf> {
    if let Some(path) = environment.get("AWS_SHARED_CREDENTIALS_FILE") {
        return Some(PathBuf::from(path));
    }
    let home = environment.get("HOME").or_else(|| environment.get("USERPROFILE"))?;
    Some(PathBuf::from(home).join(".aws").join("credentials"))
}

fn parse_profile(name: &str, text: &str) -> Option<AwsProfile> {
    let (mut found, mut is_it) = (None, false);
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        if let Some(title) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            is_it = title.trim() == name;
            if is_it {
                found.get_or_insert_with(AwsProfile::default);
            }
        } else if let (true, Some(profile), Some((key, value))) = (is_it, found.as_mut(), line.split_once('=')) {
            let value = Some(value.trim().to_owned()).filter(|value| !value.is_empty());
            match key.trim() {
                "aws_access_key_id" => profile.id = value,
                "aws_secret_access_key" => profile.secret = value,
                "aws_session_token" => profile.token = value,
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_sections_are_parsed() {
        let text = "# mine\naws_access_key_id = nobody\n[default]\naws_access_key_id=A\naws_secret_access_key = B=\n\
                    \n[ work ]\n; aws_access_key_id = old\nregion = eu-west-1\naws_access_key_id = C\n\
                    aws_secret_access_key = D\naws_session_token = E\n[sso]\nsso_session = x\naws_access_key_id =\n";
        let profile_line = |name| {
            parse_profile(name, text).map(|it| [it.id, it.secret, it.token].map(Option::unwrap_or_default).join("|"))
        };
        assert_eq!(profile_line("default").as_deref(), Some("A|B=|"));
        assert_eq!(profile_line("work").as_deref(), Some("C|D|E"));
        assert_eq!(profile_line("sso").as_deref(), Some("||"));
        assert_eq!(profile_line("nobody"), None);
    }
}
