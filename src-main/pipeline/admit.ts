// Admission: the package is valid, the rate limits leave room, and the ledger holds the call's worst case. Either all of it is
// taken or none.

import type { Attribution } from '#core/attribution.ts'
import type { Caller } from '#pipeline/authenticate.ts'
import type { Catalog } from '#catalog/catalog.ts'
import { FLEET_RETRY_SECONDS } from '#core/fleet.ts'
import { MAX_AMOUNT, microToCredits, ZERO, type MicroCredits } from '#core/money.ts'
import { affordableOutputTokens, isFree, worstPriceOf, type Worst } from '#core/pricing.ts'
import { isValueOf } from '#core/entities.ts'
import { isRefusal, refuse, statusOf, type Refusal } from '#core/refusal.ts'
import { isLater, whenThere, type Soon } from '#core/soon.ts'
import type { Wish } from '#core/spending.ts'
import type { Cancellation } from '#core/wait-queue.ts'
import { dialectOf } from '#dialect/dialects.ts'
import type { AllBudgets } from '#pipeline/budgets.ts'
import type { CapMemory } from '#pipeline/cap-memory.ts'
import type { MeteredRequest } from '#pipeline/endpoints.ts'
import type { LimitedKey, Ticket } from '#pipeline/gate.ts'
import type { HeldShare, LeaseAnswer, Leases } from '#pipeline/leases.ts'
import type { BoundCounter, Clock } from '#pipeline/ports.ts'
import type { ProviderWish } from '#pipeline/provider-lane.ts'
import { Reservation, type Lenders } from '#pipeline/reservation.ts'
import { isServed, type Served } from '#pipeline/resolve.ts'
import type { Place } from '#pipeline/routing.ts'
import { faultSettlement } from '#pipeline/settle.ts'
import type { Balance } from '#ledger/account.ts'
import type { Changed, Held, HoldAnswer, HoldRequest } from '#ledger/hold-request.ts'

export type Admission = {
  /** What the call took; whoever has it closes it. */
  readonly reservation: Reservation
  /** The caller with the package whose credits are held: a key can be moved while its call waits. */
  readonly holder: Caller
  /** What the call may come to cost at its output cap, and at the least that is of use. */
  readonly wish: ProviderWish
  /** How many tokens its input is held for. */
  readonly inputTokens: number
  /** The output cap to send upstream; undefined for endpoints that generate nothing. */
  readonly outputCap: number | undefined
}

export type AdmitDeps = Lenders & {
  readonly catalog: Catalog
  readonly budgets: AllBudgets
  readonly counter: BoundCounter
  readonly caps: CapMemory
  readonly clock: Pick<Clock, 'nowMs'>
  /** Where several gateways share the books. */
  readonly leases?: Leases | undefined
}

export type AdmitRequest = {
  readonly exchangeId: string
  readonly caller: Caller
  readonly request: MeteredRequest
  readonly served: Served
  /** Whom it is made for; its project is a budget. */
  readonly attribution?: Attribution | undefined
}

/** At once where there is room in everything. `changed`: what the call was made ready by did while it waited, and it took nothing. */
export function admit(
  input: AdmitRequest,
  cancellation: Cancellation,
  deps: AdmitDeps,
): Soon<Admission | Refusal | Changed> {
  const { caller, request, served, exchangeId } = input
  const { validUntilMs } = caller.package
  if (validUntilMs !== undefined && deps.clock.nowMs() >= validUntilMs) {
    return refuse('package_expired', `The package '${caller.package.name}' of this key has expired.`)
  }
  const { key, package: owner } = caller
  const entering = {
    keyId: key.id,
    memberId: key.memberId,
    limits: owner.limits,
    exchangeId,
    modelId: served.model.id,
    tokens: request.likelyInputTokens,
  }
  return whenThere(deps.gate.enter(entering, cancellation), (ticket) =>
    isRefusal(ticket) ? ticket : enterWith(input, { ticket, cancellation }, deps),
  )
}

type Entering = { readonly ticket: Ticket; readonly cancellation: Cancellation }

/** Goes on with a turn at the rate limits, which is given back where nothing can be held. */
function enterWith(
  input: AdmitRequest,
  { ticket, cancellation }: Entering,
  deps: AdmitDeps,
): Soon<Admission | Refusal | Changed> {
  let shares: readonly HeldShare[] = []
  let held: Soon<Hold>
  const undo = () => {
    deps.gate.undo(ticket)
    deps.leases?.budgets?.giveUp(shares)
  }
  const giveUp = (error: unknown) => {
    undo()
    throw error
  }
  try {
    shares = sharesOf(input, deps)
    held = holdFor(input, { cancellation, shares }, deps)
  } catch (error) {
    return giveUp(error)
  }
  const goOn = (hold: Hold) => {
    if (hold.answer.type !== 'held') undo()
    return admitted(input, { ticket, shares, held: hold }, deps)
  }
  return isLater(held) ? held.then(goOn, giveUp) : goOn(held)
}

