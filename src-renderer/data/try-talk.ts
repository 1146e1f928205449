// A test request that goes on: what was asked and answered before, for one model or for two side by side.

import type { TryBody } from '#contract/reports.ts'
import { requestOf, type Format, type TryImage, type Turn } from '#renderer/data/try-request.ts'
import { readTools, type ToolCall, type ToolStep } from '#renderer/data/try-tools.ts'

/** For each of the models what it called, and was given for it. */
type Steps = readonly (readonly ToolStep[])[]

/** What was asked before, and what each of the models answered. */
export type Exchange = {
  readonly prompt: string
  readonly image: TryImage | undefined
  readonly answers: readonly (string | undefined)[]
  /** What each of them called before. */
  readonly steps: Steps
}

/** What is being written. Nothing of it is kept anywhere but in the memory of the page. */
export type Draft = {
  readonly system: string
  readonly prompt: string
  readonly image: TryImage | undefined
  readonly earlier: readonly Exchange[]
  /** JSON text: the tools that a model may call. */
  readonly tools: string
  readonly isStream: boolean
  /** Since the question that was sent last. */
  readonly steps: Steps
}

/** A draft for a first question. */
export function firstDraft(prompt: string): Draft {
  return { system: '', prompt, image: undefined, earlier: [], tools: '', isStream: true, steps: [] }
}

/** The turns as one of the models has them: another one that joins later goes on from what the first one answered. */
export function turnsFor({ prompt, image, earlier, steps }: Draft, column: number): Turn[] {
  const before = earlier.map((turn) => ({
    prompt: turn.prompt,
    image: turn.image,
    // What one has called, another one that joined later has not.
    steps: turn.answers[column] === undefined ? (turn.steps[0] ?? []) : (turn.steps[column] ?? []),
    answer: turn.answers[column] ?? turn.answers[0],
  }))
  return [...before, { prompt, image, steps: steps[column] ?? [], answer: undefined }]
}

/** The draft for the next question, once there are answers to the one that was sent. What was typed since is that next one. */
export function goneOn(draft: Draft, sent: Draft, answers: readonly (string | undefined)[]): Draft {
  const { prompt, image, steps } = sent
  return {
    ...draft,
    prompt: draft.prompt === prompt ? '' : draft.prompt,
    image: draft.image === image ? undefined : draft.image,
    earlier: [...draft.earlier, { prompt, image, answers, steps }],
    steps: [],
  }
}

/** In tokens, of one answer. */
const OUTPUT_CAP = 1024

type Asked = { readonly format: Format; readonly model: string; readonly column: number }

/** What is sent to one of the models. */
export function draftRequest(draft: Draft, { format, model, column }: Asked): TryBody['request'] {
  return requestOf({
    format,
    model,
    system: draft.system.trim(),
    turns: turnsFor(draft, column),
    tools: readTools(draft.tools) ?? [],
    isStream: draft.isStream,
    outputCap: OUTPUT_CAP,
  })
}

type Called = { readonly text: string; readonly calls: readonly ToolCall[] } | undefined

/** What was sent, with what each model called since and the results that somebody gave for it; a model that called nothing waits. */
export function withResults(sent: Draft, called: readonly Called[], results: readonly (readonly string[])[]): Draft {
  const steps = called.map((answer, column) => {
    const before = sent.steps[column] ?? []
    if (answer === undefined || answer.calls.length === 0) return before
    return [...before, { text: answer.text, calls: answer.calls, results: results[column] ?? [] }]
  })
  return { ...sent, steps }
}

/** Tokens a second from the first of them on; undefined where the answer did not come in pieces. */
export function speedOf(
  tokens: number | null,
  firstMs: number | undefined,
  endMs: number | undefined,
): number | undefined {
  if (tokens === null || firstMs === undefined || endMs === undefined || endMs <= firstMs) return undefined
  return (tokens * 1000) / (endMs - firstMs)
}
