"""Compares results of TraceQL in Baton with results of SQL in DuckDB over the exported spans.

Usage: parquet_oracle.py URL FILE BEGIN COUNT
"""

import asyncio
import json
import math
import sys
import urllib.error
import urllib.parse
import urllib.request

import duckdb
import pyarrow.parquet

from checking import CheckFailure, expect, require, run
from parquet_questions import FILTERS, MEASURES

URL, FILE, BEGIN, COUNT = sys.argv[1].rstrip("/"), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
STEP = 300

DATABASE = duckdb.connect()
DATABASE.execute(f"""
    CREATE TABLE s AS SELECT *,
        attributes['app.tool'] AS tool,
        attributes['app.user'] AS "user",
        attribute_numbers['app.tokens'] AS tokens,
        attribute_numbers['app.score'] AS score,
        attributes['app.cached'] AS cached,
        attributes['app.mixed'] AS mixed,
        attribute_numbers['app.mixed'] AS mixed_number,
        CAST(attributes['app.tags'] AS JSON)::VARCHAR[] AS tags,
        resource_attributes['deployment.environment'] AS environment,
        (start_unix_ns - {BEGIN * 10**9}) // {STEP * 10**9} AS interval
    FROM read_parquet('{FILE}')
""")


def get(path, **params):
    address = f"{URL}/tempo/api/{path}?{urllib.parse.urlencode(params)}"
    try:
        with urllib.request.urlopen(address) as reply:
            warnings = urllib.parse.unquote(reply.headers.get("x-baton-warnings") or "")
            return json.load(reply), warnings
    except urllib.error.HTTPError as error:
        raise CheckFailure(f"{params['q']}: {error.code} {error.read().decode()}") from None


def plain(value):
    """An OTLP JSON value as text, in DuckDB's format."""
    (kind, given), = value.items()
    if kind == "boolValue":
        return "true" if given else "false"
    return str(given)


async def columns_have_types():
    """Other readers get the intended column types."""
    rows = DATABASE.execute("SELECT count(*), count(DISTINCT trace_id || span_id) FROM s").fetchone()
    expect("spans and distinct spans in the file", rows, (COUNT, COUNT))
    kinds = dict(DATABASE.execute("SELECT column_name, column_type FROM (DESCRIBE s)").fetchall())
    for column, kind in [
        ("trace_id", "VARCHAR"), ("duration_ns", "BIGINT"), ("attributes", "MAP(VARCHAR, VARCHAR)"),
        ("attribute_numbers", "MAP(VARCHAR, DOUBLE)"), ("gen_ai_usage_input_tokens", "BIGINT"), ("links", "VARCHAR"),
    ]:
        expect(column, kinds[column], kind)
    require(f"start is a timestamp: {kinds['start']}", kinds["start"].startswith("TIMESTAMP"))
    table = pyarrow.parquet.read_table(FILE)
    expect("rows that pyarrow reads", table.num_rows, COUNT)
    expect("start, as pyarrow reads it", str(table.schema.field("start").type), "timestamp[ns, tz=UTC]")
    require("pyarrow's timestamps have nanoseconds",
            table.column("start").cast("int64").equals(table.column("start_unix_ns")))
    wrong = "SELECT count(*) FROM s WHERE epoch_ns(start) <> start_unix_ns"
    expect("spans with a different timestamp in DuckDB", DATABASE.execute(wrong).fetchone(), (0,))
    expect("maps in pandas", type(table.column("attributes")[0].as_py()), list)


def found(query):
    answer, warnings = get("search", q=query, limit=5000, spss=1000, start=BEGIN - 60, end=BEGIN + 7200)
    require(f"{query}: {warnings}", "given up" not in warnings)
    spans = set()
    for trace in answer["traces"]:
        for spanset in trace["spanSets"]:
            require(f"{query}: a span set contains all its spans", len(spanset["spans"]) == spanset["matched"])
            spans.update((trace["traceID"].rjust(32, "0"), span["spanID"].rjust(16, "0")) for span in spanset["spans"])
    return spans


