import { STEPS, type Step } from '#renderer/data/first-run.ts'
import { choiceIn, textIn } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark, so that it can be left and come back to. */
export type FirstRunSearch = {
  readonly step?: Step
  /** The key that is connected, by id. Its value is never in an address. */
  readonly key?: string
  readonly model?: string
}

export function parseSearch(raw: Readonly<Record<string, unknown>>): FirstRunSearch {
  return { ...choiceIn(raw, 'step', STEPS), ...textIn(raw, 'key'), ...textIn(raw, 'model') }
}
