// What the other gateways that share the books have charged and used, added to an account as it is shown. It counts for no decision.

import { totalMicro } from '#core/money.ts'
import type { Account } from '#ledger/account.ts'

export interface OtherGateways {
  /** In one cycle of a key, in micro-credits. */
  charged(keyId: string, cycleStartedAtMs: number): number
  /** All calls of a key; undefined where no other gateway has had one. */
  use(keyId: string): { readonly requestCount: number; readonly lastUsedAtMs: number } | undefined
}

export function withOthers(account: Account, others: OtherGateways): Account {
  const { keyId, cycleStartedAtMs, usedMicro, requestCount, lastUsedAtMs } = account
  const chargedMicro = others.charged(keyId, cycleStartedAtMs)
  const use = others.use(keyId)
  if (chargedMicro === 0 && use === undefined) return account
  return {
    ...account,
    usedMicro: totalMicro(usedMicro + chargedMicro),
    requestCount: requestCount + (use?.requestCount ?? 0),
    lastUsedAtMs: use === undefined ? lastUsedAtMs : Math.max(lastUsedAtMs ?? 0, use.lastUsedAtMs),
  }
}
