import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { Facts } from '#renderer/components/facts.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Money } from '#renderer/components/money.tsx'
import { countText } from '#renderer/data/numbers.ts'

type ExportDialogProps = {
  readonly title: string
  readonly found: {
    readonly state: 'reading' | 'done' | 'cut' | 'failed'
    readonly count: number
    readonly sumMicro: bigint
    readonly problem: string | undefined
  }
  /** What is added up: `Charged`. */
  readonly sumName: string
  readonly onSave: () => void
  readonly onClose: () => void
}

/** How many rows the filters leave, what they come to, and the file with them. */
export function ExportDialog({ title, found, sumName, onSave, onClose }: ExportDialogProps) {
  const { t, i18n } = useTranslation('common')
  const { state, count, sumMicro, problem } = found
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={title}
      description={t('export.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="primary" isBusy={state === 'reading'} disabled={state === 'failed'} onClick={onSave}>
            {t('export.save')}
          </Button>
        </>
      }
    >
      <div aria-live="polite" aria-busy={state === 'reading'} className="flex flex-col gap-3">
        <Facts
          facts={[
            { name: t('export.rows'), value: countText(count, i18n.language) },
            { name: sumName, value: <Money micro={sumMicro} detail="exact" /> },
          ]}
        />
        {state === 'cut' && <p className="text-sm text-muted">{t('export.cut')}</p>}
        <Problem text={problem} />
      </div>
    </Dialog>
  )
}
