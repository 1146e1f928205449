// What a call is charged once it ended, what ends its answer, and what is remembered of it for later calls.

import { isLater, whenThere, type Soon } from '#core/soon.ts'
import type { Attempted } from '#pipeline/attempts.ts'
import type { CapMemory } from '#pipeline/cap-memory.ts'
import { isBeyondCap, mostTokensAt } from '#pipeline/credit-guard.ts'
import type { MeteredRequest } from '#pipeline/endpoints.ts'
import type { Admitted, Ended, Exchange, Finished } from '#pipeline/exchange.ts'
import type { MissingPrices } from '#pipeline/missing-prices.ts'
import type { Clock, TokenCounter } from '#pipeline/ports.ts'
import type { Bill } from '#pipeline/reservation.ts'
import type { RoutingDeps } from '#pipeline/routing.ts'
import {
  faultSettlement,
  isToldByUnits,
  roughSettlementOf,
  settlementOf,
  undelivered,
  usedTokens,
} from '#pipeline/settle.ts'
import type { Settlement } from '#ledger/settlement.ts'

export type BillDeps = {
  readonly counter: TokenCounter
  readonly caps: CapMemory
  readonly missingPrices: MissingPrices
  readonly clock: Clock
  readonly routing: RoutingDeps
  /** Told about mistakes of ours; gets no content. */
  readonly reportFault: (error: unknown, requestId: string) => void
}

export function endedOf({ admitted, startedMs }: Exchange, attempted: Attempted): Ended {
  const { place, prepared, outputCap, sent, reader, relay, headers, end, notes } = attempted
  const used = usedTokens({ reader, request: admitted.request, hasBegun: relay.hasBegun, end, outputCap })
  return {
    type: 'attempted',
    place,
    prepared,
    outputCap,
    sent,
    reader,
    relay,
    headers,
    end,
    notes,
    admitted,
    startedMs,
    usedTokens: used,
  }
}

export type FinishedBill = Bill & Finished

/**
 * What a call is charged, and how its client is to be told; at once where nothing has to be counted. Neither throws nor rejects: a
 * mistake of ours charges nothing.
 */
export function billOf(ended: Ended, deps: BillDeps): Soon<FinishedBill> {
  const { admitted } = ended
  const giveUp = (error: unknown) => {
    deps.reportFault(error, admitted.call.requestId)
    return faultBill(admitted, error)
  }
  try {
    if (ended.end.type === 'fault') deps.reportFault(ended.end.error, admitted.call.requestId)
    noteReport(ended, deps)
    const finished = whenThere(settle(ended, deps), (settlement) => finish(ended, settlement, deps))
    if (isLater(finished)) return finished.then((bill) => noted(ended, bill, deps)).catch(giveUp)
    return noted(ended, finished, deps)
  } catch (error) {
    return giveUp(error)
  }
}

/** Remembers what a call that is finished says about its target. */
function noted(ended: Ended, { end, last, settlement }: FinishedBill, deps: BillDeps): FinishedBill {
  noteLength(ended, settlement, deps)
  const { model, price } = ended.admitted.served
  if (settlement.usageSource !== 'none') deps.missingPrices.note(model.id, settlement, price)
  const isWithheld = end.type === 'complete' && !ended.relay.hasBegun
  return { end, last, settlement, undelivered: isWithheld ? undelivered(settlement) : undefined }
}

/** What a call is charged that a mistake of ours ended. */
export function faultBill({ call, request, served, choice, admission }: Admitted, error: unknown): Bill & Finished {
  const { holder, reservation } = admission
  const { createdAtMs } = reservation.hold
  const { place } = choice.first
  const { attribution } = call
  const settlement = faultSettlement({ caller: holder, request, served, place, createdAtMs, attribution })
  return { end: { type: 'fault', error }, last: undefined, settlement }
}

/**
 * What is charged, and what ends the answer. Both are made before anything is recorded, so that an end that cannot be made is a
 * fault that is settled as one.
 */
