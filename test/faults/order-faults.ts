// Providers that send the right things in an order, or with gaps, that vendors do not send. Composed after what real servers were
// seen to send; what clients make of each of them in any order is in test/matrix/any-order.test.ts.

import { ANSWERED, LAST_WORDS, named, stream, STREAMED, type Fault, type FaultDialect } from './fault.ts'
import * as messages from './messages-pieces.ts'
import * as responses from './responses-pieces.ts'

function row(name: string, ...events: readonly string[]): Fault {
  return { name, modes: STREAMED, provider: stream(...events), sees: ANSWERED }
}

// Responses, whose items are known by their own ids alone, and end all together.

const { CREATED, END, ITEM, PART, completed } = responses
const itemAdded = (item: object) => named({ type: 'response.output_item.added', item })
const itemDone = (item: object) => named({ type: 'response.output_item.done', item })
const said = (id: string, delta: string) => named({ type: 'response.output_text.delta', item_id: id, delta })
const THOUGHT = { id: 'rs_1', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'So.' }] }
const thought = named({ type: 'response.reasoning_text.delta', item_id: 'rs_1', delta: 'So.' })
const CALL = { type: 'function_call', name: 'look', arguments: '' }
const GOOD = `{"where":"${LAST_WORDS}"}`
const argued = (id: string, delta: string) =>
  named({ type: 'response.function_call_arguments.delta', item_id: id, delta })
const PLAIN = { ...ITEM, content: [] }

const RESPONSES_ROWS: readonly Fault[] = [
  row(
    'items that only have ids of their own',
    CREATED,
    itemAdded(PLAIN),
    said('msg_1', LAST_WORDS),
    itemDone(ITEM),
    END,
  ),
  row(
    'items that all end at the end',
    CREATED,
    itemAdded({ ...THOUGHT, content: [] }),
    thought,
    itemAdded(PLAIN),
    said('msg_1', LAST_WORDS),
    itemDone(THOUGHT),
    itemDone(ITEM),
    named(completed([THOUGHT, ITEM])),
  ),
  row(
    'items side by side',
    CREATED,
    itemAdded({ ...THOUGHT, content: [] }),
    itemAdded(PLAIN),
    said('msg_1', 'the-'),
    thought,
    said('msg_1', LAST_WORDS),
    named(completed([])),
  ),
  row(
    'a call that has an id of its own',
    CREATED,
    itemAdded({ ...CALL, id: 'fc_1', call_id: 'call_1' }),
    argued('fc_1', GOOD),
    itemDone({ ...CALL, id: 'fc_1', call_id: 'call_1', arguments: GOOD }),
    named(completed([])),
  ),
  row(
    'calls that are known by the ids of their calls',
    CREATED,
    ...['fc_1', 'fc_2'].flatMap((id) => [itemAdded({ ...CALL, call_id: id }), argued(id, GOOD)]),
    ...['fc_1', 'fc_2'].map((id) => itemDone({ ...CALL, call_id: id, arguments: GOOD })),
    named(completed([])),
  ),
  row(
    'a call whose id is another one in each event',
    CREATED,
    itemAdded({ ...CALL, id: 'a', call_id: 'call_1' }),
    argued('b', GOOD),
    itemDone({ ...CALL, id: 'c', call_id: 'call_1', arguments: GOOD }),
    named(completed([{ ...CALL, id: 'd', call_id: 'call_1', arguments: GOOD }])),
  ),
  row(
    'neither ids nor indexes',
    CREATED,
    itemAdded({ ...PLAIN, id: undefined }),
    named({ type: 'response.output_text.delta', delta: LAST_WORDS }),
    itemDone({ ...ITEM, id: undefined }),
    named(completed([{ ...ITEM, id: undefined }])),
  ),
  row('nothing but the ends of its items', CREATED, itemDone(THOUGHT), itemDone(ITEM), named(completed([]))),
  row(
    'one item that only its end holds',
    CREATED,
    itemAdded({ ...THOUGHT, content: [] }),
    thought,
    named(completed([THOUGHT, ITEM])),
  ),
  row(
    'a text that only its part tells',
    CREATED,
    named({ type: 'response.content_part.done', item_id: 'msg_1', content_index: 0, part: PART }),
    named(completed([])),
  ),
  {
    ...row(
      'counts of 0 and nothing but the end of an item',
      CREATED,
      itemDone(ITEM),
      named(completed([], zeroCounts())),
    ),
    source: 'estimated',
  },
  {
    ...row(
      'counts of 0 beside a call without arguments',
      CREATED,
      itemDone({ ...CALL, call_id: 'call_1', name: LAST_WORDS, arguments: '{}' }),
      named(completed([], zeroCounts())),
    ),
    source: 'estimated',
  },
]

