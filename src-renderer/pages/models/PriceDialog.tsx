import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Checkbox } from '#renderer/components/checkbox.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { finePrices, priceBody, priceFormOf, readPrice } from '#renderer/data/price-form.ts'
import { isSamePrice, jumpsBetween, PRICE_CLASSES, priceMicroOf, type PriceClass } from '#renderer/data/pricing.ts'
import { PriceFields } from '#renderer/pages/models/PriceFields.tsx'
import { FinePrices } from '#renderer/pages/models/FinePrices.tsx'
import { SampleCost } from '#renderer/pages/models/SampleCost.tsx'

type PriceDialogProps = { readonly model: ModelView; readonly onClose: () => void }

export function PriceDialog({ model, onClose }: PriceDialogProps) {
  const { t, i18n } = useTranslation('models')
  const [form, setForm] = useState(() => priceFormOf(model.price, i18n.language))
  const [isMeant, setIsMeant] = useState(false)
  const change = useAction('priceModel', {
    done: t('price.done', { name: model.id }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  const before = priceMicroOf(model.price)
  const fine = finePrices(model.price)
  const now = readPrice(form, i18n.language, model.kind)
  const jumps = now === undefined ? [] : jumpsBetween(before, now)
  // The price may have been changed meanwhile, so that only the server sees the jump.
  const isAsked = jumps.length > 0 || errorAt(change.error, 'confirm_jump') !== undefined
  const isReady = now !== undefined && !isSamePrice(before, now) && (!isAsked || isMeant)
  const submit = () => {
    if (now !== undefined)
      change.mutate({ id: model.id, body: { ...fine, ...priceBody(now), ...(isAsked ? { confirm_jump: true } : {}) } })
  }
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('price.of', { name: model.id })}
      description={t('price.text')}
      action={t('price.save')}
      isBusy={change.isPending}
      isDisabled={!isReady}
      problem={errorBeside(change.error, [...PRICE_CLASSES, 'confirm_jump'])}
      onSubmit={submit}
    >
      <PriceFields
        form={form}
        onChange={(next) => {
          setForm(next)
          setIsMeant(false)
        }}
        error={change.error}
      />
      <FinePrices fine={fine} />
      {isAsked && <JumpQuestion jumps={jumps} isMeant={isMeant} onChange={setIsMeant} />}
      <SampleCost before={before} now={now} />
    </FormDialog>
  )
}

type JumpQuestionProps = {
  readonly jumps: readonly PriceClass[]
  readonly isMeant: boolean
  readonly onChange: (isMeant: boolean) => void
}

/** Asks whether a price that jumps is meant. */
function JumpQuestion({ jumps, isMeant, onChange }: JumpQuestionProps) {
  const { t, i18n } = useTranslation('models')
  const names = new Intl.ListFormat(i18n.language).format(jumps.map((name) => t(`class.${name}`)))
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-md bg-amber-soft p-3 text-sm">
      <p className="flex items-start gap-2">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-amber" />
        <span>
          {jumps.length > 0 && `${t('jump.classes', { names })} `}
          {t('jump.text')}
        </span>
      </p>
      <label className="flex items-center gap-2 font-medium">
        <Checkbox checked={isMeant} onCheckedChange={(next) => onChange(next === true)} />
        {t('jump.meant')}
      </label>
    </div>
  )
}
