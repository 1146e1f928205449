// Admission: the package is valid, the rate limits leave room, and the ledger holds the call's worst case. Either all of it is
// taken or none.

import type { Caller } from '#pipeline/authenticate.ts'
import type { Catalog } from '#catalog/catalog.ts'
import { microToCredits, ZERO, type MicroCredits } from '#core/money.ts'
import { affordableOutputTokens, isFree, priceOf } from '#core/pricing.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import type { EndpointRequest } from '#pipeline/endpoints.ts'
import type { Gate, LimitedKey, Ticket } from '#pipeline/gate.ts'
import type { MemberBudgets, Share } from '#pipeline/member-budgets.ts'
import type { Served } from '#pipeline/resolve.ts'
import type { Balance, OpenHold } from '#ledger/account.ts'
import type { Cancellation, HoldAnswer, Ledger } from '#ledger/ledger.ts'

export type Admission = {
  readonly ticket: Ticket
  /** Of the day of the member whose key it is. */
  readonly share: Share | undefined
  readonly hold: OpenHold
  /** The caller with the package whose credits are held: a key can be moved while its call waits. */
  readonly holder: Caller
  /** The output cap to send upstream; undefined for endpoints that generate nothing. */
  readonly outputCap: number | undefined
  /** What was changed about the request, for the `x-farebox-adjusted` header. */
  readonly adjusted: string | undefined
}

export type AdmitDeps = {
  readonly catalog: Catalog
  readonly gate: Gate
  readonly budgets: MemberBudgets
  readonly ledger: Ledger
  readonly nowMs: () => number
}

export type AdmitRequest = {
  readonly exchangeId: string
  readonly caller: Caller
  readonly request: EndpointRequest
  readonly served: Served
}

export async function admit(
  input: AdmitRequest,
  cancellation: Cancellation,
  deps: AdmitDeps,
): Promise<Admission | Refusal> {
  const { caller, request, served } = input
  const { validUntilMs } = caller.package
  if (validUntilMs !== undefined && deps.nowMs() >= validUntilMs) {
    return refuse('package_expired', `The package '${caller.package.name}' of this key has expired.`)
  }
  const { exchangeId } = input
  const tokens = request.likelyInputTokens
  const asked = { ...limitedKey(caller), exchangeId, modelId: served.model.id, tokens }
  const ticket = await deps.gate.enter(asked, cancellation)
  if (isRefusal(ticket)) return ticket
  const largestCap = largestOutputCap(input)
  const worst = worstCase(input, largestCap)
  const share = caller.key.memberId === undefined ? undefined : deps.budgets.take(caller.key.memberId, worst)
  if (isRefusal(share)) {
    deps.gate.undo(ticket)
    return share
  }
  const answer = await deps.ledger.hold(
    {
      exchangeId,
      keyId: caller.key.id,
      worstMicro: share?.heldMicro ?? worst,
      isFree: isFree(served.price),
      modelId: served.model.id,
      priceVersion: served.price.version,
    },
    cancellation,
  )
  if (answer.type !== 'held') {
    deps.gate.undo(ticket)
    if (share !== undefined) deps.budgets.close(share, ZERO)
    return refusalOf(answer, deps.ledger.state)
  }
  const holder = presentCaller(caller, deps.catalog)
  const payable = payableMicro({ holder, hold: answer.hold, share }, deps.budgets)
  const outputCap = affordableCap(input, largestCap, payable)
  return { ticket, share, hold: answer.hold, holder, outputCap, adjusted: adjustedHeader(request, outputCap) }
}

/** What the call can pay for when nothing is added to it; undefined where nothing bounds that. */
function payableMicro(
  { holder, hold, share }: { holder: Caller; hold: OpenHold; share: Share | undefined },
  budgets: MemberBudgets,
): MicroCredits | undefined {
  if (holder.package.type !== 'unlimited') return hold.amountMicro
  return share !== undefined && budgets.isBounded(share) ? share.heldMicro : undefined
}

/** Whose rate limits a caller has. */
export function limitedKey({ key, package: { limits } }: Caller): LimitedKey {
  return { keyId: key.id, memberId: key.memberId, limits }
}

