// In which line a call waits for credits that others hold.

import type { Purse, SpendScope } from '#core/spending.ts'
import type { Wait } from '#core/wait-queue.ts'
import type { HoldRequest } from '#ledger/hold-request.ts'

/** Nobody knows when those calls end that hold the credits. Only what all calls of the line spend from keeps the whole line waiting. */
export function waitFor(scope: SpendScope, { purses }: HoldRequest): Wait<SpendScope> {
  return {
    type: 'wait',
    blocks: scope === ownerOf(purses)?.scope ? 'line' : 'key',
    hindrance: scope,
    overAtMs: undefined,
  }
}

export function lineOf({ keyId, purses }: HoldRequest): string {
  return ownerOf(purses)?.id ?? keyId
}

/** Whose line a call waits in; undefined for its key's. */
function ownerOf(purses: HoldRequest['purses']): Purse | undefined {
  return purses.find(({ hasLine }) => hasLine)
}
