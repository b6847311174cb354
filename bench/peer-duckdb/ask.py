"""Fills a DuckDB table with the rows of a CSV file, queries it, and prints the measurements as JSON.

Rows are inserted in batches from memory, each committed, as in a store that acknowledges batches; the columns are known
in advance, unlike in a span store.
"""

import json
import os
import sys
import time

import duckdb

BATCH = 50_000


def main():
    rows, questions, path = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))["questions"], sys.argv[3]
    rows_of = duckdb.sql(f"SELECT * FROM read_csv_auto('{rows}')").to_arrow_table()
    count = rows_of.num_rows
    store = duckdb.connect(path)
    store.execute("CREATE TABLE span AS SELECT * FROM rows_of LIMIT 0")
    begun = time.perf_counter()
    for first in range(0, count, BATCH):
        batch = rows_of.slice(first, BATCH)  # noqa: F841, DuckDB finds it by its name
        store.execute("INSERT INTO span SELECT * FROM batch")
    seconds = time.perf_counter() - begun
    took = []
    for question in questions:
        where = " AND ".join(f"{key.replace('.', '_')} = '{value}'" for key, value in question["equal"])
        if question["tokens"] is not None:
            where += f" AND app_tokens >= {question['tokens']}"
        asked = time.perf_counter()
        store.execute(f"SELECT * FROM span WHERE {where} ORDER BY start DESC LIMIT 200").fetchall()
        took.append((time.perf_counter() - asked) * 1000)
    took.sort()
    store.close()
    print(json.dumps({"spans": count, "seconds": seconds, "per_second": count / seconds, "bytes": os.path.getsize(path),
                      "p50_ms": took[len(took) // 2], "p99_ms": took[int((len(took) - 1) * 0.99)]}))


main()
