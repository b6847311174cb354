// What clients of the OpenAI API send to the agent of tests/agents/openai.

// A picture of one dot.
export const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const parameters = {
  type: 'object',
  properties: { location: { type: 'string' } },
  required: ['location'],
  additionalProperties: false,
};
const about = { name: 'get_weather', description: 'The weather of a place.', parameters };

// A function of the caller's, and the same in the older dialect.
export const WEATHER = { type: 'function', ...about, strict: true };
export const WEATHER_IN_CHAT = { type: 'function', function: about };

export const IN_PARIS = 'What is the weather in Paris?';
export const IN_OAKLAND = "What's the weather in Oakland?";

export async function collect(stream) {
  const seen = [];
  for await (const event of stream) seen.push(event);
  return seen;
}

// Checks that a call fails, and gives the error.
export async function failure(what, call) {
  let answer;
  try {
    answer = await call();
  } catch (error) {
    return error;
  }
  throw new Error(`${what}: wanted an error, got ${JSON.stringify(answer)}`);
}
