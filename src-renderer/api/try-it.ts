// Sends a test request and follows its answer. Nothing of either is kept anywhere but in the memory of the page.

import type { ReceiptView } from '#contract/receipt.ts'
import type { TryBody } from '#contract/reports.ts'
import { ApiError, callApi, openAnswer } from '#renderer/api/client.ts'

export type AnswerHead = {
  readonly status: number
  readonly isStream: boolean
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Of the receipt; undefined where the answer does not say it. */
  readonly requestId: string | undefined
}

type TryOptions = {
  readonly body: TryBody
  readonly signal: AbortSignal
  readonly onHead: (head: AnswerHead) => void
  readonly onText: (piece: string) => void
}

/** Ends with the answer. Throws an ApiError where there is no answer, and what the signal says where that ended it. */
export async function tryIt({ body, signal, onHead, onText }: TryOptions): Promise<void> {
  const response = await openAnswer('tryIt', { body, signal })
  onHead({
    status: response.status,
    isStream: response.headers.get('content-type')?.startsWith('text/event-stream') ?? false,
    headers: [...response.headers],
    requestId: response.headers.get('x-request-id') ?? undefined,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read())
    onText(next.value)
}

const BETWEEN_MS = 400

/**
 * The receipt of a call that has just ended, within `limitMs`. Undefined where there is none by then: what was refused before it
 * was admitted has none at all, and the record of a call that was stopped is written when its end has been seen.
 */
export async function receiptOf(id: string, limitMs: number): Promise<ReceiptView | undefined> {
  const untilMs = performance.now() + limitMs
  for (;;) {
    try {
      return await callApi('receipt', { id })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
    }
    if (performance.now() >= untilMs) return undefined
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS))
  }
}
