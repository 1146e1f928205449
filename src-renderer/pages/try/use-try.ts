import { useCallback, useEffect, useRef, useState } from 'react'
import type { ReceiptView } from '#contract/receipt.ts'
import type { TryBody } from '#contract/reports.ts'
import { receiptOf, tryIt, type AnswerHead } from '#renderer/api/try-it.ts'
import { answerCollector, type Collected } from '#renderer/data/try-answer.ts'
import type { Format } from '#renderer/data/try-request.ts'

/** However fast an answer comes, it is drawn anew no more often. */
const DRAW_MS = 80

/** One test request, from sending it to its receipt. */
export type Run = Collected & {
  readonly state: 'sent' | 'answering' | 'ended' | 'stopped' | 'failed'
  readonly format: Format
  readonly head: AnswerHead | undefined
  /** Since it was sent. */
  readonly headMs: number | undefined
  /** Of the first text; undefined where the answer came whole. */
  readonly firstMs: number | undefined
  readonly endMs: number | undefined
  /** Why there is no answer. */
  readonly problem: string | undefined
  /** Undefined until it is known; `none` where the call was never admitted, `late` where it could not be had in time. */
  readonly receipt: ReceiptView | 'none' | 'late' | undefined
}

export function useTry() {
  const [run, setRun] = useState<Run>()
  const controller = useRef<AbortController>(undefined)
  useEffect(() => () => controller.current?.abort(), [])
  const send = useCallback((body: TryBody) => {
    controller.current?.abort()
    const own = new AbortController()
    controller.current = own
    void follow(body, own.signal, (change) => {
      // An answer that was replaced by the next one has nothing to say any more.
      if (controller.current === own) setRun(change)
    })
  }, [])
  const stop = useCallback(() => controller.current?.abort(), [])
  const clear = useCallback(() => {
    controller.current?.abort()
    controller.current = undefined
    setRun(undefined)
  }, [])
  return { run, send, stop, clear }
}

type ChangeRun = (change: (before: Run | undefined) => Run | undefined) => void

async function follow(body: TryBody, signal: AbortSignal, change: ChangeRun): Promise<void> {
  const startedMs = performance.now()
  const sinceStart = () => Math.round(performance.now() - startedMs)
  const set = (part: Partial<Run>) => change((before) => (before === undefined ? before : { ...before, ...part }))
  change(() => emptyRun(body.endpoint))
  let head: AnswerHead | undefined
  let collector = answerCollector(body.endpoint, false)
  let firstMs: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const draw = () => {
    timer = undefined
    set(collector.collected(false))
  }
  const end = (state: Run['state'], problem?: string) => {
    clearTimeout(timer)
    set({ ...collector.collected(true), state, problem, endMs: sinceStart() })
  }
  try {
    await tryIt({
      body,
      signal,
      onHead: (found) => {
        head = found
        collector = answerCollector(body.endpoint, found.isStream)
        set({ head, state: 'answering', headMs: sinceStart() })
      },
      onText: (piece) => {
        collector.add(piece)
        if (firstMs === undefined && (collector.collected(false).answer?.text ?? '') !== '') {
          firstMs = sinceStart()
          set({ firstMs })
        }
        timer ??= setTimeout(draw, DRAW_MS)
      },
    })
    end('ended')
  } catch (error) {
    if (signal.aborted) end('stopped')
    else end('failed', error instanceof Error ? error.message : String(error))
  }
  if (head?.requestId !== undefined) set({ receipt: await receiptIfAny(head.requestId, head.status) })
}

/** A busy machine takes a while to notice that somebody stopped. */
const RECEIPT_LIMIT_MS = 30_000
/** What was refused has no receipt, unless it was a provider that did so. */
const REFUSED_LIMIT_MS = 2000

/** Asked for also after a stop, which has a charge as well. */
async function receiptIfAny(id: string, status: number): Promise<Run['receipt']> {
  const isRefused = status >= 400
  try {
    const receipt = await receiptOf(id, isRefused ? REFUSED_LIMIT_MS : RECEIPT_LIMIT_MS)
    return receipt ?? (isRefused ? 'none' : 'late')
  } catch {
    // The page of requests has it too, and says there why it cannot be read.
    return 'late'
  }
}

function emptyRun(format: Format): Run {
  return {
    state: 'sent',
    format,
    head: undefined,
    raw: '',
    isCut: false,
    answer: undefined,
    headMs: undefined,
    firstMs: undefined,
    endMs: undefined,
    problem: undefined,
    receipt: undefined,
  }
}
