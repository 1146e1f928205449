// Providers that speak Amazon's Converse wrongly, in frames that are sound.

import { CONVERSE_FRAME_FAULTS } from './converse-frame-faults.ts'
import { begun, closed, counted, delta, END, METADATA, reason, START, USAGE, whole, WORDS } from './converse-pieces.ts'
import {
  ANSWERED,
  BROKEN,
  CUT,
  edited,
  FAILED,
  inPieces,
  LAST_WORDS,
  NOTHING_SAID,
  ORDINARY_CHARGE,
  answer,
  scripted,
  stream,
  STREAMED,
  TEXT,
  WHOLE,
  withEvent,
  type Fault,
  type Provider,
} from './fault.ts'
import { chargeOf, OWN_INPUT, PIECES, TOKENS } from './running-faults.ts'

function row(name: string, ...events: readonly Buffer[]): Fault {
  return { name, modes: STREAMED, provider: stream(...events), sees: ANSWERED }
}

const says = (text: string) => ({ text })
const tool = (more: object = {}) => ({ toolUse: { toolUseId: 'tooluse_1', name: 'look', ...more } })
const input = (text: unknown) => ({ toolUse: { input: text } })
const GOOD = `{"where":"${LAST_WORDS}"}`

const ORDER: readonly Fault[] = [
  { name: 'no beginning', modes: STREAMED, provider: edited((events) => events.slice(1)), sees: FAILED },
  { ...row('nothing but its counts', METADATA), sees: FAILED },
  { name: 'its beginning twice', modes: STREAMED, provider: edited(withEvent(START)), sees: ANSWERED },
  row('a block inside another', START, delta(0, says('a')), delta(1, says(LAST_WORDS)), closed(1), closed(0), ...END),
  row('blocks that are never ended', START, delta(0, says(LAST_WORDS)), ...END),
  {
    name: 'the end of a block that was never begun',
    modes: STREAMED,
    provider: edited(withEvent(closed(9))),
    sees: ANSWERED,
  },
  row('a piece behind the end of its block', START, ...WORDS, delta(0, says('x')), ...END),
  row('indexes of blocks with gaps', START, delta(4, says(LAST_WORDS)), closed(4), ...END),
  row('indexes of blocks that are text', START, delta('a', says(LAST_WORDS)), closed('a'), ...END),
  row('no indexes', START, delta(undefined, says(LAST_WORDS)), closed(undefined), ...END),
  row('a text that is begun with nothing', START, begun(0, {}), ...WORDS, ...END),
  row('a text that is begun with null', START, begun(0, null), ...WORDS, ...END),
  row(
    'a block of a kind that nobody knows',
    START,
    begun(0, { surprise: {} }),
    delta(0, { surprise: 1 }),
    closed(0),
    delta(1, says(LAST_WORDS)),
    ...END,
  ),
  row(
    'pieces of a kind that nobody knows',
    START,
    delta(0, null),
    delta(0, { surprise: 1 }),
    delta(0, 7),
    ...WORDS,
    ...END,
  ),
  row('a text that is a number', START, delta(0, { text: 7 }), ...WORDS, ...END),
  row(
    'reasoning that is nothing',
    START,
    delta(0, { reasoningContent: {} }),
    closed(0),
    delta(1, says(LAST_WORDS)),
    ...END,
  ),
  row(
    'reasoning that stays open while the text runs',
    START,
    delta(0, { reasoningContent: says('So.') }),
    delta(1, says(LAST_WORDS)),
    delta(0, { reasoningContent: { signature: 'late' } }),
    closed(0),
    closed(1),
    ...END,
  ),
]

const ENDS: readonly Fault[] = [
  {
    name: 'no reason, but its counts',
    modes: STREAMED,
    provider: scripted({ ...TEXT, omit: ['finish'] }),
    sees: ANSWERED,
    charge: ORDINARY_CHARGE,
  },
  {
    name: 'neither a reason nor counts',
    modes: STREAMED,
    provider: scripted({ ...TEXT, omit: ['finish', 'done'] }),
    sees: CUT,
  },
  {
    name: 'a reason, but no counts',
    modes: STREAMED,
    provider: scripted({ ...TEXT, omit: ['done'] }),
    sees: ANSWERED,
    source: 'estimated',
  },
  row('a reason that nobody knows', START, ...WORDS, reason('banana'), METADATA),
  row('a reason that is null', START, ...WORDS, reason(null), METADATA),
  row('a reason that is a number', START, ...WORDS, reason(7), METADATA),
  row('two reasons', START, ...WORDS, reason('end_turn'), reason('max_tokens'), METADATA),
  { ...row('counts in front of its reason', START, ...WORDS, METADATA, reason('end_turn')), charge: ORDINARY_CHARGE },
  { ...row('nothing said', START, ...END), ...NOTHING_SAID },
]

