// Providers, what they have, and the model servers of this machine.

import type { CatalogContext } from '#catalog/context.ts'
import { addDiscovered } from '#catalog/discovered.ts'
import { addOffers, offersOf } from '#catalog/offers.ts'
import { modelListPlace } from '#catalog/presets.ts'
import { addProviderSecret, editProviderSecret, removeProviderSecret } from '#catalog/provider-secrets.ts'
import { addProvider, editProvider, noProvider, removeProvider, setProviderSecret } from '#catalog/providers.ts'
import { loadPresets } from '#catalog/resources.ts'
import { refreshSecrets, secretState } from '#catalog/secrets.ts'
import { providerView } from '#catalog/views.ts'
import type { ProviderModelsAdd, ProviderModelsAdded } from '#contract/provider-models.ts'
import type { Provider } from '#core/entities.ts'
import type { ListedModel } from '#core/listed-model.ts'
import { isDemo } from '#core/provider-dialect.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import { fields, type AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

export const PROVIDER_AUDIT: AuditRules = {
  kept: fields(
    'name preset dialect base_url network secret_header headers header_secrets',
    'output_cap_field on_disconnect quirks platform stream_usage reasoning_field tool_ids system_role',
    'later_system parallel_tool_calls cache_marks top_k max_stops json_schema reasoning_effort',
    'user_after_tool keeps_threads stops_streams_only',
    'limits concurrent_requests requests_per_minute tokens_per_minute credits_per_day',
    'label weight',
    'time_limits connect_ms first_byte_ms silence_ms',
    'model models kind context_window max_output_tokens add ports',
  ),
  subject: (catalog, id) => catalog.provider(id)?.name,
}

export function providerHandlers(deps: EntityDeps): HandlersOf<'providers'> {
  const { context, inTurn } = deps
  const { catalog } = context
  const secretsShown = (provider: Provider | Refusal) => (isRefusal(provider) ? provider : deps.secretsOf(provider))
  return {
    listPresets: () => [...loadPresets()],
    listProviders: async () => {
      await refreshSecrets(context)
      return catalog.providers.map((provider) => providerView(provider, secretState(context, provider)))
    },
    addProvider: ({ body }) => inTurn(() => addProvider(context, body)),
    setProviderSecret: ({ id, body }) => inTurn(() => setProviderSecret(context, id, body.secret)),
    listProviderSecrets: async ({ id }) => {
      await refreshSecrets(context)
      return secretsShown(catalog.provider(id) ?? noProvider(id))
    },
    addProviderSecret: async ({ id, body }) => secretsShown(await inTurn(() => addProviderSecret(context, id, body))),
    editProviderSecret: async ({ id, body }) => secretsShown(await inTurn(() => editProviderSecret(context, id, body))),
    removeProviderSecret: ({ id, query }) => inTurn(() => removeProviderSecret(context, id, query.label)),
    testProvider: ({ id, query }) => {
      const provider = catalog.provider(id)
      return provider === undefined ? noProvider(id) : deps.testProvider(provider, query.model)
    },
    listProviderModels: async ({ id }) => {
      const asked = await askForModels(deps, id)
      if (isRefusal(asked)) return asked
      return { provider: asked.provider.name, models: offersOf(catalog, asked.provider, asked.listed) }
    },
    addProviderModels: async ({ id, body }) => {
      // Asked before its turn: a slow provider must not hold up other changes.
      const asked = await askForModels(deps, id)
      return isRefusal(asked) ? asked : inTurn(() => addListed(context, { ...asked, input: body }))
    },
    editProvider: ({ id, body }) => inTurn(() => editProvider(context, id, body)),
    removeProvider: ({ id }) => inTurn(() => removeProvider(context, id)),
    discover: async ({ body }) => {
      const servers = await deps.discover(body.ports)
      return inTurn(() => addDiscovered(context, servers, body))
    },
  }
}

type ProviderOffer = { readonly provider: Provider; readonly listed: readonly ListedModel[] }

async function askForModels({ context, listModels }: EntityDeps, idOrName: string): Promise<ProviderOffer | Refusal> {
  const provider = context.catalog.provider(idOrName)
  if (provider === undefined) return noProvider(idOrName)
  if (isDemo(provider)) return refuse('invalid_request', 'The models of the demo are set up with it.')
  const listed = await listModels(provider, modelListPlace(provider))
  return isRefusal(listed) ? listed : { provider, listed }
}

/** The provider may have gone while it was asked. */
async function addListed(
  context: CatalogContext,
  { provider, listed, input }: ProviderOffer & { readonly input: ProviderModelsAdd },
): Promise<ProviderModelsAdded | Refusal> {
  const present = context.catalog.provider(provider.id)
  return present === undefined ? noProvider(provider.name) : addOffers(context, present, { listed, input })
}
