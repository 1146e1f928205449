// The `generationConfig` of a Gemini request: the cap, sampling, thinking and the form of the answer.

import type { Quirks } from '#core/quirks.ts'
import { cleanSchema, type SchemaAllowance } from '#dialect/gemini/schema.ts'
import type { Dropped } from '#dialect/gemini/model-parts.ts'
import type { GeminiFacts, Thinking } from '#dialect/gemini/model-facts.ts'
import {
  budgetOfEffort,
  effortOfBudget,
  type Conversation,
  type Effort,
  type JsonObject,
  type OutputFormat,
  type ReasoningWish,
} from '#dialect/turn.ts'

export type GenerationContext = {
  readonly facts: GeminiFacts
  readonly quirks: Quirks
  readonly allowance: SchemaAllowance
  /** Tools decide whether a form of the answer may be asked for. */
  readonly hasCalls: boolean
  readonly forcesCalls: boolean
  readonly dropped: Dropped
}

/** Everything but the cap. Members that are undefined are left out of the JSON text. */
export function writeGeneration(conversation: Conversation, context: GenerationContext): JsonObject {
  const { facts, quirks, dropped } = context
  const { sampling, choices } = conversation
  const stops = conversation.stop.filter((text) => text !== '')
  if (stops.length > quirks.maxStops) dropped.add('stop')
  if (!quirks.topK && sampling.topK !== undefined) dropped.add('top_k')
  if (!facts.hasPenalties && isSet(sampling.presencePenalty)) dropped.add('presence_penalty')
  if (!facts.hasPenalties && isSet(sampling.frequencyPenalty)) dropped.add('frequency_penalty')
  return {
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: quirks.topK ? sampling.topK : undefined,
    seed: sampling.seed,
    presencePenalty: facts.hasPenalties ? sampling.presencePenalty : undefined,
    frequencyPenalty: facts.hasPenalties ? sampling.frequencyPenalty : undefined,
    stopSequences: stops.length === 0 ? undefined : stops.slice(0, quirks.maxStops),
    candidateCount: choices > 1 ? choices : undefined,
    ...writeFormat(conversation.format, context),
    thinkingConfig: writeThinking(conversation.reasoning, facts.thinking, dropped),
  }
}

function isSet(penalty: number | undefined): boolean {
  return penalty !== undefined && penalty !== 0
}

function writeFormat(format: OutputFormat | undefined, context: GenerationContext): JsonObject {
  if (format === undefined) return {}
  // Forced calls and a form of the answer exclude each other in every model.
  if (context.forcesCalls || (context.hasCalls && !context.facts.hasJsonWithTools)) {
    context.dropped.add('response_format')
    return {}
  }
  const responseSchema = format.type === 'json' ? undefined : cleanSchema(format.schema, context.allowance)
  return { responseMimeType: 'application/json', responseSchema }
}

function writeThinking(wish: ReasoningWish, thinking: Thinking, dropped: Dropped): JsonObject | undefined {
  const { effort, budgetTokens, isShown } = wish
  const isWished = effort !== undefined || budgetTokens !== undefined
  const isOff = effort === 'none' || (effort === undefined && budgetTokens === 0)
  if (thinking.type === 'none') {
    if (isWished && !isOff) dropped.add('reasoning')
    return undefined
  }
  const canStop = thinking.type === 'budget' && thinking.canStop
  // These models think in any case; the least is asked for.
  if (isOff && !canStop) dropped.add('reasoning')
  const includeThoughts = isShown && !isOff ? true : undefined
  if (!isWished) return includeThoughts === undefined ? undefined : { includeThoughts }
  if (thinking.type === 'level') {
    const wished = effort ?? effortOfBudget(budgetTokens ?? 0)
    return { thinkingLevel: levelOf(isOff ? 'none' : wished, thinking).toUpperCase(), includeThoughts }
  }
  const budget = budgetTokens ?? budgetOfEffort(effort ?? 'none')
  return { thinkingBudget: isOff ? (canStop ? 0 : thinking.minimum) : within(budget, thinking), includeThoughts }
}

function within(budget: number, { minimum, maximum }: { readonly minimum: number; readonly maximum: number }): number {
  return Math.min(Math.max(Math.trunc(budget), minimum), maximum)
}

function levelOf(effort: Effort, { lowest, hasMedium }: Extract<Thinking, { type: 'level' }>): string {
  switch (effort) {
    case 'none':
    case 'minimal':
      return lowest
    case 'low':
      return 'low'
    case 'medium':
      return hasMedium ? 'medium' : 'high'
    case 'high':
    case 'xhigh':
    case 'max':
      return 'high'
  }
}

/**
 * The configuration with its cap. Thinking counts against the cap, so that a budget as large as the cap leaves no room for
 * an answer: then it gets half.
 */
export function withCap(generation: JsonObject, outputCap: number, thinking: Thinking): JsonObject {
  const config = generation['thinkingConfig']
  const capped = { maxOutputTokens: outputCap, ...generation }
  if (thinking.type !== 'budget' || typeof config !== 'object' || config === null) return capped
  if (!('thinkingBudget' in config) || typeof config.thinkingBudget !== 'number') return capped
  const { thinkingBudget } = config
  if (thinkingBudget === 0 || thinkingBudget < outputCap) return capped
  const half = Math.max(thinking.minimum, Math.floor(outputCap / 2))
  return { ...capped, thinkingConfig: { ...config, thinkingBudget: half } }
}