const CALLS: readonly Fault[] = [
  {
    ...row(
      'a call with half of its input',
      START,
      begun(0, tool()),
      delta(0, input(`{"where":"${LAST_WORDS}`)),
      closed(0),
      ...END,
    ),
    finds: inPieces,
  },
  {
    ...row('a call whose input is no JSON', START, begun(0, tool()), delta(0, input(LAST_WORDS)), closed(0), ...END),
    finds: inPieces,
  },
  {
    ...row(
      'a call whose pieces are objects',
      START,
      begun(0, tool()),
      delta(0, input({ where: 'here' })),
      closed(0),
      ...END,
    ),
    finds: 'look',
  },
  row(
    'a call without an id',
    START,
    begun(0, tool({ toolUseId: undefined })),
    delta(0, input(GOOD)),
    closed(0),
    ...END,
  ),
  {
    ...row(
      'a call without a name',
      START,
      begun(0, tool({ name: undefined })),
      delta(0, input(GOOD)),
      closed(0),
      ...END,
    ),
    sees: BROKEN,
  },
  {
    ...row(
      'a call whose name is a number',
      START,
      begun(0, tool({ name: 7 })),
      delta(0, input(GOOD)),
      closed(0),
      ...END,
    ),
    sees: BROKEN,
  },
  row(
    'two calls with one id',
    START,
    begun(0, tool()),
    delta(0, input('{}')),
    closed(0),
    begun(1, tool()),
    delta(1, input(GOOD)),
    closed(1),
    ...END,
  ),
  row(
    'calls side by side',
    START,
    begun(0, tool()),
    begun(1, tool({ toolUseId: 'b' })),
    delta(0, input('{"a":')),
    delta(1, input(GOOD)),
    delta(0, input('1}')),
    closed(0),
    closed(1),
    ...END,
  ),
  row('arguments of a call that was never begun', START, ...WORDS, delta(7, input('{"a":1}')), ...END),
  row('text inside a call', START, ...WORDS, begun(1, tool()), delta(1, says('x')), closed(1), ...END),
  row(
    'a tool that Amazon runs itself',
    START,
    begun(0, tool({ type: 'server_tool_use' })),
    delta(0, input('{"a":1}')),
    closed(0),
    begun(1, { toolResult: { toolUseId: 'tooluse_1' } }),
    delta(1, { toolResult: [{ text: 'Rain.' }] }),
    closed(1),
    delta(2, says(LAST_WORDS)),
    ...END,
  ),
  { name: 'a reason of calls, and none', provider: scripted({ ...TEXT, finishReason: 'tool_use' }), sees: ANSWERED },
  {
    ...row(
      'input of 4 MB',
      START,
      begun(0, tool()),
      delta(0, input('{"where":"')),
      ...Array.from({ length: 40 }, () => delta(0, input('x'.repeat(100_000)))),
      delta(0, input(`${LAST_WORDS}"}`)),
      closed(0),
      ...END,
    ),
    pace: 'heavy',
    charge: 'bounded',
  },
]

function whole200(name: string, provider: Provider, rest: Partial<Fault> = {}): Fault {
  return { name, modes: WHOLE, provider, sees: ANSWERED, ...rest }
}