/** Of the project first: its calls wait in one line, of whichever member they are. */
function sharesOf({ caller, attribution }: AdmitRequest, { budgets, leases }: AdmitDeps): readonly HeldShare[] {
  const { memberId } = caller.key
  const project = attribution?.project
  const lease = leases?.share(caller.key.id)
  const shared = leases?.budgets
  return [
    ...(project === undefined ? [] : [budgets.project.share(project), ...(shared?.shares('project', project) ?? [])]),
    ...(memberId === undefined ? [] : [budgets.member.share(memberId), ...(shared?.shares('member', memberId) ?? [])]),
    ...(lease === undefined ? [] : [lease]),
  ]
}

type Entered = { readonly ticket: Ticket; readonly shares: readonly HeldShare[]; readonly held: Hold }

function admitted(
  input: AdmitRequest,
  { ticket, shares, held }: Entered,
  deps: AdmitDeps,
): Soon<Admission | Refusal | Changed> {
  const { answer } = held
  if (answer.type === 'changed') return answer
  if (answer.type === 'uncountable') return uncountable()
  if (answer.type === 'not-serving') return unavailable('no calls are admitted without it')
  if (answer.type !== 'held') return withReason(refusalOf(answer, input, deps), input, deps)
  const reservation = new Reservation({ ticket, shares, hold: answer.hold }, deps)
  try {
    return { reservation, ...termsOf(input, held, answer.promisedMicro, deps) }
  } catch (error) {
    return giveBack(reservation, input, error)
  }
}

function termsOf(
  input: AdmitRequest,
  { inputTokens, asked }: Hold,
  promisedMicro: MicroCredits,
  deps: AdmitDeps,
): Omit<Admission, 'reservation'> {
  const holder = presentCaller(input.caller, deps.catalog)
  const outputCap = affordableCap(input, inputTokens, promisedMicro)
  const isWhole = outputCap === largestOutputCap(input)
  const { worstMicro, leastMicro } = isWhole ? asked : wishFor(input, { inputTokens, outputCap }, deps)
  const wish = { worstMicro, leastMicro, inputTokens: input.request.likelyInputTokens }
  return { holder, wish, inputTokens, outputCap }
}

/** Charges nothing for a call that a mistake of ours ended before it began, and rejects with that mistake. */
async function giveBack(reservation: Reservation, input: AdmitRequest, mistake: unknown): Promise<never> {
  const { createdAtMs } = reservation.hold
  const [place] = input.served.places
  // A model without places is served nowhere, and holds nothing.
  if (place === undefined) throw mistake
  const settlement = faultSettlement({ ...input, place, createdAtMs, attribution: input.attribution })
  // What the disk refuses the ledger keeps, and writes later.
  await reservation.close({ usedTokens: 0, bill: { settlement } }).catch(() => undefined)
  throw mistake
}

type Hold = {
  readonly answer: HoldAnswer | LeaseAnswer | { readonly type: 'uncountable' } | { readonly type: 'not-serving' }
  readonly inputTokens: number
  /** What it was asked for. */
  readonly asked: Wish
}

/**
 * Holds the worst case of a call. Where there is plenty, its input is taken for the most that it can be, which takes no time. Where
 * that does not fit its tokens are counted, so that nobody is refused for a bound that is far too wide.
 */
function holdFor(input: AdmitRequest, { cancellation, shares }: Holding, deps: AdmitDeps): Soon<Hold> {
  const { request, served } = input
  const { contextWindow } = served.model
  const outputCap = largestOutputCap(input)
  const names = served.places.map(({ target }) => target.upstreamModel)
  const most = request.inputBounds.most(contextWindow, names)
  const wide = holdRequest(input, { inputTokens: most, outputCap, shares }, deps)
  const isRoomy = deps.routing.gate.hasRoomForAll(served.places, wide.worstMicro)
  if (deps.leases?.isServing === false) return { answer: { type: 'not-serving' }, inputTokens: most, asked: wide }
  const isFirst = deps.leases?.hasLine(wide.keyId) !== true && deps.leases?.budgets?.hasLine(shares) !== true
  const isEasy = (isRoomy && isFirst && wide.worstMicro < MAX_AMOUNT) || wide.isFree
  const atOnce = isEasy ? deps.ledger.holdAtOnce(wide) : undefined
  if (atOnce !== undefined) return { answer: atOnce, inputTokens: most, asked: wide }
  return holdCounted(input, { cancellation, shares, names }, deps)
}

