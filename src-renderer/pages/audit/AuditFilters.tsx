import { useTranslation } from 'react-i18next'
import { ADMIN_ROUTES } from '#contract/admin-routes.ts'
import { FilterPanel, setFilters } from '#renderer/components/filter-panel.tsx'
import { FilterSelect } from '#renderer/components/filters.tsx'
import type { AuditSearch, AuditSearchChange } from '#renderer/pages/audit/search.ts'

/** Only what changes something is noted. */
const ACTIONS = Object.entries(ADMIN_ROUTES).flatMap(([name, { method }]) => (method === 'GET' ? [] : [name]))
/** Who can act without being a member. */
const OTHERS = [
  { actor: 'owner', word: 'owner' },
  { actor: 'command line', word: 'command-line' },
  { actor: 'farebox', word: 'farebox' },
  { actor: 'nobody', word: 'nobody' },
] as const

type FilterChoice = { readonly value: string; readonly label: string }
type AuditFiltersProps = {
  readonly filter: AuditSearch
  readonly members: readonly string[]
  readonly onChange: (change: AuditSearchChange) => void
}

export function AuditFilters({ filter: { action, actor }, members, onChange }: AuditFiltersProps) {
  const { t, i18n } = useTranslation('audit')
  const nameOf = (value: string) => t(`actions.${value}`, { defaultValue: value })
  const actions = ACTIONS.map((value) => ({ value, label: nameOf(value) }))
  const others = OTHERS.map(({ actor: value, word }): FilterChoice => ({ value, label: t(`actors.${word}`) }))
  const actors = [...members.map((name) => ({ value: name, label: name })), ...others]
  const fields = [
    { id: 'action', label: t('action'), value: action && nameOf(action) },
    { id: 'actor', label: t('actor'), value: actors.find(({ value }) => value === actor)?.label ?? actor },
  ]
  return (
    <FilterPanel
      isInCard
      set={setFilters(fields, onChange)}
      onClear={() => onChange({ action: undefined, actor: undefined })}
    >
      <FilterSelect
        label={t('action')}
        value={action}
        all={t('allActions')}
        choices={actions.toSorted((left, right) => left.label.localeCompare(right.label, i18n.language))}
        onChange={(value) => onChange({ action: value })}
      />
      <FilterSelect
        label={t('actor')}
        value={actor}
        all={t('allActors')}
        choices={actors}
        onChange={(value) => onChange({ actor: value })}
      />
    </FilterPanel>
  )
}
