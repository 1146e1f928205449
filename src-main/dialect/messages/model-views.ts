// The list of models as Anthropic's clients read it.

import type { Model } from '#core/entities.ts'
import type { ModelViews } from '#dialect/model-views.ts'
import { modelAbilities, type ModelAbilities } from '#dialect/model-abilities.ts'
import type { JsonObject } from '#dialect/turn.ts'

const LEVELS = ['low', 'medium', 'high', 'xhigh', 'max'] as const

export const MESSAGES_MODELS: ModelViews = {
  isFor: ({ headers }) => headers['anthropic-version'] !== undefined,
  // On one page, whatever size of pages is asked for.
  list: (models) => {
    const data = models.map(modelView)
    return { data, has_more: false, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null }
  },
  show: modelView,
}

function modelView(model: Model): JsonObject {
  const { id, displayName, createdAtMs } = model
  return {
    type: 'model',
    id,
    display_name: displayName,
    created_at: new Date(createdAtMs).toISOString(),
    ...messagesModelMembers(model),
  }
}

/** Members that strict clients want. What nobody here can know is null, as they allow. */
export function messagesModelMembers(model: Model): JsonObject {
  const { contextWindow, maxOutputTokens, kind } = model
  const abilities = kind === 'chat' ? modelAbilities(model) : undefined
  return {
    max_input_tokens: contextWindow > 0 ? contextWindow : null,
    max_tokens: maxOutputTokens > 0 ? maxOutputTokens : null,
    capabilities: abilities === undefined ? null : capabilitiesOf(abilities),
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
  }
}

/** What cannot be had through a gateway that may translate is not supported, whatever the model can do. */
function capabilitiesOf({ inputs, efforts }: ModelAbilities): JsonObject {
  const supported = (is: boolean) => ({ supported: is })
  const thinks = efforts.some((effort) => effort !== 'none')
  const types = {
    adaptive: supported(thinks),
    enabled: supported(thinks),
    disabled: supported(true),
    between_tools: supported(thinks),
  }
  const effort = Object.fromEntries(LEVELS.map((level) => [level, supported(efforts.includes(level))]))
  return {
    batch: supported(false),
    citations: supported(false),
    code_execution: supported(false),
    context_management: {
      ...supported(false),
      clear_thinking_20251015: null,
      clear_tool_uses_20250919: null,
      compact_20260112: null,
    },
    effort: { ...supported(thinks), ...effort },
    image_input: supported(inputs.includes('image')),
    pdf_input: supported(inputs.includes('file')),
    server_tools: { ...supported(false), code_execution: supported(false), web_search: supported(false) },
    structured_outputs: supported(true),
    thinking: { ...supported(thinks), types },
  }
}
