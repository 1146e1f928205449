import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelOffer, ProviderModelsAdded } from '#contract/provider-models.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { Button } from '#renderer/components/button.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { addable, firstChoice, tokensIn } from '#renderer/data/preset-choice.ts'
import { ModelChoices } from '#renderer/pages/first-run/ModelChoices.tsx'

type PresetModelsProps = {
  readonly provider: string
  readonly onBack: () => void
  readonly onDone: () => void
}

/** Which of the provider's models to serve. */
export function PresetModels({ provider, onBack, onDone }: PresetModelsProps) {
  const { t } = useTranslation('first-run')
  const offers = useApi('listProviderModels', { id: provider })
  if (offers.data === undefined) {
    if (!offers.isError) return <Loading lines={5} />
    return (
      <>
        <ErrorState title={t('models.failed')} onRetry={() => void offers.refetch()}>
          {offers.error.message}
        </ErrorState>
        <div className="flex justify-center gap-2">
          <Button onClick={onBack}>{t('back')}</Button>
          <Button onClick={onDone}>{t('models.later')}</Button>
        </div>
      </>
    )
  }
  return <OfferForm provider={provider} offers={addable(offers.data.models)} onBack={onBack} onDone={onDone} />
}

type OfferFormProps = PresetModelsProps & { readonly offers: readonly ModelOffer[] }

function OfferForm({ provider, offers, onBack, onDone }: OfferFormProps) {
  const { t } = useTranslation('first-run')
  const [chosen, setChosen] = useState(() => firstChoice(offers))
  const [text, setText] = useState('')
  const [context, setContext] = useState('')
  const [skipped, setSkipped] = useState<ProviderModelsAdded['skipped']>([])
  const add = useAction('addProviderModels', {
    showsOwnErrors: true,
    onDone: (answer) => {
      setSkipped(answer.skipped)
      if (answer.added.length > 0) onDone()
    },
  })
  const needsContext = offers.some(({ model, state }) => state === 'no-limits' && chosen.includes(model))
  const tokens = needsContext ? tokensIn(context) : undefined
  const shown = offers.filter(({ model, display_name: name }) =>
    `${model} ${name}`.toLowerCase().includes(text.trim().toLowerCase()),
  )
  const toggle = (model: string) =>
    setChosen((before) => (before.includes(model) ? before.filter((one) => one !== model) : [...before, model]))
  return (
    <div className="flex flex-col gap-4">
      <Input
        type="search"
        aria-label={t('models.search')}
        placeholder={t('models.search')}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <ModelChoices offers={shown} chosen={chosen} onToggle={toggle} />
      {needsContext && (
        <Field label={t('models.context')} hint={t('models.contextHint')} error={errorAt(add.error, 'context_window')}>
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              maxLength={14}
              value={context}
              onChange={(event) => setContext(event.target.value)}
            />
          )}
        </Field>
      )}
      <Problem
        text={
          errorBeside(add.error, ['context_window']) ?? skipped.map(({ model, reason }) => `${model}: ${reason}`)[0]
        }
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          isBusy={add.isPending}
          disabled={chosen.length === 0 || (needsContext && tokens === undefined)}
          onClick={() =>
            add.mutate({
              id: provider,
              body: { models: [...chosen], ...(tokens === undefined ? {} : { context_window: tokens }) },
            })
          }
        >
          {t('models.add', { count: chosen.length })}
        </Button>
        <Button onClick={onBack}>{t('back')}</Button>
      </div>
    </div>
  )
}
