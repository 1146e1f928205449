// Providers that speak the messages format wrongly.

import { MESSAGES_CALL_FAULTS } from './messages-call-faults.ts'
import {
  WORDS,
  USAGE,
  MESSAGE,
  END,
  START,
  STOP,
  block,
  delta,
  closed,
  reason,
  EMPTY,
  said,
  whole,
} from './messages-pieces.ts'
import {
  TEXT,
  NOTHING_SAID,
  ANSWERED,
  CUT,
  edited,
  editedWhole,
  FAILED,
  LAST_WORDS,
  named,
  onlyPassed,
  ORDINARY_CHARGE,
  scripted,
  stream,
  STREAMED,
  WHOLE,
  withEvent,
  type Fault,
} from './fault.ts'

const ORDER: readonly Fault[] = [
  { name: 'no beginning', modes: STREAMED, provider: edited((events) => events.slice(1)), sees: FAILED },
  { name: 'nothing but its end', modes: STREAMED, provider: stream(STOP), sees: FAILED },
  {
    name: 'its beginning twice',
    modes: STREAMED,
    provider: edited(withEvent(named({ type: 'message_start', message: { ...MESSAGE, id: 'msg_scripted' } }))),
    sees: ANSWERED,
  },
  { name: 'two answers in one stream', modes: STREAMED, provider: edited(withEvent(START)), sees: onlyPassed(CUT) },
  {
    name: 'a beginning without a message',
    modes: STREAMED,
    provider: stream(named({ type: 'message_start' }), ...WORDS, ...END),
    sees: ANSWERED,
  },
  {
    name: 'thousands of pings before its beginning',
    modes: STREAMED,
    provider: edited((events) => [named({ type: 'ping' }).repeat(2000), ...events]),
    sees: ANSWERED,
  },
  {
    name: 'a piece of a block that was never begun',
    modes: STREAMED,
    provider: edited(withEvent(delta(7, said('x')))),
    sees: ANSWERED,
  },
  {
    name: 'a piece behind the end of its block',
    modes: STREAMED,
    provider: stream(START, ...WORDS, delta(0, said('x')), ...END),
    sees: ANSWERED,
  },
  {
    name: 'a block inside another',
    modes: STREAMED,
    provider: stream(
      START,
      block(0, EMPTY),
      delta(0, said('a')),
      block(1, EMPTY),
      delta(1, said(LAST_WORDS)),
      closed(1),
      closed(0),
      ...END,
    ),
    sees: ANSWERED,
  },
  {
    name: 'blocks that are never ended',
    modes: STREAMED,
    provider: stream(START, block(0, EMPTY), delta(0, said(LAST_WORDS)), ...END),
    sees: ANSWERED,
  },
  {
    name: 'the end of a block that was never begun',
    modes: STREAMED,
    provider: edited(withEvent(closed(9))),
    sees: ANSWERED,
  },
  {
    name: 'indexes of blocks with gaps',
    modes: STREAMED,
    provider: stream(START, block(4, EMPTY), delta(4, said(LAST_WORDS)), closed(4), ...END),
    sees: ANSWERED,
  },
  {
    name: 'indexes of blocks that are text',
    modes: STREAMED,
    provider: stream(START, block('a', EMPTY), delta('a', said(LAST_WORDS)), closed('a'), ...END),
    sees: ANSWERED,
  },
  {
    name: 'no indexes',
    modes: STREAMED,
    provider: stream(START, block(undefined, EMPTY), delta(undefined, said(LAST_WORDS)), closed(undefined), ...END),
    sees: ANSWERED,
  },
  {
    name: 'a block of a kind that nobody knows',
    modes: STREAMED,
    provider: stream(
      START,
      block(0, { type: 'surprise', a: 1 }),
      delta(0, { type: 'surprise_delta', a: 1 }),
      closed(0),
      ...WORDS,
      ...END,
    ),
    sees: ANSWERED,
  },
  {
    name: 'pieces of a kind that nobody knows',
    modes: STREAMED,
    provider: stream(
      START,
      block(0, EMPTY),
      delta(0, { type: 'surprise' }),
      delta(0, null),
      delta(0, said(LAST_WORDS)),
      closed(0),
      ...END,
    ),
    sees: ANSWERED,
  },
  {
    name: 'a block that is null',
    modes: STREAMED,
    provider: stream(
      START,
      named({ type: 'content_block_start', index: 0, content_block: null }),
      closed(0),
      ...WORDS,
      ...END,
    ),
    sees: ANSWERED,
  },
  {
    name: 'events without their names',
    modes: STREAMED,
    provider: edited((events) => events.map((event) => event.toString().replace(/^event: .*\n/, ''))),
    sees: ANSWERED,
  },
]

