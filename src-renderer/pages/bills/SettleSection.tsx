import { useTranslation } from 'react-i18next'
import type { BillSettled } from '#contract/bills.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { DrawerSection } from '#renderer/components/facts.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Loading } from '#renderer/components/states.tsx'
import { Money } from '#renderer/components/money.tsx'

/** What would be corrected, and the button that does it: each call once, however often it is pressed. */
export function SettleSection({ provider, day }: { readonly provider: string; readonly day: string }) {
  const { t } = useTranslation('bills')
  const body = { provider, kept_day: day }
  const preview = useApi('settleBill', { body: { ...body, dry_run: true } })
  const settle = useAction('settleBill', { showsOwnErrors: true })
  const corrections = (settle.data ?? preview.data)?.corrections
  const hasOpen = preview.data?.corrections.some(({ state }) => state === 'open') === true
  return (
    <DrawerSection title={t('settle.title')}>
      <p className="text-sm text-muted">{t('settle.text')}</p>
      {preview.isPending && <Loading lines={2} />}
      {corrections?.length === 0 && <p className="text-sm">{t('settle.none')}</p>}
      {corrections?.map((one) => (
        <Correction key={one.call} one={one} />
      ))}
      <Problem text={(settle.error ?? preview.error)?.message} />
      {hasOpen && (
        <Button look="primary" className="self-start" isBusy={settle.isPending} onClick={() => settle.mutate({ body })}>
          {t('settle.action')}
        </Button>
      )}
    </DrawerSection>
  )
}

function Correction({ one }: { readonly one: BillSettled['corrections'][number] }) {
  const { t } = useTranslation('bills')
  const { call, key, credits, state, message } = one
  return (
    <div className="text-sm">
      <p className="flex flex-wrap justify-between gap-x-3">
        <code className="font-mono text-xs break-all">{call}</code>
        <span>
          {key}: <Money credits={credits} detail="exact" />
        </span>
      </p>
      <p className="text-muted">{message ?? t(`settle.state.${state}`)}</p>
    </div>
  )
}
