// What Codex reads: a catalogue of models in its own form, which it knows far more members of than are looked at here.

import { Type, type Static } from 'typebox'

export const CodexModels = Type.Object({
  models: Type.Array(
    Type.Object({
      slug: Type.String(),
      display_name: Type.String(),
      context_window: Type.Optional(Type.Integer()),
      supported_reasoning_levels: Type.Array(Type.Object({ effort: Type.String(), description: Type.String() })),
    }),
  ),
})

export type CodexModels = Static<typeof CodexModels>
