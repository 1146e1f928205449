// How far the first set-up has come. What was skipped is remembered in this browser; everything else is seen from what is there.

export const STEPS = ['provider', 'key', 'connect', 'arrive'] as const
export type Step = (typeof STEPS)[number]

/** The part of the browser's storage that is used. */
type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>

const SKIPPED = 'farebox-first-run'

export function isFirstRunSkipped(storage: Storage): boolean {
  return storage.getItem(SKIPPED) === 'skipped'
}

export function skipFirstRun(storage: Storage): void {
  storage.setItem(SKIPPED, 'skipped')
}

type State = {
  /** Whether a provider other than the demo is set up. */
  readonly hasProvider: boolean
  readonly hasModel: boolean
  readonly hasKey: boolean
}

/** The first step of which the result is not there yet. */
export function openStep({ hasProvider, hasModel, hasKey }: State): Step {
  if (!hasProvider || !hasModel) return 'provider'
  return hasKey ? 'connect' : 'key'
}

export function stepAfter(step: Step): Step | undefined {
  return STEPS[STEPS.indexOf(step) + 1]
}

export function stepBefore(step: Step): Step | undefined {
  return STEPS[STEPS.indexOf(step) - 1]
}
