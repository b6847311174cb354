//! Credentials for requests: a key, or a key pair that signs them.

use crate::{
    ModelRegistryError, SettingValue,
    profile::find_profile,
    resolve::{SettingKeyPair, SettingSource, SettingSources},
};
use baton_types::{CredentialRule, ProviderKind, ProviderSetting};

/// A key or a key pair; possibly neither.
#[derive(Default)]
pub(crate) struct ProviderCredentials {
    pub(crate) key: Option<SettingValue>,
    pub(crate) pair: Option<SettingKeyPair>,
}

impl SettingSources<'_> {
    /// The credentials of the source with the highest precedence that has any. Both halves of a pair and its session
    /// token come from one source; they are never combined across sources.
    pub(crate) fn keys(&self, kind: ProviderKind) -> Result<ProviderCredentials, ModelRegistryError> {
        if kind.rules().credentials != CredentialRule::KeyOrKeyPair {
            return Ok(ProviderCredentials { key: self.find(ProviderSetting::ApiKey)?, pair: None });
        }
        for source in SettingSource::ALL {
            if let Some(key) = self.first_value(source, ProviderSetting::ApiKey)? {
                return Ok(ProviderCredentials { key: Some(key), pair: None });
            }
            let pair = self.pair(source)?;
            let pair = pair.map_or_else(|| self.profile(source), |pair| Ok(Some(pair)))?;
            if pair.is_some() {
                return Ok(ProviderCredentials { key: None, pair });
            }
            self.reject_half_pair(source)?;
        }
        Ok(ProviderCredentials::default())
    }

    fn pair(&self, source: SettingSource) -> Result<Option<SettingKeyPair>, ModelRegistryError> {
        for (first, second) in self.half_names() {
            if let (Some(first), Some(second)) = (self.value_at(source, first)?, self.value_at(source, second)?) {
                return Ok(Some((first, second, self.first_value(source, ProviderSetting::SessionToken)?)));
            }
        }
        Ok(None)
    }

    /// The key pair of an AWS profile on this machine.
    fn profile(&self, source: SettingSource) -> Result<Option<SettingKeyPair>, ModelRegistryError> {
        let Some(SettingValue { value, source: from }) = self.first_value(source, ProviderSetting::Profile)? else {
            return Ok(None);
        };
        let unusable = |problem| ModelRegistryError::InvalidSetting { setting: from.clone(), problem };
        let profile = find_profile(&value, self.environment).ok_or_else(|| {
            unusable("names a profile that does not exist in ~/.aws/credentials or in the file set by AWS_SHARED_CREDENTIALS_FILE")
        })?;
        let setting_value = |value: String| SettingValue { value, source: from.clone() };
        match (profile.id, profile.secret) {
            (Some(id), Some(secret)) => {
                Ok(Some((setting_value(id), setting_value(secret), profile.token.map(setting_value))))
            }
            _ => Err(unusable(
                "names a profile without a key pair; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK",
            )),
        }
    }

    /// An incomplete pair is a configuration error; it is never completed or replaced from another source.
    fn reject_half_pair(&self, source: SettingSource) -> Result<(), ModelRegistryError> {
        for (first, second) in self.half_names() {
            let (there, missing) = match (self.value_at(source, first)?, self.value_at(source, second)?) {
                (Some(there), None) => (there, second),
                (None, Some(there)) => (there, first),
                _ => continue,
            };
            return Err(ModelRegistryError::Incomplete {
                provider: self.id().to_owned(),
                needed: "both keys of a key pair",
                remedy: format!("{missing} together with {}", there.source),
            });
        }
        Ok(())
    }

    /// Names of both halves of a pair.
    fn half_names(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.names(ProviderSetting::AccessKeyId).into_iter().zip(self.names(ProviderSetting::SecretAccessKey))
    }
}

/// Sources of the parts of a pair, without consecutive duplicates.
pub(crate) fn pair_sources((first, second, token): &SettingKeyPair) -> Vec<&str> {
    let mut all: Vec<&str> = vec![&first.source, &second.source];
    all.extend(token.iter().map(|token| token.source.as_str()));
    all.dedup();
    all
}
