//! Credentials for requests: a key, or a key pair that signs them.

use crate::{
    Asked, LineupError,
    profile::profile,
    resolve::{Pair, Place, Sources},
};
use baton_types::{ProviderKind, ProviderSetting};

/// A key or a key pair; possibly neither.
#[derive(Default)]
pub(crate) struct Keys {
    pub(crate) key: Option<Asked>,
    pub(crate) pair: Option<Pair>,
}

impl Sources<'_> {
    /// The credentials of the source with the highest precedence that has any. Both halves of a pair and its session
    /// token come from one source; they are never combined across sources.
    pub(crate) fn keys(&self, kind: ProviderKind) -> Result<Keys, LineupError> {
        if kind != ProviderKind::Bedrock {
            return Ok(Keys { key: self.find(ProviderSetting::ApiKey)?, pair: None });
        }
        for place in Place::ALL {
            if let Some(key) = self.first(place, ProviderSetting::ApiKey)? {
                return Ok(Keys { key: Some(key), pair: None });
            }
            let pair = self.pair(place)?;
            let pair = pair.map_or_else(|| self.profile(place), |pair| Ok(Some(pair)))?;
            if pair.is_some() {
                return Ok(Keys { key: None, pair });
            }
            self.no_half(place)?;
        }
        Ok(Keys::default())
    }

    fn pair(&self, place: Place) -> Result<Option<Pair>, LineupError> {
        for (first, second) in self.halves() {
            if let (Some(first), Some(second)) = (self.at(place, first)?, self.at(place, second)?) {
                return Ok(Some((first, second, self.first(place, ProviderSetting::SessionToken)?)));
            }
        }
        Ok(None)
    }

    /// The key pair of an AWS profile on this machine.
    fn profile(&self, place: Place) -> Result<Option<Pair>, LineupError> {
        let Some(Asked { value, from }) = self.first(place, ProviderSetting::Profile)? else { return Ok(None) };
        let unusable = |problem| LineupError::Unusable { asked: from.clone(), problem };
        let profile = profile(&value, self.environment).ok_or_else(|| {
            unusable("names a profile that does not exist in ~/.aws/credentials or in the file set by AWS_SHARED_CREDENTIALS_FILE")
        })?;
        let asked = |value: String| Asked { value, from: from.clone() };
        match (profile.id, profile.secret) {
            (Some(id), Some(secret)) => Ok(Some((asked(id), asked(secret), profile.token.map(asked)))),
            _ => Err(unusable(
                "names a profile without a key pair; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK",
            )),
        }
    }

    /// An incomplete pair is a configuration error; it is never completed or replaced from another source.
    fn no_half(&self, place: Place) -> Result<(), LineupError> {
        for (first, second) in self.halves() {
            let (there, missing) = match (self.at(place, first)?, self.at(place, second)?) {
                (Some(there), None) => (there, second),
                (None, Some(there)) => (there, first),
                _ => continue,
            };
            return Err(LineupError::Incomplete {
                provider: self.id().to_owned(),
                needed: "both keys of a key pair",
                remedy: format!("{missing} together with {}", there.from),
            });
        }
        Ok(())
    }

    /// Names of both halves of a pair.
    fn halves(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.names(ProviderSetting::AccessKeyId).into_iter().zip(self.names(ProviderSetting::SecretAccessKey))
    }
}

/// Sources of the parts of a pair, without consecutive duplicates.
pub(crate) fn sources((first, second, token): &Pair) -> Vec<&str> {
    let mut all: Vec<&str> = vec![&first.from, &second.from];
    all.extend(token.iter().map(|token| token.from.as_str()));
    all.dedup();
    all
}
