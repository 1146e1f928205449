import { useTranslation } from 'react-i18next'
import type { KeyCreated } from '#contract/schemas.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'

type DemoPanelProps = {
  readonly hasDemo: boolean
  readonly onKey: (key: KeyCreated) => void
  readonly onDone: () => void
}

export function DemoPanel({ hasDemo, onKey, onDone }: DemoPanelProps) {
  const { t } = useTranslation('first-run')
  const add = useAction('addDemo', {
    showsOwnErrors: true,
    onDone: ({ key }) => {
      if (key !== null) onKey(key)
      onDone()
    },
  })
  return (
    <div className="flex flex-col items-start gap-4">
      <p>{t(hasDemo ? 'demo.there' : 'demo.text')}</p>
      <Problem text={add.error?.message} />
      {hasDemo ? (
        <Button look="primary" onClick={onDone}>
          {t('demo.use')}
        </Button>
      ) : (
        <Button look="primary" isBusy={add.isPending} onClick={() => add.mutate({})}>
          {t('demo.add')}
        </Button>
      )}
    </div>
  )
}
