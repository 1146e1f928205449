// Providers that speak chat completions wrongly.

import { CHAT_CALL_FAULTS } from './chat-call-faults.ts'
import { HEAD, DONE, chunk, ROLE, WORDS, STOP, whole, message } from './chat-pieces.ts'
import {
  TEXT,
  NOTHING_SAID,
  ANSWERED,
  BROKEN,
  CUT,
  edited,
  editedWhole,
  FAILED,
  LAST_WORDS,
  onlyPassed,
  ORDINARY_CHARGE,
  scripted,
  stream,
  STREAMED,
  unnamed,
  WHOLE,
  withEvent,
  type Fault,
} from './fault.ts'

const CHOICES: readonly Fault[] = [
  { name: 'no choices', modes: WHOLE, provider: editedWhole(({ choices: _choices, ...rest }) => rest), sees: FAILED },
  { name: 'choices that are empty', modes: WHOLE, provider: whole([]), sees: FAILED },
  { name: 'choices that are an object', modes: WHOLE, provider: whole({}), sees: FAILED },
  { name: 'a choice that is null', modes: WHOLE, provider: whole([null]), sees: onlyPassed(FAILED), ...NOTHING_SAID },
  {
    name: 'a choice without a message',
    modes: WHOLE,
    provider: whole([{ index: 0, finish_reason: 'stop' }]),
    sees: onlyPassed(FAILED),
    ...NOTHING_SAID,
  },
  {
    name: 'a message without content',
    modes: WHOLE,
    provider: message({ content: null }),
    sees: ANSWERED,
    ...NOTHING_SAID,
  },
  {
    name: 'content in parts',
    modes: WHOLE,
    provider: message({ content: [{ type: 'text', text: LAST_WORDS }, null] }),
    sees: ANSWERED,
  },
  {
    name: 'a finish reason that nobody knows',
    modes: WHOLE,
    provider: message({ content: LAST_WORDS }, 'banana'),
    sees: ANSWERED,
  },
  {
    name: 'a finish reason that is no text',
    modes: WHOLE,
    provider: message({ content: LAST_WORDS }, 7),
    sees: ANSWERED,
  },
  {
    name: 'an error that is null',
    modes: WHOLE,
    provider: editedWhole((value) => ({ ...value, error: null })),
    sees: ANSWERED,
  },
  { name: 'more choices than were asked for', provider: scripted({ ...TEXT, choices: 3 }), sees: ANSWERED },
  {
    name: 'a chunk whose choices are empty, first',
    modes: STREAMED,
    provider: edited((events) => [unnamed({ ...HEAD, choices: [] }), ...events]),
    sees: ANSWERED,
  },
  { name: 'a chunk without choices', modes: STREAMED, provider: edited(withEvent(unnamed(HEAD))), sees: ANSWERED },
  {
    name: 'a chunk whose choices are null',
    modes: STREAMED,
    provider: edited(withEvent(unnamed({ ...HEAD, choices: [null, 7] }))),
    sees: ANSWERED,
  },
  {
    name: 'a choice without an index',
    modes: STREAMED,
    provider: edited(withEvent(unnamed({ choices: [{ delta: { content: 'x' } }] }))),
    sees: ANSWERED,
  },
  { name: 'a delta that is null', modes: STREAMED, provider: edited(withEvent(chunk(null))), sees: ANSWERED },
  ...[-1, 1.5, 4_000_000_000].map((index): Fault => ({
    name: `a choice with index ${index}`,
    kind: 'a choice that is numbered oddly',
    modes: STREAMED,
    provider: edited(withEvent(chunk({ content: 'x' }, 'stop', { index }))),
    sees: onlyPassed(CUT),
  })),
]

