// Providers whose binary frames are not what Amazon's event stream asks for, and exceptions inside of it.

import { frame, frameOf, frameWith, header, preludeOf, textFrame } from '../support/aws-frames.ts'
import { delta, END, START, WORDS } from './converse-pieces.ts'
import {
  ANSWERED,
  BROKEN,
  CUT,
  deepJson,
  edited,
  FAILED,
  LAST_WORDS,
  LATE,
  scripted,
  stream,
  STREAMED,
  TEXT,
  withEvent,
  type Fault,
  type Sees,
} from './fault.ts'

/** The same frame as the first of a stream, and where the client has something already. */
function both(
  name: string,
  bytes: Buffer,
  { first = FAILED, late = CUT }: { first?: Sees; late?: Sees } = {},
): Fault[] {
  return [
    {
      name: `${name}, first`,
      kind: name,
      modes: STREAMED,
      provider: edited((events) => [bytes, ...events]),
      sees: first,
    },
    { name: `${name}, late`, kind: name, modes: STREAMED, provider: edited(withEvent(bytes)), sees: late },
  ]
}

const PASSED_OVER = { first: ANSWERED, late: ANSWERED }

/** A frame whose byte at a place, counted from the end where it is negative, is another one. */
function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  const place = at < 0 ? changed.length + at : at
  changed.writeUInt8(changed.readUInt8(place) ^ 1, place)
  return changed
}

const FORGED = delta(0, { text: 'forged' })
const PAYLOAD = Buffer.from('{"a":1}')

const BROKEN_FRAMES: readonly Fault[] = [
  ...both('a frame whose checksum is wrong', flipped(FORGED, -1)),
  ...both('a frame with a changed bit in its payload', flipped(FORGED, -8)),
  ...both('a frame with a changed bit in its headers', flipped(FORGED, 20)),
  ...both('a frame whose lengths have a wrong checksum', flipped(FORGED, 8)),
  ...both('a frame of length 0', preludeOf(0, 0)),
  ...both('a frame that is shorter than its own ends', preludeOf(15, 0)),
  ...both('a frame of 25 MB', preludeOf(25 * 1024 * 1024, 0)),
  ...both('a frame of 4 GB', preludeOf(0xff_ff_ff_ff, 0)),
  ...both('headers that are longer than their frame', Buffer.concat([preludeOf(32, 500), Buffer.alloc(20)])),
  ...both('a header that ends in its name', frameOf(Buffer.from([5, 97]), PAYLOAD)),
  ...both('a header that ends in its value', frameOf(header('x', 7, Buffer.from([1, 0, 97])), PAYLOAD)),
  ...both('a header of a type that nobody knows', frameOf(header('x', 77, Buffer.from([1])), PAYLOAD)),
  ...both('text between its frames', Buffer.from('data: {"text":"forged"}\n\n')),
  { name: 'nothing but text', modes: STREAMED, provider: stream('data: {"text":"forged"}\n\n'), sees: FAILED },
  {
    name: 'the end of its stream inside a frame',
    modes: STREAMED,
    provider: edited((events) => [...events.slice(0, 9), (events[9] ?? Buffer.alloc(0)).subarray(0, 30)]),
    sees: CUT,
  },
  {
    name: 'the end of its stream inside its last frame',
    modes: STREAMED,
    provider: edited((events) => [...events.slice(0, -1), (events.at(-1) ?? Buffer.alloc(0)).subarray(0, 30)]),
    // Its counts are lost, but not its reason.
    sees: ANSWERED,
    source: 'estimated',
  },
]

const SILENCE: Fault = {
  name: 'silence inside a frame',
  modes: STREAMED,
  pace: 'slow',
  provider: scripted({ ...TEXT, stall: { at: LATE, ms: Infinity } }),
  sees: CUT,
}

/** A header of each type that the form has, in front of the name of the event. */
const EVERY_TYPE = Buffer.concat([
  header('yes', 0, Buffer.alloc(0)),
  header('no', 1, Buffer.alloc(0)),
  header('byte', 2, Buffer.alloc(1, 7)),
  header('short', 3, Buffer.alloc(2, 7)),
  header('int', 4, Buffer.alloc(4, 7)),
  header('long', 5, Buffer.alloc(8, 7)),
  header('bytes', 6, Buffer.from([0, 2, 7, 7])),
  header('time', 8, Buffer.alloc(8, 1)),
  header('uuid', 9, Buffer.alloc(16, 7)),
  header(':event-type', 7, Buffer.concat([Buffer.from([0, 17]), Buffer.from('contentBlockDelta')])),
])

