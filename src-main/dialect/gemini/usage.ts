// The `usageMetadata` of a Gemini answer. Google's convention: cached tokens are part of `promptTokenCount`, while thoughts and
// the prompts of tools that Google runs are counted beside the candidates and the prompt.

import { servedTier } from '#core/service-tier.ts'
import { inputTotal, tokenCount, type ReportedCounts, type TokenUsage, type UsageDetails } from '#core/usage.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { detailsOf, someTokens } from '#dialect/usage-details.ts'

/** Disjoint token classes; undefined for a value without any count, such as one that only names the traffic's type. */
export function readGeminiUsage(reported: unknown): ReportedCounts | undefined {
  if (!isRecord(reported)) return undefined
  const prompt = tokenCount(reported['promptTokenCount'])
  const candidates = tokenCount(reported['candidatesTokenCount'])
  const thoughts = tokenCount(reported['thoughtsTokenCount'])
  const total = tokenCount(reported['totalTokenCount'])
  if (prompt === undefined && candidates === undefined && thoughts === undefined && total === undefined)
    return undefined
  const cached = tokenCount(reported['cachedContentTokenCount'])
  const tools = tokenCount(reported['toolUsePromptTokenCount']) ?? 0
  const isTotalAlone = prompt === undefined && candidates === undefined && thoughts === undefined
  // A provider that counts cached tokens apart reports more of them than prompt tokens; then nothing is subtracted.
  const uncached = prompt === undefined || (cached ?? 0) > prompt ? prompt : prompt - (cached ?? 0)
  return {
    inputTokens: uncached === undefined ? undefined : uncached + tools,
    cacheReadTokens: cached,
    cacheWriteTokens: undefined,
    outputTokens: outputTokens({ prompt, candidates, thoughts, total, tools }),
    reasoningTokens: thoughts,
    details: geminiDetails(reported),
    ...(isTotalAlone ? { totalTokens: total } : {}),
  }
}

/** What most answers have none of: sound, pictures, another tier. What was cached is part of the prompt, and so is its sound. */
function geminiDetails(reported: JsonObject): UsageDetails | undefined {
  const { promptTokensDetails, cacheTokensDetails, candidatesTokensDetails, toolUsePromptTokensDetails } = reported
  const cache_read_audio = tokensOf(cacheTokensDetails, 'AUDIO')
  const cache_read_image = tokensOf(cacheTokensDetails, 'IMAGE')
  const promptAudio = tokensOf(promptTokensDetails, 'AUDIO') + tokensOf(toolUsePromptTokensDetails, 'AUDIO')
  const promptImage = tokensOf(promptTokensDetails, 'IMAGE') + tokensOf(toolUsePromptTokensDetails, 'IMAGE')
  const output_audio = tokensOf(candidatesTokensDetails, 'AUDIO')
  const output_image = tokensOf(candidatesTokensDetails, 'IMAGE')
  const tier = servedTier(reported['serviceTier']) ?? servedTier(reported['trafficType'])
  const cached = cache_read_audio + cache_read_image
  if (cached + promptAudio + promptImage + output_audio + output_image === 0)
    return detailsOf(tier, undefined, undefined)
  const input_audio = Math.max(0, promptAudio - cache_read_audio)
  const input_image = Math.max(0, promptImage - cache_read_image)
  const parts = { input_audio, input_image, cache_read_audio, cache_read_image, output_audio, output_image }
  return detailsOf(tier, parts, undefined)
}

/** The tokens of one modality in a list of them. */
function tokensOf(list: unknown, modality: string): number {
  if (!Array.isArray(list)) return 0
  let tokens = 0
  for (const entry of list)
    if (isRecord(entry) && entry['modality'] === modality) tokens += someTokens(entry['tokenCount'])
  return tokens
}

type Counts = {
  readonly prompt: number | undefined
  readonly candidates: number | undefined
  readonly thoughts: number | undefined
  readonly total: number | undefined
  readonly tools: number
}

/** Counts of 0 are left out on the wire, so that a blocked prompt has nothing but a prompt and an equal total. */
function outputTokens({ prompt, candidates, thoughts, total, tools }: Counts): number | undefined {
  if (candidates !== undefined || thoughts !== undefined) return (candidates ?? 0) + (thoughts ?? 0)
  return prompt === undefined || total === undefined ? undefined : Math.max(0, total - prompt - tools)
}

/** Counts in Google's words; those that nobody knows are left out. */
export function writeGeminiUsage(usage: TokenUsage): JsonObject {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage
  const isInputKnown = (inputTokens ?? cacheReadTokens ?? cacheWriteTokens) !== undefined
  const prompt = isInputKnown ? inputTotal(usage) : undefined
  const thoughts =
    reasoningTokens === undefined || outputTokens === undefined ? 0 : Math.min(reasoningTokens, outputTokens)
  return {
    promptTokenCount: prompt,
    ...(cacheReadTokens === undefined || cacheReadTokens === 0 ? {} : { cachedContentTokenCount: cacheReadTokens }),
    candidatesTokenCount: outputTokens === undefined ? undefined : outputTokens - thoughts,
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    totalTokenCount: (prompt ?? 0) + (outputTokens ?? 0),
  }
}
