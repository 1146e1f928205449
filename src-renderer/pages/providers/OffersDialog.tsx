// The models that a provider lists: which of them to add, at which prices.

import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelOffer, ProviderModelsAdded } from '#contract/provider-models.ts'
import type { ProviderView } from '#contract/providers.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { isKindOpen, needsLimits, offersBody, type OfferTexts } from '#renderer/data/offer-list.ts'
import { OfferList } from '#renderer/pages/providers/OfferList.tsx'
import { SaidKind } from '#renderer/pages/providers/SaidKind.tsx'

const FIELDS = ['kind', 'context_window', 'max_output_tokens'] as const

type OffersDialogProps = { readonly provider: ProviderView; readonly onClose: () => void }

export function OffersDialog({ provider, onClose }: OffersDialogProps) {
  const { t } = useTranslation('providers')
  const offers = useApi('listProviderModels', { id: provider.id })
  if (offers.data !== undefined) {
    return <Offers provider={provider} offers={offers.data.models} onClose={onClose} />
  }
  return (
    <Dialog isOpen onOpenChange={onClose} title={t('offers.of', { name: provider.name })} className="max-w-4xl">
      {offers.isError ? (
        <ErrorState title={t('offers.failed')} onRetry={() => void offers.refetch()}>
          {offers.error.message}
        </ErrorState>
      ) : (
        <Loading lines={6} />
      )}
    </Dialog>
  )
}

type OffersProps = OffersDialogProps & { readonly offers: readonly ModelOffer[] }

function Offers({ provider, offers, onClose }: OffersProps) {
  const { t } = useTranslation('providers')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [texts, setTexts] = useState<OfferTexts>({ kind: '', context: '', maxOutput: '' })
  const add = useAction('addProviderModels', {
    showsOwnErrors: true,
    done: ({ added }) => t('offers.done', { count: added.length }),
    onDone: ({ skipped }) => {
      if (skipped.length === 0) onClose()
    },
  })
  const body = offersBody(offers, chosen, texts)
  if (add.data !== undefined && add.data.skipped.length > 0) {
    return <Skipped name={provider.name} result={add.data} onClose={onClose} />
  }
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('offers.of', { name: provider.name })}
      description={t('offers.text')}
      action={chosen.size === 0 ? t('offers.action') : t('offers.add', { count: chosen.size })}
      isBusy={add.isPending}
      isDisabled={body === undefined}
      problem={errorBeside(add.error, FIELDS)}
      onSubmit={() => body && add.mutate({ id: provider.id, body })}
      className="max-w-4xl"
    >
      <OfferList offers={offers} chosen={chosen} onChange={setChosen} />
      {isKindOpen(offers, chosen) && (
        <SaidKind kind={texts.kind} onChange={(kind) => setTexts({ ...texts, kind })} error={add.error} />
      )}
      {needsLimits(offers, chosen) && <LimitFields texts={texts} onChange={setTexts} error={add.error} />}
    </FormDialog>
  )
}

type OfferFieldsProps = {
  readonly texts: OfferTexts
  readonly onChange: (texts: OfferTexts) => void
  readonly error: Error | null
}

/** For models of which nobody knows how much they take. */
function LimitFields({ texts, onChange, error }: OfferFieldsProps) {
  const { t } = useTranslation('providers')
  return (
    <fieldset className="rounded-md bg-sunken p-3">
      <legend className="sr-only">{t('offers.limits')}</legend>
      <p className="mb-3 text-sm">{t('offers.limits')}</p>
      <div className="grid grid-cols-2 items-start gap-4 max-sm:grid-cols-1">
        <Field label={t('offers.context')} error={errorAt(error, 'context_window')}>
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              maxLength={14}
              placeholder="32000"
              value={texts.context}
              onChange={(event) => onChange({ ...texts, context: event.target.value })}
            />
          )}
        </Field>
        <Field
          label={t('offers.maxOutput')}
          isOptional
          optionalWord={t('optional')}
          error={errorAt(error, 'max_output_tokens')}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              maxLength={14}
              placeholder="8000"
              value={texts.maxOutput}
              onChange={(event) => onChange({ ...texts, maxOutput: event.target.value })}
            />
          )}
        </Field>
      </div>
    </fieldset>
  )
}

type SkippedProps = {
  readonly name: string
  readonly result: ProviderModelsAdded
  readonly onClose: () => void
}

function Skipped({ name, result: { added, skipped }, onClose }: SkippedProps) {
  const { t } = useTranslation('providers')
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('offers.of', { name })}
      description={`${t('offers.done', { count: added.length })} ${t('offers.skipped', { count: skipped.length })}`}
      footer={<Button onClick={onClose}>{t('common:close')}</Button>}
    >
      <ul className="flex flex-col gap-2 text-sm">
        {skipped.map(({ model, reason }) => (
          <li key={model}>
            <p className="font-medium break-all">{model}</p>
            <p className="text-muted">{reason}</p>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
