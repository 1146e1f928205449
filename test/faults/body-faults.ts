// Whole answers and streams that are not what their dialect asks for, whichever it is: bytes, JSON, events and counts. What only
// server-sent events can have is in event-faults.ts.

import { gzipSync } from 'node:zlib'
import { buildReply } from '../support/upstream-reply.ts'
import {
  ANSWERED,
  BROKEN,
  CUT,
  answer,
  deepJson,
  edited,
  FAILED,
  jsonBytes,
  LAST_WORDS,
  scripted,
  stream,
  STREAMED,
  TEXT,
  WHOLE,
  withEvent,
  type Fault,
  type Provider,
} from './fault.ts'
import type { Kit } from './kits.ts'

export const BOM = Buffer.from([0xef, 0xbb, 0xbf])

/** The bytes of an ordinary whole answer, changed. */
function wholeBytes(edit: (text: string) => string | Buffer): Provider {
  return scripted((asked) => {
    const text = Buffer.concat(buildReply(TEXT, asked).parts).toString().trim()
    return { type: 'raw', contentType: 'application/json', withoutLength: true, parts: [edit(text)] }
  })
}

const BODIES: readonly Fault[] = [
  ...([null, [], [{}], 'text', 7, true, {}] as const).map((body): Fault => ({
    name: `a body of ${JSON.stringify(body)}`,
    kind: 'JSON that is no answer',
    modes: WHOLE,
    provider: answer(body),
    sees: FAILED,
  })),
  { name: 'an empty body', modes: WHOLE, provider: jsonBytes(''), sees: FAILED },
  {
    name: 'half of its JSON',
    modes: WHOLE,
    provider: wholeBytes((text) => text.slice(0, text.length / 2)),
    sees: FAILED,
  },
  { name: 'all but the last brace', modes: WHOLE, provider: wholeBytes((text) => text.slice(0, -1)), sees: FAILED },
  { name: 'more behind its JSON', modes: WHOLE, provider: wholeBytes((text) => `${text}{"evil":1}`), sees: FAILED },
  {
    name: 'white space around its JSON',
    modes: WHOLE,
    provider: wholeBytes((text) => `\r\n\t ${text} \n\n`),
    sees: ANSWERED,
  },
  {
    name: 'a byte order mark before its JSON',
    modes: WHOLE,
    provider: wholeBytes((text) => Buffer.concat([BOM, Buffer.from(text)])),
    sees: ANSWERED,
  },
  { name: 'JSON in UTF-16', modes: WHOLE, provider: wholeBytes((text) => Buffer.from(text, 'utf16le')), sees: FAILED },
  { name: 'broken UTF-8', modes: WHOLE, provider: wholeBytes((text) => brokenUtf8(Buffer.from(text))), sees: ANSWERED },
  {
    name: 'a member that is nested 100,000 deep',
    modes: WHOLE,
    provider: wholeBytes((text) => `{"deep":${deepJson(100_000)},${text.slice(1)}`),
    sees: ANSWERED,
  },
  {
    name: 'JSON that is nested 200,000 deep',
    modes: WHOLE,
    provider: wholeBytes((text) => `{"surprise":${deepJson(200_000)},${text.slice(1)}`),
    sees: FAILED,
  },
  {
    name: 'JSON of 700,000 objects',
    modes: WHOLE,
    provider: wholeBytes((text) => `{"surprise":[${'{},'.repeat(700_000)}{}],${text.slice(1)}`),
    sees: FAILED,
  },
  {
    name: 'a number that is too large',
    modes: WHOLE,
    provider: wholeBytes((text) => `{"large":1e999,${text.slice(1)}`),
    sees: ANSWERED,
  },
  {
    name: 'a stream where a whole answer was asked for',
    modes: WHOLE,
    provider: stream('data: {}\n\n', 'data: [DONE]\n\n'),
    sees: FAILED,
  },
  { name: 'a whole answer where a stream was asked for', modes: STREAMED, provider: jsonBytes('{}'), sees: FAILED },
  {
    name: 'an answer of 65 MB',
    modes: WHOLE,
    pace: 'heavy',
    provider: scripted({ type: 'oversized', bytes: 65 * 1024 * 1024 }),
    sees: FAILED,
  },
]

/** A byte in the middle of a word that begins no character of UTF-8. */
export function brokenUtf8(bytes: Buffer): Buffer {
  const at = bytes.indexOf('word-3')
  return at === -1 ? bytes : Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xc3]), bytes.subarray(at)])
}

