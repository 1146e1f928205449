// At which part of their credits somebody is told of keys, and of the days of members, projects, tools and providers.

import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { ThresholdsSet, ThresholdsView } from '#contract/alerts.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Answer } from '#renderer/components/answer.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { thresholdsOf, thresholdsText } from '#renderer/data/thresholds.ts'

const SCOPES = [
  'key',
  'package',
  'member',
  'project',
  'tool',
  'provider',
] as const satisfies readonly ThresholdsSet['scope'][]

export function AlertsCard() {
  const { t } = useTranslation('settings')
  const thresholds = useApi('listThresholds', {})
  return (
    <Card title={t('alerts.title')}>
      <p className="-mt-2 pb-3 text-muted">{t('alerts.text')}</p>
      <Answer of={thresholds} lines={4}>
        {(rules) => <RuleList rules={rules} />}
      </Answer>
      <RuleForm />
    </Card>
  )
}

function RuleList({ rules }: { readonly rules: readonly ThresholdsView[] }) {
  const { t } = useTranslation('settings')
  const set = useAction('setThresholds', { done: t('alerts.saved'), invalidates: ['listThresholds'] })
  return (
    <ul className="flex flex-col gap-1 pb-4">
      {rules.map((rule) => (
        <li key={`${rule.scope}/${rule.name}`} className="flex min-h-8 items-center gap-2">
          <span className="min-w-0 flex-1 break-words">
            <ScopeName scope={rule.scope} name={rule.name} />
          </span>
          <span className="text-right tabular-nums">
            {rule.thresholds.length === 0 ? t('alerts.nobody') : `${thresholdsText(rule.thresholds)} %`}
          </span>
          {!rule.is_default && (
            <Button
              size="small"
              look="quiet"
              isBusy={set.isPending}
              aria-label={t('alerts.resetOf', { name: rule.name ?? rule.scope })}
              onClick={() => set.mutate({ body: ruleBody(rule) })}
            >
              {t('alerts.reset')}
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

function ruleBody({ scope, name }: ThresholdsView): ThresholdsSet {
  const known = SCOPES.find((one) => one === scope) ?? 'key'
  return { scope: known, thresholds: null, ...(name === null ? {} : { name }) }
}

function ScopeName({ scope, name }: { readonly scope: string; readonly name: string | null }) {
  const { t } = useTranslation('settings')
  const known = SCOPES.find((one) => one === scope)
  if (known === undefined) return name ?? scope
  return name === null ? t(`alerts.all.${known}`) : `${t(`alerts.one.${known}`)} ${name}`
}

function RuleForm() {
  const { t } = useTranslation('settings')
  const [scope, setScope] = useState<ThresholdsSet['scope']>('key')
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const set = useAction('setThresholds', {
    done: t('alerts.saved'),
    invalidates: ['listThresholds'],
    showsOwnErrors: true,
    onDone: () => (setName(''), setText('')),
  })
  const thresholds = thresholdsOf(text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (thresholds === undefined || set.isPending) return
    set.mutate({ body: { scope, thresholds, ...(name.trim() === '' ? {} : { name: name.trim() }) } })
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3 border-t border-line pt-4">
      <Field label={t('alerts.scope')}>
        {(control) => (
          <Select
            {...control}
            value={scope}
            onChange={({ target }) => setScope(SCOPES.find((one) => one === target.value) ?? 'key')}
          >
            {SCOPES.map((one) => (
              <option key={one} value={one}>
                {t(`alerts.one.${one}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('alerts.name')} hint={t('alerts.nameHint')} error={errorAt(set.error, 'name')}>
        {(control) => (
          <Input {...control} value={name} maxLength={100} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
      <Field
        label={t('alerts.percents')}
        hint={t('alerts.percentsHint')}
        error={thresholds === undefined ? t('alerts.wrong') : errorAt(set.error, 'thresholds')}
      >
        {(control) => (
          <Input
            {...control}
            value={text}
            maxLength={60}
            placeholder="50, 80, 95, 100"
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <Problem text={errorBeside(set.error, ['name', 'thresholds'])} />
      <Button type="submit" className="self-start" isBusy={set.isPending} disabled={thresholds === undefined}>
        {t('alerts.save')}
      </Button>
    </form>
  )
}
