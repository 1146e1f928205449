// Which counts a provider can report of a call: what its request, the context window and the output cap allow.

import type { UsageBounds } from '#core/possible-usage.ts'
import { mostTokensAt } from '#pipeline/credit-guard.ts'
import type { MeteredRequest } from '#pipeline/endpoints.ts'
import type { Served } from '#pipeline/resolve.ts'

/** An output that nothing caps, such as an image, may be so many times what its hold takes it for. */
const UNCAPPED_MARGIN = 4
const UNCAPPED_MARGIN_TOKENS = 1024
/** A provider that runs tools or shortens the conversation by itself may generate so often for one answer. */
const MAX_ROUNDS = 4
/** More of a unit than any provider makes of one call, and how many times what the call holds. */
const MAX_UNITS = 1000
const UNITS_MARGIN = 16

type BoundedCall = {
  readonly request: MeteredRequest
  readonly served: Served
  readonly upstreamModel: string
  readonly outputCap: number | undefined
}

export function usageBounds({ request, served, upstreamModel, outputCap }: BoundedCall): UsageBounds {
  const { choices, inputBounds, output, units, echoedBytes = 0 } = request
  const { contextWindow } = served.model
  const inputTokens = inputBounds.possible(contextWindow, [upstreamModel])
  const uncapped = UNCAPPED_MARGIN * (output?.mostTokens ?? 0) + UNCAPPED_MARGIN_TOKENS
  const rounds = inputBounds.references.length === 0 ? 1 : MAX_ROUNDS
  const cappedTokens = outputCap === undefined ? uncapped : rounds * mostTokensAt(outputCap * choices)
  const contextTokens = contextWindow > 0 ? rounds * Math.max(1, choices) * contextWindow : Infinity
  const held = units === undefined ? 0 : Object.values(units).reduce((sum, count) => sum + count, 0)
  return {
    inputTokens,
    cappedTokens: Math.min(cappedTokens, Math.max(contextTokens, (outputCap ?? 0) * choices)),
    contextTokens,
    units: MAX_UNITS + UNITS_MARGIN * held,
    echoedBytes,
  }
}
