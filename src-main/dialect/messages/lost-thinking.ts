// Whether a tool loop can go on with thinking. Anthropic wants a loop to be gone through in one way from its begin to its end:
// with thinking on it refuses one whose turns have none of their own, as it is after a change from another provider.

import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Ids that Anthropic and Amazon give to calls. */
const CLAUDE_ID = /^tool(?:u|use)_/

export type ThinkingRule = {
  /** The model was told to think, and does not decide by itself whether it does. */
  readonly isFixed: boolean
  /** The provider's ids of calls tell its own turns. */
  readonly isClaude: boolean
  /** Whether something of a message was taken out because another provider had given it. */
  readonly wasForeign: (message: JsonObject) => boolean
}

/** `messages` are in the words of the dialect, without blocks that the provider would not take for its own. */
export function hasLostThinking(messages: readonly JsonObject[], rule: ThinkingRule): boolean {
  const turns = loopTurns(messages)
  const last = turns.at(-1)
  if (last === undefined || isThinking(blocksOf(last)[0])) return false
  const isForeign = (turn: JsonObject) => rule.wasForeign(turn) || (rule.isClaude && hasForeignCall(turn))
  if (turns.some(isForeign)) return true
  return rule.isFixed && !turns.some((turn) => blocksOf(turn).some(isThinking))
}

/** The assistant's turns since the user last spoke, where the request goes on with results of tools. */
function loopTurns(messages: readonly JsonObject[]): readonly JsonObject[] {
  const said = messages.filter((message) => message['role'] !== 'system')
  const start = said.findLastIndex((message) => message['role'] === 'user' && !hasResult(message))
  const isLoop = said.at(-1)?.['role'] === 'user' && start < said.length - 1
  return isLoop ? said.slice(start + 1).filter((message) => message['role'] === 'assistant') : []
}

function hasResult(message: JsonObject): boolean {
  return blocksOf(message).some((block) => block['type'] === 'tool_result')
}

function hasForeignCall(turn: JsonObject): boolean {
  return blocksOf(turn).some((block) => block['type'] === 'tool_use' && !CLAUDE_ID.test(String(block['id'])))
}

function isThinking(block: JsonObject | undefined): boolean {
  return block?.['type'] === 'thinking' || block?.['type'] === 'redacted_thinking'
}

function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  return Array.isArray(content) ? content.filter(isRecord) : []
}
