// Providers that speak the responses format wrongly.

import { RESPONSES_CALL_FAULTS } from './responses-call-faults.ts'
import {
  WORDS,
  USAGE,
  RESPONSE,
  PART,
  ITEM,
  completed,
  CREATED,
  ADDED,
  said,
  DONE,
  END,
  whole,
} from './responses-pieces.ts'
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
  scripted,
  stream,
  STREAMED,
  WHOLE,
  withEvent,
  type Fault,
} from './fault.ts'

const WHOLES: readonly Fault[] = [
  { name: 'no output', modes: WHOLE, provider: editedWhole(({ output: _output, ...rest }) => rest), sees: FAILED },
  { name: 'output that is null', modes: WHOLE, provider: whole({ output: null }), sees: FAILED },
  { name: 'output that is an object', modes: WHOLE, provider: whole({ output: {} }), sees: FAILED },
  { name: 'output that is empty', modes: WHOLE, provider: whole({ output: [] }), sees: ANSWERED, ...NOTHING_SAID },
  { name: 'items that are null', modes: WHOLE, provider: whole({ output: [null, 7, ITEM] }), sees: ANSWERED },
  {
    name: 'an item of a kind that nobody knows',
    modes: WHOLE,
    provider: whole({ output: [{ type: 'surprise' }, ITEM] }),
    sees: ANSWERED,
  },
  {
    name: 'a message without content',
    modes: WHOLE,
    provider: whole({ output: [{ ...ITEM, content: null }] }),
    sees: ANSWERED,
    ...NOTHING_SAID,
  },
  { name: 'a response that is queued', modes: WHOLE, provider: whole({ status: 'queued' }), sees: FAILED },
  { name: 'a response that was cancelled', modes: WHOLE, provider: whole({ status: 'cancelled' }), sees: FAILED },
  {
    name: 'a response that failed',
    modes: WHOLE,
    provider: whole({ status: 'failed', error: { code: 'server_error', message: 'No.' } }),
    sees: FAILED,
  },
  { name: 'an error that is text', modes: WHOLE, provider: whole({ error: 'No.' }), sees: FAILED },
  {
    name: 'an incomplete response that does not say why',
    modes: WHOLE,
    provider: whole({ status: 'incomplete' }),
    sees: ANSWERED,
  },
]

