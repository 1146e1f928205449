// What an answer says that is a list of results with a count of what was read, for passing it on.

import { UpstreamFailure } from '#core/failure.ts'
import { tokenCount, UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'
import { reportedError } from '#dialect/chat-completions/reported-error.ts'
import type { AnswerTap } from '#dialect/pass-answer.ts'
import { isRecord } from '#dialect/request-body.ts'

/** A tap of answers whose results stand in one of `members`. They generate nothing. */
export function listTap(members: readonly string[], makes: string): AnswerTap {
  return {
    encoding: 'utf8',
    read(answer) {
      const { error, usage, meta } = answer
      if (error !== undefined && error !== null) throw reportedError(error)
      const list = members.map((name) => answer[name]).find((value) => value !== undefined)
      if (!Array.isArray(list) || !list.every(isRecord)) {
        throw new UpstreamFailure('malformed', `The provider did not answer with ${makes}.`)
      }
      const { tokens, billed_units: billed } = isRecord(meta) ? meta : {}
      return withSearches(readUsage(usage) ?? readUsage(tokens), billed)
    },
  }
}

/** Some say how many tokens they read, some how many there were in all, which is the same. 0 says as little as nothing. */
function readUsage(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined
  const { prompt_tokens: prompt, input_tokens: input, total_tokens: total } = usage
  const most = Math.max(tokenCount(prompt) ?? 0, tokenCount(input) ?? 0, tokenCount(total) ?? 0)
  return most === 0 ? undefined : { ...UNKNOWN_USAGE, inputTokens: most, outputTokens: 0 }
}

/** With the searches that Cohere bills, which each are many documents. */
function withSearches(usage: TokenUsage | undefined, billed: unknown): TokenUsage | undefined {
  const searches = tokenCount(isRecord(billed) ? billed['search_units'] : undefined)
  if (searches === undefined || searches === 0) return usage
  return { ...UNKNOWN_USAGE, ...usage, details: { units: { search: searches } } }
}
