// Counts that no ledger should trust.

import type { WireUsage } from '../support/upstream-behaviour.ts'
import { ANSWERED, edited, ORDINARY_CHARGE, scripted, STREAMED, TEXT, type Fault } from './fault.ts'
import type { Kit } from './kits.ts'

export function usageFaults({ usage, dialect }: Kit): readonly Fault[] {
  const row = (name: string, given: WireUsage | null, rest: Partial<Fault> = {}): Fault => ({
    name: `usage that is ${name}`,
    provider: scripted({ ...TEXT, usage: given }),
    sees: ANSWERED,
    ...rest,
  })
  // Gemini counts along: a possible count of an earlier event stays its report.
  const counted: Partial<Fault> = dialect === 'gemini' ? {} : { source: 'estimated' }
  return [
    row('missing', null),
    row('empty', {}),
    row('of other words', { tokens: 29 }),
    row('negative', usage(-19, -10)),
    row('partly negative', usage(19, -10)),
    row('a fraction', usage(18.5, 9.25), { charge: ORDINARY_CHARGE }),
    row('text', usage('19', '10')),
    row('true', usage(true, true)),
    row('an object', usage({ text: 19 }, { text: 10 })),
    row('null', usage(null, null)),
    row('huge', usage(19, 1e18), counted),
    row('huge on both sides', usage(1e18, 1e18), { source: 'estimated' }),
    row('an unsigned -1', usage(4_294_967_295, 4_294_967_295), { source: 'estimated' }),
    row('too large for a number', usage(19, Number.MAX_VALUE), counted),
    row('without its input', usage(undefined, 10)),
    row('without its output', usage(19, undefined)),
    row('0 on both sides', usage(0, 0), { source: 'estimated' }),
    row('0 for its output', usage(19, 0), counted),
    row('0 for its input', usage(0, 10), { source: 'estimated' }),
    {
      name: 'usage that is told twice',
      modes: STREAMED,
      provider: edited((events) =>
        events.flatMap((event) => (/"usage(Metadata)?":\{/.test(event.toString()) ? [event, event] : [event])),
      ),
      sees: ANSWERED,
      charge: ORDINARY_CHARGE,
    },
  ]
}
