// The search for model servers on this machine, as the admin API and the command line share it.

import { Type, type Static } from 'typebox'
import { strict } from '#contract/fields.ts'

const LocalServerName = Type.Enum(['ollama', 'lm-studio', 'llama-cpp', 'vllm'])
const Port = Type.Integer({ minimum: 1, maximum: 65_535 })
export const DiscoveryBody = strict({
  /** The servers of which providers and models are made; without it nothing is. */
  add: Type.Optional(Type.Union([Type.Literal('all'), Type.Array(LocalServerName, { maxItems: 4 })])),
  /** Where a server is looked for instead of at its usual port. */
  ports: Type.Optional(
    strict({
      ollama: Type.Optional(Port),
      'lm-studio': Type.Optional(Port),
      'llama-cpp': Type.Optional(Port),
      vllm: Type.Optional(Port),
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
      models: Type.Array(
        strict({
          name: Type.String(),
          kind: Type.String(),
          context_window: Type.Union([Type.Integer(), Type.Null()]),
          /** The model that is served from it. */
          model: Type.Union([Type.String(), Type.Null()]),
        }),
      ),
    }),
  ),
  added: strict({ providers: Type.Array(Type.String()), models: Type.Array(Type.String()) }),
})

export type DiscoveryBody = Static<typeof DiscoveryBody>
export type DiscoveryView = Static<typeof DiscoveryView>
