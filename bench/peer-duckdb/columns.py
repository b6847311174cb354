"""The queries of `spans parquet DIR COUNT`, run by DuckDB on the same Parquet file.

Usage: columns.py FILE
"""

import json
import statistics
import sys
import time

import duckdb

QUESTIONS = [
    "SELECT service, count(*) FROM f GROUP BY ALL",
    "SELECT \"app.tool\", count(*) FROM f WHERE status = 'error' GROUP BY ALL",
    "SELECT \"app.model\", \"app.region\", count(*) FROM f GROUP BY ALL",
    "SELECT count(*) FROM f WHERE \"app.agent\" = 'agent-7' AND duration >= 1000000000",
    "SELECT \"app.model\", count(*) FROM f WHERE \"app.user\" = 'user-77' AND \"app.tokens\" >= 5000 GROUP BY ALL",
    "SELECT \"app.model\", sum(\"app.tokens\") FROM f WHERE \"app.tool\" LIKE 'tool-1%' GROUP BY ALL",
]
REPETITIONS = 21


def took(database, sql):
    begun = time.perf_counter()
    database.execute(sql).fetchall()
    return (time.perf_counter() - begun) * 1e3


def main():
    database = duckdb.connect()
    database.execute(f"CREATE VIEW f AS SELECT * FROM read_parquet('{sys.argv[1]}')")
    for sql in QUESTIONS:
        print(json.dumps({"question": sql, "p50_ms": statistics.median(took(database, sql) for _ in range(REPETITIONS))}))


if __name__ == "__main__":
    main()