const ENDS: readonly Fault[] = [
  { name: 'nothing but [DONE]', modes: STREAMED, provider: stream(DONE), sees: FAILED },
  {
    name: 'nothing but usage and [DONE]',
    modes: STREAMED,
    provider: stream(unnamed({ ...HEAD, choices: [], usage: { prompt_tokens: 1, completion_tokens: 0 } }), DONE),
    sees: BROKEN,
  },
  {
    name: 'a finish reason and nothing said',
    modes: STREAMED,
    provider: stream(ROLE, STOP, DONE),
    sees: ANSWERED,
    ...NOTHING_SAID,
  },
  {
    name: 'words behind its finish reason',
    modes: STREAMED,
    provider: stream(ROLE, STOP, WORDS, DONE),
    sees: ANSWERED,
  },
  {
    name: 'two finish reasons',
    modes: STREAMED,
    provider: stream(ROLE, WORDS, STOP, chunk({}, 'length'), DONE),
    sees: ANSWERED,
  },
  {
    name: 'no finish reason, but [DONE]',
    modes: STREAMED,
    provider: scripted({ ...TEXT, omit: ['finish'] }),
    sees: ANSWERED,
  },
  {
    name: 'a finish reason, but no [DONE]',
    modes: STREAMED,
    provider: scripted({ ...TEXT, omit: ['done'] }),
    sees: ANSWERED,
  },
  {
    name: 'neither a finish reason nor [DONE]',
    modes: STREAMED,
    provider: scripted({ ...TEXT, omit: ['finish', 'done'] }),
    sees: CUT,
  },
  {
    name: '[done] in small letters',
    modes: STREAMED,
    provider: stream(ROLE, WORDS, STOP, 'data: [done]\n\n'),
    sees: CUT,
  },
  {
    name: 'the finish reason of one of two choices',
    modes: STREAMED,
    provider: stream(ROLE, WORDS, chunk({ content: 'x' }, null, { index: 1 }), STOP),
    sees: CUT,
  },
  {
    name: 'a finish reason that nobody knows, streamed',
    modes: STREAMED,
    provider: stream(ROLE, WORDS, chunk({}, 'banana'), DONE),
    sees: ANSWERED,
  },
  {
    name: 'an empty finish reason',
    modes: STREAMED,
    provider: stream(ROLE, WORDS, chunk({}, ''), DONE),
    sees: ANSWERED,
  },
  {
    name: 'a byte order mark before an error',
    modes: STREAMED,
    provider: stream(Buffer.from([0xef, 0xbb, 0xbf]), unnamed({ error: { message: 'No.' } }), DONE),
    sees: FAILED,
  },
  {
    name: 'an error in words, late',
    modes: STREAMED,
    provider: edited(withEvent(unnamed({ error: 'overloaded' }))),
    sees: CUT,
  },
  {
    name: 'an error beside an answer',
    modes: STREAMED,
    provider: edited(withEvent(unnamed({ ...HEAD, choices: [], error: { code: 502 } }))),
    sees: CUT,
  },
]

const COUNTS: readonly Fault[] = [
  {
    name: 'counts that shrink',
    modes: STREAMED,
    provider: edited(
      withEvent(unnamed({ ...HEAD, choices: [], usage: { prompt_tokens: 1900, completion_tokens: 1000 } })),
    ),
    sees: ANSWERED,
    charge: ORDINARY_CHARGE,
  },
  {
    name: 'counts in every chunk',
    modes: STREAMED,
    provider: scripted({ ...TEXT, usageAt: 'every-chunk' }),
    sees: ANSWERED,
  },
  {
    name: 'counts three times',
    modes: STREAMED,
    provider: scripted({ ...TEXT, usageAt: 'own-chunk', usageTimes: 3 }),
    sees: ANSWERED,
    charge: ORDINARY_CHARGE,
  },
  {
    name: 'more cached than counted',
    provider: scripted({
      ...TEXT,
      usage: { prompt_tokens: 19, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 1e18 } },
    }),
    sees: ANSWERED,
    charge: 'bounded',
  },
  {
    name: 'a total below its parts',
    provider: scripted({ ...TEXT, usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 1 } }),
    sees: ANSWERED,
    charge: ORDINARY_CHARGE,
  },
]

export const CHAT_FAULTS: readonly Fault[] = [...CHOICES, ...ENDS, ...CHAT_CALL_FAULTS, ...COUNTS]
