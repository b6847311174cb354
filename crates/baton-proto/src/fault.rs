//! What could not be carried over, and the way to it.

use baton_types::ErrorCode;
use baton_wire::{
    FieldViolation,
    a2a::v1::{Error, ErrorKind},
};
use std::{borrow::Cow, collections::BTreeMap};

/// The result of carrying a value from one form to the other.
pub(crate) type Carried<T> = Result<T, Fault>;

/// A value that the other form has no room for; the path grows while the fault travels up.
#[derive(Debug)]
pub(crate) struct Fault {
    path: String,
    description: Cow<'static, str>,
    code: ErrorCode,
}

impl Fault {
    pub(crate) fn new(description: impl Into<Cow<'static, str>>) -> Self {
        Self { path: String::new(), description: description.into(), code: ErrorCode::INVALID_REQUEST }
    }

    pub(crate) fn too_deep() -> Self {
        Self { code: ErrorCode::TOO_DEEP, ..Self::new("nested deeper than gRPC carries") }
    }

    fn below(mut self, name: &str) -> Self {
        self.path = match self.path.as_str() {
            "" => name.to_owned(),
            path => format!("{name}.{path}"),
        };
        self
    }

    /// The refusal of a request: whoever asked can change the field.
    pub(crate) fn in_request(self) -> Error {
        let field = if self.path.is_empty() { "params".to_owned() } else { self.path };
        let violation = FieldViolation { field, description: self.description.into_owned() };
        Error::invalid_params(violation.into()).with_code(self.code)
    }

    /// The refusal of an answer: it stays available over JSON, or its writer is at fault.
    pub(crate) fn in_answer(self) -> Error {
        let field = if self.path.is_empty() { "result" } else { &self.path };
        let message = format!("the answer cannot be carried by gRPC: {field}: {}", self.description);
        Error::new(ErrorKind::InvalidAgentResponse, self.code, message)
    }
}

/// Says where a fault was found.
pub(crate) trait At: Sized {
    /// In the field `name`.
    fn at(self, name: &str) -> Self;

    /// In the field `name`, at `index`.
    fn at_index(self, name: &str, index: usize) -> Self;
}

impl<T> At for Carried<T> {
    fn at(self, name: &str) -> Self {
        self.map_err(|fault| fault.below(name))
    }

    fn at_index(self, name: &str, index: usize) -> Self {
        self.map_err(|fault| fault.below(&format!("{name}[{index}]")))
    }
}

/// One form of a value that can become the other; what fails names its field.
pub(crate) trait Carry<T> {
    fn carry(self) -> Carried<T>;
}

/// Carries a value that may be absent.
pub(crate) fn maybe<A: Carry<B>, B>(value: Option<A>, name: &str) -> Carried<Option<B>> {
    value.map(Carry::carry).transpose().at(name)
}

/// Carries every value of a list.
pub(crate) fn each<A: Carry<B>, B>(values: Vec<A>, name: &str) -> Carried<Vec<B>> {
    values.into_iter().enumerate().map(|(index, value)| value.carry().at_index(name, index)).collect()
}

/// Carries every value of a map.
pub(crate) fn each_named<A: Carry<B>, B>(values: BTreeMap<String, A>, field: &str) -> Carried<BTreeMap<String, B>> {
    let carried = values.into_iter().map(|(name, value)| match value.carry().at(&name).at(field) {
        Ok(value) => Ok((name, value)),
        Err(fault) => Err(fault),
    });
    carried.collect()
}

/// The one that is there; a choice has no room for two.
pub(crate) fn at_most_one<T, const N: usize>(choices: [Option<T>; N]) -> Carried<Option<T>> {
    let mut there = choices.into_iter().flatten();
    match (there.next(), there.next()) {
        (one, None) => Ok(one),
        _ => Err(Fault::new("only one kind at a time")),
    }
}

/// The public face of [`Carry`]: `TryFrom` in both directions, refused as a request or as an answer.
macro_rules! convert {
    ($refusal:ident: $($pb:ty, $read:ty, $written:ty;)*) => {$(
        impl TryFrom<$pb> for $read {
            type Error = ::baton_wire::a2a::v1::Error;

            fn try_from(message: $pb) -> Result<Self, Self::Error> {
                $crate::fault::Carry::<$read>::carry(message).map_err($crate::fault::Fault::$refusal)
            }
        }

        impl TryFrom<$written> for $pb {
            type Error = ::baton_wire::a2a::v1::Error;

            fn try_from(value: $written) -> Result<Self, Self::Error> {
                $crate::fault::Carry::<$pb>::carry(value).map_err($crate::fault::Fault::$refusal)
            }
        }
    )*};
}
pub(crate) use convert;
