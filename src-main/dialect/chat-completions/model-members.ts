// What the clients of chat completions read of a model in a list beside its id: OpenAI's own list has nothing else, so that tools look for
// the members that OpenRouter added, which most gateways and servers took over.

import type { Model } from '#core/entities.ts'
import { modelAbilities, type ModelAbilities } from '#dialect/model-abilities.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What is carried to every provider, whatever its dialect. */
const PARAMETERS = ['max_tokens', 'stop', 'tools', 'tool_choice', 'response_format', 'structured_outputs']
/** What a model of a kind gives, where that is not called as its kind is. */
const OUTPUTS: Readonly<Partial<Record<Model['kind'], string>>> = { chat: 'text', embedding: 'embeddings' }
const SAMPLING = ['temperature', 'top_p']
const REASONING = ['reasoning', 'reasoning_effort', 'include_reasoning']

export function chatModelMembers(model: Model): JsonObject {
  const { contextWindow, maxOutputTokens, kind } = model
  const abilities = modelAbilities(model)
  const context = contextWindow > 0 ? contextWindow : null
  return {
    context_length: context,
    top_provider: { context_length: context, max_completion_tokens: maxOutputTokens > 0 ? maxOutputTokens : null },
    architecture: {
      input_modalities: abilities?.inputs ?? ['text'],
      output_modalities: [OUTPUTS[kind] ?? kind],
    },
    supported_parameters: kind === 'chat' ? parametersOf(abilities) : [],
    ...(kind !== 'chat' || abilities === undefined ? {} : { reasoning: reasoningOf(abilities) }),
  }
}

/** A model that nobody knows takes what most do. */
function parametersOf(abilities: ModelAbilities | undefined): readonly string[] {
  return [
    ...PARAMETERS,
    ...(abilities?.hasSampling === false ? [] : SAMPLING),
    ...(abilities === undefined || abilities.efforts.length === 0 ? [] : REASONING),
  ]
}

function reasoningOf({ efforts }: ModelAbilities): JsonObject | null {
  return efforts.length === 0 ? null : { supported_efforts: efforts }
}
