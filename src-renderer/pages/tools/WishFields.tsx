import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelView, PackageView } from '#contract/schemas.ts'
import type { ToolConnect } from '#contract/tools.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { isFor } from '#renderer/data/choices.ts'
import { tagsOf } from '#renderer/data/key-labels.ts'

export type Wish = Pick<ToolConnect, 'package' | 'model' | 'small_model' | 'project' | 'tags'>

type WishFieldsProps = { readonly wish: Wish; readonly onChange: (wish: Wish) => void }

/** Package, models, project and tags of a tool. What nobody chooses is chosen: the package it has or the first, the dearest model and the cheapest. */
export function WishFields({ wish, onChange }: WishFieldsProps) {
  const { t } = useTranslation('tools')
  const packages = useApi('listPackages', {}).data ?? []
  const models = modelsOf(useApi('listModels', {}).data ?? [], packages, wish)
  const { package: packageName, model, small_model: small, project, tags } = wish
  const [tagText, setTagText] = useState('')
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Choice
        label={t('package')}
        none={t('wish.anyPackage')}
        value={packageName}
        choices={packages.map(({ name }) => name)}
        onChange={(name) =>
          onChange({
            ...(project === undefined ? {} : { project }),
            ...(tags === undefined ? {} : { tags }),
            ...(name === undefined ? {} : { package: name }),
          })
        }
      />
      <Choice
        label={t('wish.model')}
        none={t('wish.dearest')}
        value={model}
        choices={models}
        onChange={(id) => onChange(withMember(wish, 'model', id))}
      />
      <Choice
        label={t('wish.small')}
        none={t(model === undefined ? 'wish.cheapest' : 'wish.same')}
        value={small}
        choices={models}
        onChange={(id) => onChange(withMember(wish, 'small_model', id))}
      />
      <Field label={t('wish.project')} hint={t('wish.projectHint')}>
        {(control) => (
          <Input
            {...control}
            maxLength={64}
            value={project ?? ''}
            onChange={({ target }) => onChange(withMember(wish, 'project', target.value || undefined))}
          />
        )}
      </Field>
      <Field label={t('wish.tags')} hint={t('wish.tagsHint')} className="sm:col-span-2">
        {(control) => (
          <Input
            {...control}
            maxLength={400}
            value={tagText}
            onChange={({ target }) => {
              const named = tagsOf(target.value)
              setTagText(target.value)
              onChange(withMember(wish, 'tags', named.length === 0 ? undefined : named))
            }}
          />
        )}
      </Field>
    </div>
  )
}

function modelsOf(models: readonly ModelView[], packages: readonly PackageView[], wish: Wish): readonly string[] {
  const allowed = packages.find(({ name }) => name === wish.package)?.models ?? 'all'
  return models
    .filter((model) => isFor('chat', model) && (allowed === 'all' || allowed.includes(model.id)))
    .map(({ id }) => id)
}

function withMember<Member extends keyof Wish>(wish: Wish, member: Member, value: Wish[Member]): Wish {
  const { [member]: _, ...rest } = wish
  return value === undefined ? rest : { ...rest, [member]: value }
}

type ChoiceProps = {
  readonly label: string
  /** What it says where nothing is chosen. */
  readonly none: string
  readonly value: string | undefined
  readonly choices: readonly string[]
  readonly onChange: (value: string | undefined) => void
}

function Choice({ label, none, value, choices, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Select {...control} value={value ?? ''} onChange={(event) => onChange(event.target.value || undefined)}>
          <option value="">{none}</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
