import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { errorAt, errorBeside, isUncertain } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { AmountField } from '#renderer/components/amount-field.tsx'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { Money } from '#renderer/components/money.tsx'
import { newActionId } from '#renderer/data/action-id.ts'
import { readAmount, type AmountInput } from '#renderer/data/amount-input.ts'
import { leftMicro } from '#renderer/data/key-list.ts'
import { creditsText } from '#renderer/data/money.ts'

type ChangeCreditsProps = {
  readonly item: KeyView
  readonly kind: 'top-up' | 'adjust'
  readonly onClose: () => void
}

const MAX_REASON = 500

/** Adds credits to a key, or corrects them in either direction. */
export function ChangeCredits({ item, kind, onClose }: ChangeCreditsProps) {
  const { t, i18n } = useTranslation('keys')
  const [text, setText] = useState('')
  const [reason, setReason] = useState('')
  const change = useChange(item, kind, onClose)
  const amount = readAmount(text, i18n.language)
  const needsReason = kind === 'adjust'
  const isReady = isMeant(amount, kind) && !(needsReason && reason.trim() === '')
  // Whether it was done is not known, and the same must be sent again to find out without doing it twice.
  const isLocked = isUncertain(change.error)
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t(`${kind}.title`, { name: item.name })}
      description={t(`${kind}.text`)}
      action={t(`action.${kind}`)}
      isBusy={change.isPending}
      isDisabled={!isReady}
      problem={isLocked ? t('uncertain') : errorBeside(change.error, ['credits', 'reason'])}
      onSubmit={() => amount.type === 'amount' && change.send(amount.micro, reason.trim())}
    >
      <AmountField
        label={t('amount.label')}
        text={text}
        onChange={setText}
        sign={kind === 'top-up' ? 'positive' : 'any'}
        hint={<Outcome item={item} amount={amount} kind={kind} />}
        error={errorAt(change.error, 'credits')}
        isLocked={isLocked}
      />
      <Field
        label={t('reason.label')}
        isOptional={!needsReason}
        optionalWord={t('optional')}
        hint={t('reason.hint')}
        error={errorAt(change.error, 'reason')}
      >
        {(control) => (
          <Input
            {...control}
            maxLength={MAX_REASON}
            readOnly={isLocked}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}

function useChange(item: KeyView, kind: ChangeCreditsProps['kind'], onClose: () => void) {
  const { t } = useTranslation('keys')
  const { name, id } = item
  const options = { done: t(`done.${kind}`, { name }), onDone: onClose, showsOwnErrors: true }
  const topUp = useAction('topUpKey', options)
  const adjust = useAction('adjustKey', options)
  // One for the whole dialog: pressing again after an answer that got lost must not pay twice.
  const [actionId] = useState(newActionId)
  const send = (micro: bigint, reason: string) => {
    const body = { credits: Number(creditsText(micro)), idempotency_id: actionId }
    if (kind === 'adjust') adjust.mutate({ id, body: { ...body, reason } })
    else topUp.mutate({ id, body: { ...body, ...(reason === '' ? {} : { reason }) } })
  }
  const { error, isPending } = kind === 'top-up' ? topUp : adjust
  return { send, error, isPending }
}

function isMeant(amount: AmountInput, kind: ChangeCreditsProps['kind']): boolean {
  return amount.type === 'amount' && (kind === 'top-up' ? amount.micro > 0n : amount.micro !== 0n)
}

type OutcomeProps = { readonly item: KeyView; readonly amount: AmountInput; readonly kind: ChangeCreditsProps['kind'] }

/** What is left now, and what would be. */
function Outcome({ item, amount, kind }: OutcomeProps) {
  const { t } = useTranslation('keys')
  const left = leftMicro(item.balance)
  if (left === undefined) return null
  const next = amount.type === 'amount' ? left + amount.micro : undefined
  return (
    <>
      {t('amount.now')} <Money micro={left} detail="exact" />
      {next !== undefined && isMeant(amount, kind) && (
        <>
          {' → '}
          <Money micro={next} detail="exact" />
          {next < 0n && <span className="text-amber"> {t('amount.debt')}</span>}
        </>
      )}
    </>
  )
}
