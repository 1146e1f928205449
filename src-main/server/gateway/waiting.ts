// Who waits and why, and what runs, as a viewer may see it. The queues know it anyway; it is put together when somebody asks.

import type { Catalog } from '#catalog/catalog.ts'
import { iso, isoOrNull } from '#catalog/dates.ts'
import { isInScope, keyScope, type KeyScope } from '#catalog/scope.ts'
import { ownerOf } from '#catalog/views.ts'
import type { WaitingView } from '#contract/waiting.ts'
import type { Viewer } from '#core/member.ts'
import { LIMIT_NAMES, type WaitingCall, type WaitReason } from '#core/waiting.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { Gate } from '#pipeline/gate.ts'
import type { OpenExchanges } from '#pipeline/open-exchanges.ts'
import type { ProviderGate } from '#pipeline/provider-gate.ts'

type Queue = Pick<Gate, 'waiting' | 'waitingCalls'>

/** Everything that a call can wait in before it is sent. */
export type Queues = {
  readonly ledger: Pick<Ledger, 'waiting' | 'waitingCalls'>
  readonly gate: Queue
  readonly routing: { readonly gate: Pick<ProviderGate, 'waiting' | 'waitingCalls'> }
}

export type WaitingDeps = Queues & {
  readonly catalog: Catalog
  readonly open: Pick<OpenExchanges, 'calls' | 'retryingCalls'>
}

const MAX_SHOWN = 200

/** How many calls wait in queues, of those that a viewer may see. */
export function countWaiting({ ledger, gate, routing }: Queues, scope: KeyScope): number {
  const count = ledger.waiting + gate.waiting + routing.gate.waiting
  if (scope === 'all' || count === 0) return count
  return queued({ ledger, gate, routing }).filter(({ keyId }) => scope.has(keyId)).length
}

export function waitingView(deps: WaitingDeps, viewer: Viewer): WaitingView {
  const scope = keyScope(viewer, deps.catalog)
  const waiting = [...queued(deps), ...deps.open.retryingCalls()]
    .filter(({ keyId }) => isInScope(scope, keyId))
    .toSorted((one, other) => one.sinceMs - other.sinceMs)
  return {
    waiting: waiting.slice(0, MAX_SHOWN).map((call) => callView(call, deps.catalog)),
    waiting_calls: waiting.length,
    ...runningView(deps, scope),
  }
}

function queued({ ledger, gate, routing }: Queues): WaitingCall[] {
  return [...gate.waitingCalls(), ...ledger.waitingCalls(), ...routing.gate.waitingCalls()]
}

function callView(call: WaitingCall, catalog: Catalog): WaitingView['waiting'][number] {
  return {
    id: call.exchangeId,
    ...namesOf(call.keyId, catalog),
    model: call.modelId,
    ...reasonView(call.reason, catalog),
    place: call.place,
    since: iso(call.sinceMs),
    expected_at: isoOrNull(call.expectedAtMs),
    until: isoOrNull(call.untilMs),
  }
}

type ReasonView = Pick<WaitingView['waiting'][number], 'reason' | 'limit' | 'provider'>

function reasonView(reason: WaitReason, catalog: Catalog): ReasonView {
  switch (reason.type) {
    case 'limit':
      return { reason: `${reason.scope}_limit`, limit: LIMIT_NAMES[reason.limit], provider: null }
    case 'provider': {
      const provider = catalog.provider(reason.providerId)?.name ?? reason.providerId
      return { reason: 'provider', limit: LIMIT_NAMES.concurrentRequests, provider }
    }
    case 'credits':
    case 'retry':
      return { reason: reason.type, limit: null, provider: null }
  }
}

function runningView({ catalog, open }: WaitingDeps, scope: KeyScope): Pick<WaitingView, 'running' | 'running_calls'> {
  const byKey = new Map<string, { calls: number; oldestMs: number }>()
  let running = 0
  for (const { keyId, createdAtMs } of open.calls()) {
    if (!isInScope(scope, keyId)) continue
    running += 1
    const { calls, oldestMs } = byKey.get(keyId) ?? { calls: 0, oldestMs: createdAtMs }
    byKey.set(keyId, { calls: calls + 1, oldestMs: Math.min(oldestMs, createdAtMs) })
  }
  const keys = [...byKey].toSorted(([, one], [, other]) => other.calls - one.calls || one.oldestMs - other.oldestMs)
  return {
    running: keys
      .slice(0, MAX_SHOWN)
      .map(([keyId, { calls, oldestMs }]) => ({ ...namesOf(keyId, catalog), calls, oldest_at: iso(oldestMs) })),
    running_calls: running,
  }
}

function namesOf(keyId: string, catalog: Catalog): { key: string; member: string | null } {
  const key = catalog.key(keyId)
  return key === undefined ? { key: keyId, member: null } : { key: key.name, member: ownerOf(key, catalog) }
}