def filters(questions):
    async def check():
        for query, where in questions:
            expected = set(DATABASE.execute(f"SELECT trace_id, span_id FROM s WHERE {where}").fetchall())
            answered = found(query)
            if answered != expected:
                only = sorted(answered - expected)[:3], sorted(expected - answered)[:3]
                raise CheckFailure(f"{query}\n    TraceQL finds {len(answered)}, SQL {len(expected)} ({where})\n"
                                 f"    only TraceQL: {only[0]}\n    only SQL: {only[1]}")
            require(f"{query} selects some of the spans", query == "{ }" or 0 < len(expected) < COUNT)
    return check


def series(query, path):
    params = {"q": query, "start": BEGIN, "end": BEGIN + 3600, "exemplars": 0}
    answer, warnings = get(f"metrics/{path}", **params, **({"step": f"{STEP}s"} if path == "query_range" else {}))
    require(f"{query}: {warnings}", "too low" not in warnings)
    values = {}
    for line in answer["series"]:
        labels = tuple(plain(label["value"]) for label in line["labels"] if label["key"] != "__name__")
        samples = line.get("samples")
        if samples is None:
            samples = [{"timestampMs": str((BEGIN + STEP) * 1000), "value": line["value"]}]
        for sample in samples:
            # The timestamp of a sample is the end of its interval.
            interval = (int(sample["timestampMs"]) // 1000 - BEGIN) // STEP - 1
            values[(labels, interval)] = float(sample["value"])
    return values


def sql_series(where, by, aggregate, path):
    """The series in SQL, by grouping values and interval."""
    interval = "interval" if path == "query_range" else "0"
    by = ", ".join(f"coalesce(CAST({column} AS VARCHAR), 'nil')" for column in by) + (", " if by else "")
    width = STEP if path == "query_range" else 3600
    sql = f"SELECT {by}{interval} AS i, {aggregate.format(seconds=width)} FROM s WHERE {where} GROUP BY ALL"
    rows = DATABASE.execute(sql).fetchall()
    return {(tuple(row[:-2]), row[-2]): float(row[-1]) for row in rows if row[-1] is not None}


def close(one, other, tolerance):
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=1e-12)


def measures(questions, path):
    async def check():
        for query, where, by, aggregates, tolerance in questions:
            expected = {}
            for label, aggregate in aggregates.items():
                answer = sql_series(where, by, aggregate, path)
                expected.update({(labels + ((label,) if label else ()), i): v for (labels, i), v in answer.items()})
            # TraceQL returns zero for empty intervals, SQL returns no row.
            measured = {key: number for key, number in series(query, path).items() if number != 0 or key in expected}
            if measured.keys() != expected.keys():
                only = sorted(measured.keys() - expected.keys())[:3], sorted(expected.keys() - measured.keys())[:3]
                raise CheckFailure(f"{path} {query}\n    only TraceQL: {only[0]}\n    only SQL: {only[1]}")
            for key, number in expected.items():
                if not close(measured[key], number, tolerance):
                    raise CheckFailure(f"{path} {query}\n    {key}: TraceQL {measured[key]!r}, SQL {number!r}")
            require(f"{query} has results", len(expected) > 0)
    return check


# Filters per check: each check has a timeout, and searches that find most spans are slow.
FILTERS_PER_CHECK = 15

CHECKS = [
    ("columns have the intended types", columns_have_types),
    *((f"filters from number {first} on find the same spans", filters(FILTERS[first:first + FILTERS_PER_CHECK]))
      for first in range(0, len(FILTERS), FILTERS_PER_CHECK)),
    (f"{len(MEASURES)} measures over time are the same", measures(MEASURES, "query_range")),
    (f"{len(MEASURES)} measures of the whole time are the same", measures(MEASURES, "query")),
]

if __name__ == "__main__":
    sys.exit(asyncio.run(run(CHECKS)))
