// Providers that write tool calls of the messages format wrongly.

import { WORDS, START, STOP, block, delta, closed, reason, said, whole } from './messages-pieces.ts'
import {
  TEXT,
  ANSWERED,
  BROKEN,
  CUT,
  deepJson,
  FAILED,
  inPieces,
  LAST_WORDS,
  onlyPassed,
  scripted,
  stream,
  STREAMED,
  WHOLE,
  type Fault,
  type Provider,
} from './fault.ts'

const tool = (more: object = {}) => ({ type: 'tool_use', id: 'toolu_1', name: 'look', input: {}, ...more })
const input = (text: string) => ({ type: 'input_json_delta', partial_json: text })
const GOOD = `{"where":"${LAST_WORDS}"}`
const CALLS_END = [reason('tool_use'), STOP] as const

function calls(...events: readonly string[]): Provider {
  return stream(START, ...events, ...CALLS_END)
}

export const MESSAGES_CALL_FAULTS: readonly Fault[] = [
  {
    name: 'a call with half of its input',
    modes: STREAMED,
    provider: calls(block(0, tool()), delta(0, input(`{"where":"${LAST_WORDS}`)), closed(0)),
    sees: ANSWERED,
    finds: inPieces,
  },
  {
    name: 'a call whose input is no JSON',
    modes: STREAMED,
    provider: calls(block(0, tool()), delta(0, input(LAST_WORDS)), closed(0)),
    sees: ANSWERED,
    finds: inPieces,
  },
  {
    name: 'a call whose input comes at once',
    modes: STREAMED,
    provider: calls(block(0, tool({ input: { where: LAST_WORDS } })), closed(0)),
    sees: ANSWERED,
  },
  {
    name: 'a call whose input is nested 100,000 deep',
    modes: STREAMED,
    provider: stream(
      START,
      ...WORDS,
      `event: content_block_start\ndata: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"look","input":{"deep":${deepJson(100_000)}}}}\n\n`,
      closed(1),
      ...CALLS_END,
    ),
    // Only to be measured where it is passed on, but no client could read it either.
    sees: CUT,
  },
  {
    name: 'a call without an id',
    modes: STREAMED,
    provider: calls(block(0, tool({ id: undefined })), delta(0, input(GOOD)), closed(0)),
    sees: ANSWERED,
  },
  {
    name: 'a call without a name',
    modes: STREAMED,
    provider: calls(block(0, tool({ name: undefined })), delta(0, input(GOOD)), closed(0)),
    sees: onlyPassed(BROKEN),
  },
  {
    name: 'a call whose name is a number',
    modes: STREAMED,
    provider: calls(block(0, tool({ name: 7 })), delta(0, input(GOOD)), closed(0)),
    sees: onlyPassed(BROKEN),
  },
  {
    name: 'two calls with one id',
    modes: STREAMED,
    provider: calls(
      block(0, tool()),
      delta(0, input('{}')),
      closed(0),
      block(1, tool()),
      delta(1, input(GOOD)),
      closed(1),
    ),
    sees: ANSWERED,
  },
  {
    name: 'text inside a call',
    modes: STREAMED,
    provider: stream(START, ...WORDS, block(1, tool()), delta(1, said('x')), closed(1), ...CALLS_END),
    sees: ANSWERED,
  },
  {
    name: 'a stop reason of calls, and none',
    provider: scripted({ ...TEXT, finishReason: 'tool_use' }),
    sees: ANSWERED,
  },
  {
    name: 'input of 4 MB',
    modes: STREAMED,
    pace: 'heavy',
    provider: calls(
      block(0, tool()),
      delta(0, input('{"where":"')),
      ...Array.from({ length: 40 }, () => delta(0, input('x'.repeat(100_000)))),
      delta(0, input(`${LAST_WORDS}"}`)),
      closed(0),
    ),
    sees: ANSWERED,
    charge: 'bounded',
  },
  {
    name: 'a whole call without a name',
    modes: WHOLE,
    provider: whole({ content: [{ type: 'text', text: LAST_WORDS }, tool({ name: undefined })] }),
    sees: onlyPassed(FAILED),
  },
  {
    name: 'a whole call without an id',
    modes: WHOLE,
    provider: whole({ content: [tool({ id: undefined, input: { where: LAST_WORDS } })] }),
    sees: ANSWERED,
  },
  {
    name: 'whole calls with one id',
    modes: WHOLE,
    provider: whole({ content: [tool(), tool({ input: { where: LAST_WORDS } })] }),
    sees: ANSWERED,
  },
  {
    name: 'a whole call whose input is text',
    modes: WHOLE,
    provider: whole({ content: [{ type: 'text', text: LAST_WORDS }, tool({ input: 'here' })] }),
    sees: ANSWERED,
  },
]