function finish(ended: Ended, settlement: Settlement, deps: BillDeps): Soon<FinishedBill> {
  const { end, reader, admitted } = ended
  if (end.type !== 'complete' && end.type !== 'out-of-credits') return { end, last: undefined, settlement }
  try {
    const shown = shownUsage(settlement, admitted.request)
    const last = end.type === 'complete' ? reader.final(shown) : reader.cutShort?.(shown)
    return { end, last, settlement }
  } catch (error) {
    deps.reportFault(error, admitted.call.requestId)
    const fault = { type: 'fault', error } as const
    return whenThere(settle({ ...ended, end: fault }, deps), (instead) => {
      return { end: fault, last: undefined, settlement: instead }
    })
  }
}

/** What a client is shown: an estimate is never above the cap that it gave. */
function shownUsage(settlement: Settlement, { outputCap, choices }: MeteredRequest): Settlement {
  const { outputTokens, estimatedClasses } = settlement
  if (outputCap === undefined || outputTokens === undefined || estimatedClasses?.includes('output') !== true)
    return settlement
  return { ...settlement, outputTokens: Math.min(outputTokens, outputCap * choices) }
}

function settle(ended: Ended, deps: BillDeps): Soon<Settlement> {
  const { admitted, reader, relay, end, place, startedMs, notes } = ended
  const ending = {
    caller: admitted.admission.holder,
    request: admitted.request,
    served: admitted.served,
    place,
    reader,
    end,
    hasBegun: relay.hasBegun,
    createdAtMs: admitted.admission.reservation.hold.createdAtMs,
    firstByteMs: relay.firstByteAtMs === undefined ? undefined : Math.round(relay.firstByteAtMs - startedMs),
    durationMs: Math.round(deps.clock.monotonicMs() - startedMs),
    attempts: notes,
    attribution: admitted.call.attribution,
    outputCap: ended.outputCap,
    ignoresCap: deps.caps.ignoring(place.target) !== undefined,
  }
  // What was delivered is charged even where a mistake of ours keeps it from being counted.
  const roughly = (error: unknown) => {
    deps.reportFault(error, admitted.call.requestId)
    return roughSettlementOf(ending)
  }
  try {
    const settlement = settlementOf(ending, deps.counter)
    return isLater(settlement) ? settlement.catch(roughly) : settlement
  } catch (error) {
    return roughly(error)
  }
}

/** Remembers how long an answer was for its cap, and for its text. */
function noteLength({ admitted, place, outputCap, reader }: Ended, settlement: Settlement, { caps }: BillDeps): void {
  const { outputTokens, usageSource } = settlement
  if (outputCap === undefined || outputTokens === undefined || usageSource === 'none') return
  const { choices, echoedBytes } = admitted.request
  const cap = outputCap * choices
  const { usage, isOutputFinal } = reader.reported
  const reportedTokens = usage?.outputTokens ?? 0
  if (isOutputFinal || reportedTokens > mostTokensAt(cap)) {
    caps.noteCount(place.target, { textBytes: reader.generated.textBytes, outputTokens: reportedTokens })
    caps.note(place.target, { cap, outputTokens: reportedTokens })
    // What we count ourselves is proof only where no tokenizer could make so little of it.
  } else if (isBeyondCap(reader.generated, cap, echoedBytes)) caps.note(place.target, { cap, outputTokens })
}

/** Remembers of a target whether it says what its answers used: where it does not, all charges are by our own count. */
function noteReport({ end, reader, place, admitted }: Ended, { routing }: BillDeps): void {
  routing.health.noteDropped(place.target, reader.droppedPieces ?? 0)
  if (end.type !== 'complete' || reader.hasFailed === true) return
  const { isInputFinal, isOutputFinal } = reader.reported
  const isTold = (isInputFinal && isOutputFinal) || isToldByUnits({ reader, served: admitted.served })
  routing.health.noteUsage(place.target, isTold ? 'reported' : 'missing')
}
