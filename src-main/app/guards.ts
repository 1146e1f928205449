// What is looked at every second while a gateway runs. A look that fails is reported; neither the other looks nor the process end with it.

import type { DescriptorWatch } from '#app/descriptors.ts'
import type { Operations } from '#app/operations.ts'
import type { Parts } from '#app/parts.ts'
import type { Config } from '#config/config.ts'
import { isDemo } from '#core/provider-dialect.ts'

export type GuardsOf = {
  readonly config: Config
  readonly parts: Pick<Parts, 'clock' | 'stores' | 'calling' | 'faults'>
  readonly operations: Pick<Operations, 'memory'>
  readonly descriptors: DescriptorWatch
  /** Ends sessions whose time is up. */
  readonly sweepVisits: () => void
}

const EVERY_MS = 1000
const REPORTED_EVERY_MS = 60_000

/** Looks until the function that is returned is called. */
export function startGuards(of: GuardsOf): () => void {
  const { clock, faults } = of.parts
  const looks = looksOf(of)
  let reportedAtMs = Number.NEGATIVE_INFINITY
  const report = (error: unknown) => {
    if (clock.monotonicMs() - reportedAtMs < REPORTED_EVERY_MS) return
    reportedAtMs = clock.monotonicMs()
    faults.reportFault(error, undefined)
  }
  const timer = setInterval(() => lookAll(looks, report), EVERY_MS)
  return () => clearInterval(timer)
}

/** Each of them, whatever becomes of those before it. */
export function lookAll(looks: readonly (() => void)[], report: (error: unknown) => void): void {
  for (const look of looks) {
    try {
      look()
    } catch (error) {
      report(error)
    }
  }
}

function looksOf({ config, parts, operations, descriptors, sweepVisits }: GuardsOf): readonly (() => void)[] {
  const { clock, stores, calling } = parts
  const { open, connections, answers, sockets } = calling
  const { catalog } = stores
  return [
    () => descriptors.look(),
    () => operations.memory.look(),
    () => answers.sweep(),
    () => connections.retain(catalog.providers.filter((provider) => !isDemo(provider))),
    () => open.look(),
    () => sockets.look(),
    sweepVisits,
    () => open.stopOlderThan(clock.monotonicMs() - config.upstreamTotalTimeoutMs),
    () => {
      for (const keyId of open.keyIds()) {
        const key = catalog.key(keyId)
        if (key !== undefined && catalog.statusOf(key, clock.nowMs()) !== 'active') open.stopKey(keyId)
      }
    },
  ]
}
