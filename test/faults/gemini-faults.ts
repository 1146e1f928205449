// Providers that speak the Gemini API wrongly.

import {
  answer,
  ANSWERED,
  BROKEN,
  CUT,
  deepJson,
  edited,
  FAILED,
  jsonBytes,
  LAST_WORDS,
  NOTHING_SAID,
  onlyPassed,
  ORDINARY_CHARGE,
  scripted,
  stream,
  STREAMED,
  TEXT,
  unnamed,
  WHOLE,
  withEvent,
  type Fault,
  type Provider,
} from './fault.ts'

const USAGE = { promptTokenCount: 19, candidatesTokenCount: 10, totalTokenCount: 29 }
const HEAD = { usageMetadata: USAGE, modelVersion: 'm', responseId: 'r' }

function says(parts: unknown, more: object = {}): object {
  return { candidates: [{ content: { role: 'model', parts }, index: 0, ...more }], ...HEAD }
}

const text = (words: string) => [{ text: words }]
const STOP = { finishReason: 'STOP' }
const WORDS = unnamed(says(text(LAST_WORDS)))
const END = unnamed(says([], STOP))

/** The same answer whole and as a stream of one event. */
function both(name: string, value: object, rest: Partial<Fault> = {}): readonly Fault[] {
  return [
    { name: `${name}, whole`, kind: name, modes: WHOLE, provider: answer(value), sees: ANSWERED, ...rest },
    {
      name: `${name}, streamed`,
      kind: name,
      modes: STREAMED,
      provider: stream(unnamed(value)),
      sees: ANSWERED,
      ...rest,
    },
  ]
}

const CANDIDATES: readonly Fault[] = [
  ...both('no candidates', HEAD, { sees: BROKEN }),
  ...both('candidates that are empty', { ...HEAD, candidates: [] }, { sees: BROKEN }),
  ...both(
    'candidates that are null',
    { ...HEAD, candidates: [null] },
    {
      ...NOTHING_SAID,
      sees: ({ isPassed, mode }) => (isPassed && mode === 'whole' ? ANSWERED : BROKEN),
    },
  ),
  ...both('a candidate without content', { ...HEAD, candidates: [STOP] }, NOTHING_SAID),
  ...both('content without parts', { ...HEAD, candidates: [{ ...STOP, content: {} }] }, NOTHING_SAID),
  ...both('parts that are null', says([null, 7, ...text(LAST_WORDS)], STOP)),
  ...both('a part of a kind that nobody knows', says([{ surprise: 1 }, ...text(LAST_WORDS)], STOP)),
  ...both('a text that is a number', says([{ text: 7 }, ...text(LAST_WORDS)], STOP)),
  ...both('a blocked prompt', { ...HEAD, promptFeedback: { blockReason: 'SAFETY' } }, NOTHING_SAID),
  ...both('a finish reason that nobody knows', says(text(LAST_WORDS), { finishReason: 'BANANA' })),
  ...both('a finish reason of failure', says(text(LAST_WORDS), { finishReason: 'MALFORMED_FUNCTION_CALL' }), {
    sees: onlyPassed(BROKEN),
  }),
  ...both('a finish reason for the request', says(text(LAST_WORDS), { finishReason: 'MISSING_THOUGHT_SIGNATURE' }), {
    sees: onlyPassed({ type: 'broken', status: 400 }),
  }),
  ...both('a candidate with index -1', says(text(LAST_WORDS), { ...STOP, index: -1 })),
  ...both('a candidate with index 1e9', says(text(LAST_WORDS), { ...STOP, index: 1e9 }), { sees: onlyPassed(BROKEN) }),
  ...both('a finish reason that is a number', says(text(LAST_WORDS), { finishReason: 7 }), {
    sees: ({ mode }) => (mode === 'whole' ? ANSWERED : BROKEN),
  }),
  { name: 'more candidates than were asked for', provider: scripted({ ...TEXT, choices: 3 }), sees: ANSWERED },
]

