// Where several gateways share their books, and answers are complete only once their charges are in these: what becomes of one that cannot be.

import { refuse, type Refusal } from '#core/refusal.ts'
import { FLEET_RETRY_SECONDS } from '#core/fleet.ts'
import { whenThere, type Soon } from '#core/soon.ts'
import type { FinishedBill } from '#pipeline/bill.ts'
import type { Finished } from '#pipeline/exchange.ts'
import type { SharedKeeping } from '#pipeline/leases.ts'
import type { Bill } from '#pipeline/reservation.ts'

/** A whole answer of which nothing was sent yet costs nothing where its charge could not be kept: it is looked at before there is one. */
export function payable(bill: Soon<FinishedBill>, keeping: SharedKeeping | undefined): Soon<FinishedBill> {
  if (keeping === undefined) return bill
  return whenThere(bill, (made) => {
    const { undelivered } = made
    if (undelivered === undefined || !isCharged(made)) return made
    return whenThere(keeping.canKeep(), (can) => (can ? made : { settlement: undelivered, ...notKept() }))
  })
}

/** How a client is to be told whose answer was charged: that it is complete, once the charge is kept. */
export function told(bill: FinishedBill, keeping: SharedKeeping | undefined): Soon<Finished> {
  const hasWholeEnd = bill.end.type === 'complete' || bill.end.type === 'out-of-credits'
  if (keeping === undefined || !hasWholeEnd || !isCharged(bill)) return bill
  return keeping.isKept().then((is) => (is ? bill : notKept()))
}

function isCharged({ settlement }: Bill): boolean {
  return settlement.chargeMicro > 0
}

function notKept(): Finished {
  return { end: { type: 'stopped', refusal: unkept() }, last: undefined }
}

function unkept(): Refusal {
  const message =
    'The shared database cannot be asked at the moment, so the charge of this answer could not be kept there.'
  return refuse('overloaded', message, { retryAfterSeconds: FLEET_RETRY_SECONDS })
}
