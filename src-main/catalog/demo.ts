// The first start of a fresh Farebox: the demo provider, a package and a key, so that a first call can be made within a
// minute. Prices are far above any real model's, so that credits visibly move.

import { applyDocument } from '#catalog/apply.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { createKey } from '#catalog/keys.ts'
import type { ApplyDocument } from '#contract/schemas.ts'
import { isRefusal } from '#core/refusal.ts'

const DEMO: ApplyDocument = {
  providers: [{ name: 'demo', dialect: 'demo' }],
  models: [
    {
      id: 'demo-chat',
      display_name: 'Demo chat (offline)',
      kind: 'chat',
      context_window: 32_768,
      max_output_tokens: 4_096,
      price: { input: 100, output: 400 },
      targets: [{ provider: 'demo', model: 'demo-chat' }],
    },
    {
      id: 'demo-embedding',
      display_name: 'Demo embedding (offline)',
      kind: 'embedding',
      context_window: 8_192,
      price: { input: 50, output: 0 },
      targets: [{ provider: 'demo', model: 'demo-embedding' }],
    },
  ],
  packages: [{ name: 'starter', type: 'topup', credits: 10 }],
}

/** Sets the demo up in a Farebox in which nothing is set up yet, and returns the first key. */
export async function setUpDemo(context: CatalogContext): Promise<string> {
  const applied = await applyDocument(context, DEMO, false)
  if (isRefusal(applied)) throw new Error(`the demo could not be set up: ${applied.message}`)
  const created = await createKey(context, { name: 'first', package: 'starter' })
  if (isRefusal(created)) throw new Error(`the first key could not be created: ${created.message}`)
  return created.key
}