/** A hold is taken by the package that the key has then; limits and models stay those with which the call came. */
function presentCaller(caller: Caller, catalog: Catalog): Caller {
  const key = catalog.key(caller.key.id)
  const owner = key === undefined ? undefined : catalog.package(key.packageId)
  return key === undefined || owner === undefined ? caller : { key, package: owner }
}

/** The cap before the balance is looked at: the client's, the model's, and what the context window leaves. */
function largestOutputCap({ request, served }: AdmitRequest): number | undefined {
  if (request.choices === 0) return undefined
  const { maxOutputTokens, contextWindow } = served.model
  if (request.outputCap !== undefined) return Math.min(request.outputCap, maxOutputTokens)
  const left = contextWindow - request.worstInputTokens
  // An estimate that leaves nothing may be wrong; whether the input fits is for the provider to say.
  return left >= 1 ? Math.min(maxOutputTokens, left) : maxOutputTokens
}

function worstCase({ request, served }: AdmitRequest, cap: number | undefined) {
  const outputTokens = request.choices * (cap ?? 0)
  // Input may turn out to be read from or written to a cache; the dearest of the classes is the worst case.
  const { inputMicro, cacheReadMicro, cacheWriteMicro } = served.price
  const dearest = Math.max(inputMicro, cacheReadMicro, cacheWriteMicro)
  const input = request.worstInputTokens
  if (dearest === inputMicro) return priceOf({ ...UNKNOWN_USAGE, inputTokens: input, outputTokens }, served.price)
  if (dearest === cacheWriteMicro)
    return priceOf({ ...UNKNOWN_USAGE, cacheWriteTokens: input, outputTokens }, served.price)
  return priceOf({ ...UNKNOWN_USAGE, cacheReadTokens: input, outputTokens }, served.price)
}

/** Where the client gave no cap and less than the worst case is held, the cap is what that pays for. */
function affordableCap(
  { request, served }: AdmitRequest,
  cap: number | undefined,
  payable: MicroCredits | undefined,
): number | undefined {
  if (cap === undefined || request.outputCap !== undefined) return cap
  if (payable === undefined || isFree(served.price)) return cap
  const affordable = affordableOutputTokens(payable, request.worstInputTokens, served.price)
  return Math.max(1, Math.min(cap, Math.floor(affordable / request.choices)))
}

function adjustedHeader(request: EndpointRequest, cap: number | undefined): string | undefined {
  return cap === undefined || cap === request.outputCap ? undefined : `${request.outputCapName}=${cap}`
}

function refusalOf(answer: Exclude<HoldAnswer, { type: 'held' }>, ledgerState: Ledger['state']): Refusal {
  switch (answer.type) {
    case 'exhausted':
      return refuse('credits_exhausted', `The credits of this key are used up: ${standing(answer.balance)}`)
    case 'held-by-others': {
      const held = `${microToCredits(answer.balance.heldMicro)} credits are held by calls in flight`
      return refuse('credits_held', `All credits left are in use: ${held}. Retry when they have ended.`, {
        retryAfterSeconds: 5,
      })
    }
    case 'halted':
      return ledgerState === 'mismatch' ? mismatch() : halted()
  }
}

function halted(): Refusal {
  const message = 'The ledger cannot record charges at the moment, so no calls are admitted.'
  return refuse('overloaded', message, { retryAfterSeconds: 5 })
}

/** Nothing gets better by itself, so that retrying soon is of no use. */
function mismatch(): Refusal {
  const message =
    'The ledger does not add up, so no calls are admitted. The administrator must look: farebox ledger verify.'
  return refuse('overloaded', message, { retryAfterSeconds: 300 })
}

function standing(balance: Balance): string {
  const used = microToCredits(balance.usedMicro ?? ZERO)
  const total = microToCredits(balance.totalMicro ?? ZERO)
  const reset =
    balance.nextResetAtMs === undefined
      ? 'Ask the administrator for a top-up.'
      : `They are renewed at ${new Date(balance.nextResetAtMs).toISOString()}.`
  return `${used} of ${total} used. ${reset}`
}