type Holding = { readonly cancellation: Cancellation; readonly shares: readonly HeldShare[] }

async function holdCounted(
  input: AdmitRequest,
  { cancellation, shares, names }: Holding & { readonly names: readonly string[] },
  deps: AdmitDeps,
): Promise<Hold> {
  const { request, served } = input
  const count = (texts: readonly string[]) => deps.counter.countAtMost(texts)
  const inputTokens = await request.inputBounds.closer(count, served.model.contextWindow, names)
  const asked = holdRequest(input, { inputTokens, outputCap: largestOutputCap(input), shares }, deps)
  if (asked.worstMicro >= MAX_AMOUNT) return { answer: { type: 'uncountable' }, inputTokens, asked }
  return { answer: await holdFrom(asked, { cancellation, shares }, deps), inputTokens, asked }
}

async function holdFrom(
  asked: HoldRequest,
  { cancellation, shares }: Holding,
  { leases, ledger }: AdmitDeps,
): Promise<HoldAnswer | LeaseAnswer> {
  if (leases === undefined || asked.isFree) return ledger.hold(asked, cancellation)
  const reserved = await leases.budgets?.reserve(shares, asked, cancellation)
  if (reserved !== undefined && reserved.type !== 'reserved')
    return reserved.type === 'unavailable' ? reserved : { ...reserved, balance: ledger.balance(asked.keyId) }
  const from = leases.share(asked.keyId) === undefined ? ledger : leases
  return from.hold(asked, cancellation)
}

type HoldFor = {
  readonly inputTokens: number
  readonly outputCap: number | undefined
  readonly shares: readonly HeldShare[]
}

function holdRequest(input: AdmitRequest, { inputTokens, outputCap, shares }: HoldFor, deps: AdmitDeps): HoldRequest {
  const { exchangeId, caller, served } = input
  const { worstMicro, leastMicro } = wishFor(input, { inputTokens, outputCap }, deps)
  return {
    exchangeId,
    keyId: caller.key.id,
    worstMicro,
    leastMicro,
    purses: shares,
    isFree: isFree(served.price),
    modelId: served.model.id,
    priceVersion: served.price.version,
    isCurrent: currentLook(input, deps),
  }
}

/** Looks whether the key, its package, the model and its targets are those by which a call was made ready. */
function currentLook({ caller, served }: AdmitRequest, { catalog, clock }: AdmitDeps): () => boolean {
  let changes: number | undefined
  return () => {
    const { validUntilMs } = caller.package
    if (validUntilMs !== undefined && clock.nowMs() >= validUntilMs) return false
    if (catalog.changes === changes) return true
    changes = catalog.changes
    return isSameCaller(caller, catalog, clock.nowMs()) && isServed(served, catalog)
  }
}

function isSameCaller({ key, package: owner }: Caller, catalog: Catalog, nowMs: number): boolean {
  const now = catalog.key(key.id)
  const isSame = now !== undefined && now.packageId === owner.id && catalog.package(owner.id) === owner
  return isSame && isValueOf(now, key.hash, nowMs) && catalog.statusOf(now, nowMs) === 'active'
}

/** What a call may come to cost at an output cap, and what it costs at least that is of any use. */
function wishFor(
  { request, served }: AdmitRequest,
  { inputTokens, outputCap }: { readonly inputTokens: number; readonly outputCap: number | undefined },
  { caps }: Pick<AdmitDeps, 'caps'>,
): Wish {
  const { choices, isStream } = request
  const leastCap = Math.min(outputCap ?? 0, leastOutputTokens(served.places))
  // A stream is ended at its cap. A whole answer is paid for as it comes.
  const beyond = isStream || outputCap === undefined ? 0 : (caps.longest(served.places)?.outputTokens ?? 0)
  const uncapped = request.output?.mostTokens ?? 0
  const outputTokens = Math.max(choices * (outputCap ?? 0), beyond) + uncapped
  const leastTokens = Math.max(choices * leastCap, beyond) + uncapped
  const worst = worstOf({ request, served }, inputTokens)
  return {
    worstMicro: worstPriceOf({ ...worst, outputTokens }, served.price),
    leastMicro: worstPriceOf({ ...worst, outputTokens: leastTokens }, served.price),
  }
}

/** What a request may come to use beside its output. */
export function worstOf(
  { request, served }: Pick<AdmitRequest, 'request' | 'served'>,
  inputTokens: number,
): Omit<Worst, 'outputTokens'> {
  const { price, places } = served
  // Nearly no price names any of it, so that nobody has to look for it.
  const tier = price.tiers && request.tierAt?.(places.map(({ provider }) => provider))
  return { inputTokens, tier, units: price.units && (request.units ?? request.searches?.()) }
}

