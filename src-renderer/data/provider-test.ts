// Which models a test of a provider can ask, and what that costs.

import type { ModelView } from '#contract/schemas.ts'

/** What a test asks with, and the most that it asks for, in tokens. */
const TEST_CALL = { inputTokens: 16, outputTokens: 16 }

type ModelOfProvider = { readonly name: string; readonly price: ModelView['price'] }

/** Those that generate text, each by its name at the provider. */
export function modelsAt(provider: string, models: readonly ModelView[]): readonly ModelOfProvider[] {
  const found = new Map<string, ModelOfProvider>()
  for (const { kind, targets, price } of models) {
    if (kind !== 'chat') continue
    for (const target of targets) {
      if (target.provider === provider && !found.has(target.model))
        found.set(target.model, { name: target.model, price })
    }
  }
  return [...found.values()].toSorted((left, right) => left.name.localeCompare(right.name))
}

/** In micro-credits, rounded up; undefined where nobody said what the model costs. */
export function mostMicroOfTest(price: ModelView['price'] | undefined): bigint | undefined {
  if (price === null || price === undefined) return undefined
  // Credits per million tokens are micro-credits per token.
  return BigInt(Math.ceil(TEST_CALL.inputTokens * price.input + TEST_CALL.outputTokens * price.output))
}
