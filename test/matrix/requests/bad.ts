// Requests that are wrong, or that some providers cannot take, in each client's format. Every one of them is refused with the
// member that is wrong, or mended so that the provider takes it.

import type { ClientFormat } from '#dialect/dialects.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { PNG, WEATHER_SCHEMA } from './media.ts'

type Cases = Readonly<Record<string, JsonObject>>

/** Schemas that tools of MCP servers really have, and worse ones. */
const SCHEMAS: Readonly<Record<string, JsonObject>> = {
  'a union at its top': {
    oneOf: [
      { type: 'object', properties: { a: { type: 'string' } } },
      { type: 'object', properties: { b: { const: 1 } } },
    ],
  },
  'lists of types, const and null': {
    type: 'object',
    properties: {
      a: { type: ['string', 'null'] },
      b: { const: 'x' },
      c: { enum: [1, null, 'x'] },
      d: { exclusiveMinimum: 0 },
    },
    propertyNames: { pattern: '^a' },
    $schema: 'http://json-schema.org/draft-07/schema#',
  },
  'a reference to itself': {
    type: 'object',
    properties: { root: { $ref: '#/$defs/node' } },
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  },
  'references that lead nowhere': {
    type: 'object',
    properties: { a: { $ref: '#/$defs/none' }, b: { $ref: 'https://a.example/s' } },
  },
  'no object': { type: 'string' },
  'members of wrong types': { type: 7, properties: [], required: 'a', items: null, enum: {} },
}

const hello = { role: 'user', content: 'Hello' }

const CHAT_CALL = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } }
const chat = (...messages: readonly unknown[]) => ({ model: 'farebox-model', messages })
const chatTool = (parameters: unknown, rest: JsonObject = {}) => ({
  ...chat(hello),
  tools: [{ type: 'function', function: { name: 'get_weather', parameters } }],
  ...rest,
})
const chatPart = (part: JsonObject) => chat({ role: 'user', content: [part] })

