import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { Button, IconButton } from '#renderer/components/button.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { FilterBar, FilterSelect } from '#renderer/components/filters.tsx'
import { TimeFilter } from '#renderer/components/time-filter.tsx'
import { ENTRY_KINDS, keyMeant, keyReference } from '#renderer/data/ledger-list.ts'
import { EntryKindBadge } from '#renderer/pages/ledger/EntryKind.tsx'
import { parseSearch, type LedgerSearch } from '#renderer/pages/ledger/search.ts'

type LedgerFiltersProps = {
  readonly keys: readonly KeyView[] | undefined
  readonly filter: LedgerSearch
  readonly onChange: (filter: LedgerSearch) => void
}

export function LedgerFilters({ keys, filter, onChange }: LedgerFiltersProps) {
  const { t } = useTranslation('ledger')
  const [isExplained, setIsExplained] = useState(false)
  const meant = keyMeant(keys, filter.key)
  const { key, kind } = filter
  const change = (part: { readonly [Name in keyof LedgerSearch]?: LedgerSearch[Name] | undefined }) =>
    onChange(parseSearch({ ...filter, ...part }))
  return (
    <>
      <FilterBar>
        <FilterSelect
          label={t('column.key')}
          all={t('filter.keys')}
          value={meant === undefined ? key : keyReference(meant)}
          choices={(keys ?? []).map((one) => ({
            value: keyReference(one),
            label: one.status === 'revoked' ? t('filter.revoked', { name: one.name, hint: `…${one.hint}` }) : one.name,
          }))}
          onChange={(next) => change({ key: next })}
        />
        <FilterSelect
          label={t('column.kind')}
          all={t('filter.kinds')}
          value={kind}
          choices={ENTRY_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
          onChange={(next) => change({ kind: next })}
        />
        <TimeFilter range={filter} onChange={change} />
        {Object.keys(filter).length > 0 && (
          <Button look="quiet" onClick={() => onChange({})}>
            {t('filter.clear')}
          </Button>
        )}
        <IconButton label={t('explain')} className="ml-auto" onClick={() => setIsExplained(true)}>
          <CircleHelp aria-hidden />
        </IconButton>
      </FilterBar>
      {kind !== undefined && <p className="px-4 pb-2 text-xs text-muted">{t(`kindText.${kind}`)}</p>}
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