const ENDS: readonly Fault[] = [
  { name: 'no finish reason', modes: STREAMED, provider: scripted({ ...TEXT, omit: ['finish'] }), sees: CUT },
  { name: 'two finish reasons', modes: STREAMED, provider: stream(WORDS, END, END), sees: ANSWERED },
  {
    name: 'words behind its finish reason',
    modes: STREAMED,
    provider: stream(unnamed(says(text('a'), STOP)), WORDS),
    sees: ANSWERED,
  },
  {
    name: '[DONE] behind its end',
    modes: STREAMED,
    provider: edited((events) => [...events, 'data: [DONE]\n\n']),
    sees: ANSWERED,
  },
  {
    name: 'the finish reason of one of two candidates',
    modes: STREAMED,
    provider: stream(WORDS, unnamed(says(text('x'), { index: 1 })), END),
    sees: ({ isPassed }) => (isPassed ? { type: 'cut', hasEnd: true } : CUT),
  },
  {
    name: 'counts behind its finish reason',
    modes: STREAMED,
    provider: stream(WORDS, END, unnamed(HEAD)),
    sees: ANSWERED,
  },
  {
    name: 'a list where an answer was asked for',
    modes: WHOLE,
    provider: answer([says(text(LAST_WORDS), STOP)]),
    sees: FAILED,
  },
  {
    name: 'a list of JSON where events were asked for',
    modes: STREAMED,
    provider: jsonBytes('[', JSON.stringify(says(text(LAST_WORDS), STOP)), ']'),
    sees: FAILED,
  },
  {
    name: 'an error in a list',
    modes: WHOLE,
    provider: answer([{ error: { code: 503, message: 'No.', status: 'UNAVAILABLE' } }]),
    sees: FAILED,
  },
  {
    name: 'an error in a list, late',
    modes: STREAMED,
    provider: edited(withEvent(unnamed([{ error: { code: 503, message: 'No.' } }]))),
    sees: CUT,
  },
  {
    name: 'an error in words, late',
    modes: STREAMED,
    provider: edited(withEvent(unnamed({ error: 'No.' }))),
    sees: CUT,
  },
  {
    name: '400 for a wrong key',
    provider: scripted({
      type: 'status',
      status: 400,
      body: { error: { code: 400, message: 'Key.', details: [{ reason: 'API_KEY_INVALID' }] } },
    }),
    sees: { type: 'refuses-us' },
  },
  {
    name: '429 with a wait in its details',
    provider: scripted({
      type: 'status',
      status: 429,
      body: {
        error: { code: 429, details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7.2s' }] },
      },
    }),
    sees: { type: 'error', status: 429, retryAfter: /^8$/ },
  },
  {
    name: '429 with a wait of years in its details',
    provider: scripted({
      type: 'status',
      status: 429,
      body: { error: { code: 429, details: [{ '@type': 'google.rpc.RetryInfo', retryDelay: '999999999s' }] } },
    }),
    sees: { type: 'error', status: 429, retryAfter: /^\d+$/ },
  },
  {
    name: '429 with no wait at all in its details',
    provider: scripted({
      type: 'status',
      status: 429,
      body: { error: { code: 429, details: [{ '@type': 'google.rpc.RetryInfo', retryDelay: '0s' }] } },
    }),
    sees: { type: 'error', status: 429, retryAfter: /^\d+$/ },
  },
  {
    name: '500 whose body says 400',
    provider: scripted({ type: 'status', status: 500, body: { error: { code: 400, message: 'No.' } } }),
    sees: { type: 'refused', status: 400 },
  },
  {
    name: '400 whose body says 200',
    provider: scripted({ type: 'status', status: 400, body: { error: { code: 200, message: 'No.' } } }),
    sees: { type: 'refused', status: 400 },
  },
]

const call = (functionCall: object) => ({ functionCall })
const GOOD = { where: LAST_WORDS }

function deepCall(): Provider {
  const parts = `[{"functionCall":{"name":"look","args":{"deep":${deepJson(100_000)}}}}]`
  return stream(WORDS, `data: {"candidates":[{"content":{"parts":${parts}},"index":0}]}\n\n`, END)
}

const CALLS: readonly Fault[] = [
  ...both('a call without a name', says([...text(LAST_WORDS), call({ args: GOOD })], STOP), {
    sees: onlyPassed(BROKEN),
  }),
  ...both('a call whose name is a number', says([...text(LAST_WORDS), call({ name: 7, args: GOOD })], STOP), {
    sees: onlyPassed(BROKEN),
  }),
  ...both('a call without arguments', says([...text(LAST_WORDS), call({ name: 'look' })], STOP)),
  ...both('a call whose arguments are text', says([...text(LAST_WORDS), call({ name: 'look', args: 'here' })], STOP), {
    sees: onlyPassed(BROKEN),
  }),
  ...both('a call whose arguments are JSON in text', says([call({ name: 'look', args: JSON.stringify(GOOD) })], STOP)),
  ...both('a call whose arguments are a list', says([...text(LAST_WORDS), call({ name: 'look', args: [1] })], STOP), {
    sees: onlyPassed(BROKEN),
  }),
  ...both(
    'two calls with one id',
    says([call({ id: 'a', name: 'look' }), call({ id: 'a', name: 'look', args: GOOD })], STOP),
  ),
  ...both(
    '600 calls',
    says([...text(LAST_WORDS), ...Array.from({ length: 600 }, () => call({ name: 'look' }))], STOP),
    { sees: onlyPassed(BROKEN) },
  ),
  { name: 'a call whose arguments are nested 100,000 deep', modes: STREAMED, provider: deepCall(), sees: CUT },
  {
    name: 'a call that never ends',
    modes: STREAMED,
    provider: stream(WORDS, unnamed(says([call({ name: 'look', willContinue: true })])), END),
    sees: ANSWERED,
  },
  {
    name: 'the rest of a call that was never begun',
    modes: STREAMED,
    provider: stream(WORDS, unnamed(says([call({ partialArgs: [{ jsonPath: '$.a', stringValue: 'b' }] })])), END),
    sees: onlyPassed(CUT),
  },
  {
    name: 'pieces of arguments for odd places',
    modes: STREAMED,
    provider: stream(
      WORDS,
      unnamed(
        says([
          call({
            name: 'look',
            partialArgs: [
              { jsonPath: '$.__proto__.x', stringValue: 'b' },
              { jsonPath: '$[4000000000]', numberValue: 1 },
              null,
            ],
          }),
        ]),
      ),
      END,
    ),
    sees: onlyPassed(BROKEN),
  },
  {
    name: 'arguments of 4 MB',
    modes: STREAMED,
    pace: 'heavy',
    provider: stream(unnamed(says([call({ name: 'look', args: { where: 'x'.repeat(4_000_000) + LAST_WORDS } })])), END),
    sees: ANSWERED,
    // No tokenizer makes so few tokens of it as are reported.
    charge: 'bounded',
  },
]

const COUNTS: readonly Fault[] = [
  {
    name: 'counts that shrink',
    modes: STREAMED,
    provider: edited(withEvent(unnamed({ usageMetadata: { promptTokenCount: 1900, candidatesTokenCount: 1000 } }))),
    sees: ANSWERED,
    charge: ORDINARY_CHARGE,
  },
  ...both(
    'more cached than counted',
    { ...says(text(LAST_WORDS), STOP), usageMetadata: { ...USAGE, cachedContentTokenCount: 1e18 } },
    { charge: 'bounded' },
  ),
  ...both(
    'a total below its parts',
    { ...says(text(LAST_WORDS), STOP), usageMetadata: { ...USAGE, totalTokenCount: 1 } },
    { charge: ORDINARY_CHARGE },
  ),
]

export const GEMINI_FAULTS: readonly Fault[] = [...CANDIDATES, ...ENDS, ...CALLS, ...COUNTS]
