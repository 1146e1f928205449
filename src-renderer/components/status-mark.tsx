import { LogOut, OctagonX, TriangleAlert } from 'lucide-react'
import type { UsageView } from '#contract/schemas.ts'
import { gradeOf, outcomeOf, type Outcome } from '#renderer/data/request-cells.ts'

const SHAPES = { good: undefined, left: LogOut, partial: TriangleAlert, bad: OctagonX } as const
const COLOURS = { good: 'text-muted', left: 'text-muted', partial: 'text-amber', bad: 'text-red' } as const

type StatusMarkProps = {
  readonly request: Pick<UsageView, 'outcome' | 'status'>
  /** Of whoever draws it: rows that come and go with every step of scrolling have no hooks. */
  readonly t: (key: `common:outcomes.${Outcome}`) => string
  /** Shows the word also of a plain answer, and in narrow windows. */
  readonly hasWord?: boolean
}

/** The status, and for whatever is not simply an answer its shape and word. */
export function StatusMark({ request, t, hasWord = false }: StatusMarkProps) {
  const grade = gradeOf(request)
  const outcome = outcomeOf(request)
  const word = outcome === undefined ? request.outcome : t(`common:outcomes.${outcome}`)
  const Shape = SHAPES[grade]
  const wordClass = hasWord ? 'truncate' : grade === 'good' ? 'sr-only' : 'truncate max-lg:sr-only'
  return (
    <span title={word} className={`flex max-w-full items-center gap-1.5 ${COLOURS[grade]}`}>
      {Shape !== undefined && <Shape aria-hidden className="size-3.5 shrink-0" />}
      {request.status}
      <span className={wordClass}>{word}</span>
    </span>
  )
}
