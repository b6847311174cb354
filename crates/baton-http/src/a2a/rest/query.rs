//! Query parameters as requests.

use baton_types::FieldViolation;
use baton_wire::a2a::v1::Error;
use serde::de::DeserializeOwned;

/// Parses a query string; unknown names are ignored, and an invalid value is reported with its name.
pub(super) fn read<T: DeserializeOwned>(query: &str) -> Result<T, Error> {
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(pairs).map_err(|error| {
        let field = match error.path().to_string() {
            root if root == "." => "query".to_owned(),
            path => path,
        };
        let description = error.into_inner().to_string();
        Error::invalid_params(FieldViolation { field, description }.into())
    })
}
