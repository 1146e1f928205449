// The demo: a provider that calls nobody, its models, a package and a first key, so that a first call can be made within a
// minute. A fresh Farebox sets it up by itself; an administrator can have it later. Prices are far above any real model's, so
// that credits visibly move.

import { carryOut, changesOf, planDocument } from '#catalog/apply.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { createdView, newKey, withAccount } from '#catalog/keys.ts'
import type { DemoView } from '#contract/demo.ts'
import type { ProviderCreate } from '#contract/providers.ts'
import type { ApplyDocument, ModelCreate, PackageCreate } from '#contract/schemas.ts'
import { isDemo } from '#core/provider-dialect.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

const PROVIDER = { name: 'demo', dialect: 'demo' } satisfies ProviderCreate

const MODELS = [
  {
    id: 'demo-chat',
    display_name: 'Demo chat (offline)',
    kind: 'chat',
    context_window: 32_768,
    max_output_tokens: 4_096,
    price: { input: 100, output: 400 },
  },
  {
    id: 'demo-embedding',
    display_name: 'Demo embedding (offline)',
    kind: 'embedding',
    context_window: 8_192,
    price: { input: 50, output: 0 },
  },
] satisfies readonly Omit<ModelCreate, 'targets'>[]

const PACKAGE = { name: 'starter', type: 'topup', credits: 10 } satisfies PackageCreate

/** Sets up what is missing of the demo and leaves what is there as it is. Makes a key only where there is none at all. */
export async function addDemo(context: CatalogContext): Promise<DemoView | Refusal> {
  const missing = missingOf(context)
  if (isRefusal(missing)) return missing
  const plan = await planDocument(context, missing)
  if (isRefusal(plan)) return plan
  const made = changesOf(plan).map(({ kind, name }) => ({ kind, name }))
  const entity = plan.packages[0]?.entity ?? context.catalog.package(PACKAGE.name)
  if (context.catalog.keys.length > 0 || entity === undefined) {
    return (await carryOut(context, plan)) ?? { made, key: null }
  }
  const first = newKey(context, entity, { name: 'first' })
  if (isRefusal(first)) return first
  const rows = [{ type: 'put-key', key: first.key } as const]
  const refusal = await withAccount(context, first.key, entity, (batch) => carryOut(context, plan, { rows, batch }))
  return refusal ?? { made, key: createdView(first) }
}

/** Sets the demo up in a Farebox in which nothing is set up yet, and returns the first key. */
export async function setUpDemo(context: CatalogContext): Promise<string> {
  const demo = await addDemo(context)
  if (isRefusal(demo)) throw new Error(`the demo could not be set up: ${demo.message}`)
  if (demo.key === null) throw new Error('the demo was set up where there are keys already')
  return demo.key.key
}

/** A demo provider may have been given another name; its models are served from there. */
function missingOf({ catalog }: CatalogContext): ApplyDocument | Refusal {
  const present = catalog.providers.find(isDemo)
  if (present === undefined && catalog.provider(PROVIDER.name) !== undefined) {
    return refuse('conflict', `There is a provider '${PROVIDER.name}' that is not the demo. Remove it first.`)
  }
  const name = present?.name ?? PROVIDER.name
  return {
    providers: present === undefined ? [PROVIDER] : [],
    models: MODELS.filter(({ id }) => catalog.model(id) === undefined).map((model) => ({
      ...model,
      targets: [{ provider: name, model: model.id }],
    })),
    packages: catalog.package(PACKAGE.name) === undefined ? [PACKAGE] : [],
  }
}
