// Reads the whole of a filtered list, page by page, and makes lines of a file of it.

import { useEffect, useRef, useState } from 'react'
import { headLine, rowLine, type ExportForm } from '#renderer/data/list-export.ts'
import { microOf } from '#renderer/data/money.ts'

/** More would fill the memory of the page; a shorter time makes several files of it. */
const MAX_ROWS = 100_000

export type Export = {
  /** `cut`: there are more than fit into one file. */
  readonly state: 'reading' | 'done' | 'cut' | 'failed'
  readonly count: number
  readonly sumMicro: bigint
  readonly problem: string | undefined
}

type PageOf<Row> = { readonly rows: readonly Row[]; readonly next: string | null }
export type ReadPage<Row> = (before: string | undefined, signal: AbortSignal) => Promise<PageOf<Row>>

const BEGUN: Export = { state: 'reading', count: 0, sumMicro: 0n, problem: undefined }

/** Begins at once. `read` must stay the same function; `text` is the file once it is read. */
export function useExport<Row extends object>(form: ExportForm<Row>, read: ReadPage<Row>) {
  const [found, setFound] = useState(BEGUN)
  const lines = useRef<string[]>([])
  useEffect(() => {
    const controller = new AbortController()
    lines.current = [headLine(form)]
    const tell = (next: Export) => {
      if (!controller.signal.aborted) setFound(next)
    }
    void readAll({ form, read, lines: lines.current, tell, signal: controller.signal })
    return () => controller.abort()
  }, [form, read])
  return { found, text: () => lines.current.join('') }
}

type ReadAll<Row> = {
  readonly form: ExportForm<Row>
  readonly read: ReadPage<Row>
  readonly lines: string[]
  readonly tell: (found: Export) => void
  readonly signal: AbortSignal
}

/** Never rejects: what goes wrong is told. */
async function readAll<Row extends object>({ form, read, lines, tell, signal }: ReadAll<Row>): Promise<void> {
  let found = BEGUN
  let before: string | undefined
  try {
    do {
      const { rows, next } = await read(before, signal)
      for (const row of rows) lines.push(rowLine(form, row))
      const sumMicro = rows.reduce((sum, row) => sum + (microOf(form.amountOf(row)) ?? 0n), found.sumMicro)
      const count = found.count + rows.length
      before = next ?? undefined
      found = {
        ...found,
        count,
        sumMicro,
        state: before === undefined ? 'done' : count >= MAX_ROWS ? 'cut' : 'reading',
      }
      tell(found)
    } while (found.state === 'reading')
  } catch (error) {
    tell({ ...found, state: 'failed', problem: error instanceof Error ? error.message : String(error) })
  }
}
