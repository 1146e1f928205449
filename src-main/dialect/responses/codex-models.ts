// The list of models as Codex reads it, from `GET /v1/models?client_version=…` and from the file that its setting `model_catalog_json`
// names. Of a model that it does not find there it assumes little: a context window of its own guess, no patches, no levels of reasoning.
// The members are those that versions of 2026 insist on; it passes over the others.

import type { Model } from '#core/entities.ts'
import type { ModelViews } from '#dialect/model-views.ts'
import { modelAbilities, type ModelAbilities } from '#dialect/model-abilities.ts'
import { CODEX_INSTRUCTIONS } from '#dialect/responses/codex-instructions.ts'
import type { Effort } from '#dialect/turn.ts'

/** What its picker shows beside a level. */
const LEVELS: Readonly<Record<Effort, string>> = {
  none: 'Answers without reasoning',
  minimal: 'Reasons hardly at all',
  low: 'Reasons briefly',
  medium: 'Reasons as much as most tasks need',
  high: 'Reasons at length, for hard tasks',
  xhigh: 'Reasons at great length',
  max: 'Reasons for as long as the model can',
}

/** In tokens of a tool's output; what Codex gives to models that it knows. */
const LONGEST_OUTPUT = 10_000

export const CODEX_MODELS: ModelViews = {
  isFor: ({ query }) => query['client_version'] !== undefined,
  list: codexModels,
  show: (model) => modelView(model, 0),
}

/** What the file holds. */
export function codexModels(models: readonly Model[]) {
  return { models: models.filter(({ kind }) => kind === 'chat').map(modelView) }
}

function modelView(model: Model, index: number) {
  const { id, displayName, contextWindow } = model
  const abilities = modelAbilities(model)
  return {
    slug: id,
    display_name: displayName,
    description: null,
    ...reasoningOf(abilities?.efforts ?? []),
    ...(abilities === undefined ? {} : { input_modalities: inputsOf(abilities) }),
    ...(contextWindow > 0 ? { context_window: contextWindow, max_context_window: contextWindow } : {}),
    shell_type: 'unified_exec',
    apply_patch_tool_type: 'freeform',
    truncation_policy: { mode: 'tokens', limit: LONGEST_OUTPUT },
    supports_parallel_tool_calls: true,
    support_verbosity: false,
    default_verbosity: null,
    experimental_supported_tools: [],
    visibility: 'list',
    supported_in_api: true,
    // The first one is what Codex takes where nobody chose a model.
    priority: index,
    upgrade: null,
    base_instructions: CODEX_INSTRUCTIONS,
  }
}

function reasoningOf(efforts: readonly Effort[]) {
  const usual = efforts.includes('medium') ? 'medium' : efforts[0]
  return {
    supports_reasoning_summaries: efforts.length > 0,
    supported_reasoning_levels: efforts.map((effort) => ({ effort, description: LEVELS[effort] })),
    ...(usual === undefined ? {} : { default_reasoning_level: usual }),
  }
}

/** It knows no others, and would read nothing of a list that has one. */
function inputsOf({ inputs }: ModelAbilities): readonly string[] {
  return inputs.filter((input) => input === 'text' || input === 'image')
}
