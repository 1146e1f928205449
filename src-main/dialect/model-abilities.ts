// What models take and how long they can be made to think, by the names under which providers know them. Few providers tell it, and lists
// of models are read for it by nearly every tool. A name that says nothing is answered with undefined: unknown is not "no".

import type { Model } from '#core/entities.ts'
import { modelFacts as geminiFacts, type Thinking } from '#dialect/gemini/model-facts.ts'
import { modelFacts as claudeFacts } from '#dialect/messages/model-facts.ts'
import { isOpenAiModel } from '#dialect/openai-models.ts'
import { EFFORTS, type Effort } from '#dialect/turn.ts'

export const INPUTS = ['text', 'image', 'file', 'audio', 'video'] as const
/** What can be in a request beside words. */
export type InputKind = (typeof INPUTS)[number]

export type ModelAbilities = {
  readonly inputs: readonly InputKind[]
  /** Efforts that make a difference; none for a model that does not reason. */
  readonly efforts: readonly Effort[]
  /** Whether temperature and the like are taken. */
  readonly hasSampling: boolean
}

const DOCUMENTS: readonly InputKind[] = ['text', 'image', 'file']
const BUDGETED: readonly Effort[] = ['low', 'medium', 'high']

/** What all targets of a model can do; undefined where one of them has a name that says nothing. */
export function modelAbilities({ targets }: Pick<Model, 'targets'>): ModelAbilities | undefined {
  const all = targets.map(({ upstreamModel }) => abilitiesByName(upstreamModel))
  const known = all.filter((one) => one !== undefined)
  if (known.length === 0 || known.length < all.length) return undefined
  return {
    inputs: INPUTS.filter((input) => known.every(({ inputs }) => inputs.includes(input))),
    efforts: EFFORTS.filter((effort) => known.every(({ efforts }) => efforts.includes(effort))),
    hasSampling: known.every(({ hasSampling }) => hasSampling),
  }
}

function abilitiesByName(upstreamModel: string): ModelAbilities | undefined {
  const name = upstreamModel.toLowerCase()
  if (name.includes('claude')) return claudeAbilities(upstreamModel)
  if (/(?:^|\/)gemini-/.test(name)) {
    const { thinking } = geminiFacts(upstreamModel)
    return { inputs: INPUTS, efforts: geminiEfforts(thinking), hasSampling: true }
  }
  return isOpenAiModel(upstreamModel) ? openAiAbilities(name.replace(/^openai\//, '')) : undefined
}

function claudeAbilities(upstreamModel: string): ModelAbilities {
  const { thinking, efforts, sampling } = claudeFacts(upstreamModel)
  const budgeted = thinking === 'budget' ? BUDGETED : []
  return { inputs: DOCUMENTS, efforts: efforts.length > 0 ? efforts : budgeted, hasSampling: sampling !== 'none' }
}

function geminiEfforts(thinking: Thinking): readonly Effort[] {
  switch (thinking.type) {
    case 'none':
      return []
    case 'budget':
      return thinking.canStop ? ['none', ...BUDGETED] : BUDGETED
    case 'level': {
      const lowest: readonly Effort[] = thinking.lowest === 'minimal' ? ['minimal', 'low'] : ['low']
      return thinking.hasMedium ? [...lowest, 'medium', 'high'] : [...lowest, 'high']
    }
  }
}

/** The first pattern that fits counts. The newest are what names are taken for that nobody knows yet. */
const OPENAI_EFFORTS: readonly (readonly [RegExp, readonly Effort[]])[] = [
  [/^gpt-(?:3|4)|^chatgpt-|^gpt-5-chat/, []],
  [/^(?:o\d|codex-mini|computer-use-)/, BUDGETED],
  [/^gpt-5(?:-(?!chat)|$)/, ['minimal', ...BUDGETED]],
  [/^gpt-5\.1-codex-max/, [...BUDGETED, 'xhigh']],
  [/^gpt-5\.1/, ['none', ...BUDGETED]],
  [/^gpt-5\.[2-5]/, [...BUDGETED, 'xhigh']],
  [/^/, [...BUDGETED, 'xhigh', 'max']],
]

function openAiAbilities(name: string): ModelAbilities {
  const efforts = OPENAI_EFFORTS.find(([pattern]) => pattern.test(name))?.[1] ?? []
  return { inputs: name.startsWith('gpt-3') ? ['text'] : DOCUMENTS, efforts, hasSampling: efforts.length === 0 }
}
