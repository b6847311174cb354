//! Rows and schema as a Parquet reader sees them.

use crate::sample;
use baton_parquet::{ATTRIBUTE_COLUMNS, SpanFile, schema};
use baton_types::{AttributeKey, Span, SpanValue};
use parquet::{
    file::reader::{FileReader as _, SerializedFileReader},
    record::{Field, Row},
};
use proptest::prelude::*;
use serde_json::Value as Json;
use std::{collections::HashSet, fs::File, sync::Arc};

fn read(spans: &[Span]) -> Vec<Row> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("spans.parquet");
    let mut file = SpanFile::create(&path).expect("a file");
    spans.iter().for_each(|span| file.add(span).expect("room"));
    assert_eq!(file.finish().expect("a whole file").spans, spans.len() as u64);
    let reader = SerializedFileReader::new(File::open(path).expect("it is there")).expect("Parquet");
    reader.get_row_iter(None).expect("rows").map(|row| row.expect("a row")).collect()
}

/// A row or field as JSON.
fn json(field: &Field) -> Json {
    match field {
        Field::Null => Json::Null,
        Field::Str(text) => text.as_str().into(),
        Field::Long(number) => (*number).into(),
        Field::Double(number) if number.is_nan() => "NaN".into(),
        Field::Double(number) => (*number).into(),
        Field::MapInternal(map) => {
            let text = |key: &Field| json(key).as_str().expect("keys are text").to_owned();
            map.entries().iter().map(|(key, value)| (text(key), json(value))).collect::<serde_json::Map<_, _>>().into()
        }
        other => other.to_string().into(),
    }
}

fn column(row: &Row, wanted: &str) -> Json {
    let (_, field) = row.get_column_iter().find(|(name, _)| *name == wanted).expect("the column is there");
    json(field)
}

/// The non-empty columns of a row, in order.
fn shown(row: &Row) -> String {
    let columns = row.get_column_iter().filter(|(_, field)| !matches!(field, Field::Null));
    columns.map(|(name, field)| format!("{name}: {}\n", json(field))).collect()
}

#[test]
fn rows_contain_the_span_fields() {
    let rows = read(&[sample::full(), sample::span(2)]);
    insta::assert_snapshot!(rows.iter().map(shown).collect::<Vec<_>>().join("\n"));
}

#[test]
fn schema_has_the_columns_of_the_table() {
    insta::assert_snapshot!(schema());
    let names: HashSet<String> = ATTRIBUTE_COLUMNS.iter().map(baton_parquet::AttributeColumn::column).collect();
    assert_eq!(names.len(), ATTRIBUTE_COLUMNS.len(), "no column has two attributes");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Maps of any length belong to the right rows.
    #[test]
    fn attributes_belong_to_their_spans(
        lists in prop::collection::vec(prop::collection::vec((0_u8..20, any::<Option<i32>>()), 0..6), 1..40),
    ) {
        let spans: Vec<Span> = lists.iter().enumerate().map(|(number, list)| {
            let mut keys = HashSet::new();
            let list = list.iter().filter(|(key, _)| keys.insert(*key));
            let value = |value: &Option<i32>| value.map_or(SpanValue::Empty, |number| SpanValue::Int(number.into()));
            Span {
                attributes: list.map(|(key, number)| (AttributeKey::Owned(format!("key.{key}")), value(number))).collect(),
                resource: Arc::default(),
                ..sample::span(number as u8)
            }
        }).collect();
        let rows = read(&spans);
        prop_assert_eq!(rows.len(), spans.len());
        for (row, span) in rows.iter().zip(&spans) {
            prop_assert_eq!(column(row, "span_id"), span.id.to_string());
            let texts: serde_json::Map<_, _> = span.attributes.iter().map(|(key, value)| {
                (key.to_string(), value.as_int().map_or(Json::Null, |number| number.to_string().into()))
            }).collect();
            prop_assert_eq!(column(row, "attributes"), Json::Object(texts));
            let numbers: serde_json::Map<_, _> = span.attributes.iter()
                .filter_map(|(key, value)| Some((key.to_string(), (value.as_int()? as f64).into()))).collect();
            prop_assert_eq!(column(row, "attribute_numbers"), Json::Object(numbers));
        }
    }
}