const TYPES: readonly Fault[] = [
  { name: 'no content type', provider: scripted({ ...TEXT, contentType: '' }), sees: FAILED },
  { name: 'plain text by its type', provider: scripted({ ...TEXT, contentType: 'text/plain' }), sees: FAILED },
  {
    name: 'the wrong type of the two',
    provider: scripted({ ...TEXT, headers: { 'content-type': 'application/octet-stream' } }),
    sees: FAILED,
  },
  {
    name: 'a type of its own that is JSON',
    modes: WHOLE,
    provider: scripted({ ...TEXT, contentType: 'application/vnd.x+json; charset=utf-8' }),
    sees: ANSWERED,
  },
  { name: 'gzip that nobody asked for', provider: scripted({ ...TEXT, encoding: 'gzip' }), sees: FAILED },
  { name: 'gzip that it does not tell of', modes: WHOLE, provider: wholeBytes((text) => gzipSync(text)), sees: FAILED },
  {
    name: 'an encoding that it does not use',
    provider: scripted({ ...TEXT, headers: { 'content-encoding': 'br' } }),
    sees: FAILED,
  },
  {
    name: 'an encoding that is none',
    provider: scripted({ ...TEXT, headers: { 'content-encoding': 'identity' } }),
    sees: ANSWERED,
  },
  {
    name: 'UTF-8 that is split inside characters',
    provider: scripted({ ...TEXT, pieces: ['Grüße 世界 \u{1F600} ', LAST_WORDS], chunking: 'inside-characters' }),
    sees: ANSWERED,
  },
]

const first = (event: string | Buffer): Provider => edited((events) => [event, ...events])
const late = (event: string | Buffer): Provider => edited(withEvent(event))

const streams = ({ unknownEvent, hasEnd }: Kit): readonly Fault[] => [
  { name: 'an empty stream', modes: STREAMED, provider: stream(''), sees: FAILED },
  { name: 'an event that nobody knows', modes: STREAMED, provider: late(unknownEvent), sees: ANSWERED },
  { name: 'an event that nobody knows, first', modes: STREAMED, provider: first(unknownEvent), sees: ANSWERED },
  {
    name: 'an event twice',
    modes: STREAMED,
    provider: edited((events) => events.flatMap((event, index) => (index === 6 ? [event, event] : [event]))),
    sees: ANSWERED,
  },
  {
    name: 'two events in the wrong order',
    modes: STREAMED,
    provider: edited((events) => [...events.slice(0, 6), ...events.slice(6, 8).toReversed(), ...events.slice(8)]),
    sees: ANSWERED,
  },
  {
    name: 'its last event twice',
    modes: STREAMED,
    provider: edited((events) => [...events, ...events.slice(-1)]),
    sees: ANSWERED,
  },
  {
    name: 'all of its events twice',
    modes: STREAMED,
    provider: edited((events) => [...events, ...events]),
    sees: ANSWERED,
  },
  {
    name: 'nonsense behind its end',
    modes: STREAMED,
    provider: edited((events) => [...events, 'data: nonsense\n\n']),
    sees: hasEnd ? ANSWERED : CUT,
  },
]

const ENDLESS: readonly Fault[] = [
  {
    name: 'an event that is too large',
    modes: STREAMED,
    pace: 'heavy',
    // Amazon's frames may have 24 MiB, the events of others 8.
    provider: scripted(({ path }) => ({
      type: 'oversized',
      bytes: path.includes('/converse-stream') ? 26_000_000 : 9_000_000,
    })),
    sees: BROKEN,
  },
  {
    name: 'an answer without an end',
    modes: STREAMED,
    pace: 'heavy',
    provider: scripted({ type: 'endless', pieces: [...TEXT.pieces, 'x'.repeat(1_000_000)] }),
    sees: CUT,
    // The provider wrote it all, and all of it was sent on.
    charge: 'bounded',
  },
  {
    name: 'a drip without an end',
    modes: STREAMED,
    pace: 'slow',
    provider: scripted({ ...TEXT, type: 'endless', delayMs: 100 }),
    sees: CUT,
  },
]

/** Errors that are told inside a stream. */
const errors = ({ overloaded, wrongSecret }: Kit): readonly Fault[] => [
  {
    name: 'an error event, first',
    modes: STREAMED,
    provider: scripted({ ...TEXT, type: 'error-in-stream', afterEvents: 0 }),
    sees: FAILED,
  },
  {
    name: 'an error event in its middle',
    modes: STREAMED,
    provider: scripted({ ...TEXT, type: 'error-in-stream', afterEvents: 9 }),
    sees: CUT,
  },
  {
    name: 'an overload, first',
    modes: STREAMED,
    provider: scripted({ ...TEXT, type: 'error-in-stream', afterEvents: 0, error: overloaded }),
    sees: { type: 'error', status: 503 },
  },
  {
    name: 'an overload in its middle',
    modes: STREAMED,
    provider: scripted({ ...TEXT, type: 'error-in-stream', afterEvents: 9, error: overloaded }),
    sees: CUT,
  },
  {
    name: 'an error about our secret, first',
    modes: STREAMED,
    provider: scripted({ ...TEXT, type: 'error-in-stream', afterEvents: 0, error: wrongSecret }),
    sees: { type: 'refuses-us' },
  },
  {
    name: 'an error about our secret in its middle',
    modes: STREAMED,
    provider: scripted({ ...TEXT, type: 'error-in-stream', afterEvents: 9, error: wrongSecret }),
    sees: CUT,
  },
]

export function bodyFaults(kit: Kit): readonly Fault[] {
  return [...BODIES, ...TYPES, ...streams(kit), ...ENDLESS, ...errors(kit)]
}
