import { ChevronDown, ChevronUp } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { UsageView } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { IconButton } from '#renderer/components/button.tsx'
import { cn } from '#renderer/components/cn.ts'
import { CopyButton } from '#renderer/components/copy.tsx'
import { Sheet } from '#renderer/components/dialog.tsx'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { Receipt } from '#renderer/pages/requests/Receipt.tsx'
import { RefusedFacts, Why } from '#renderer/pages/requests/Why.tsx'

type ReceiptSheetProps = {
  /** Undefined while the drawer is closed. */
  readonly id: string | undefined
  /** The list, for going from one receipt to the next. */
  readonly rows: readonly UsageView[]
  readonly onOpen: (id: string | undefined) => void
}

/** The receipt of one request, whether it is in the list or came by a link. */
export function ReceiptSheet({ id, rows, onOpen }: ReceiptSheetProps) {
  const { t } = useTranslation('requests')
  const index = id === undefined ? -1 : rows.findIndex((row) => row.id === id)
  const newer = index === -1 ? undefined : rows[index - 1]?.id
  const older = index === -1 ? undefined : rows[index + 1]?.id
  useArrows(id !== undefined, { up: () => newer && onOpen(newer), down: () => older && onOpen(older) })
  return (
    <Sheet
      isOpen={id !== undefined}
      onOpenChange={(isOpen) => !isOpen && onOpen(undefined)}
      leavesFocus
      title={t('receipt')}
      footer={
        id === undefined ? undefined : (
          <>
            <span className="mr-auto flex gap-1">
              <Step label={t('newer')} to={newer} keys="ArrowUp" onOpen={onOpen} />
              <Step label={t('older')} to={older} keys="ArrowDown" onOpen={onOpen} />
            </span>
            <CopyButton hasWord text={id} label={t('copyId')} />
            <CopyButton
              hasWord
              text={`${location.origin}/app/requests?open=${encodeURIComponent(id)}`}
              label={t('copyLink')}
            />
          </>
        )
      }
    >
      {id !== undefined && <Content id={id} />}
    </Sheet>
  )
}

function Content({ id }: { readonly id: string }) {
  const { t } = useTranslation('requests')
  const { data, error, isError, isPlaceholderData, refetch } = useApi('why', { id }, { keepsPrevious: true })
  if (isError) {
    return (
      <ErrorState title={t('receiptFailed')} onRetry={() => void refetch()}>
        {error.message}
      </ErrorState>
    )
  }
  if (data === undefined) return <Loading lines={10} />
  return (
    <div
      className={cn('flex flex-col gap-6', isPlaceholderData && 'opacity-60')}
      aria-busy={isPlaceholderData || undefined}
    >
      <Why why={data} />
      {data.refused !== null && <RefusedFacts refused={data.refused} />}
      {data.receipt !== null && <Receipt receipt={data.receipt} />}
    </div>
  )
}

type StepProps = {
  readonly label: string
  readonly to: string | undefined
  readonly keys: string
  readonly onOpen: (id: string) => void
}

function Step({ label, to, keys, onOpen }: StepProps) {
  const Shape = keys === 'ArrowUp' ? ChevronUp : ChevronDown
  return (
    <IconButton
      label={label}
      look="plain"
      aria-keyshortcuts={keys}
      disabled={to === undefined}
      onClick={() => to !== undefined && onOpen(to)}
    >
      <Shape aria-hidden />
    </IconButton>
  )
}

/** The arrow keys go from one receipt to the next while the drawer is open. */
function useArrows(isOpen: boolean, steps: { readonly up: () => unknown; readonly down: () => unknown }): void {
  useEffect(() => {
    if (!isOpen) return undefined
    const listen = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
      event.preventDefault()
      if (event.key === 'ArrowUp') steps.up()
      else steps.down()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
}
