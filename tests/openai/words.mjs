// Request data for the agent of tests/agents/openai, for clients of the OpenAI API.

// A PNG image of one pixel.
export const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const parameters = {
  type: 'object',
  properties: { location: { type: 'string' } },
  required: ['location'],
  additionalProperties: false,
};
const definition = { name: 'get_weather', description: 'The weather of a place.', parameters };

// A function of the caller, for responses and for chat completions.
export const WEATHER = { type: 'function', ...definition, strict: true };
export const WEATHER_IN_CHAT = { type: 'function', function: definition };

export const IN_PARIS = 'What is the weather in Paris?';
export const IN_OAKLAND = "What's the weather in Oakland?";

export async function collect(stream) {
  const seen = [];
  for await (const event of stream) seen.push(event);
  return seen;
}

// Checks that a call fails; returns the error.
export async function failure(label, call) {
  let answer;
  try {
    answer = await call();
  } catch (error) {
    return error;
  }
  throw new Error(`${label}: wanted an error, got ${JSON.stringify(answer)}`);
}
