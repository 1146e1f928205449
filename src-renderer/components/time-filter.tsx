import { useTranslation } from 'react-i18next'
import type { SetFilter } from '#renderer/components/filter-panel.tsx'
import { FilterSelect } from '#renderer/components/filters.tsx'
import { Input } from '#renderer/components/input.tsx'
import { exactText, instantOfLocal, localTimeOf } from '#renderer/data/times.ts'

const SPANS = ['1h', '24h', '7d', '30d'] as const
const DAY_MS = 86_400_000

/** `since`: a length of time back from now such as `24h`, or an instant. */
export type TimeRange = { readonly since?: string | undefined; readonly until?: string | undefined }

type TimeFilterProps = {
  readonly range: TimeRange
  /** What is undefined is taken out of the filter. */
  readonly onChange: (change: TimeRange) => void
}

/** What is set of a range of time, in words. */
export function useSetTimes({ range, onChange }: TimeFilterProps): SetFilter[] {
  const { t, i18n } = useTranslation('common')
  return (['since', 'until'] as const).flatMap((name) => {
    const text = range[name]
    if (text === undefined) return []
    const span = SPANS.find((one) => one === text)
    const atMs = Date.parse(text)
    const value = span === undefined ? (Number.isNaN(atMs) ? text : exactText(atMs, i18n.language)) : undefined
    const label = t(span === undefined ? `time.${name}` : 'time.label')
    return [
      {
        id: name,
        label,
        value: value ?? t(`time.spans.${span ?? 'own'}`),
        onRemove: () => onChange({ [name]: undefined }),
      },
    ]
  })
}

/** A usual length of time, or a range of one's own, by the clock of the reader. */
export function TimeFilter({ range, onChange }: TimeFilterProps) {
  const { t } = useTranslation('common')
  const span = SPANS.find((one) => one === range.since)
  const isOwn = range.until !== undefined || (range.since !== undefined && span === undefined)
  const choose = (value: 'own' | (typeof SPANS)[number] | undefined) => {
    const since = value === 'own' ? instantOfLocal(localTimeOf(Date.now() - DAY_MS)) : value
    onChange({ since, until: undefined })
  }
  return (
    <>
      <FilterSelect
        label={t('time.label')}
        all={t('time.any')}
        value={isOwn ? 'own' : span}
        choices={[...SPANS, 'own' as const].map((value) => ({ value, label: t(`time.spans.${value}`) }))}
        onChange={choose}
      />
      {isOwn && <InstantFilter name="since" range={range} onChange={onChange} />}
      {isOwn && <InstantFilter name="until" range={range} onChange={onChange} />}
    </>
  )
}

/** A point in time in the zone of the reader, in whole minutes. */
function InstantFilter({ name, range, onChange }: TimeFilterProps & { readonly name: keyof TimeRange }) {
  const { t } = useTranslation('common')
  const atMs = Date.parse(range[name] ?? '')
  return (
    <label className="flex min-w-0 flex-col gap-1 text-xs text-muted">
      {t(`time.${name}`)}
      <Input
        type="datetime-local"
        value={Number.isNaN(atMs) ? '' : localTimeOf(atMs)}
        onChange={(event) => onChange({ [name]: instantOfLocal(event.target.value) })}
      />
    </label>
  )
}
