#!/usr/bin/env python3
"""Creates abilities.tsv from the model list in an unpacked `litellm` package (MIT). Run by hand:

    python3 abilities.py path/to/model_prices_and_context_window_backup.json > abilities.tsv

One line per family: prefix of the model name, maximum input tokens, maximum output tokens, whether it accepts images.
A name is omitted if its longest listed prefix has the same values.
"""

import json
import re
import sys

PROVIDERS = {"openai", "anthropic", "gemini", "vertex_ai-language-models", "bedrock", "bedrock_converse"}
NAME = re.compile(r"(gpt|o\d|chatgpt|claude|gemini|amazon\.nova|meta\.llama|mistral\.|deepseek\.)")



def maker(entry):
    return (entry[1].get("litellm_provider") not in ("openai", "anthropic", "gemini"), "/" in entry[0])


rows = {}
for name, model in sorted(json.load(open(sys.argv[1])).items(), key=maker):
    if model.get("litellm_provider") not in PROVIDERS or model.get("mode") not in ("chat", "responses"):
        continue
    if name.startswith("ft:"):
        continue
    name = name.split("/")[-1].removeprefix("us.").removeprefix("eu.").removeprefix("apac.").removeprefix("global.")
    name = name.removeprefix("anthropic.")
    if not NAME.match(name) or re.search(r"audio|realtime|image|search|tts|live|@|:", name.replace("-v1:0", "")):
        continue
    name = re.sub(r"(-preview)?-(20\d{6}|20\d\d-\d\d-\d\d|\d\d-\d\d(-20\d\d)?)?(-?v\d(:\d)?)?$", "", name)
    window, most = model.get("max_input_tokens"), model.get("max_output_tokens")
    if not isinstance(window, int) or not isinstance(most, int):
        continue
    if not re.search(r"\d", name):
        continue
    # The maker's own entry is the first; resellers may have smaller limits and forget abilities.
    first = rows.setdefault(name, (window, most, "text"))
    if model.get("supports_vision"):
        rows[name] = (*first[:2], "images")

kept = {}
for name in sorted(rows):
    before = max((prefix for prefix in kept if name.startswith(prefix + "-")), key=len, default=None)
    if before is None or kept[before] != rows[name]:
        kept[name] = rows[name]
for name, row in kept.items():
    print(name, *row, sep="\t")
