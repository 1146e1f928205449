import type { TableCell, TableColumn } from '#renderer/data/usage-table.ts'
import { UsageCell } from '#renderer/pages/usage/UsageCell.tsx'
import type { UsageWords } from '#renderer/pages/usage/use-words.ts'

type NarrowRowProps = {
  readonly columns: readonly TableColumn[]
  readonly cells: readonly TableCell[]
  /** Of each column, as `UsageCell` takes them. */
  readonly places: readonly number[]
  readonly words: UsageWords
}

/** Below a row in a narrow window: what its hidden columns say, each with the name of its column. */
export function NarrowRow({ columns, cells, places, words }: NarrowRowProps) {
  return (
    <tr className="border-b border-line sm:hidden">
      <td colSpan={2} className="px-4 pb-2 text-xs text-muted">
        <span className="flex flex-wrap gap-x-3 gap-y-0.5">
          {columns.map((column, index) => {
            const cell = cells[index]
            // The first one has a column in every window.
            if (index === 0 || cell === undefined) return null
            return (
              <span key={column.id}>
                {words.columnLabel(column)}{' '}
                <span className="whitespace-nowrap text-ink tabular-nums">
                  <UsageCell cell={cell} places={places[index] ?? 0} />
                </span>
              </span>
            )
          })}
        </span>
      </td>
    </tr>
  )
}
