// The search for model servers on this machine, as the admin API and the command line share it.

import { Type, type Static } from 'typebox'
import { KindSource, ModelKind, strict } from '#contract/fields.ts'

const LocalServerName = Type.Enum(['ollama', 'lm-studio', 'llama-cpp', 'vllm'])
const Port = Type.Integer({ minimum: 1, maximum: 65_535 })
/** One, or several where more than one server of the kind runs. */
const Ports = Type.Union([Port, Type.Array(Port, { minItems: 1, maxItems: 8 })])
export const DiscoveryBody = strict({
  /** The servers of which providers and models are made; without it nothing is. */
  add: Type.Optional(Type.Union([Type.Literal('all'), Type.Array(LocalServerName, { maxItems: 4 })])),
  /** What the models are for of which no server says it. */
  kind: Type.Optional(ModelKind),
  /** Where a server is looked for instead of at its usual ports. */
  ports: Type.Optional(
    strict({
      ollama: Type.Optional(Ports),
      'lm-studio': Type.Optional(Ports),
      'llama-cpp': Type.Optional(Ports),
      vllm: Type.Optional(Ports),
    }),
  ),
})
export const DiscoveryView = strict({
  servers: Type.Array(
    strict({
      id: LocalServerName,
      name: Type.String(),
      base_url: Type.String(),
      state: Type.Enum(['found', 'needs-key', 'not-found']),
      version: Type.Union([Type.String(), Type.Null()]),
      /** The provider that is set up at this base URL. */
      provider: Type.Union([Type.String(), Type.Null()]),
      /** The name that a provider of it would get; its own one where there is a provider. */
      name_here: Type.String(),
      models: Type.Array(
        strict({
          name: Type.String(),
          kind: ModelKind,
          /** `provider`: the server says so. `name`: nobody does. */
          kind_source: KindSource,
          context_window: Type.Union([Type.Integer(), Type.Null()]),
          /** The model that is served from it. */
          model: Type.Union([Type.String(), Type.Null()]),
          /** Whether it tells a context window here that was assumed until now; `add` takes it over. */
          tells_context: Type.Boolean(),
        }),
      ),
    }),
  ),
  added: strict({
    providers: Type.Array(Type.String()),
    models: Type.Array(Type.String()),
    /** Models that were there, and have the context window now that their server tells. */
    contexts: Type.Array(Type.String()),
  }),
})

export type DiscoveryBody = Static<typeof DiscoveryBody>
export type DiscoveryView = Static<typeof DiscoveryView>
