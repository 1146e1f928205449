// Requests in the Gemini format, in the shapes that clients send. `model` and `stream` stand for what the path says.

import type { JsonObject } from '#dialect/turn.ts'
import { ANSWER_SCHEMA, IMAGE_URL, LONG_NAME, PDF, PNG, WAV, WEATHER_SCHEMA } from './media.ts'

const MODEL = { model: 'farebox-model' }
const CAP = { maxOutputTokens: 4000 }
const CAPPED = { generationConfig: CAP }
const user = (...parts: readonly JsonObject[]) => ({ role: 'user', parts })
const model = (...parts: readonly JsonObject[]) => ({ role: 'model', parts })
const text = (value: string) => ({ text: value })
const HELLO = user(text('How is the weather in Bern?'))
const call = (name: string, args: JsonObject, id?: string) => ({
  functionCall: { ...(id === undefined ? {} : { id }), name, args },
})
const response = (name: string, value: JsonObject, id?: string) => ({
  functionResponse: { ...(id === undefined ? {} : { id }), name, response: value },
})
const WEATHER = { name: 'get_weather', description: 'Does get_weather.', parametersJsonSchema: WEATHER_SCHEMA }
const FILES = {
  name: 'list_files',
  parameters: {
    type: 'OBJECT',
    properties: {
      path: { type: 'STRING', nullable: true, enum: ['a', 'b'] },
      depth: { type: 'INTEGER', format: 'int32', minimum: 0 },
      names: { type: 'ARRAY', items: { type: 'STRING', minLength: '1' }, minItems: '1' },
      either: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }] },
    },
    propertyOrdering: ['path', 'depth'],
    required: ['path'],
  },
}
const TOOLS = { tools: [{ functionDeclarations: [WEATHER, FILES] }] }

