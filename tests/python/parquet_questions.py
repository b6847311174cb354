"""Queries in TraceQL and, with the same result, in SQL over the table of `parquet_oracle.py`.

A comparison with a missing value is false in TraceQL and NULL in SQL; neither selects the span.
"""

FILTERS = [
    ("{ }", "true"),
    # Names: every text operator.
    ('{ name = "chat model-a" }', "name = 'chat model-a'"),
    ('{ name != "chat model-a" }', "name <> 'chat model-a'"),
    ('{ name < "execute" }', "name < 'execute'"),
    ('{ name <= "execute_tool fetch" }', "name <= 'execute_tool fetch'"),
    ('{ name > "chat model-a" }', "name > 'chat model-a'"),
    ('{ name >= "execute_tool find" }', "name >= 'execute_tool find'"),
    ('{ name =~ "chat .*" }', "regexp_full_match(name, 'chat .*')"),
    ('{ name =~ "chat" || name =~ ".*GET.*" }', "regexp_full_match(name, '.*GET.*')"),
    ('{ name !~ "chat .*|execute_tool f.tch" }', "NOT regexp_full_match(name, 'chat .*|execute_tool f.tch')"),
    # Status and kind.
    ("{ status = error }", "status = 'error'"),
    ("{ status = ok }", "status = 'ok'"),
    ("{ status = unset }", "status = 'unset'"),
    ("{ status != error }", "status <> 'error'"),
    ("{ kind = server }", "kind = 'server'"),
    ("{ kind = client || kind = producer }", "kind IN ('client', 'producer')"),
    ("{ kind = consumer }", "kind = 'consumer'"),
    ("{ kind != internal }", "kind <> 'internal'"),
    ("{ kind = unspecified && status = ok }", "kind = 'unspecified' AND status = 'ok'"),
    ('{ statusMessage = "no time" }', "status_message = 'no time'"),
    ('{ statusMessage =~ "no .+" }', "regexp_full_match(status_message, 'no .+')"),
    # Duration.
    ("{ duration = 1s }", "duration_ns = 1000000000"),
    ("{ duration != 0s }", "duration_ns <> 0"),
    ("{ duration > 1ms }", "duration_ns > 1000000"),
    ("{ duration >= 1ms }", "duration_ns >= 1000000"),
    ("{ duration < 1s }", "duration_ns < 1000000000"),
    ("{ duration <= 1s }", "duration_ns <= 1000000000"),
    ("{ duration > 10us && duration < 1.5s }", "duration_ns > 10000 AND duration_ns < 1500000000"),
    # Text attributes.
    ('{ span.app.tool = "tool-1" }', "tool = 'tool-1'"),
    ('{ span.app.tool = "" }', "tool = ''"),
    (r'{ span.app.tool = "naïve \"tool\"" }', "tool = 'naïve \"tool\"'"),
    ('{ span.app.tool != "tool-1" }', "tool <> 'tool-1'"),
    ('{ span.app.tool =~ "tool-1.*" }', "regexp_full_match(tool, 'tool-1.*')"),
    ('{ span.app.tool =~ "(?i)tool-1" }', "regexp_full_match(tool, '(?i)tool-1')"),
    ('{ span.app.tool !~ "tool-.*" }', "NOT regexp_full_match(tool, 'tool-.*')"),
    ('{ span.app.tool > "tool-1" }', "tool > 'tool-1'"),
    ("{ span.app.tool = nil }", "tool IS NULL"),
    ("{ span.app.tool != nil }", "tool IS NOT NULL"),
    ('{ !(span.app.tool = "tool-1") }', "coalesce(tool, '') <> 'tool-1'"),
    ('{ span.app.user =~ "user-(1|2)[0-9]" && span.app.tool = nil }',
     "regexp_full_match(\"user\", 'user-(1|2)[0-9]') AND tool IS NULL"),
    # Numbers.
    ("{ span.app.tokens = 7 || span.app.tokens = 8 || span.app.tokens = 9 }", "tokens IN (7, 8, 9)"),
    ("{ span.app.tokens != 7 }", "tokens <> 7"),
    ("{ span.app.tokens < 0 }", "tokens < 0"),
    ("{ span.app.tokens <= -5 }", "tokens <= -5"),
    ("{ span.app.tokens > 1000 }", "tokens > 1000"),
    ("{ span.app.tokens >= 999.5 }", "tokens >= 999.5"),
    ("{ span.app.tokens * 2 + 1 > 1500 }", "tokens * 2 + 1 > 1500"),
    ("{ -span.app.tokens > 5 }", "-tokens > 5"),
    ("{ span.app.score = 2.5 }", "score = 2.5"),
    ("{ span.app.score < 1 }", "score < 1"),
    ("{ span.app.score * 100 > span.app.tokens }", "score * 100 > tokens"),
    ("{ span.gen_ai.usage.input_tokens > 2000 }", "gen_ai_usage_input_tokens > 2000"),
    ('{ span.gen_ai.request.model = "model-a" && span.gen_ai.usage.input_tokens <= 2000 }',
     "gen_ai_request_model = 'model-a' AND gen_ai_usage_input_tokens <= 2000"),
    # Booleans; values of several types; lists.
    ("{ span.app.cached = true }", "cached = 'true'"),
    ("{ span.app.cached != true }", "cached = 'false'"),
    ("{ span.app.mixed = 5 }", "mixed_number = 5"),
    ('{ span.app.mixed = "5" }', "mixed = '5' AND mixed_number IS NULL"),
    ("{ span.app.mixed = true }", "mixed = 'true'"),
    ("{ span.app.mixed != 5 }", "mixed_number <> 5"),
    ("{ span.app.mixed > 4 }", "mixed_number > 4"),
    ("{ span.app.mixed != nil }", "mixed IS NOT NULL"),
    ('{ span.app.tags = "a" }', "list_contains(tags, 'a')"),
    ('{ span.app.tags != "a" }', "NOT list_contains(tags, 'a')"),
    # Resource and instrumentation scope.
    ('{ resource.service.name = "oracle-b" }', "service_name = 'oracle-b'"),
    ('{ resource.service.name =~ "oracle-[ab]" }', "service_name IN ('oracle-a', 'oracle-b')"),
    ('{ resource.deployment.environment = "prod" }', "environment = 'prod'"),
    ("{ resource.deployment.environment = nil }", "environment IS NULL"),
    ('{ .deployment.environment != "prod" }', "environment <> 'prod'"),
    ('{ instrumentation:name = "oracle" }', "scope_name = 'oracle'"),
    ("{ nestedSetParent < 0 }", "parent_span_id IS NULL"),
    # Combinations: && and || have the same precedence and associate to the left.
    ("{ status = error && duration > 1ms || kind = server }",
     "(status = 'error' AND duration_ns > 1000000) OR kind = 'server'"),
    ("{ kind = server || status = error && duration > 1ms }",
     "(kind = 'server' OR status = 'error') AND duration_ns > 1000000"),
    ("{ !(status = error || kind = client) && span.app.tokens >= 100 }",
     "NOT (status = 'error' OR kind = 'client') AND tokens >= 100"),
    ('{ span.app.tool = "tool-1" && (span.app.cached = true || span.app.score > 5) && name !~ "GET.*" }',
     "tool = 'tool-1' AND (coalesce(cached, '') = 'true' OR coalesce(score, 0) > 5) AND NOT name LIKE 'GET%'"),
]

