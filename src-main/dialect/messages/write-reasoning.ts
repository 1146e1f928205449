// How a wish for reasoning is told to a model of this dialect: by an effort, by a budget of tokens, or not at all.

import { MIN_THINKING_BUDGET } from '#dialect/messages/edit-request.ts'
import type { ClaudeFacts } from '#dialect/messages/model-facts.ts'
import {
  budgetOfEffort,
  effortOfBudget,
  EFFORTS,
  type Effort,
  type JsonObject,
  type ReasoningWish,
} from '#dialect/turn.ts'

export type ThinkingPlan = {
  /** Whether the model is asked to think, or does so by itself: other members are refused then. */
  readonly isOn: boolean
  /** For `output_config`. */
  readonly effort: Effort | undefined
  /** A wish that cannot be carried. */
  readonly isDropped: boolean
  /** The member `thinking` for an output cap. */
  thinking(outputCap: number): JsonObject | undefined
}

/** What stands against thinking in this request, whoever wishes for it. */
export type Obstacles = {
  /** "Thinking may not be enabled when tool_choice forces tool use." */
  readonly isToolForced: boolean
  /** The loop that the request goes on with was begun without thinking of this provider. */
  readonly hasLostThinking: boolean
}

const DISABLED: JsonObject = { type: 'disabled' }

export function planThinking(wish: ReasoningWish, facts: ClaudeFacts, obstacles: Obstacles): ThinkingPlan {
  const wants = (wish.effort !== undefined && wish.effort !== 'none') || (wish.budgetTokens ?? 0) > 0
  const off = facts.thinksByDefault ? DISABLED : undefined
  const isForced = obstacles.isToolForced && facts.strictThinking
  if (isForced) return without(off, { isDropped: wants, effort: effortFor(wish, facts, 'high') })
  if (wish.effort === 'none') return without(off, { isDropped: false, effort: undefined })
  const shown = wish.isShown && facts.hidesThinking ? { display: 'summarized' } : {}
  if (!wants) {
    const isAsked = facts.thinksByDefault && wish.isShown && facts.hidesThinking
    const thinking = isAsked ? { type: 'adaptive', ...shown } : undefined
    return { isOn: facts.thinksByDefault, effort: undefined, isDropped: false, thinking: () => thinking }
  }
  if (facts.thinking === 'none') return without(undefined, { isDropped: true, effort: undefined })
  const effort = effortFor(wish, facts, 'max')
  if (obstacles.hasLostThinking) return without(off, { isDropped: true, effort })
  if (facts.thinking === 'adaptive') {
    const thinking = { type: 'adaptive', ...shown }
    return { isOn: true, effort, isDropped: false, thinking: () => thinking }
  }
  return { isOn: true, effort, isDropped: false, thinking: (cap) => budgetThinking(wish, cap) ?? off }
}

/** An effort takes at most half of the cap, so that there is room for an answer; a budget that was named takes what it says. */
function budgetThinking(wish: ReasoningWish, cap: number): JsonObject | undefined {
  const wanted = wish.budgetTokens ?? budgetOfEffort(wish.effort ?? 'medium')
  const most = wish.budgetTokens === undefined ? Math.floor(cap / 2) : cap - 1
  if (most < MIN_THINKING_BUDGET) return undefined
  return { type: 'enabled', budget_tokens: Math.max(MIN_THINKING_BUDGET, Math.min(wanted, most)) }
}

/** The wish's effort, or the nearest one below it that the model takes, else its lowest. */
function effortFor(wish: ReasoningWish, facts: ClaudeFacts, highest: Effort): Effort | undefined {
  const effort = wish.effort ?? (wish.budgetTokens === undefined ? undefined : effortOfBudget(wish.budgetTokens))
  if (effort === undefined || effort === 'none') return undefined
  const rank = Math.min(EFFORTS.indexOf(effort), EFFORTS.indexOf(highest))
  return facts.efforts.findLast((known) => EFFORTS.indexOf(known) <= rank) ?? facts.efforts[0]
}

function without(thinking: JsonObject | undefined, rest: Pick<ThinkingPlan, 'isDropped' | 'effort'>): ThinkingPlan {
  return { ...rest, isOn: false, thinking: () => thinking }
}