const CHAT: Cases = {
  'no messages': chat(),
  'a part of an unknown type': chatPart({ type: 'video', video: 'x' }),
  'a part without a type': chatPart({ text: 'Hello' }),
  'a part of an unknown type of the assistant': chat(
    hello,
    { role: 'assistant', content: [{ type: 'image_url' }] },
    hello,
  ),
  'a text that is no text': chatPart({ type: 'text', text: 7 }),
  'only an empty text': chat({ role: 'user', content: '' }),
  'only blank texts': chat({ role: 'system', content: '  ' }, { role: 'user', content: [{ type: 'text', text: ' ' }] }),
  'an empty list of parts': chat({ role: 'user', content: [] }),
  'only a system message': chat({ role: 'system', content: 'Be brief.' }),
  'empty messages of the assistant': chat(
    hello,
    { role: 'assistant', content: '' },
    { role: 'assistant', content: null, tool_calls: [] },
    hello,
  ),
  'an image that is no base64': chatPart({ type: 'image_url', image_url: { url: 'data:image/png;base64,!!!' } }),
  'an image of another kind': chatPart({ type: 'image_url', image_url: { url: `data:image/tiff;base64,${PNG}` } }),
  'an image at a local file': chatPart({ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }),
  'an image without an address': chatPart({ type: 'image_url' }),
  'a file without data': chatPart({ type: 'file', file: { filename: 'a.pdf' } }),
  'a result without its call': chat(hello, { role: 'tool', tool_call_id: 'call_9', content: 'Sunny' }, hello),
  'a result without an id': chat(
    hello,
    { role: 'assistant', content: null, tool_calls: [CHAT_CALL] },
    { role: 'tool', content: 'Sunny' },
  ),
  'a call without a result': chat(hello, { role: 'assistant', content: null, tool_calls: [CHAT_CALL] }),
  'two results of one call': chat(
    hello,
    { role: 'assistant', content: null, tool_calls: [CHAT_CALL] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
    { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
  ),
  'the same call id in two turns': chat(
    hello,
    { role: 'assistant', content: null, tool_calls: [CHAT_CALL] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
    hello,
    { role: 'assistant', content: null, tool_calls: [CHAT_CALL] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
  ),
  'the same call id twice in a turn': chat(
    hello,
    { role: 'assistant', content: null, tool_calls: [CHAT_CALL, CHAT_CALL] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
  ),
  'a call id with other characters': chat(
    hello,
    { role: 'assistant', content: null, tool_calls: [{ ...CHAT_CALL, id: 'call:1/é' }] },
    { role: 'tool', tool_call_id: 'call:1/é', content: 'Sunny' },
  ),
  'a call without an id': chat(
    hello,
    { role: 'assistant', content: null, tool_calls: [{ ...CHAT_CALL, id: undefined }] },
    hello,
  ),
  'a call without a name': chat(
    hello,
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: {} }] },
    hello,
  ),
  'arguments that are no JSON': chat(
    hello,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ ...CHAT_CALL, function: { name: 'get_weather', arguments: '{"city' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
  ),
  'arguments that are no object': chat(
    hello,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ ...CHAT_CALL, function: { name: 'get_weather', arguments: '[1]' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
  ),
  'a choice without tools': { ...chat(hello), tool_choice: 'required' },
  'an empty list of tools, and a choice': { ...chat(hello), tools: [], tool_choice: 'auto' },
  'a choice of a tool that is not there': chatTool(WEATHER_SCHEMA, {
    tool_choice: { type: 'function', function: { name: 'none' } },
  }),
  'a tool without a name': { ...chat(hello), tools: [{ type: 'function', function: {} }] },
  'two tools of the same name': {
    ...chat(hello),
    tools: [1, 2].map(() => ({ type: 'function', function: { name: 'get_weather', parameters: WEATHER_SCHEMA } })),
  },
  'a schema that is none': chatTool('string'),
  'tools and functions': chatTool(WEATHER_SCHEMA, { functions: [{ name: 'old' }] }),
  'an effort that nobody knows': { ...chat(hello), reasoning_effort: 'enormous' },
  'an effort, and a budget beside it': { ...chat(hello), reasoning_effort: 'low', reasoning: { max_tokens: 90_000 } },
  'a cap that is smaller than any budget': { ...chat(hello), reasoning_effort: 'high', max_tokens: 10 },
  'stop sequences of wrong types': { ...chat(hello), stop: [1, 'a'] },
  'empty stop sequences': { ...chat(hello), stop: ['', ''] },
  'a seed that is a text': { ...chat(hello), seed: 'seven' },
  'a format that nobody knows': { ...chat(hello), response_format: { type: 'xml' } },
  'a format without its schema': { ...chat(hello), response_format: { type: 'json_schema' } },
  ...Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [`a schema with ${name}`, chatTool(schema)])),
}

const USE = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Bern' } }
const messages = (...list: readonly unknown[]) => ({ model: 'farebox-model', max_tokens: 4000, messages: list })
const said = (...content: readonly unknown[]) => ({ role: 'assistant', content })
const told = (...content: readonly unknown[]) => ({ role: 'user', content })
const messagesTool = (schema: unknown, rest: JsonObject = {}) => ({
  ...messages(hello),
  tools: [{ name: 'get_weather', input_schema: schema }],
  ...rest,
})
const imageOf = (source: JsonObject) => messages(told({ type: 'image', source }))

const MESSAGES: Cases = {
  'no messages': messages(),
  'a block of an unknown type': messages(told({ type: 'video', source: 'x' })),
  'a block without a type': messages(told({ text: 'Hello' })),
  'a block of an unknown type of the assistant': messages(hello, said({ type: 'image' }), hello),
  'a text that is no text': messages(told({ type: 'text', text: 7 })),
  'only an empty text': messages({ role: 'user', content: '' }),
  'only blank texts': { ...messages(told({ type: 'text', text: ' ' })), system: '  ' },
  'an empty list of blocks': messages({ role: 'user', content: [] }),
  'a message of the assistant alone': messages(said({ type: 'text', text: 'Hello' })),
  'only a system message': messages({ role: 'system', content: 'Be brief.' }),
  'a system message and reasoning of nobody': messages(
    { role: 'system', content: 'Be brief.' },
    said({ type: 'thinking', thinking: 'a', signature: 'farebox1.nobody.x' }),
  ),
  'an image that is no base64': imageOf({ type: 'base64', media_type: 'image/png', data: '!!!' }),
  'an image of another kind': imageOf({ type: 'base64', media_type: 'image/tiff', data: PNG }),
  'an image without its kind': imageOf({ type: 'base64', data: PNG }),
  'an image at a local file': imageOf({ type: 'url', url: 'file:///etc/passwd' }),
  'a document of an unknown source': messages(told({ type: 'document', source: { type: 'tape' } })),
  'a document of another kind': messages(
    told({ type: 'document', source: { type: 'base64', media_type: 'application/zip', data: PNG } }),
  ),
  'a result without its call': messages(
    hello,
    said({ type: 'text', text: 'a' }),
    told({ type: 'tool_result', tool_use_id: 'toolu_9', content: 'Sunny' }),
  ),
  'a result without an id': messages(hello, said(USE), told({ type: 'tool_result', content: 'Sunny' })),
  'a result of the assistant': messages(
    hello,
    said({ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny' }),
    hello,
  ),
  'a call of the user': messages(told(USE)),
  'a call without a result': messages(hello, said(USE)),
  'two results of one call': messages(
    hello,
    said(USE),
    told(
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny' },
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Rain' },
    ),
  ),
  'the same call id twice in a turn': messages(
    hello,
    said(USE, USE),
    told({ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny' }),
  ),
  'a call id with other characters': messages(
    hello,
    said({ ...USE, id: 'toolu:1/é' }),
    told({ type: 'tool_result', tool_use_id: 'toolu:1/é', content: 'Sunny' }),
  ),
  'a call without an input': messages(
    hello,
    said({ type: 'tool_use', id: 'toolu_1', name: 'a' }),
    told({ type: 'tool_result', tool_use_id: 'toolu_1' }),
  ),
  'an input that is no object': messages(
    hello,
    said({ ...USE, input: [1] }),
    told({ type: 'tool_result', tool_use_id: 'toolu_1' }),
  ),
  'a choice without tools': { ...messages(hello), tool_choice: { type: 'any' } },
  'an empty list of tools, and a choice': { ...messages(hello), tools: [], tool_choice: { type: 'auto' } },
  'a choice of a tool that is not there': messagesTool(WEATHER_SCHEMA, { tool_choice: { type: 'tool', name: 'none' } }),
  'a tool without a name': { ...messages(hello), tools: [{ input_schema: WEATHER_SCHEMA }] },
  'a tool without a schema': { ...messages(hello), tools: [{ name: 'get_weather' }] },
  'two tools of the same name': {
    ...messages(hello),
    tools: [1, 2].map(() => ({ name: 'get_weather', input_schema: WEATHER_SCHEMA })),
  },
  'a schema that is none': messagesTool('string'),
  'a budget that is larger than the cap': { ...messages(hello), thinking: { type: 'enabled', budget_tokens: 90_000 } },
  'a budget that is no number': { ...messages(hello), thinking: { type: 'enabled', budget_tokens: 'much' } },
  'thinking that is no object': { ...messages(hello), thinking: true },
  'an effort that nobody knows': { ...messages(hello), output_config: { effort: 'enormous' } },
  'thinking that was signed by somebody else': messages(
    hello,
    said({ type: 'thinking', thinking: 'a', signature: 'farebox1.nobody.x' }),
    hello,
  ),
  'stop sequences of wrong types': { ...messages(hello), stop_sequences: [1, 'a'] },
  'empty stop sequences': { ...messages(hello), stop_sequences: ['', ' '] },
  'a format without its schema': { ...messages(hello), output_config: { format: { type: 'json_schema' } } },
  ...Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => [`a schema with ${name}`, messagesTool(schema)]),
  ),
}

const ITEM_CALL = { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Bern"}' }
const ITEM_OUTPUT = { type: 'function_call_output', call_id: 'call_1', output: 'Sunny' }
const input = (...items: readonly unknown[]) => ({ model: 'farebox-model', input: items })
const responsesTool = (parameters: unknown, rest: JsonObject = {}) => ({
  ...input(hello),
  tools: [{ type: 'function', name: 'get_weather', parameters }],
  ...rest,
})
const inputPart = (part: JsonObject) => input({ role: 'user', content: [part] })

const RESPONSES: Cases = {
  'no input': input(),
  'an empty text as input': { model: 'farebox-model', input: '' },
  'an item of an unknown type': input(hello, { type: 'zzz_item', a: 1 }),
  'only an item of an unknown type': input({ type: 'zzz_item', a: 1 }),
  'an item without type and role': input({ content: 'Hello' }),
  'a role that nobody knows': input({ role: 'tool', content: 'Hello' }),
  'a part of an unknown type': inputPart({ type: 'input_video', video: 'x' }),
  'a text that is no text': inputPart({ type: 'input_text', text: 7 }),
  'only an empty text': input({ role: 'user', content: '' }),
  'only blank texts': { ...input({ role: 'user', content: ' ' }), instructions: ' ' },
  'an empty list of parts': input({ role: 'user', content: [] }),
  'only a developer message': input({ role: 'developer', content: 'Be brief.' }),
  'an image that is no base64': inputPart({ type: 'input_image', image_url: 'data:image/png;base64,!!!' }),
  'an image of another kind': inputPart({ type: 'input_image', image_url: `data:image/tiff;base64,${PNG}` }),
  'an image at a local file': inputPart({ type: 'input_image', image_url: 'file:///etc/passwd' }),
  'an image without an address': inputPart({ type: 'input_image' }),
  'a file without data': inputPart({ type: 'input_file', filename: 'a.pdf' }),
  'an output without its call': input(hello, { ...ITEM_OUTPUT, call_id: 'call_9' }, hello),
  'an output without an id': input(hello, ITEM_CALL, { type: 'function_call_output', output: 'Sunny' }),
  'a call without an output': input(hello, ITEM_CALL),
  'two outputs of one call': input(hello, ITEM_CALL, ITEM_OUTPUT, { ...ITEM_OUTPUT, output: 'Rain' }),
  'the same call id in two turns': input(hello, ITEM_CALL, ITEM_OUTPUT, hello, ITEM_CALL, {
    ...ITEM_OUTPUT,
    output: 'Rain',
  }),
  'the same call id twice in a turn': input(hello, ITEM_CALL, ITEM_CALL, ITEM_OUTPUT),
  'a call id that is too long': input(
    hello,
    { ...ITEM_CALL, call_id: 'c'.repeat(100) },
    { ...ITEM_OUTPUT, call_id: 'c'.repeat(100) },
  ),
  'a call without a name': input(hello, { type: 'function_call', call_id: 'call_1', arguments: '{}' }, ITEM_OUTPUT),
  'arguments that are no JSON': input(hello, { ...ITEM_CALL, arguments: '{"city' }, ITEM_OUTPUT),
  'arguments that are an object': input(hello, { ...ITEM_CALL, arguments: { city: 'Bern' } }, ITEM_OUTPUT),
  'reasoning at the end': input(hello, { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }),
  'reasoning that was sealed by somebody else': input(
    hello,
    { type: 'reasoning', summary: [], encrypted_content: 'farebox1.nobody.x' },
    hello,
  ),
  'a choice without tools': { ...input(hello), tool_choice: 'required' },
  'a choice of a tool that is not there': responsesTool(WEATHER_SCHEMA, {
    tool_choice: { type: 'function', name: 'none' },
  }),
  'a tool without a name': { ...input(hello), tools: [{ type: 'function', parameters: WEATHER_SCHEMA }] },
  'a tool of an unknown type': { ...input(hello), tools: [{ type: 'zzz_tool' }] },
  'two tools of the same name': {
    ...input(hello),
    tools: [1, 2].map(() => ({ type: 'function', name: 'a', parameters: WEATHER_SCHEMA })),
  },
  'a namespace without tools': { ...input(hello), tools: [{ type: 'namespace', name: 'n', tools: [] }] },
  'a name that another tool gets through its namespace': {
    ...input(hello),
    tools: [
      { type: 'namespace', name: 'a', description: '', tools: [{ type: 'function', name: 'b__c', parameters: {} }] },
      { type: 'namespace', name: 'a__b', description: '', tools: [{ type: 'function', name: 'c', parameters: {} }] },
    ],
  },
  'a schema that is none': responsesTool('string'),
  'an effort that nobody knows': { ...input(hello), reasoning: { effort: 'enormous' } },
  'a format without its schema': { ...input(hello), text: { format: { type: 'json_schema', name: 'a' } } },
  'a format that nobody knows': { ...input(hello), text: { format: { type: 'xml' } } },
  ...Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => [`a schema with ${name}`, responsesTool(schema)]),
  ),
}

const gemini = (...contents: readonly unknown[]) => ({ model: 'farebox-model', contents })
const says = (...parts: readonly unknown[]) => ({ role: 'user', parts })
const answers = (...parts: readonly unknown[]) => ({ role: 'model', parts })
const geminiCall = { functionCall: { name: 'get_weather', args: { city: 'Bern' } } }
const geminiResult = { functionResponse: { name: 'get_weather', response: { output: 'Sunny' } } }
const config = (generationConfig: unknown, rest: JsonObject = {}) => ({
  ...gemini(says({ text: 'Hello' })),
  generationConfig,
  ...rest,
})
const geminiTool = (parametersJsonSchema: unknown) => ({
  ...gemini(says({ text: 'Hello' })),
  tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema }] }],
})