const ORDER: readonly Fault[] = [
  { name: 'no beginning', modes: STREAMED, provider: edited((events) => events.slice(1)), sees: ANSWERED },
  { name: 'its beginning twice', modes: STREAMED, provider: edited(withEvent(CREATED)), sees: ANSWERED },
  { name: 'nothing but its end', modes: STREAMED, provider: stream(END), sees: ANSWERED },
  {
    name: 'words before anything was created',
    modes: STREAMED,
    provider: stream(said(LAST_WORDS), END),
    sees: ANSWERED,
  },
  {
    name: 'items that were never added',
    modes: STREAMED,
    provider: stream(CREATED, said(LAST_WORDS), DONE, END),
    sees: ANSWERED,
  },
  {
    name: 'items that are never done',
    modes: STREAMED,
    provider: stream(CREATED, ADDED, said(LAST_WORDS), END),
    sees: ANSWERED,
  },
  { name: 'an item that is done twice', modes: STREAMED, provider: stream(...WORDS, DONE, END), sees: ANSWERED },
  {
    name: 'words behind the end of their item',
    modes: STREAMED,
    provider: stream(...WORDS, said(' and more'), END),
    sees: ANSWERED,
  },
  {
    name: 'an item that says something else at its end',
    modes: STREAMED,
    provider: stream(
      CREATED,
      ADDED,
      said(LAST_WORDS),
      named({
        type: 'response.output_item.done',
        output_index: 0,
        item: { ...ITEM, content: [{ ...PART, text: 'else' }] },
      }),
      END,
    ),
    sees: ANSWERED,
  },
  {
    name: 'indexes of items with gaps',
    modes: STREAMED,
    provider: stream(CREATED, said(LAST_WORDS, { output_index: 9 }), said('x', { output_index: 4_000_000_000 }), END),
    sees: ANSWERED,
  },
  {
    name: 'items without indexes',
    modes: STREAMED,
    provider: stream(CREATED, said(LAST_WORDS, { output_index: undefined }), END),
    sees: ANSWERED,
  },
  {
    name: 'an item that is null',
    modes: STREAMED,
    provider: edited(withEvent(named({ type: 'response.output_item.added', output_index: 3, item: null }))),
    sees: ANSWERED,
  },
  {
    name: 'a piece that is no text',
    modes: STREAMED,
    provider: stream(...WORDS.slice(0, 3), said({ a: 1 }), said(null), DONE, END),
    sees: ANSWERED,
  },
  ...(['1', -5, 1e18, null, 0.5] as const).map((number): Fault => ({
    name: `a sequence number of ${JSON.stringify(number)}`,
    kind: 'odd sequence numbers',
    modes: STREAMED,
    provider: edited(withEvent(said('x', { sequence_number: number, item_id: 'msg_scripted' }))),
    sees: ANSWERED,
  })),
  {
    name: 'an item of a kind that nobody knows, streamed',
    modes: STREAMED,
    provider: stream(
      CREATED,
      named({ type: 'response.output_item.added', output_index: 1, item: { type: 'surprise' } }),
      ...WORDS.slice(1),
      named({ type: 'response.output_item.done', output_index: 1, item: { type: 'surprise' } }),
      END,
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

const failed = (error: unknown) =>
  named({ type: 'response.failed', response: { ...RESPONSE, status: 'failed', error } })

const ENDS: readonly Fault[] = [
  { name: 'no end', modes: STREAMED, provider: scripted({ ...TEXT, omit: ['done'] }), sees: CUT },
  { name: '[DONE] and no end', modes: STREAMED, provider: stream(...WORDS, 'data: [DONE]\n\n'), sees: CUT },
  {
    name: 'an end without a response',
    modes: STREAMED,
    provider: stream(...WORDS, named({ type: 'response.completed' })),
    sees: CUT,
  },
  {
    name: 'an end whose response is null',
    modes: STREAMED,
    provider: stream(...WORDS, named({ type: 'response.completed', response: null })),
    sees: CUT,
  },
  {
    name: 'an end that repeats nothing',
    modes: STREAMED,
    provider: stream(...WORDS, named(completed([]))),
    sees: ANSWERED,
  },
  {
    name: 'an end and then a failure',
    modes: STREAMED,
    provider: stream(...WORDS, END, failed({ message: 'No.' })),
    sees: ANSWERED,
  },
  {
    name: 'an incomplete end that does not say why',
    modes: STREAMED,
    provider: stream(...WORDS, named({ ...completed([ITEM], { status: 'incomplete' }), type: 'response.incomplete' })),
    sees: ANSWERED,
  },
  {
    name: 'a failure, first',
    modes: STREAMED,
    provider: stream(CREATED, failed({ code: 'server_error', message: 'No.' })),
    sees: FAILED,
  },
  {
    name: 'a failure that does not say why, first',
    modes: STREAMED,
    provider: stream(CREATED, failed(null)),
    sees: FAILED,
  },
  {
    name: 'a failure in its middle',
    modes: STREAMED,
    provider: stream(...WORDS, failed({ code: 'server_error', message: 'No.' })),
    sees: CUT,
  },
  { name: 'a failure that does not say why', modes: STREAMED, provider: stream(...WORDS, failed(null)), sees: CUT },
  {
    name: 'an error without an end',
    modes: STREAMED,
    provider: stream(...WORDS, named({ type: 'error', code: 'server_error', message: 'No.' })),
    sees: CUT,
  },
  {
    name: 'an error in the form of chat completions',
    modes: STREAMED,
    provider: stream(...WORDS, 'data: {"error":{"message":"No."}}\n\n'),
    sees: CUT,
  },
]

const COUNTS: readonly Fault[] = [
  {
    name: 'more cached than counted',
    provider: scripted({ ...TEXT, usage: { ...USAGE, input_tokens_details: { cached_tokens: 1e18 } } }),
    sees: ANSWERED,
    charge: 'bounded',
  },
  {
    name: 'a total below its parts',
    provider: scripted({ ...TEXT, usage: { ...USAGE, total_tokens: 1 } }),
    sees: ANSWERED,
    charge: 0.000039,
  },
  {
    name: 'counts in its beginning that shrink',
    modes: STREAMED,
    provider: stream(
      named({
        type: 'response.created',
        response: { ...RESPONSE, usage: { input_tokens: 1900, output_tokens: 1000 } },
      }),
      ...WORDS.slice(1),
      END,
    ),
    sees: ANSWERED,
    charge: 0.000039,
  },
]

export const RESPONSES_FAULTS: readonly Fault[] = [...WHOLES, ...ORDER, ...ENDS, ...RESPONSES_CALL_FAULTS, ...COUNTS]
