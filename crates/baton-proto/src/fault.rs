//! Conversion errors with the path of the field.

use baton_types::{ErrorCode, FieldViolation};
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::{borrow::Cow, collections::BTreeMap};

/// Result of a conversion between the two forms.
pub(crate) type ConversionResult<T> = Result<T, ConversionError>;

/// A value that the other form cannot represent. The path is extended while the error propagates.
#[derive(Debug)]
pub(crate) struct ConversionError {
    path: String,
    description: Cow<'static, str>,
    code: ErrorCode,
}

impl ConversionError {
    pub(crate) fn new(description: impl Into<Cow<'static, str>>) -> Self {
        Self { path: String::new(), description: description.into(), code: ErrorCode::INVALID_REQUEST }
    }

    pub(crate) fn too_deep() -> Self {
        Self { code: ErrorCode::TOO_DEEP, ..Self::new("nested deeper than gRPC allows") }
    }

    fn prepend_field(mut self, name: &str) -> Self {
        self.path = match self.path.as_str() {
            "" => name.to_owned(),
            path => format!("{name}.{path}"),
        };
        self
    }

    /// The error of a request: the caller can correct the field.
    pub(crate) fn in_request(self) -> Error {
        let field = if self.path.is_empty() { "params".to_owned() } else { self.path };
        let violation = FieldViolation { field, description: self.description.into_owned() };
        Error::invalid_params(violation.into()).with_code(self.code)
    }

    /// The error of a response: it is available over JSON, or its producer is at fault.
    pub(crate) fn in_answer(self) -> Error {
        let field = if self.path.is_empty() { "result" } else { &self.path };
        let message = format!("the response cannot be sent over gRPC: {field}: {}", self.description);
        Error::new(ErrorKind::InvalidAgentResponse, self.code, message)
    }
}

/// Adds the location to an error.
pub(crate) trait FieldContext: Sized {
    /// In the field `name`.
    fn at(self, name: &str) -> Self;

    /// In the field `name`, at `index`.
    fn at_index(self, name: &str, index: usize) -> Self;
}

impl<T> FieldContext for ConversionResult<T> {
    fn at(self, name: &str) -> Self {
        self.map_err(|fault| fault.prepend_field(name))
    }

    fn at_index(self, name: &str, index: usize) -> Self {
        self.map_err(|fault| fault.prepend_field(&format!("{name}[{index}]")))
    }
}

/// Fallible conversion into the other form; errors name the field.
pub(crate) trait WireConvert<T> {
    fn convert(self) -> ConversionResult<T>;
}

/// Converts an optional value.
pub(crate) fn maybe<A: WireConvert<B>, B>(value: Option<A>, name: &str) -> ConversionResult<Option<B>> {
    value.map(WireConvert::convert).transpose().at(name)
}

/// Converts every value of a list.
pub(crate) fn each<A: WireConvert<B>, B>(values: Vec<A>, name: &str) -> ConversionResult<Vec<B>> {
    values.into_iter().enumerate().map(|(index, value)| value.convert().at_index(name, index)).collect()
}

/// Converts every value of a map.
pub(crate) fn each_entry<A: WireConvert<B>, B>(
    values: BTreeMap<String, A>,
    field: &str,
) -> ConversionResult<BTreeMap<String, B>> {
    let carried = values.into_iter().map(|(name, value)| match value.convert().at(&name).at(field) {
        Ok(value) => Ok((name, value)),
        Err(fault) => Err(fault),
    });
    carried.collect()
}

/// The value that is set; a oneof field allows only one.
pub(crate) fn at_most_one<T, const N: usize>(choices: [Option<T>; N]) -> ConversionResult<Option<T>> {
    let mut there = choices.into_iter().flatten();
    match (there.next(), there.next()) {
        (one, None) => Ok(one),
        _ => Err(ConversionError::new("at most one kind may be set")),
    }
}

/// Public form of [`WireConvert`]: `TryFrom` in both directions, with request or response errors.
macro_rules! convert {
    ($refusal:ident: $($pb:ty, $read:ty, $written:ty;)*) => {$(
        impl TryFrom<$pb> for $read {
            type Error = ::baton_wire::a2a::v1::Error;

            fn try_from(message: $pb) -> Result<Self, Self::Error> {
                $crate::fault::WireConvert::<$read>::convert(message).map_err($crate::fault::ConversionError::$refusal)
            }
        }

        impl TryFrom<$written> for $pb {
            type Error = ::baton_wire::a2a::v1::Error;

            fn try_from(value: $written) -> Result<Self, Self::Error> {
                $crate::fault::WireConvert::<$pb>::convert(value).map_err($crate::fault::ConversionError::$refusal)
            }
        }
    )*};
}
pub(crate) use convert;
