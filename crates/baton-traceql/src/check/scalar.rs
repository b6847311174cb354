//! Checks of scalar filters: an aggregate may only be compared with a number.

use super::{StaticType, check_aggregate};
use crate::{CompareOp, Literal, QueryError, Scalar, ScalarFilter};

pub(super) fn check(filter: &ScalarFilter) -> Result<(), QueryError> {
    if matches!(filter.op, CompareOp::Matches | CompareOp::MatchesNot) {
        return Err(QueryError::Invalid("an aggregate is a number: a regular expression cannot match it".to_owned()));
    }
    match (&filter.left, &filter.right) {
        (Scalar::Aggregate(aggregate), Scalar::Literal(value))
        | (Scalar::Literal(value), Scalar::Aggregate(aggregate)) => {
            check_aggregate(aggregate)?;
            check_number(value)
        }
        (Scalar::Literal(_), Scalar::Literal(_)) => {
            Err(QueryError::Invalid("both sides are constants; one side must be an aggregate".to_owned()))
        }
        _ => Err(unsupported_scalar()),
    }
}

fn check_number(value: &Literal) -> Result<(), QueryError> {
    match StaticType::from_literal(value) {
        StaticType::Number => Ok(()),
        _ => Err(QueryError::Invalid(format!("an aggregate is a number or a duration, and `{value}` is neither"))),
    }
}

/// Error for an aggregate compared with or computed from another aggregate.
pub(crate) fn unsupported_scalar() -> QueryError {
    QueryError::Unsupported {
        construct: "an aggregate compared with or computed from another aggregate".to_owned(),
        instead: "compare one aggregate with a number, such as `| count() > 2`".to_owned(),
    }
}
