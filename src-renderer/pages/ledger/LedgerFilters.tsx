import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { IconButton } from '#renderer/components/button.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { FilterPanel, setFilters } from '#renderer/components/filter-panel.tsx'
import { FilterSelect } from '#renderer/components/filters.tsx'
import { TimeFilter, useSetTimes } from '#renderer/components/time-filter.tsx'
import { ENTRY_KINDS, keyMeant, keyReference } from '#renderer/data/ledger-list.ts'
import { EntryKindBadge } from '#renderer/pages/ledger/EntryKind.tsx'
import type { LedgerSearch, LedgerSearchChange } from '#renderer/pages/ledger/search.ts'

type LedgerFiltersProps = {
  readonly keys: readonly KeyView[] | undefined
  readonly filter: LedgerSearch
  readonly onChange: (change: LedgerSearchChange) => void
  readonly onClear: () => void
}

export function LedgerFilters({ keys, filter, onChange, onClear }: LedgerFiltersProps) {
  const { t } = useTranslation('ledger')
  const { key, kind } = filter
  const meant = keyMeant(keys, key)
  const fields = [
    { id: 'key', label: t('column.key'), value: meant?.name ?? key },
    { id: 'kind', label: t('column.kind'), value: kind && t(`kind.${kind}`) },
  ]
  const times = useSetTimes({ range: filter, onChange })
  return (
    <>
      <FilterPanel isInCard set={[...setFilters(fields, onChange), ...times]} onClear={onClear} end={<ExplainButton />}>
        <FilterSelect
          label={t('column.key')}
          all={t('filter.keys')}
          value={meant === undefined ? key : keyReference(meant)}
          choices={(keys ?? []).map((one) => ({
            value: keyReference(one),
            label: one.status === 'revoked' ? t('filter.revoked', { name: one.name, hint: `…${one.hint}` }) : one.name,
          }))}
          onChange={(next) => onChange({ key: next })}
        />
        <FilterSelect
          label={t('column.kind')}
          all={t('filter.kinds')}
          value={kind}
          choices={ENTRY_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
          onChange={(next) => onChange({ kind: next })}
        />
        <TimeFilter range={filter} onChange={onChange} />
      </FilterPanel>
      {kind !== undefined && <p className="px-4 pb-2 text-xs text-muted">{t(`kindText.${kind}`)}</p>}
    </>
  )
}

/** What the words of the ledger mean, for whoever asks. */
function ExplainButton() {
  const { t } = useTranslation('ledger')
  const [isExplained, setIsExplained] = useState(false)
  return (
    <>
      <IconButton label={t('explain')} onClick={() => setIsExplained(true)}>
        <CircleHelp aria-hidden />
      </IconButton>
      <Dialog isOpen={isExplained} onOpenChange={setIsExplained} title={t('explain')} description={t('explainText')}>
        <dl className="flex flex-col gap-3 text-sm">
          {ENTRY_KINDS.map((value) => (
            <div key={value} className="grid grid-cols-[104px_1fr] items-start gap-3">
              <dt>
                <EntryKindBadge kind={value} />
              </dt>
              <dd>{t(`kindText.${value}`)}</dd>
            </div>
          ))}
          {(['amount', 'charge', 'available'] as const).map((column) => (
            <div key={column} className="grid grid-cols-[104px_1fr] items-start gap-3">
              <dt className="font-medium">{t(`column.${column}`)}</dt>
              <dd>{t(`${column}Text`)}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  )
}