const GEMINI: Cases = {
  'no contents': { model: 'farebox-model' },
  'an empty list of contents': gemini(),
  'a content that is a text': gemini('Hello'),
  'a content without parts': gemini({ role: 'user' }),
  'a content with a text for its parts': gemini({ role: 'user', parts: 'Hello' }),
  'a part that is a text': gemini(says('Hello')),
  'an empty list of parts': gemini(says()),
  'a role that nobody knows': gemini({ role: 'assistant', parts: [{ text: 'Hello' }] }),
  'only an empty text': gemini(says({ text: '' })),
  'a part of an unknown kind': gemini(says({ zzzUnknown: {} })),
  'media without a type': gemini(says({ inlineData: { data: PNG } })),
  'media that are no base64': gemini(says({ inlineData: { mimeType: 'image/png', data: '!!!' } })),
  'media of a kind that nobody takes': gemini(says({ inlineData: { mimeType: 'application/zip', data: PNG } })),
  'a file without an address': gemini(says({ fileData: { mimeType: 'image/png' } })),
  'a file that is stored': gemini(says({ fileData: { fileUri: 'gs://bucket/a.png' } })),
  'a file on this machine': gemini(says({ fileData: { fileUri: 'file:///etc/passwd' } })),
  'a call by the user': gemini(says(geminiCall)),
  'a result by the model': gemini(says({ text: 'Hello' }), answers(geminiResult), says({ text: 'Hello' })),
  'a call without a name': gemini(
    says({ text: 'Hello' }),
    answers({ functionCall: { args: {} } }),
    says({ text: 'a' }),
  ),
  'a call whose arguments are a text': gemini(
    says({ text: 'Hello' }),
    answers({ functionCall: { name: 'get_weather', args: '{}' } }),
    says(geminiResult),
  ),
  'a result that is a text': gemini(
    says({ text: 'Hello' }),
    answers(geminiCall),
    says({ functionResponse: { name: 'get_weather', response: 'Sunny' } }),
  ),
  'a result without its call': gemini(says(geminiResult, { text: 'Hello' })),
  'two results of one call': gemini(says({ text: 'Hello' }), answers(geminiCall), says(geminiResult, geminiResult)),
  'the same id twice in a turn': gemini(
    says({ text: 'Hello' }),
    answers(
      { functionCall: { ...geminiCall.functionCall, id: 'a' } },
      { functionCall: { ...geminiCall.functionCall, id: 'a' } },
    ),
    says({ functionResponse: { ...geminiResult.functionResponse, id: 'a' } }),
  ),
  'a cap in two spellings': config({ maxOutputTokens: 100, max_output_tokens: 100_000 }),
  'a cap in a spelling of its own': config({ MaxOutputTokens: 100_000 }),
  'a configuration in two spellings': config({ maxOutputTokens: 100 }, { generation_config: { maxOutputTokens: 9 } }),
  'a configuration in a spelling of its own': { ...gemini(says({ text: 'Hello' })), GenerationConfig: {} },
  'a configuration that is a list': config([]),
  'a cap of 0': config({ maxOutputTokens: 0 }),
  'a cap that is a text': config({ maxOutputTokens: '100' }),
  'more candidates than anybody makes': config({ candidateCount: 1000 }),
  'a temperature of 3': config({ temperature: 3 }),
  'stop sequences that are a text': config({ stopSequences: 'END' }),
  'a budget that is a text': config({ thinkingConfig: { thinkingBudget: 'much' } }),
  'a level that nobody knows': config({ thinkingConfig: { thinkingLevel: 'ENORMOUS' } }),
  'a schema of an answer that is none': config({ responseMimeType: 'application/json', responseSchema: 'string' }),
  'tools that are an object': { ...gemini(says({ text: 'Hello' })), tools: { googleSearch: {} } },
  'functions without names': { ...gemini(says({ text: 'Hello' })), tools: [{ functionDeclarations: [{}] }] },
  'a schema that is none': geminiTool('string'),
  'a function that is forced and not there': {
    ...geminiTool({ type: 'object' }),
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['other'] } },
  },
  'content that is stored': { ...gemini(says({ text: 'Hello' })), cachedContent: 'cachedContents/a' },
  ...Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [`a schema with ${name}`, geminiTool(schema)])),
}

export const BAD_REQUESTS: Readonly<Record<ClientFormat, Cases>> = {
  chat: CHAT,
  messages: MESSAGES,
  responses: RESPONSES,
  gemini: GEMINI,
}
