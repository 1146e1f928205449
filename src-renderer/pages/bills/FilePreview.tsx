import { useTranslation } from 'react-i18next'
import type { BillCheck } from '#contract/bills.ts'

type FileColumns = NonNullable<BillCheck['columns']>

/** How a file was read, column by column, and what came of it. */
export function FilePreview({ check }: { readonly check: BillCheck }) {
  const { t } = useTranslation('bills')
  const { columns, from, to, tokens, money, unexplained } = check
  const days = { from: from.slice(0, 10), to: to.slice(0, 10) }
  return (
    <div role="group" aria-label={t('preview.title')} className="flex flex-col gap-2 rounded-md bg-sunken p-3 text-sm">
      <p>
        {t(columns === null ? 'preview.pages' : 'preview.format', { format: columns?.format, ...days })}{' '}
        {t('preview.found', { tokens: tokens.differing, money: money.differing })}
      </p>
      {unexplained > 0 && <p className="text-red">{t('preview.unexplained', { count: unexplained })}</p>}
      {columns !== null && <ColumnTable columns={columns} />}
    </div>
  )
}

const SEPARATORS = { ',': 'comma', ';': 'semicolon', '\t': 'tab' } as const
const MARKS = { '.': 'point', ',': 'comma' } as const

function ColumnTable({ columns }: { readonly columns: FileColumns }) {
  const { t } = useTranslation('bills')
  const { read, separator, decimal_mark: mark, lines, other_lines: otherLines } = columns
  const [apart, point] = [t(`preview.separator.${SEPARATORS[separator]}`), t(`preview.mark.${MARKS[mark]}`)]
  const unread = read.filter(({ meaning }) => meaning === null).map(({ column }) => column)
  return (
    <>
      <p className="text-muted">
        {t('preview.written', { separator: apart, mark: point })}{' '}
        {otherLines > 0 && t('preview.otherLines', { count: otherLines, lines })}
      </p>
      <table className="w-full text-left">
        <thead className="text-muted">
          <tr>
            <th className="py-1 pr-3 font-normal">{t('preview.column')}</th>
            <th className="py-1 pr-3 font-normal">{t('preview.meaning')}</th>
            <th className="py-1 font-normal">{t('preview.example')}</th>
          </tr>
        </thead>
        <tbody>
          {read.map(
            ({ column, meaning, example }) =>
              meaning !== null && (
                <tr key={column} className="border-t border-line align-top">
                  <td className="py-1 pr-3 font-mono text-xs break-all">{column}</td>
                  <td className="py-1 pr-3">{t(`preview.meanings.${meaning}`)}</td>
                  <td className="py-1 break-all tabular-nums">{example}</td>
                </tr>
              ),
          )}
        </tbody>
      </table>
      {unread.length > 0 && (
        <p className="break-words text-muted">{t('preview.unread', { columns: unread.join(', ') })}</p>
      )}
    </>
  )
}
