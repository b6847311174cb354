"""Request data for the agent of tests/agents/openai, for clients of the OpenAI API."""

# A PNG image of one pixel.
DOT = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

PARAMETERS = {
    "type": "object",
    "properties": {"location": {"type": "string"}},
    "required": ["location"],
    "additionalProperties": False,
}

# A function of the caller, for responses and for chat completions.
WEATHER = {
    "type": "function",
    "name": "get_weather",
    "description": "The weather of a place.",
    "parameters": PARAMETERS,
    "strict": True,
}
WEATHER_IN_CHAT = {
    "type": "function",
    "function": {"name": "get_weather", "description": "The weather of a place.", "parameters": PARAMETERS},
}

FORM = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
