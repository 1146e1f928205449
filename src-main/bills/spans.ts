// Stretches of time of a report, in order, and which of them an instant is in.

import { eachOnce, modelNameOf, spanName, type Span } from '#bills/report.ts'

/** Each of them once. */
export function inOrder(spans: readonly Span[]): Span[] {
  return eachOnce(spans).toSorted((one, other) => one.startMs - other.startMs || one.endMs - other.endMs)
}

/** Whether some time is in two of them: calls of that time would be compared twice. */
export function doOverlap(spans: readonly Span[]): boolean {
  const ordered = inOrder(spans)
  return ordered.some(({ startMs }, index) => startMs < (ordered[index - 1]?.endMs ?? -Infinity))
}

/** The one that has this instant in it. `ordered` are in order and do not overlap. */
export function spanAt(ordered: readonly Span[], instantMs: number): Span | undefined {
  let [low, high] = [0, ordered.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ordered[middle]?.endMs ?? Infinity) <= instantMs) low = middle + 1
    else high = middle
  }
  const span = ordered[low]
  return span !== undefined && span.startMs <= instantMs ? span : undefined
}

/** Names the stretch of time and the model that something belongs to; undefined where the report does not have its time. */
export type PlaceOf = (one: { readonly startMs: number; readonly model?: string | undefined }) => string | undefined

/** In the spans that are named in `whole`, models are not told apart. */
export function placesIn(ordered: readonly Span[], whole: ReadonlySet<string> = new Set()): PlaceOf {
  return ({ startMs, model = '' }) => {
    const span = spanAt(ordered, startMs)
    if (span === undefined) return undefined
    const name = spanName(span)
    return whole.has(name) ? name : `${name} ${modelNameOf(model)}`
  }
}