/** The smallest output cap that is of any use: some providers take none below a bound. */
function leastOutputTokens(places: readonly Place[]): number {
  return places.reduce((most, { provider }) => Math.max(most, dialectOf(provider).leastOutputCap ?? 1), 1)
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
function largestOutputCap({ request, served }: Pick<AdmitRequest, 'request' | 'served'>): number | undefined {
  if (request.choices === 0) return undefined
  const { maxOutputTokens, contextWindow } = served.model
  if (request.outputCap !== undefined) return Math.min(request.outputCap, maxOutputTokens)
  const left = contextWindow - request.worstInputTokens
  // An estimate that leaves nothing may be wrong; whether the input fits is for the provider to say.
  return left >= 1 ? Math.min(maxOutputTokens, left) : maxOutputTokens
}

/** The cap that what is held pays for. It is lower than what was asked for where a call runs alone on what is left. */
export function affordableCap(
  { request, served }: Pick<AdmitRequest, 'request' | 'served'>,
  inputTokens: number,
  promisedMicro: MicroCredits,
): number | undefined {
  const cap = largestOutputCap({ request, served })
  if (cap === undefined || isFree(served.price)) return cap
  const affordable = affordableOutputTokens(promisedMicro, worstOf({ request, served }, inputTokens), served.price)
  return Math.max(1, Math.min(cap, Math.floor(affordable / request.choices)))
}

/** What was changed about the request, for the `x-farebox-adjusted` header. */
export function adjustedHeader(request: MeteredRequest, cap: number | undefined): string | undefined {
  return cap === undefined || cap === request.outputCap ? undefined : `${request.outputCapName}=${cap}`
}

function refusalOf(
  answer: Exclude<HoldAnswer | LeaseAnswer, Held | Changed>,
  { caller, request, served, attribution }: AdmitRequest,
  { budgets, ledger }: AdmitDeps,
): Refusal {
  const project = attribution?.project
  if (answer.type === 'unavailable')
    return unavailable('what this gateway has of the balance does not pay for this call')
  if (answer.type === 'halted') return ledger.state === 'mismatch' ? mismatch() : halted()
  const { memberId } = caller.key
  if (answer.scope === 'member' && memberId !== undefined) return budgets.member.refusal(memberId, answer.type)
  if (answer.scope === 'project' && project !== undefined) return budgets.project.refusal(project, answer.type)
  if (answer.type === 'exhausted') return exhausted(answer.balance, request)
  const held = `${microToCredits(answer.balance.heldMicro)} credits are held by calls in flight`
  const message = `What this call to '${served.model.id}' may cost is more than is free: ${held}. Retry when they have ended.`
  return refuse('credits_held', message, { retryAfterSeconds: 5 })
}

/** Says so where a call is refused because a provider ignored its cap: another form of the call fits. */
function withReason(refusal: Refusal, { request, served }: AdmitRequest, { caps }: Pick<AdmitDeps, 'caps'>): Refusal {
  const longest = request.isStream || request.choices === 0 ? undefined : caps.longest(served.places)
  const cap = request.choices * (largestOutputCap({ request, served }) ?? 0)
  if (longest === undefined || longest.outputTokens <= cap || statusOf(refusal) !== 402) return refusal
  const { outputTokens, forgottenAtMs } = longest
  const why =
    `Its provider answered with ${outputTokens} output tokens at a cap of ${longest.cap}, and an answer that is not streamed cannot be ` +
    `stopped, so that ${outputTokens} are held for it.`
  const what = `Ask for a stream, which is stopped at its cap, or retry after ${new Date(forgottenAtMs).toISOString()}.`
  return { ...refusal, message: `${refusal.message} ${why} ${what}` }
}

function exhausted(balance: Balance, { inputBounds: { references } }: MeteredRequest): Refusal {
  const left = balance.remainingMicro ?? ZERO
  if (left === 0) return refuse('credits_exhausted', `The credits of this key are used up: ${standing(balance)}`)
  const [reference] = references
  const why =
    reference === undefined
      ? ''
      : ` How large ${reference} is cannot be known before, so that as much as fits the model has to be affordable.`
  const message = `The ${microToCredits(left)} credits left do not pay for this call.${why} ${standing(balance)}`
  return refuse('credits_exhausted', message)
}

function uncountable(): Refusal {
  return refuse('invalid_request', 'This call could cost more than can be counted. Lower its output cap or its price.')
}

function unavailable(consequence: string): Refusal {
  const message = `The shared database cannot be asked at the moment, and ${consequence}.`
  return refuse('overloaded', message, { retryAfterSeconds: FLEET_RETRY_SECONDS })
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
