import { useTranslation } from 'react-i18next'
import { USAGE_GROUPS } from '#contract/usage-groups.ts'
import { Field } from '#renderer/components/field.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { Segments } from '#renderer/components/tabs.tsx'
import { dateAfter } from '#renderer/data/intervals.ts'
import { msOf } from '#renderer/data/times.ts'
import { METRICS, TOKEN_CLASSES } from '#renderer/data/usage-amounts.ts'
import { PRESETS } from '#renderer/data/usage-range.ts'
import { dateIn, lastDateBefore } from '#renderer/data/zone-dates.ts'
import type { UsageSearch, UsageSearchChange } from '#renderer/pages/usage/search.ts'
import type { Usage } from '#renderer/pages/usage/use-usage.ts'

type UsageControlsProps = {
  readonly search: UsageSearch
  readonly usage: Usage
  readonly onChange: (change: UsageSearchChange) => void
}

/** What is counted, how it is grouped, over which time and by which steps. */
export function UsageControls({ search, usage, onChange }: UsageControlsProps) {
  const { t } = useTranslation('usage')
  const { range, report, rollup, rollups } = usage
  const choosePreset = (value: (typeof PRESETS)[number] | 'own') =>
    value === 'own' ? onChange(ownRange(report)) : onChange({ from: value, to: undefined })
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Segments
        label={t('range')}
        value={range.preset ?? 'own'}
        onChange={choosePreset}
        choices={[...PRESETS, 'own' as const].map((value) => ({ value, label: t(`ranges.${value}`) }))}
      />
      <Segments
        label={t('metric')}
        value={search.metric ?? 'cost'}
        onChange={(metric) => onChange({ metric, sort: undefined })}
        choices={METRICS.map((value) => ({ value, label: t(`measures.${value}`) }))}
      />
      {rollups.length > 1 && (
        <Segments
          label={t('rollup')}
          value={rollup}
          onChange={(value) => onChange({ rollup: value })}
          choices={rollups.map((value) => ({ value, label: t(`rollups.${value}`) }))}
        />
      )}
      <GroupSelect search={search} onChange={onChange} />
      {search.metric === 'tokens' && <ClassSelect search={search} onChange={onChange} />}
      {range.preset === undefined && <OwnRange search={search} usage={usage} onChange={onChange} />}
    </div>
  )
}

type ControlPartProps = Pick<UsageControlsProps, 'search' | 'onChange'>

function GroupSelect({ search, onChange }: ControlPartProps) {
  const { t } = useTranslation('usage')
  return (
    <Select
      aria-label={t('group')}
      value={search.group ?? 'model'}
      onChange={(event) => {
        const group = USAGE_GROUPS.find((one) => one === event.target.value)
        onChange({ group, groups: undefined, sort: undefined })
      }}
      className="w-40"
    >
      {USAGE_GROUPS.map((group) => (
        <option key={group} value={group}>
          {t(`by.${group}`)}
        </option>
      ))}
    </Select>
  )
}

function ClassSelect({ search, onChange }: ControlPartProps) {
  const { t } = useTranslation('usage')
  return (
    <Select
      aria-label={t('tokenClass')}
      value={search.tokens ?? ''}
      onChange={(event) =>
        onChange({ tokens: TOKEN_CLASSES.find((one) => one === event.target.value), sort: undefined })
      }
      className="w-44"
    >
      <option value="">{t('allTokens')}</option>
      {TOKEN_CLASSES.map((name) => (
        <option key={name} value={name}>
          {t(`measures.${name}`)}
        </option>
      ))}
    </Select>
  )
}

/** The first and the last day; the address has the day after the last one, which is left out. */
function OwnRange({ search, usage: { report }, onChange }: UsageControlsProps) {
  const { t } = useTranslation('usage')
  const zone = report?.time_zone ?? 'UTC'
  const first = dayOf(search.from, zone, 0)
  const last = dayOf(search.to, zone, -1)
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Field label={t('first')} className="flex-row items-center">
        {(control) => (
          <Input
            {...control}
            type="date"
            className="w-36"
            value={first ?? ''}
            max={last}
            onChange={(event) => event.target.value !== '' && onChange({ from: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('last')} className="flex-row items-center">
        {(control) => (
          <Input
            {...control}
            type="date"
            className="w-36"
            value={last ?? ''}
            min={first}
            onChange={(event) => {
              onChange({ to: event.target.value === '' ? undefined : dateAfter(event.target.value, 1) })
            }}
          />
        )}
      </Field>
    </div>
  )
}

/** A date as it is, an instant as its date in the zone. */
function dayOf(text: string | undefined, zone: string, shift: number): string | undefined {
  if (text === undefined) return undefined
  const date = dateAfter(text, shift)
  if (date !== undefined) return date
  const atMs = msOf(text)
  return atMs === undefined ? undefined : shift < 0 ? lastDateBefore(zone, atMs) : dateIn(zone, atMs)
}

/** The days that are shown, as a beginning for choosing others. */
function ownRange(report: Usage['report']): UsageSearchChange {
  if (report === undefined) return { from: '8d', to: undefined }
  const zone = report.time_zone
  const last = lastDateBefore(zone, Date.parse(report.to))
  return { from: dateIn(zone, Date.parse(report.from)), to: dateAfter(last, 1) }
}
