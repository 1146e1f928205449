// Providers that write tool calls of chat completions wrongly.

import { DONE, chunk, ROLE, WORDS, message } from './chat-pieces.ts'
import {
  TEXT,
  ANSWERED,
  BROKEN,
  CUT,
  deepJson,
  FAILED,
  LAST_WORDS,
  onlyPassed,
  scripted,
  stream,
  STREAMED,
  WHOLE,
  type Fault,
  type Provider,
} from './fault.ts'

const call = (members: object) => ({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', ...members }] })
const look = (text: unknown, name: unknown = 'look') => ({ function: { name, arguments: text } })
const GOOD = `{"where":"${LAST_WORDS}"}`
const CALLS_END = [chunk({}, 'tool_calls'), DONE] as const

function calls(...deltas: readonly object[]): Provider {
  return stream(ROLE, ...deltas.map((delta) => chunk(delta)), ...CALLS_END)
}

export const CHAT_CALL_FAULTS: readonly Fault[] = [
  {
    name: 'a call with half of its arguments',
    modes: STREAMED,
    provider: calls(call(look(`{"where":"${LAST_WORDS}`))),
    sees: ANSWERED,
  },
  {
    name: 'a call whose arguments are no JSON',
    modes: STREAMED,
    provider: calls(call(look(LAST_WORDS))),
    sees: ANSWERED,
  },
  {
    name: 'a call whose arguments are an object',
    modes: STREAMED,
    provider: calls(call(look({ where: LAST_WORDS }))),
    sees: ANSWERED,
  },
  {
    name: 'a call whose arguments are nested 100,000 deep',
    modes: STREAMED,
    provider: stream(
      ROLE,
      WORDS,
      `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":{"deep":${deepJson(100_000)}}}}]}}]}\n\n`,
      ...CALLS_END,
    ),
    sees: onlyPassed(CUT),
  },
  {
    name: 'a call without an id',
    modes: STREAMED,
    provider: calls({ tool_calls: [{ index: 0, ...look(GOOD) }] }),
    sees: ANSWERED,
  },
  {
    name: 'a call without a name',
    modes: STREAMED,
    provider: calls(call({ function: { arguments: GOOD } })),
    sees: onlyPassed(BROKEN),
  },
  {
    name: 'a call whose name is a number',
    modes: STREAMED,
    provider: calls(call(look(GOOD, 7))),
    sees: onlyPassed(BROKEN),
  },
  {
    name: 'a call without a function',
    modes: STREAMED,
    provider: stream(ROLE, WORDS, chunk(call({})), ...CALLS_END),
    sees: onlyPassed(CUT),
  },
  {
    name: 'calls that are null',
    modes: STREAMED,
    provider: stream(ROLE, WORDS, chunk({ tool_calls: [null, 7] }), ...CALLS_END),
    sees: ANSWERED,
  },
  {
    name: 'two calls with one id',
    modes: STREAMED,
    provider: calls(call(look('{}')), { tool_calls: [{ index: 1, id: 'call_1', ...look(GOOD) }] }),
    sees: ANSWERED,
  },
  {
    name: 'two calls with one index',
    modes: STREAMED,
    provider: calls(call(look('{}')), { tool_calls: [{ index: 0, id: 'call_2', ...look(GOOD) }] }),
    sees: ANSWERED,
  },
  {
    name: 'indexes of calls with gaps',
    modes: STREAMED,
    provider: calls({
      tool_calls: [
        { index: 7, id: 'a', ...look('{}') },
        { index: 3, id: 'b', ...look(GOOD) },
      ],
    }),
    sees: ANSWERED,
  },
  {
    name: 'calls without indexes',
    modes: STREAMED,
    provider: calls({
      tool_calls: [
        { id: 'a', ...look('{}') },
        { id: 'b', ...look(GOOD) },
      ],
    }),
    sees: ANSWERED,
  },
  {
    name: 'a call that goes on behind the next one',
    modes: STREAMED,
    provider: calls(
      call(look('{"where":')),
      { tool_calls: [{ index: 1, id: 'b', ...look('{}') }] },
      call(look(`"${LAST_WORDS}"}`, '')),
    ),
    sees: ANSWERED,
  },
  {
    name: '600 calls',
    modes: STREAMED,
    provider: stream(
      ROLE,
      WORDS,
      ...Array.from({ length: 600 }, (_, index) =>
        chunk({ tool_calls: [{ index, id: `id_${index}`, ...look('{}') }] }),
      ),
      ...CALLS_END,
    ),
    sees: onlyPassed(CUT),
  },
  {
    name: 'arguments of 4 MB',
    modes: STREAMED,
    pace: 'heavy',
    provider: calls(
      call(look('{"where":"')),
      ...Array.from({ length: 40 }, () => call(look('x'.repeat(100_000), ''))),
      call(look(`${LAST_WORDS}"}`, '')),
    ),
    sees: ANSWERED,
    charge: 'bounded',
  },
  {
    name: 'a whole call with half of its arguments',
    modes: WHOLE,
    provider: message({ content: null, ...call(look(`{"where":"${LAST_WORDS}`)) }, 'tool_calls'),
    sees: ANSWERED,
  },
  {
    name: 'a whole call without a name',
    modes: WHOLE,
    provider: message({ content: LAST_WORDS, ...call({ function: { arguments: '{}' } }) }, 'tool_calls'),
    sees: onlyPassed(FAILED),
  },
  {
    name: 'a whole call without an id',
    modes: WHOLE,
    provider: message({ content: null, tool_calls: [look(GOOD)] }, 'tool_calls'),
    sees: ANSWERED,
  },
  {
    name: 'whole calls with one id',
    modes: WHOLE,
    provider: message(
      {
        content: null,
        tool_calls: [
          { id: 'a', ...look('{}') },
          { id: 'a', ...look(GOOD) },
        ],
      },
      'tool_calls',
    ),
    sees: ANSWERED,
  },
  {
    name: 'calls that are no list',
    modes: WHOLE,
    provider: message({ content: LAST_WORDS, tool_calls: 'look' }),
    sees: ANSWERED,
  },
  {
    name: 'a finish reason of calls, and none',
    provider: scripted({ ...TEXT, finishReason: 'tool_calls' }),
    sees: ANSWERED,
  },
]
