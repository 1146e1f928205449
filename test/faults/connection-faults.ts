// Providers that cannot be reached, break off, fall silent or are slow.

import type { Asked } from '../support/upstream-format.ts'
import { buildReply, expectedBytes } from '../support/upstream-reply.ts'
import {
  ANSWERED,
  BROKEN,
  CUT,
  edited,
  EVERYTHING,
  FAILED,
  LAST_WORDS,
  LATE,
  ONE_BY_ONE,
  scripted,
  STREAMED,
  TEXT,
  TOO_SLOW,
  WHOLE,
  type Fault,
  type Run,
  type Sees,
} from './fault.ts'
import { behindTheEnd, type Kit } from './kits.ts'

const MIDDLE = { byte: 100 }
const SLOW = { pace: 'slow' } as const

const UNREACHABLE: readonly Fault[] = [
  { name: 'refuses connections', provider: { type: 'nobody' }, sees: FAILED },
  {
    name: 'accepts connections and resets them',
    provider: { type: 'socket', script: { connected: (socket) => void socket.resetAndDestroy() } },
    sees: FAILED,
  },
  {
    name: 'accepts connections and closes them',
    provider: { type: 'socket', script: { connected: (socket) => void socket.end() } },
    sees: FAILED,
  },
  {
    name: 'resets before its head',
    provider: scripted({ ...TEXT, cut: { at: 'before-headers', how: 'reset' } }),
    sees: FAILED,
  },
  {
    name: 'closes before its head',
    provider: scripted({ ...TEXT, cut: { at: 'before-headers', how: 'close' } }),
    sees: FAILED,
  },
  {
    name: 'resets behind its head',
    provider: scripted({ ...TEXT, cut: { at: 'after-headers', how: 'reset' } }),
    sees: FAILED,
  },
  {
    name: 'closes behind its head',
    provider: scripted({ ...TEXT, cut: { at: 'after-headers', how: 'close' } }),
    sees: FAILED,
  },
]

const BREAKS: readonly Fault[] = (['reset', 'close'] as const).flatMap((how): Fault[] => [
  {
    name: `${how} inside its first event`,
    modes: STREAMED,
    provider: scripted({ ...TEXT, cut: { at: { insideEvent: 0 }, how } }),
    sees: FAILED,
  },
  {
    name: `${how} inside a late event`,
    modes: STREAMED,
    provider: scripted({ ...TEXT, cut: { at: LATE, how } }),
    sees: CUT,
  },
  {
    name: `${how} inside a whole answer`,
    modes: WHOLE,
    provider: scripted({ ...TEXT, cut: { at: MIDDLE, how } }),
    sees: FAILED,
  },
])

/** A stream of everything that breaks behind each of its events. */
function breaksBetween(kit: Kit): Fault[] {
  const count = eventCount(kit)
  return Array.from({ length: count }, (_, afterEvent): Fault[] => {
    const isLast = afterEvent === count - 1
    const at = { afterEvent }
    return [
      {
        name: `reset behind event ${afterEvent + 1} of ${count}`,
        kind: 'reset behind each event',
        modes: STREAMED,
        provider: scripted({ ...EVERYTHING, cut: { at, how: 'reset' } }),
        sees: isLast ? behindTheEnd(kit) : BROKEN,
      },
      {
        name: `a clean end behind event ${afterEvent + 1} of ${count}`,
        kind: 'a clean end behind each event',
        modes: STREAMED,
        provider: edited((events) => events.slice(0, afterEvent + 1), EVERYTHING_SAID),
        sees: (run) => endedBehind(run, count - 1 - afterEvent),
      },
    ]
  }).flat()
}

const { type: _type, ...EVERYTHING_SAID } = EVERYTHING

function eventCount({ path }: Kit): number {
  return buildReply(EVERYTHING, { path, body: { stream: true, stream_options: { include_usage: true } } }).parts.length
}

/** What the client sees of a stream that just ends when so many of its events are left. */
function endedBehind({ dialect, isPassed }: Run, left: number): Sees {
  if (left === 0) return ANSWERED
  // The finish reason is enough, without the usage and [DONE] behind it.
  if (dialect === 'chat-completions' && left <= 2) return ANSWERED
  // So is the stop reason, but a client of the provider's own format would still wait for the last event.
  const isReasonEnough = dialect === 'messages' || dialect === 'bedrock-converse'
  return isReasonEnough && left === 1 && !isPassed ? ANSWERED : BROKEN
}

const STALLS: readonly Fault[] = [
  { name: 'says nothing', ...SLOW, provider: scripted({ ...TEXT, headersAfterMs: Infinity }), sees: TOO_SLOW },
  {
    name: 'goes silent behind its head',
    ...SLOW,
    provider: scripted({ ...TEXT, stall: { at: { byte: 0 }, ms: Infinity } }),
    sees: TOO_SLOW,
  },
  {
    name: 'goes silent inside a whole answer',
    ...SLOW,
    modes: WHOLE,
    provider: scripted({ ...TEXT, stall: { at: MIDDLE, ms: Infinity } }),
    sees: TOO_SLOW,
  },
  {
    name: 'goes silent inside its first event',
    ...SLOW,
    modes: STREAMED,
    provider: scripted({ ...TEXT, stall: { at: { insideEvent: 0 }, ms: Infinity } }),
    sees: TOO_SLOW,
  },
  {
    name: 'goes silent inside a late event',
    ...SLOW,
    modes: STREAMED,
    provider: scripted({ ...TEXT, stall: { at: LATE, ms: Infinity } }),
    sees: CUT,
  },
  {
    name: 'goes silent between two events',
    ...SLOW,
    modes: STREAMED,
    provider: scripted({ ...TEXT, stall: { at: { afterEvent: 9 }, ms: Infinity } }),
    sees: CUT,
  },
  {
    name: 'pauses within its limit',
    ...SLOW,
    provider: scripted({ ...TEXT, stall: { at: MIDDLE, ms: 1000 } }),
    sees: ANSWERED,
  },
  {
    name: 'begins late, within its limit',
    ...SLOW,
    provider: scripted({ ...TEXT, headersAfterMs: 1000 }),
    sees: ANSWERED,
  },
]

/** Writes that end at each of these bytes, with a second behind each. */
function oneByteASecond(from: (length: number) => number, count: number) {
  return scripted((asked: Asked) => {
    const first = from(expectedBytes(TEXT, asked.body, asked.path).length)
    return { ...TEXT, delayMs: 1000, chunking: { offsets: Array.from({ length: count }, (_, index) => first + index) } }
  })
}

const SLOWNESS: readonly Fault[] = [
  {
    name: 'sends a byte a second, within its limits',
    ...SLOW,
    provider: oneByteASecond((length) => Math.floor(length / 2), 3),
    sees: ANSWERED,
  },
  { name: 'sends a byte a second from its first on', ...SLOW, provider: oneByteASecond(() => 1, 60), sees: TOO_SLOW },
  {
    name: 'sends a byte a second from a late event on',
    ...SLOW,
    modes: STREAMED,
    provider: oneByteASecond((length) => length - 100, 60),
    sees: CUT,
  },
  {
    name: 'sends its first two hundred bytes one by one',
    provider: scripted({ type: 'answer', text: LAST_WORDS, chunking: ONE_BY_ONE }),
    sees: ANSWERED,
  },
]

export function connectionFaults(kit: Kit): readonly Fault[] {
  return [...UNREACHABLE, ...BREAKS, ...breaksBetween(kit), ...STALLS, ...SLOWNESS]
}