const SAID = { text: LAST_WORDS }
const WHOLES: readonly Fault[] = [
  whole200('no output', answer({ stopReason: 'end_turn', usage: USAGE }), { sees: FAILED }),
  whole200('an output that is null', answer({ output: null, usage: USAGE }), { sees: FAILED }),
  whole200('a message that is null', answer({ output: { message: null }, usage: USAGE }), { sees: FAILED }),
  whole200('content that is text', whole(LAST_WORDS), { sees: FAILED }),
  whole200('content that is null', whole(null), { sees: FAILED }),
  whole200('content that is empty', whole([]), NOTHING_SAID),
  whole200('blocks that are null', whole([null, 7, SAID])),
  whole200('a block of a kind that nobody knows, whole', whole([{ surprise: {} }, SAID])),
  whole200('a text that is a number, whole', whole([{ text: 7 }, SAID])),
  whole200('a reason that nobody knows, whole', whole([SAID], { stopReason: 'banana' })),
  whole200('a reason that is a number, whole', whole([SAID], { stopReason: 7 })),
  whole200('no reason, whole', whole([SAID], { stopReason: undefined })),
  whole200('a whole call without a name', whole([SAID, tool({ name: undefined })]), { sees: FAILED }),
  whole200('a whole call without an id', whole([tool({ toolUseId: undefined, input: { where: LAST_WORDS } })])),
  whole200('whole calls with one id', whole([tool({ input: {} }), tool({ input: { where: LAST_WORDS } })])),
  whole200('a whole call whose input is text', whole([SAID, tool({ input: 'here' })])),
  whole200(
    'a tool that Amazon runs itself, whole',
    whole([tool({ type: 'server_tool_use', input: {} }), { toolResult: {} }, SAID]),
  ),
]

/** 300 tokens of text, each in a frame. */
const LONG = [START, ...PIECES.map((text) => delta(0, { text })), closed(0)] as const

function long(name: string, charge: number, rest: readonly Buffer[], more: Partial<Fault> = {}): Fault {
  return { ...row(name, ...LONG, ...rest), ...NOTHING_SAID, charge, source: 'estimated', ...more }
}

/** Broken behind its last frame, so that the connection does not end as it should. */
function cutBehind(name: string, charge: number, rest: readonly Buffer[], more: Partial<Fault> = {}): Fault {
  const parts = [...LONG, ...rest]
  const cut = { at: { afterEvent: parts.length - 1 }, how: 'close' } as const
  return long(name, charge, rest, { provider: scripted({ type: 'raw', parts, cut }), sees: CUT, ...more })
}

const COUNTS: readonly Fault[] = [
  cutBehind('no counts, then cut', chargeOf(OWN_INPUT, TOKENS), []),
  cutBehind('no counts, then cut behind its reason', chargeOf(OWN_INPUT, TOKENS), [reason('end_turn')]),
  cutBehind('counts, then cut behind them', ORDINARY_CHARGE, END, { sees: ANSWERED, source: 'reported' }),
  long('no counts, and its end', chargeOf(OWN_INPUT, TOKENS), [reason('end_turn')]),
  long('counts of 0, and its end', chargeOf(OWN_INPUT, TOKENS), [
    reason('end_turn'),
    counted({ inputTokens: 0, outputTokens: 0 }),
  ]),
  long('an output of 0, and its end', chargeOf(19, TOKENS), [
    reason('end_turn'),
    counted({ inputTokens: 19, outputTokens: 0 }),
  ]),
  long('an input of 0, and its end', chargeOf(OWN_INPUT, 10), [
    reason('end_turn'),
    counted({ inputTokens: 0, outputTokens: 10 }),
  ]),
  long(
    'counts twice, and its end',
    ORDINARY_CHARGE,
    [reason('end_turn'), METADATA, counted({ inputTokens: 900, outputTokens: 900 })],
    { source: 'reported' },
  ),
  {
    name: 'more cached than counted',
    provider: scripted({ ...TEXT, usage: { ...USAGE, cacheReadInputTokens: 1e18 } }),
    sees: ANSWERED,
    charge: 'bounded',
  },
  {
    name: 'a total below its parts',
    provider: scripted({ ...TEXT, usage: { ...USAGE, totalTokens: 1 } }),
    sees: ANSWERED,
    charge: ORDINARY_CHARGE,
  },
  {
    name: 'details of its cache that are none',
    provider: scripted({
      ...TEXT,
      usage: { ...USAGE, cacheDetails: [null, 7, { ttl: '1h' }, { ttl: '1h', inputTokens: -5 }] },
    }),
    sees: ANSWERED,
    charge: ORDINARY_CHARGE,
  },
  {
    name: 'a cache below 0',
    provider: scripted({ ...TEXT, usage: { ...USAGE, cacheReadInputTokens: -19, cacheWriteInputTokens: -19 } }),
    sees: ANSWERED,
  },
]

export const CONVERSE_FAULTS: readonly Fault[] = [
  ...CONVERSE_FRAME_FAULTS,
  ...ORDER,
  ...ENDS,
  ...CALLS,
  ...WHOLES,
  ...COUNTS,
]
