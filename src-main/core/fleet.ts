// What gateways that share their books say when they cannot be asked, and what an administrator is told of it.

import { refuse, type Refusal } from '#core/refusal.ts'

/**
 * Why a change was not made: the shared books cannot be reached, another gateway made one in the same moment, or such a change cannot be made
 * by several gateways.
 */
export type FleetProblem = 'unreachable' | 'overtaken' | 'not-shared'

/** A change that is not made, on no gateway. */
export class FleetRefused extends Error {
  readonly problem: FleetProblem

  constructor(problem: FleetProblem) {
    super(`the shared books do not take the change: ${problem}`)
    this.name = 'FleetRefused'
    this.problem = problem
  }
}

/** The refusal of a change that the shared books did not take; undefined for every other error. */
export function fleetRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof FleetRefused)) return undefined
  switch (error.problem) {
    case 'unreachable': {
      const says = 'The shared database cannot be reached, so nothing was changed. Try again when it is back.'
      return refuse('overloaded', says, { retryAfterSeconds: FLEET_RETRY_SECONDS })
    }
    case 'overtaken':
      return refuse(
        'conflict',
        'Another gateway changed something in the same moment, so nothing was changed. Try again.',
      )
    case 'not-shared': {
      const says =
        'While several gateways share the books, the type and the time zone of a package with keys cannot change, and use cannot be forgotten. Nothing was changed.'
      return refuse('conflict', says)
    }
  }
}

/** When to ask again while the shared books cannot be reached. */
export const FLEET_RETRY_SECONDS = 5
