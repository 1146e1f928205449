// Providers that count along while they generate, and whose counts are not what the answer used: each answer is 300 tokens long,
// and what was delivered of it is paid for, whatever was said about it before its end.

import { runningStream, type Counts, type RunningStream } from '../support/running-usage.ts'
import {
  ANSWERED,
  CUT,
  LAST_WORDS,
  NOTHING_SAID,
  ORDINARY_CHARGE,
  scripted,
  STREAMED,
  TEXT,
  WHOLE,
  type Fault,
} from './fault.ts'
import type { Kit } from './kits.ts'

export const TOKENS = 300
/** One token each. */
export const PIECES = Array.from({ length: TOKENS }, () => ' a')
/** What the request of every format comes to by our own count. */
export const OWN_INPUT = 8
const FINAL = { input: 19, output: 10 }

/** In credits. */
export function chargeOf(input: number, output: number): number {
  return (input + 2 * output) / 1_000_000
}

type Row = Partial<Fault> & { readonly stream: Omit<RunningStream, 'pieces'> & { readonly pieces?: readonly string[] } }

export function runningFaults(kit: Kit): readonly Fault[] {
  const { dialect } = kit
  // Converse counts at its end alone; its rows are with its other ones.
  if (dialect === 'bedrock-converse') return wholeRows(kit)
  const row = (name: string, { stream, ...rest }: Row): Fault => {
    const parts = runningStream(dialect, { pieces: PIECES, ...stream })
    // Behind the last event, so that the connection breaks and does not end. A reset could take along what was not read yet.
    const cut = { at: { afterEvent: parts.length - 1 }, how: 'close' } as const
    return {
      name,
      modes: STREAMED,
      provider: scripted({ type: 'raw', parts, ...(stream.until === undefined ? {} : { cut }) }),
      sees: ANSWERED,
      ...NOTHING_SAID,
      ...rest,
    }
  }
  return [...cutRows(row), ...endedRows(row), ...wholeRows(kit)]
}

type MakeRow = (name: string, row: Row) => Fault

function cutRows(row: MakeRow): readonly Fault[] {
  const cut = (name: string, running: RunningStream['running'], charge: number): Fault =>
    row(`${name}, then cut`, {
      stream: { ...(running && { running }), until: 'none' },
      sees: CUT,
      charge,
      source: 'estimated',
    })
  const behindReason = (name: string, running: Counts | undefined): Fault =>
    row(`${name}, then cut behind its reason and its counts`, {
      stream: { ...(running && { running }), final: FINAL, until: 'reason' },
      // In the responses format the reason is the end.
      sees: ({ dialect }) => (dialect === 'responses' ? ANSWERED : CUT),
      charge: ORDINARY_CHARGE,
      source: 'reported',
    })
  return [
    cut('no counts', undefined, chargeOf(OWN_INPUT, TOKENS)),
    cut('running counts of 0', { input: 0, output: 0 }, chargeOf(OWN_INPUT, TOKENS)),
    cut('running counts of 1', { input: 1, output: 1 }, chargeOf(OWN_INPUT, TOKENS)),
    cut('running counts of the input alone', { input: 19 }, chargeOf(19, TOKENS)),
    cut('running counts of the input beside 0', { input: 19, output: 0 }, chargeOf(19, TOKENS)),
    cut('running counts above what was delivered', { input: 19, output: 400 }, chargeOf(19, 400)),
    cut('true running counts', (output) => ({ input: 19, output }), chargeOf(19, TOKENS)),
    cut('counts at the beginning alone', (n) => (n < 2 ? { input: 19, output: 1 } : undefined), chargeOf(19, TOKENS)),
    cut('counts that fall back to 0', (n) => (n < 200 ? FINAL : { input: 0, output: 0 }), chargeOf(19, TOKENS)),
    behindReason('no running counts', undefined),
    behindReason('running counts of 1', { input: 1, output: 1 }),
    behindReason('running counts above the last ones', { input: 900, output: 900 }),
  ]
}

function endedRows(row: MakeRow): readonly Fault[] {
  const running = { input: 19, output: 10 }
  const ended = (name: string, stream: Row['stream'], charge: number, source: Fault['source'] = 'estimated'): Fault =>
    row(`${name}, and its end`, { stream, charge, source })
  return [
    ended('counts of 0', { final: { input: 0, output: 0 } }, chargeOf(OWN_INPUT, TOKENS)),
    ended('an output of 0', { final: { input: 19, output: 0 } }, chargeOf(19, TOKENS)),
    ended('an input of 0', { final: { input: 0, output: 10 } }, chargeOf(OWN_INPUT, 10)),
    ended('running counts alone', { running: (n) => (n < 100 ? running : undefined) }, chargeOf(19, TOKENS)),
    ended('running counts and 0', { running, final: { input: 0, output: 0 } }, ORDINARY_CHARGE, 'reported'),
    ended(
      'running counts above the last ones',
      { running: { input: 19, output: 400 }, final: FINAL },
      ORDINARY_CHARGE,
      'reported',
    ),
    ended(
      'running counts below the last ones',
      { running: { input: 1, output: 1 }, final: FINAL },
      ORDINARY_CHARGE,
      'reported',
    ),
    ended(
      'reasoning beside an output of 0',
      { as: 'reasoning', final: { input: 19, output: 0 } },
      chargeOf(19, TOKENS),
    ),
  ]
}

function wholeRows({ usage }: Kit): readonly Fault[] {
  const call = { id: 'call_1', name: 'look', arguments: `{"where":"${LAST_WORDS}"}` }
  const zero = usage(0, 0)
  return [
    {
      name: 'a whole answer with counts of 0',
      modes: WHOLE,
      provider: scripted({ ...TEXT, usage: zero }),
      sees: ANSWERED,
      source: 'estimated',
    },
    {
      name: 'a call beside counts of 0',
      provider: scripted({ type: 'answer', toolCalls: [call], usage: zero }),
      sees: ANSWERED,
      source: 'estimated',
      ...NOTHING_SAID,
    },
  ]
}