const ODD_FRAMES: readonly Fault[] = [
  ...both('a frame without headers', frameOf(Buffer.alloc(0), PAYLOAD), PASSED_OVER),
  ...both('a frame with nothing in it', frameOf(Buffer.alloc(0), Buffer.alloc(0)), PASSED_OVER),
  ...both(
    'the name of an event that is a number',
    frameOf(header(':event-type', 4, Buffer.alloc(4)), PAYLOAD),
    PASSED_OVER,
  ),
  ...both(
    'the name of an event with line ends in it',
    frameWith({ ':event-type': 'x\n\nevent: contentBlockDelta\ndata: {"delta":{"text":"forged"}}\n\n' }, '{}'),
    PASSED_OVER,
  ),
  ...both('an event that nobody knows and that is no JSON', textFrame('surprise', 'surprise'), PASSED_OVER),
  ...both('an event that nobody knows without a payload', textFrame('surprise', ''), PASSED_OVER),
  {
    name: 'headers of every type',
    modes: STREAMED,
    provider: stream(
      START,
      frameOf(EVERY_TYPE, Buffer.from(JSON.stringify({ contentBlockIndex: 0, delta: { text: LAST_WORDS } }))),
      ...END,
    ),
    sees: ANSWERED,
  },
  {
    name: 'a payload in several lines',
    modes: STREAMED,
    provider: stream(
      START,
      textFrame(
        'contentBlockDelta',
        `{\r\n\n "contentBlockIndex": 0,\r "delta":\n\n{"text":\n"${LAST_WORDS}"}\n\n}\r\n\r\n`,
      ),
      ...END,
    ),
    sees: ANSWERED,
  },
  {
    name: 'line ends of JavaScript in its words',
    modes: STREAMED,
    provider: stream(START, delta(0, { text: `a\u2028b\u2029c\u0085d\ndata: e\n\n` }), ...WORDS, ...END),
    sees: ANSWERED,
  },
]

const PAYLOADS: readonly Fault[] = [
  ['this is not json', 'no JSON'],
  ['{"cut": "he', 'half of its JSON'],
  ['null', 'null'],
  ['[]', 'a list'],
  ['7', 'a number'],
  ['"text"', 'a text'],
  ['{"a":1}{"b":2}', 'two objects'],
  ['', 'nothing'],
].flatMap(([payload = '', name = '']) => both(`an event that is ${name}`, textFrame('messageStart', payload)))

function piece(member: string): Buffer {
  return textFrame('contentBlockDelta', `{"contentBlockIndex":0,"surprise":${member}}`)
}

const LARGE: readonly Fault[] = [
  {
    name: 'an event that is nested 100,000 deep',
    modes: STREAMED,
    provider: edited(withEvent(piece(deepJson(100_000)))),
    sees: ANSWERED,
  },
  {
    name: 'an event that is nested 200,000 deep',
    modes: STREAMED,
    provider: edited(withEvent(piece(deepJson(200_000)))),
    sees: BROKEN,
  },
  {
    name: 'an event of 700,000 objects',
    modes: STREAMED,
    provider: edited(withEvent(piece(`[${'{},'.repeat(700_000)}{}]`))),
    sees: BROKEN,
  },
]

/** What clients are told of each exception before they have anything of the answer. */
const EXCEPTIONS: readonly (readonly [string, Sees])[] = [
  ['throttlingException', { type: 'error', status: 429 }],
  ['serviceQuotaExceededException', { type: 'error', status: 429 }],
  ['validationException', { type: 'broken', status: 400 }],
  ['accessDeniedException', { type: 'refuses-us' }],
  ['resourceNotFoundException', FAILED],
  ['modelTimeoutException', { type: 'error', status: 504 }],
  ['modelNotReadyException', { type: 'error', status: 503 }],
  ['serviceUnavailableException', { type: 'error', status: 503 }],
  ['internalServerException', FAILED],
  ['modelErrorException', FAILED],
  ['modelStreamErrorException', FAILED],
  ['surpriseException', FAILED],
  ['surprise', FAILED],
]

const TOLD: readonly Fault[] = [
  ...EXCEPTIONS.flatMap(([name, first]) =>
    both(`the exception ${name}`, frame(name, { message: 'No.' }, 'exception'), { first }),
  ),
  ...both('an exception without words', frame('internalServerException', {}, 'exception')),
  ...both('an exception whose words are a number', frame('internalServerException', { message: 7 }, 'exception')),
  ...both('an exception that is no JSON', textFrame('modelStreamErrorException', 'No.', 'exception')),
  ...both('an exception without a payload', textFrame('modelStreamErrorException', '', 'exception')),
  ...both('an exception without a name', frameWith({ ':message-type': 'exception' }, '{"message":"No."}')),
  ...both(
    'an exception with the status of its model',
    frame('modelStreamErrorException', { originalStatusCode: 429, originalMessage: 'No.' }, 'exception'),
    { first: { type: 'error', status: 429 } },
  ),
  ...both(
    'an exception with a status that is none',
    frame('modelStreamErrorException', { originalStatusCode: 200 }, 'exception'),
  ),
  ...both(
    'an error that is no exception',
    frameWith({ ':message-type': 'error', ':error-code': 'surprise', ':error-message': 'No.' }, ''),
  ),
  ...both('an error without a code', frameWith({ ':message-type': 'error' }, '')),
  {
    name: 'an exception behind its end',
    modes: STREAMED,
    provider: edited((events) => [...events, frame('internalServerException', { message: 'No.' }, 'exception')]),
    sees: ANSWERED,
  },
]

export const CONVERSE_FRAME_FAULTS: readonly Fault[] = [
  ...BROKEN_FRAMES,
  SILENCE,
  ...ODD_FRAMES,
  ...PAYLOADS,
  ...LARGE,
  ...TOLD,
]