# Tolerance for sums of floats in a different order.
EXACT = 1e-9
COUNTED = {"": "count(*)"}


def over(function, column, scale=""):
    return {"": f"{function}({column}){scale}"}


def quantiles(column, shares, scale=""):
    return {str(share): f"quantile_cont({column}, {share}){scale}" for share in shares}


NANO = " / 1e9"

# Query, SQL condition, SQL grouping, SQL aggregates by label value, relative tolerance.
MEASURES = [
    ("{ } | count_over_time()", "true", [], COUNTED, EXACT),
    ("{ } | count_over_time() by (resource.service.name)", "true", ["service_name"], COUNTED, EXACT),
    ("{ } | count_over_time() by (name)", "true", ["name"], COUNTED, EXACT),
    ("{ } | count_over_time() by (status)", "true", ["status"], COUNTED, EXACT),
    ("{ } | count_over_time() by (kind)", "true", ["kind"], COUNTED, EXACT),
    ("{ } | count_over_time() by (span.app.tool)", "true", ["tool"], COUNTED, EXACT),
    ("{ } | count_over_time() by (span.app.cached)", "true", ["cached"], COUNTED, EXACT),
    ("{ } | count_over_time() by (resource.service.name, status)", "true", ["service_name", "status"], COUNTED, EXACT),
    ("{ status = error && duration > 1ms } | count_over_time() by (name, kind)",
     "status = 'error' AND duration_ns > 1000000", ["name", "kind"], COUNTED, EXACT),
    ('{ span.app.tool =~ "tool-1.*" } | count_over_time() by (span.app.tool)',
     "regexp_full_match(tool, 'tool-1.*')", ["tool"], COUNTED, EXACT),
    ("{ span.app.tool = nil } | count_over_time() by (resource.service.name)",
     "tool IS NULL", ["service_name"], COUNTED, EXACT),
    ("{ } | rate()", "true", [], {"": "count(*) / {seconds}"}, EXACT),
    ("{ status = error } | rate() by (resource.service.name)",
     "status = 'error'", ["service_name"], {"": "count(*) / {seconds}"}, EXACT),
    ("{ } | sum_over_time(span.app.tokens)", "true", [], over("sum", "tokens"), EXACT),
    ("{ span.app.tokens != nil } | sum_over_time(span.app.tokens) by (span.app.tool)",
     "tokens IS NOT NULL", ["tool"], over("sum", "tokens"), EXACT),
    ("{ span.app.score > 1 } | sum_over_time(span.app.score) by (name)",
     "score > 1", ["name"], over("sum", "score"), EXACT),
    ("{ } | sum_over_time(duration) by (kind)", "true", ["kind"], over("sum", "duration_ns", NANO), EXACT),
    ("{ } | avg_over_time(span.app.tokens) by (resource.service.name)",
     "true", ["service_name"], over("avg", "tokens"), EXACT),
    ("{ } | avg_over_time(duration) by (status)", "true", ["status"], over("avg", "duration_ns", NANO), EXACT),
    ("{ } | min_over_time(span.app.tokens) by (name)", "true", ["name"], over("min", "tokens"), EXACT),
    ("{ } | max_over_time(span.app.tokens) by (name)", "true", ["name"], over("max", "tokens"), EXACT),
    ("{ duration > 0s } | min_over_time(duration) by (kind)",
     "duration_ns > 0", ["kind"], over("min", "duration_ns", NANO), EXACT),
    ("{ } | max_over_time(duration) by (resource.service.name)",
     "true", ["service_name"], over("max", "duration_ns", NANO), EXACT),
    ('{ span.gen_ai.request.model = "model-a" } | max_over_time(span.gen_ai.usage.input_tokens)',
     "gen_ai_request_model = 'model-a'", [], over("max", "gen_ai_usage_input_tokens"), EXACT),
    ("{ span.gen_ai.request.model != nil } | sum_over_time(span.gen_ai.usage.input_tokens) by (span.gen_ai.request.model)",
     "gen_ai_request_model IS NOT NULL", ["gen_ai_request_model"], over("sum", "gen_ai_usage_input_tokens"), EXACT),
    ("{ } | quantile_over_time(span.app.tokens, 0.25, 0.5, 0.9) by (name, status)",
     "true", ["name", "status"], quantiles("tokens", [0.25, 0.5, 0.9]), 0.005),
    ("{ kind = server } | quantile_over_time(duration, 0.5, 0.95) by (resource.service.name)",
     "kind = 'server'", ["service_name"], quantiles("duration_ns", [0.5, 0.95], NANO), 0.005),
    ("{ } | quantile_over_time(span.app.score, 0.5) by (span.app.cached)",
     "true", ["cached"], quantiles("score", [0.5]), 0.005),
]