export const GEMINI_REQUESTS: Readonly<Record<string, JsonObject>> = {
  'text with instructions': {
    ...MODEL,
    systemInstruction: { role: 'user', parts: [text('Be brief.')] },
    contents: [HELLO],
    generationConfig: { ...CAP, temperature: 0.7, topP: 0.95, topK: 40, seed: 7, stopSequences: ['END'] },
  },
  'the same in snake_case': {
    ...MODEL,
    system_instruction: { parts: [text('Be brief.')] },
    contents: [{ parts: [text('Hello')] }],
    tools: [{ function_declarations: [WEATHER] }],
    tool_config: { function_calling_config: { mode: 'any', allowed_function_names: ['get_weather'] } },
    generation_config: {
      max_output_tokens: 4000,
      top_p: 0.95,
      stop_sequences: ['END'],
      thinking_config: { include_thoughts: true, thinking_budget: 2048 },
    },
  },
  'several turns': {
    ...MODEL,
    ...CAPPED,
    contents: [
      user(text('Hello')),
      model(text('Hello! How can I help?')),
      user(text('The weather,'), text(' please.')),
    ],
  },
  'a turn of the model last': { ...MODEL, ...CAPPED, contents: [user(text('Count.')), model(text('One, two, '))] },
  'empty texts': {
    ...MODEL,
    ...CAPPED,
    contents: [user(text(''), text('Hello')), model(text('')), user(text('Go on.'))],
  },
  tools: { ...MODEL, ...CAPPED, contents: [HELLO], ...TOOLS },
  'any function must be called': {
    ...MODEL,
    ...CAPPED,
    contents: [HELLO],
    ...TOOLS,
    toolConfig: { functionCallingConfig: { mode: 'ANY' } },
  },
  'one of some functions may be called': {
    ...MODEL,
    ...CAPPED,
    contents: [HELLO],
    tools: [{ functionDeclarations: [WEATHER, FILES, { name: LONG_NAME }] }],
    toolConfig: { functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['list_files', LONG_NAME] } },
  },
  'no function may be called': {
    ...MODEL,
    ...CAPPED,
    contents: [HELLO],
    ...TOOLS,
    toolConfig: { functionCallingConfig: { mode: 'NONE' } },
  },
  'a round trip without ids, as by the AI SDK': {
    ...MODEL,
    ...CAPPED,
    contents: [
      HELLO,
      model(text('I look.'), call('get_weather', { city: 'Bern' })),
      user(response('get_weather', { name: 'get_weather', content: 'Sunny' })),
    ],
    ...TOOLS,
  },
  'parallel calls of one name without ids': {
    ...MODEL,
    ...CAPPED,
    contents: [
      HELLO,
      model(call('get_weather', { city: 'Bern' }), call('list_files', {}), call('get_weather', { city: 'Oslo' })),
      user(
        response('get_weather', { output: 'Sunny' }),
        response('get_weather', { output: { sky: 'grey' } }),
        response('list_files', { error: 'no such folder' }),
        text('Here they are.'),
      ),
    ],
    ...TOOLS,
  },
  'seals of other dialects, in a content for each chunk as by the chats of Google': {
    ...MODEL,
    ...CAPPED,
    contents: [
      HELLO,
      model({ text: 'H', thought: true }),
      model({ text: 'm.', thought: true }),
      model({ text: '', thought: true, thoughtSignature: sealed('messages.EqQBCgIYAhIM1gbcDa9GJwZA') }),
      model(text('I ')),
      model(text('look.')),
      model(call('get_weather', { city: 'Bern' })),
      model(call('get_weather', { city: 'Oslo' })),
      model(text('')),
      user(response('get_weather', { output: 'Sunny' }), response('get_weather', { output: 'Snow' })),
    ],
    ...TOOLS,
  },
  'a round trip with ids, as by Gemini CLI': {
    ...MODEL,
    ...CAPPED,
    contents: [
      HELLO,
      model(
        call('get_weather', { city: 'Bern' }, 'get_weather-1'),
        call('get_weather', { city: 'Oslo' }, 'get_weather-2'),
      ),
      user(
        response('get_weather', { output: 'Snow' }, 'get_weather-2'),
        response('get_weather', { output: 'Sunny', more: 1 }, 'get_weather-1'),
      ),
    ],
    ...TOOLS,
  },
  'results whose ids their calls do not have': {
    ...MODEL,
    ...CAPPED,
    contents: [
      HELLO,
      model(call('get_weather', { city: 'Bern' })),
      { role: 'function', parts: [response('get_weather', { result: 'Sunny' }, 'made-by-the-client')] },
      user(text('And in Oslo?')),
      model(call('get_weather', { city: 'Oslo' })),
      user(response('get_weather', { result: 'Snow' })),
    ],
    ...TOOLS,
  },
  'a call without a result, and a result without a call': {
    ...MODEL,
    ...CAPPED,
    contents: [
      HELLO,
      model(call('get_weather', { city: 'Bern' })),
      user(response('list_files', { output: 'README.md' }), text('Go on.')),
    ],
    ...TOOLS,
  },
  'images, in place and by their addresses': {
    ...MODEL,
    ...CAPPED,
    contents: [
      user(
        text('What is this?'),
        { inlineData: { mimeType: 'image/png', data: PNG } },
        { file_data: { mime_type: 'image/jpeg', file_uri: IMAGE_URL } },
      ),
    ],
  },
  'documents and a sound': {
    ...MODEL,
    ...CAPPED,
    contents: [
      user(
        { inlineData: { mimeType: 'application/pdf', data: PDF } },
        { inlineData: { mimeType: 'text/plain', data: Buffer.from('It was sunny.').toString('base64url') } },
        { inlineData: { mimeType: 'audio/wav', data: WAV } },
        text('Sum it up.'),
      ),
    ],
  },
  'an image in a result': {
    ...MODEL,
    ...CAPPED,
    contents: [
      user(text('Take a picture.')),
      model(call('screenshot', {}, 'c1')),
      user({
        functionResponse: {
          id: 'c1',
          name: 'screenshot',
          response: { output: 'Taken.' },
          parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }],
        },
      }),
    ],
    tools: [{ functionDeclarations: [{ name: 'screenshot' }] }],
  },
  'thoughts and signatures in the history': {
    ...MODEL,
    generationConfig: { ...CAP, thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' } },
    contents: [
      HELLO,
      model(
        { text: 'I look at the sky.', thought: true },
        { text: 'I look.', thoughtSignature: 'CiQBjz1rX0Zq2w9vT4sD7m' },
        { ...call('get_weather', { city: 'Bern' }), thoughtSignature: 'CiQBjz1rX0Zq2w9vT4sD7m' },
      ),
      user(response('get_weather', { output: 'Sunny' })),
    ],
    ...TOOLS,
  },
  'seals of other dialects in the history': {
    ...MODEL,
    generationConfig: { ...CAP, thinkingConfig: { includeThoughts: true, thinkingBudget: -1 } },
    contents: [
      HELLO,
      model(
        { text: 'Hm.', thought: true, thoughtSignature: sealed('messages.EqQBCgIYAhIM1gbcDa9GJwZA') },
        { text: '', thought: true, thoughtSignature: sealed('responses.gAAAAABo8MGiVw2Q') },
        call('get_weather', { city: 'Bern' }),
      ),
      user(response('get_weather', { output: 'Sunny' })),
    ],
    ...TOOLS,
  },
  'code that Google ran': {
    ...MODEL,
    ...CAPPED,
    contents: [
      user(text('What is 2 + 2?')),
      model(
        { executableCode: { language: 'PYTHON', code: 'print(2 + 2)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '4\n' } },
        text('4'),
      ),
      user(text('And 3 + 3?')),
    ],
    tools: [{ codeExecution: {} }, { google_search: {} }],
  },
  'an answer by a schema': {
    ...MODEL,
    contents: [HELLO],
    generationConfig: { ...CAP, responseMimeType: 'application/json', responseJsonSchema: ANSWER_SCHEMA },
  },
  'an answer by a schema of Google': {
    ...MODEL,
    contents: [HELLO],
    generationConfig: {
      ...CAP,
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { sunny: { type: 'BOOLEAN' } }, required: ['sunny'] },
    },
  },
  'an answer in JSON': {
    ...MODEL,
    contents: [HELLO],
    generationConfig: { ...CAP, responseMimeType: 'application/json', thinkingConfig: { thinkingBudget: 0 } },
  },
  'what nobody else has': {
    ...MODEL,
    contents: [HELLO],
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    labels: { team: 'a' },
    generationConfig: {
      ...CAP,
      presencePenalty: 0.5,
      frequencyPenalty: 0.25,
      responseModalities: ['TEXT', 'IMAGE'],
      mediaResolution: 'MEDIA_RESOLUTION_LOW',
      logprobs: 3,
    },
  },
  'no configuration': { ...MODEL, contents: [HELLO], stream: true },
}

/** A signature in our wrapping, as clients are given it. */
export function sealed(what: string): string {
  return Buffer.from(`farebox1.${what}`).toString('base64')
}