const ENDS: readonly Fault[] = [
  {
    name: 'no stop reason, but its end',
    modes: STREAMED,
    provider: scripted({ ...TEXT, omit: ['finish'] }),
    sees: ANSWERED,
  },
  {
    name: 'neither a stop reason nor its end',
    modes: STREAMED,
    provider: scripted({ ...TEXT, omit: ['finish', 'done'] }),
    sees: CUT,
  },
  {
    name: 'a stop reason that nobody knows',
    modes: STREAMED,
    provider: stream(START, ...WORDS, reason('banana'), STOP),
    sees: ANSWERED,
  },
  {
    name: 'a stop reason that is null',
    modes: STREAMED,
    provider: stream(START, ...WORDS, reason(null), STOP),
    sees: ANSWERED,
  },
  {
    name: 'two stop reasons',
    modes: STREAMED,
    provider: stream(START, ...WORDS, reason('end_turn'), reason('max_tokens'), STOP),
    sees: ANSWERED,
  },
  {
    name: 'a stop reason without counts',
    modes: STREAMED,
    provider: stream(START, ...WORDS, reason('end_turn', {}), STOP),
    sees: ANSWERED,
  },
  { name: 'nothing said', modes: STREAMED, provider: stream(START, ...END), sees: ANSWERED, ...NOTHING_SAID },
  {
    name: '[DONE] behind its end',
    modes: STREAMED,
    provider: edited((events) => [...events, 'data: [DONE]\n\n']),
    sees: ANSWERED,
  },
  {
    name: 'an error without a type',
    modes: STREAMED,
    provider: edited(withEvent(named({ type: 'error', error: { message: 'No.' } }))),
    sees: CUT,
  },
  {
    name: 'an error that is text',
    modes: STREAMED,
    provider: edited(withEvent(named({ type: 'error', error: 'No.' }))),
    sees: CUT,
  },
  {
    name: 'an error before its beginning',
    modes: STREAMED,
    provider: stream(
      named({ type: 'ping' }),
      named({ type: 'error', error: { type: 'overloaded_error', message: 'No.' } }),
    ),
    sees: { type: 'error', status: 503 },
  },
]

const WHOLES: readonly Fault[] = [
  { name: 'no content', modes: WHOLE, provider: editedWhole(({ content: _content, ...rest }) => rest), sees: FAILED },
  { name: 'content that is null', modes: WHOLE, provider: whole({ content: null }), sees: FAILED },
  { name: 'content that is text', modes: WHOLE, provider: whole({ content: LAST_WORDS }), sees: FAILED },
  { name: 'content that is empty', modes: WHOLE, provider: whole({ content: [] }), sees: ANSWERED, ...NOTHING_SAID },
  {
    name: 'blocks that are null',
    modes: WHOLE,
    provider: whole({ content: [null, 7, { type: 'text', text: LAST_WORDS }] }),
    sees: ANSWERED,
  },
  {
    name: 'a block of a kind that nobody knows, whole',
    modes: WHOLE,
    provider: whole({ content: [{ type: 'surprise' }, { type: 'text', text: LAST_WORDS }] }),
    sees: ANSWERED,
  },
  { name: 'a stop reason that is a number', modes: WHOLE, provider: whole({ stop_reason: 7 }), sees: ANSWERED },
  { name: 'an error that is null', modes: WHOLE, provider: whole({ error: null }), sees: ANSWERED },
]

const COUNTS: readonly Fault[] = [
  {
    name: 'counts that shrink',
    modes: STREAMED,
    provider: scripted({ ...TEXT, startUsage: { input_tokens: 1900, output_tokens: 1000 } }),
    sees: ANSWERED,
    charge: ORDINARY_CHARGE,
  },
  {
    name: 'counts only in its beginning',
    modes: STREAMED,
    provider: stream(START, ...WORDS, reason('end_turn', {}), STOP),
    sees: ANSWERED,
  },
  {
    name: 'no counts in its beginning',
    modes: STREAMED,
    provider: scripted({ ...TEXT, startUsage: null }),
    sees: ANSWERED,
    charge: ORDINARY_CHARGE,
  },
  {
    name: 'passes whose counts are huge',
    provider: scripted({
      ...TEXT,
      usage: { ...USAGE, iterations: [{ type: 'message', input_tokens: 1e18, output_tokens: 1e18 }] },
    }),
    sees: ANSWERED,
    charge: 'bounded',
  },
  {
    name: 'counts in three events',
    modes: STREAMED,
    provider: stream(START, ...WORDS, reason(null), reason('end_turn'), reason(null), STOP),
    sees: ANSWERED,
    charge: ORDINARY_CHARGE,
  },
]

export const MESSAGES_FAULTS: readonly Fault[] = [...ORDER, ...ENDS, ...MESSAGES_CALL_FAULTS, ...WHOLES, ...COUNTS]
