// Providers that write tool calls of the responses format wrongly.

import { WORDS, ITEM, completed, CREATED, END, whole } from './responses-pieces.ts'
import {
  ANSWERED,
  BROKEN,
  deepJson,
  FAILED,
  LAST_WORDS,
  named,
  onlyPassed,
  stream,
  STREAMED,
  WHOLE,
  type Fault,
  type Provider,
} from './fault.ts'

const call = (more: object = {}) => ({
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'look',
  arguments: '',
  ...more,
})
const added = (item: object, index = 0) => named({ type: 'response.output_item.added', output_index: index, item })
const done = (item: object, index = 0) => named({ type: 'response.output_item.done', output_index: index, item })
const argued = (delta: string, index = 0) =>
  named({ type: 'response.function_call_arguments.delta', output_index: index, item_id: 'fc_1', delta })
const GOOD = `{"where":"${LAST_WORDS}"}`
const CALLS_END = named(completed([]))

function calls(...events: readonly string[]): Provider {
  return stream(CREATED, ...events, CALLS_END)
}

export const RESPONSES_CALL_FAULTS: readonly Fault[] = [
  {
    name: 'a call with half of its arguments',
    modes: STREAMED,
    provider: calls(
      added(call()),
      argued(`{"where":"${LAST_WORDS}`),
      done(call({ arguments: `{"where":"${LAST_WORDS}` })),
    ),
    sees: ANSWERED,
  },
  {
    name: 'a call whose arguments are no JSON',
    modes: STREAMED,
    provider: calls(added(call()), argued(LAST_WORDS), done(call({ arguments: LAST_WORDS }))),
    sees: ANSWERED,
  },
  {
    name: 'a call that only its end tells of',
    modes: STREAMED,
    provider: calls(done(call({ arguments: GOOD }))),
    sees: ANSWERED,
  },
  {
    name: 'a call whose arguments differ at its end',
    modes: STREAMED,
    provider: calls(added(call()), argued(GOOD), done(call({ arguments: '{}' }))),
    sees: ANSWERED,
  },
  {
    name: 'a call whose arguments are an object',
    modes: STREAMED,
    provider: calls(
      done(call({ arguments: { where: 'here' } })),
      ...WORDS.slice(1).map((event) => event.replaceAll('"output_index":0', '"output_index":1')),
    ),
    sees: ANSWERED,
  },
  {
    name: 'arguments that are nested 100,000 deep',
    modes: STREAMED,
    provider: calls(added(call()), argued(`{"where":"${LAST_WORDS}","deep":${deepJson(100_000)}}`), done(call())),
    sees: ANSWERED,
    // No tokenizer makes so few tokens of it as are reported.
    charge: 'bounded',
  },
  {
    name: 'a call without an id',
    modes: STREAMED,
    provider: calls(
      added(call({ call_id: undefined })),
      argued(GOOD),
      done(call({ call_id: undefined, arguments: GOOD })),
    ),
    sees: ANSWERED,
  },
  {
    name: 'a call without a name',
    modes: STREAMED,
    provider: calls(added(call({ name: undefined })), argued(GOOD), done(call({ name: undefined, arguments: GOOD }))),
    sees: onlyPassed(BROKEN),
  },
  {
    name: 'two calls with one id',
    modes: STREAMED,
    provider: calls(done(call({ arguments: '{}' })), done(call({ arguments: GOOD }), 1)),
    sees: ANSWERED,
  },
  {
    name: 'arguments of a call that was never added',
    modes: STREAMED,
    provider: stream(...WORDS, argued('{}', 7), END),
    sees: onlyPassed(BROKEN),
  },
  {
    name: 'arguments of 4 MB',
    modes: STREAMED,
    pace: 'heavy',
    provider: calls(
      added(call()),
      argued('{"where":"'),
      ...Array.from({ length: 40 }, () => argued('x'.repeat(100_000))),
      argued(`${LAST_WORDS}"}`),
      done(call()),
    ),
    sees: ANSWERED,
    charge: 'bounded',
  },
  {
    name: 'a whole call without a name',
    modes: WHOLE,
    provider: whole({ output: [ITEM, call({ name: undefined, arguments: '{}' })] }),
    sees: onlyPassed(FAILED),
  },
  {
    name: 'a whole call without an id',
    modes: WHOLE,
    provider: whole({ output: [call({ call_id: undefined, arguments: GOOD })] }),
    sees: ANSWERED,
  },
  {
    name: 'whole calls with one id',
    modes: WHOLE,
    provider: whole({ output: [call({ arguments: '{}' }), call({ arguments: GOOD })] }),
    sees: ANSWERED,
  },
  {
    name: 'a whole call whose arguments are an object',
    modes: WHOLE,
    provider: whole({ output: [ITEM, call({ arguments: { where: 'here' } })] }),
    sees: ANSWERED,
  },
]
