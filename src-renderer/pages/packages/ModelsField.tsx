import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi } from '#renderer/api/use-api.ts'
import { CheckList } from '#renderer/components/check-list.tsx'
import { Segments } from '#renderer/components/tabs.tsx'

type ModelsFieldProps = {
  readonly models: 'all' | readonly string[]
  readonly onChange: (models: 'all' | readonly string[]) => void
  readonly error: string | undefined
}

/** Which models the keys of a package may call. */
export function ModelsField({ models, onChange, error }: ModelsFieldProps) {
  const { t } = useTranslation('packages')
  const id = useId()
  const known = useApi('listModels', {}).data ?? []
  const chosen = models === 'all' ? [] : models
  // Models that were removed stay in a package, which gets them back when they are added again.
  const gone = chosen.filter((name) => !known.some((model) => model.id === name))
  const choices = [
    ...known.map((model) => ({ value: model.id, label: model.id, note: model.enabled ? undefined : t('models.off') })),
    ...gone.map((name) => ({ value: name, label: name, note: t('models.gone') })),
  ]
  return (
    <div role="group" aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <span id={id} className="text-sm font-medium">
          {t('column.models')}
        </span>
        <Segments
          label={t('column.models')}
          value={models === 'all' ? 'all' : 'some'}
          onChange={(next) => onChange(next === 'all' ? 'all' : [])}
          choices={[
            { value: 'all', label: t('models.all') },
            { value: 'some', label: t('models.some') },
          ]}
        />
      </div>
      {models === 'all' ? (
        <p className="text-xs text-muted">{t('models.allHint')}</p>
      ) : (
        <CheckList
          label={t('column.models')}
          choices={choices}
          chosen={chosen}
          onChange={onChange}
          empty={t('models.noneYet')}
          error={error}
        />
      )}
    </div>
  )
}
