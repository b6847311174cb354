//! Fills the span store, queries it, and prints one JSON object with the measurements.
//!
//! `spans fill DIR COUNT`, `spans ask DIR COUNT`, `spans measure DIR COUNT TIMES`, `spans meters COUNT` (nanoseconds
//! per span in the meters of a process), `spans retain DIR COUNT KEEP`, `spans parquet DIR COUNT`, `spans sqlite DIR
//! COUNT`, `spans rows FILE COUNT` (the same spans as CSV, for other databases).

mod figures;
mod generate;
mod measure;
mod meters;
mod parquet;
mod queries;
mod sqlite;
mod store;
mod tables;

use anyhow::{Result, bail};
use std::path::Path;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let report = match arguments.as_slice() {
        ["fill", dir, count] => store::fill(Path::new(dir), count.parse()?).await?,
        ["ask", dir, count] => store::ask(Path::new(dir), count.parse()?).await?,
        ["measure", dir, count, times] => measure::measure(Path::new(dir), count.parse()?, times.parse()?).await?,
        ["meters", count] => meters::meters(count.parse()?)?,
        ["retain", dir, count, keep] => store::retain(Path::new(dir), count.parse()?, keep.parse()?).await?,
        ["parquet", dir, count] => parquet::compare(Path::new(dir), count.parse()?).await?,
        ["sqlite", dir, count] => tables::relational(Path::new(dir), count.parse()?)?,
        ["rows", file, count] => tables::rows(Path::new(file), count.parse()?)?,
        _ => bail!(
            "fill DIR COUNT | ask DIR COUNT | measure DIR COUNT TIMES | meters COUNT | retain DIR COUNT KEEP | \
             parquet DIR COUNT | sqlite DIR COUNT | rows FILE COUNT"
        ),
    };
    println!("{report}");
    Ok(())
}
