// What a request in the Gemini format can hold.

import type { JsonObject } from '#dialect/turn.ts'
import { ANSWER_SCHEMA, PDF, PNG, WAV, WEATHER_SCHEMA } from '../requests/media.ts'
import { MARKER, SEAL, type Feature } from './feature.ts'

const MODEL = { model: 'farebox-model' }
const HELLO = { role: 'user', parts: [{ text: 'Hello' }] }
const BASE = { ...MODEL, contents: [HELLO] }
const WEATHER = { name: 'get_weather', parametersJsonSchema: WEATHER_SCHEMA }
const TOOLS = { tools: [{ functionDeclarations: [WEATHER, { name: 'list_files' }] }] }
const CALL = { functionCall: { id: 'c1', name: 'get_weather', args: { city: 'Bern' } } }
const RESPONSE = { id: 'c1', name: 'get_weather', response: { output: 'Sunny' } }

const contents = (
  name: string,
  list: readonly JsonObject[],
  marker: string = MARKER,
  rest: JsonObject = {},
): Feature => ({
  name,
  body: { ...MODEL, contents: list, ...rest },
  without: BASE,
  marker,
})
const part = (name: string, value: JsonObject, marker: string = MARKER) =>
  contents(name, [{ role: 'user', parts: [{ text: 'Hello' }, value] }], marker)
const member = (name: string, value: JsonObject, beside: JsonObject = {}, marker?: string): Feature => ({
  name,
  body: { ...BASE, ...beside, ...value },
  without: { ...BASE, ...beside },
  isMember: true,
  ...(marker === undefined ? {} : { marker }),
})
const config = (name: string, value: JsonObject, marker?: string, beside: JsonObject = {}): Feature =>
  member(name, { generationConfig: { ...beside, ...value } }, { generationConfig: beside }, marker)
const own = (feature: Feature): Feature => ({ ...feature, isOwn: true })
const said = (...parts: readonly JsonObject[]) => ({ role: 'model', parts })
const user = (...parts: readonly JsonObject[]) => ({ role: 'user', parts })
const declaration = (name: string, rest: JsonObject) =>
  member(
    name,
    { tools: [{ functionDeclarations: [{ ...WEATHER, ...rest }] }] },
    { tools: [{ functionDeclarations: [WEATHER] }] },
  )
const calling = (name: string, functionCallingConfig: JsonObject) =>
  member(name, { toolConfig: { functionCallingConfig } }, TOOLS)
const hosted = (name: string, tool: JsonObject) => member(`\`tools\`: ${name}`, { tools: [tool] })

