// Streams of server-sent events that are not what their dialect asks for, whichever it is.

import { BOM, brokenUtf8 } from './body-faults.ts'
import {
  ANSWERED,
  BROKEN,
  CUT,
  deepJson,
  edited,
  FAILED,
  ONE_BY_ONE,
  scripted,
  stream,
  STREAMED,
  TEXT,
  withEvent,
  type Fault,
} from './fault.ts'

/** Events that are no JSON object, as the first of a stream and where the client has something already. */
const EVENTS: readonly Fault[] = [
  ['data: this is not json\n\n', 'no JSON'],
  ['data: {"cut": "he\n\n', 'half of its JSON'],
  ['data: null\n\n', 'null'],
  ['data: []\n\n', 'a list'],
  ['data: 7\n\n', 'a number'],
  ['data: "text"\n\n', 'a text'],
  ['data: {"a":1}{"b":2}\n\n', 'two objects'],
].flatMap(([event = '', name = '']): Fault[] => [
  {
    name: `a first event that is ${name}`,
    kind: `an event that is ${name}`,
    modes: STREAMED,
    provider: edited((events) => [event, ...events]),
    sees: FAILED,
  },
  {
    name: `a late event that is ${name}`,
    kind: `an event that is ${name}`,
    modes: STREAMED,
    provider: edited(withEvent(event)),
    sees: CUT,
  },
])

const STREAMS: readonly Fault[] = [
  {
    name: 'a type in other letters',
    modes: STREAMED,
    provider: scripted({ ...TEXT, contentType: 'Text/Event-Stream;Charset=UTF-8' }),
    sees: ANSWERED,
  },
  { name: 'nothing but comments', modes: STREAMED, provider: stream(': hello\n\n', ': hello\n\n'), sees: FAILED },
  {
    name: 'events without data',
    modes: STREAMED,
    provider: edited((events) => ['event: hello\n\n', 'id: 1\n\n', 'retry: 100000\n\n', ...events]),
    sees: ANSWERED,
  },
  {
    name: 'comments and empty lines between events',
    modes: STREAMED,
    provider: edited((events) => events.flatMap((event) => [event, ': hello\n\n', '\n\n'])),
    sees: ANSWERED,
  },
  {
    name: 'a byte order mark before its events',
    modes: STREAMED,
    provider: edited((events) => [BOM, ...events]),
    sees: ANSWERED,
  },
  {
    name: 'broken UTF-8 in an event',
    modes: STREAMED,
    provider: edited((events) => events.map(brokenUtf8)),
    sees: ANSWERED,
  },
  { name: 'lines that end in CR', modes: STREAMED, provider: scripted({ ...TEXT, lineEnd: '\r' }), sees: ANSWERED },
  {
    name: 'lines that end in CR LF, a byte at a time',
    modes: STREAMED,
    provider: scripted({ ...TEXT, lineEnd: '\r\n', chunking: ONE_BY_ONE }),
    sees: ANSWERED,
  },
  {
    name: 'no blank line behind its last event',
    modes: STREAMED,
    provider: edited((events) => [...events.slice(0, -1), (events.at(-1) ?? '').toString().trimEnd()]),
    sees: ANSWERED,
  },
  {
    name: 'an event in many data lines',
    modes: STREAMED,
    provider: edited(withEvent('data: {\ndata: "surprise":\ndata: 1}\n\n')),
    sees: ANSWERED,
  },
  {
    name: 'an event that is nested 100,000 deep',
    modes: STREAMED,
    provider: edited(withEvent(`data: {"surprise":${deepJson(100_000)}}\n\n`)),
    sees: ANSWERED,
  },
  {
    name: 'an event that is nested 200,000 deep',
    modes: STREAMED,
    provider: edited(withEvent(`data: {"surprise":${deepJson(200_000)}}\n\n`)),
    sees: BROKEN,
  },
  {
    name: 'an event of 700,000 objects',
    modes: STREAMED,
    provider: edited(withEvent(`data: {"surprise":[${'{},'.repeat(700_000)}{}]}\n\n`)),
    sees: BROKEN,
  },
]

const ENDLESS: readonly Fault[] = [
  {
    name: 'a line of 9 MB',
    modes: STREAMED,
    pace: 'heavy',
    provider: edited(withEvent(`data: ${'x'.repeat(9_000_000)}`)),
    sees: CUT,
  },
  {
    name: 'a comment of 9 MB',
    modes: STREAMED,
    pace: 'heavy',
    provider: edited(withEvent(`:${'x'.repeat(9_000_000)}`)),
    sees: CUT,
  },
  {
    name: 'comments without an end',
    modes: STREAMED,
    pace: 'slow',
    provider: scripted({
      type: 'endless',
      pieces: [],
      event: ': still here\n\n',
      delayMs: 100,
      omit: ['finish', 'done'],
    }),
    sees: { type: 'broken', status: 504 },
  },
  {
    name: 'comments without an end behind its words',
    modes: STREAMED,
    pace: 'slow',
    provider: scripted({ ...TEXT, type: 'endless', event: ': still here\n\n', delayMs: 100 }),
    sees: CUT,
  },
]

export const EVENT_FAULTS: readonly Fault[] = [...EVENTS, ...STREAMS, ...ENDLESS]