function zeroCounts(): object {
  return { usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } }
}

// Messages, whose blocks are open at once.

const { block, closed, delta, EMPTY, START, STOP } = messages
const THINKING = { type: 'thinking', thinking: '', signature: '' }
const thinks = (text: string) => ({ type: 'thinking_delta', thinking: text })
const TOOL = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }
const json = (text: string) => ({ type: 'input_json_delta', partial_json: text })
const ZERO = { usage: { input_tokens: 0, output_tokens: 0 } }
const ZERO_START = named({ type: 'message_start', message: { ...messages.MESSAGE, ...ZERO } })
const zeroReason = messages.reason('end_turn', ZERO)

function blocks(name: string, ...events: readonly string[]): Fault {
  return { ...row(name, START, ...events, ...messages.END), source: 'reported' }
}

const MESSAGES_ROWS: readonly Fault[] = [
  blocks(
    'thinking that stays open while the text runs',
    block(0, THINKING),
    delta(0, thinks('So.')),
    block(1, EMPTY),
    delta(1, messages.said(LAST_WORDS)),
    delta(0, { type: 'signature_delta', signature: 'late' }),
    closed(0),
    closed(1),
  ),
  blocks(
    'thinking that goes on behind the text',
    block(0, THINKING),
    block(1, EMPTY),
    delta(1, messages.said(LAST_WORDS)),
    delta(0, thinks('So.')),
    closed(0),
    closed(1),
  ),
  blocks(
    'calls side by side',
    block(0, TOOL),
    block(1, { ...TOOL, id: 'toolu_2' }),
    delta(0, json('{"where":')),
    delta(1, json(`{"where":"${LAST_WORDS}`)),
    delta(0, json('"here"}')),
    delta(1, json('"}')),
    closed(0),
    closed(1),
  ),
  blocks(
    'texts side by side',
    block(0, EMPTY),
    block(1, EMPTY),
    delta(1, messages.said(LAST_WORDS)),
    delta(0, messages.said('first ')),
    closed(1),
    closed(0),
  ),
  blocks(
    'a seal of a block that is not there',
    ...messages.WORDS,
    delta(7, { type: 'signature_delta', signature: 'x' }),
  ),
  blocks('arguments of a call that is not there', ...messages.WORDS, delta(7, json('{"a":1}'))),
  blocks(
    'arguments behind the end of their call',
    block(0, TOOL),
    delta(0, json(`{"where":"${LAST_WORDS}"}`)),
    closed(0),
    delta(0, json(' ')),
  ),
  blocks('text that was never begun', delta(0, messages.said(LAST_WORDS)), closed(0)),
  {
    ...row('counts of 0 beside a call without arguments', ZERO_START, block(0, TOOL), closed(0), zeroReason, STOP),
    finds: 'look',
    source: 'estimated',
  },
]

export function orderFaults(dialect: FaultDialect): readonly Fault[] {
  if (dialect === 'responses') return RESPONSES_ROWS
  return dialect === 'messages' ? MESSAGES_ROWS : []
}