export const GEMINI_FEATURES: readonly Feature[] = [
  member('`systemInstruction`', { systemInstruction: { parts: [{ text: MARKER }] } }, {}, MARKER),
  member('`system_instruction`', { system_instruction: { parts: [{ text: MARKER }] } }, {}, MARKER),
  contents('text of the user', [user({ text: MARKER })]),
  part('image, in place', { inlineData: { mimeType: 'image/png', data: PNG } }, PNG),
  part('image, by its address', {
    fileData: { mimeType: 'image/png', fileUri: `https://images.example/${MARKER}.png` },
  }),
  part('file that Google stores', {
    fileData: { mimeType: 'image/png', fileUri: `https://generativelanguage.googleapis.com/v1beta/files/${MARKER}` },
  }),
  part('PDF, in place', { inlineData: { mimeType: 'application/pdf', data: PDF } }, PDF),
  part('text file, in place', {
    inlineData: { mimeType: 'text/plain', data: Buffer.from(MARKER).toString('base64') },
  }),
  part('sound, in place', { inlineData: { mimeType: 'audio/wav', data: WAV } }, WAV),
  part('film, in place', { inlineData: { mimeType: 'video/mp4', data: SEAL } }, SEAL),
  member(
    '`mediaResolution` of a part',
    { contents: [user({ text: 'a', mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } })] },
    { contents: [user({ text: 'a' })] },
  ),
  contents('text of the model', [HELLO, said({ text: MARKER }), HELLO]),
  contents('last content is of the model', [HELLO, said({ text: MARKER })]),
  contents(
    '`functionCall`',
    [
      HELLO,
      said({ functionCall: { name: 'get_weather', args: { city: MARKER } } }),
      user({ functionResponse: RESPONSE }),
    ],
    MARKER,
    TOOLS,
  ),
  contents(
    '`functionResponse`',
    [HELLO, said(CALL), user({ functionResponse: { ...RESPONSE, response: { output: MARKER } } })],
    MARKER,
    TOOLS,
  ),
  member(
    '`error` in a response',
    { contents: [HELLO, said(CALL), user({ functionResponse: { ...RESPONSE, response: { error: 'Sunny' } } })] },
    { contents: [HELLO, said(CALL), user({ functionResponse: RESPONSE })], ...TOOLS },
  ),
  contents(
    'image in a `functionResponse`',
    [
      HELLO,
      said(CALL),
      user({ functionResponse: { ...RESPONSE, parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] } }),
    ],
    PNG,
    TOOLS,
  ),
  contents(
    'thoughts of earlier turns',
    [HELLO, said({ text: MARKER, thought: true }, CALL), user({ functionResponse: RESPONSE })],
    MARKER,
    TOOLS,
  ),
  contents(
    '`thoughtSignature` of a call',
    [HELLO, said({ ...CALL, thoughtSignature: SEAL }), user({ functionResponse: RESPONSE })],
    SEAL,
    TOOLS,
  ),
  contents('`executableCode` of earlier turns', [
    HELLO,
    said({ executableCode: { language: 'PYTHON', code: MARKER } }),
    HELLO,
  ]),
  contents('`codeExecutionResult` of earlier turns', [
    HELLO,
    said({ codeExecutionResult: { outcome: 'OUTCOME_OK', output: MARKER } }),
    HELLO,
  ]),
  member(
    'image of the model',
    { contents: [HELLO, said({ text: 'a' }, { inlineData: { mimeType: 'image/png', data: PNG } }), HELLO] },
    { contents: [HELLO, said({ text: 'a' }), HELLO] },
  ),
  config('`maxOutputTokens`', { maxOutputTokens: 3571 }, '3571'),
  own(config('`candidateCount` above 1', { candidateCount: 2 })),
  config('`temperature`', { temperature: 0.37 }, '0.37'),
  config('`temperature` above 1', { temperature: 1.37 }, '1.37'),
  config('`topP`', { topP: 0.83 }, '0.83'),
  config('`topK`', { topK: 37 }, '37'),
  config('`seed`', { seed: 3571 }, '3571'),
  config('`presencePenalty`', { presencePenalty: 0.37 }, '0.37'),
  config('`frequencyPenalty`', { frequencyPenalty: 0.37 }, '0.37'),
  config('`stopSequences`', { stopSequences: [MARKER] }, MARKER),
  config('more than 4 `stopSequences`', { stopSequences: ['a', 'b', 'c', 'd', MARKER] }, MARKER),
  config('`responseMimeType`: JSON', { responseMimeType: 'application/json' }),
  config('`responseMimeType`: an enum', { responseMimeType: 'text/x.enum' }),
  config(
    '`responseSchema`',
    {
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', description: MARKER, properties: { a: { type: 'STRING' } } },
    },
    MARKER,
  ),
  config(
    '`responseJsonSchema`',
    {
      responseMimeType: 'application/json',
      responseJsonSchema: { ...ANSWER_SCHEMA, description: MARKER },
    },
    MARKER,
  ),
  config('`thinkingBudget`', { thinkingConfig: { thinkingBudget: 2000 } }),
  own(config('`thinkingBudget`: -1', { thinkingConfig: { thinkingBudget: -1 } })),
  own(config('`thinkingBudget`: 0', { thinkingConfig: { thinkingBudget: 0 } })),
  config('`thinkingLevel`', { thinkingConfig: { thinkingLevel: 'LOW' } }),
  own(config('`includeThoughts`', { thinkingConfig: { includeThoughts: true } })),
  own(config('`responseModalities`: text', { responseModalities: ['TEXT'] })),
  config('`responseModalities`: images', { responseModalities: ['TEXT', 'IMAGE'] }),
  config('`mediaResolution`', { mediaResolution: 'MEDIA_RESOLUTION_LOW' }),
  config('`responseLogprobs`, `logprobs`', { responseLogprobs: true, logprobs: 3 }),
  config('`speechConfig`', { speechConfig: { languageCode: 'de' } }),
  member('`tools`: functions', { tools: [{ functionDeclarations: [{ ...WEATHER, name: MARKER }] }] }, {}, MARKER),
  member(
    '`parameters` of a function',
    {
      tools: [
        {
          functionDeclarations: [
            { name: 'a', parameters: { type: 'OBJECT', properties: { [MARKER]: { type: 'STRING' } } } },
          ],
        },
      ],
    },
    {},
    MARKER,
  ),
  declaration('`behavior` of a function', { behavior: 'NON_BLOCKING' }),
  own(declaration('`response` of a function', { response: { type: 'STRING' } })),
  hosted('Google Search', { googleSearch: {} }),
  hosted('code execution', { codeExecution: {} }),
  hosted('URL context', { urlContext: {} }),
  hosted('one that nobody knows', { zzzUnknown: {} }),
  own(calling('`mode`: AUTO', { mode: 'AUTO' })),
  own(calling('`mode`: VALIDATED', { mode: 'VALIDATED' })),
  calling('`mode`: ANY', { mode: 'ANY' }),
  calling('`mode`: ANY, one function', { mode: 'ANY', allowedFunctionNames: ['list_files'] }),
  calling('`mode`: NONE', { mode: 'NONE' }),
  member('`retrievalConfig`', { toolConfig: { retrievalConfig: { languageCode: 'de' } } }, TOOLS),
  member('`safetySettings`', {
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  }),
  member('`cachedContent`', { cachedContent: `cachedContents/${MARKER}` }, {}, MARKER),
  member('`labels`', { labels: { team: MARKER } }, {}, MARKER),
  member('members that nobody knows', { zzzUnknown: MARKER }, {}, MARKER),
]
