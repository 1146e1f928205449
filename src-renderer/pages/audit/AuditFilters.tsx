import { useTranslation } from 'react-i18next'
import { ADMIN_ROUTES } from '#contract/admin-routes.ts'
import { Button } from '#renderer/components/button.tsx'
import { FilterBar, FilterSelect } from '#renderer/components/filters.tsx'
import type { AuditSearch } from '#renderer/pages/audit/search.ts'

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
type Filter = Pick<AuditSearch, 'action' | 'actor'>
type AuditFiltersProps = {
  readonly filter: Filter
  readonly members: readonly string[]
  readonly onChange: (filter: Filter) => void
}

export function AuditFilters({ filter, members, onChange }: AuditFiltersProps) {
  const { t, i18n } = useTranslation('audit')
  const actions = ACTIONS.map((value) => ({ value, label: t(`actions.${value}`, { defaultValue: value }) }))
  const others = OTHERS.map(({ actor, word }): FilterChoice => ({ value: actor, label: t(`actors.${word}`) }))
  return (
    <FilterBar>
      <FilterSelect
        label={t('action')}
        value={filter.action}
        all={t('allActions')}
        choices={actions.toSorted((left, right) => left.label.localeCompare(right.label, i18n.language))}
        onChange={(action) => onChange(without({ ...filter, action }))}
      />
      <FilterSelect
        label={t('actor')}
        value={filter.actor}
        all={t('allActors')}
        choices={[...members.map((name) => ({ value: name, label: name })), ...others]}
        onChange={(actor) => onChange(without({ ...filter, actor }))}
      />
      {(filter.action !== undefined || filter.actor !== undefined) && (
        <Button look="quiet" onClick={() => onChange({})}>
          {t('clear')}
        </Button>
      )}
    </FilterBar>
  )
}

/** An address has no member for what does not narrow. */
function without({
  action,
  actor,
}: {
  readonly action?: string | undefined
  readonly actor?: string | undefined
}): Filter {
  return { ...(action === undefined ? {} : { action }), ...(actor === undefined ? {} : { actor }) }
}
