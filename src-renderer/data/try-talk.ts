// A test request that goes on: what was asked and answered before, for one model or for two side by side.

import type { TryImage, Turn } from '#renderer/data/try-request.ts'

/** What was asked before, and what each of the models answered. */
export type Exchange = {
  readonly prompt: string
  readonly image: TryImage | undefined
  readonly answers: readonly (string | undefined)[]
}

/** What is being written. Nothing of it is kept anywhere but in the memory of the page. */
export type Draft = {
  readonly system: string
  readonly prompt: string
  readonly image: TryImage | undefined
  readonly earlier: readonly Exchange[]
}

/** The turns as one of the models has them: another one that joins later goes on from what the first one answered. */
export function turnsFor({ prompt, image, earlier }: Draft, column: number): Turn[] {
  const before = earlier.map((turn) => ({
    prompt: turn.prompt,
    image: turn.image,
    answer: turn.answers[column] ?? turn.answers[0],
  }))
  return [...before, { prompt, image, answer: undefined }]
}

/** The draft for the next question, once there are answers to the one that was sent. What was typed since is that next one. */
export function goneOn(draft: Draft, sent: Draft, answers: readonly (string | undefined)[]): Draft {
  const { prompt, image } = sent
  return {
    ...draft,
    prompt: draft.prompt === prompt ? '' : draft.prompt,
    image: draft.image === image ? undefined : draft.image,
    earlier: [...draft.earlier, { prompt, image, answers }],
  }
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
