import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyCreated, KeyRotated } from '#contract/schemas.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Caution } from '#renderer/components/caution.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { Snippets } from '#renderer/components/snippets.tsx'
import { modelFor } from '#renderer/data/key-list.ts'
import { shellOf, snippetsFor } from '#renderer/data/snippets.ts'
import { exactText } from '#renderer/data/times.ts'

type KeyMadeProps = {
  readonly made: KeyCreated | KeyRotated
  readonly packageId: string
  readonly onClose: () => void
}

/** The one time that a key's value is seen. Closing by accident is asked about once. */
export function KeyMade({ made, packageId, onClose }: KeyMadeProps) {
  const { t, i18n } = useTranslation('keys')
  const [isWarned, setIsWarned] = useState(false)
  const url = useApi('overview', {}).data?.gateway.url ?? location.origin
  const models = useApi('listModels', {}).data
  const packages = useApi('listPackages', {}).data
  const model = modelFor(
    packages?.find(({ id }) => id === packageId),
    models,
  )
  return (
    <Dialog
      isOpen
      onOpenChange={() => (isWarned ? onClose() : setIsWarned(true))}
      title={t('previous_valid_until' in made ? 'made.titleNew' : 'made.title', { name: made.name })}
      className="max-w-2xl"
      footer={
        <Button look="primary" onClick={onClose}>
          {t('made.close')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Caution>{t('made.once')}</Caution>
        <CopyField label={t('made.value')} text={made.key} />
        {'previous_valid_until' in made && (
          <p className="text-sm text-muted">
            {made.previous_valid_until === null
              ? t('made.oldGone')
              : t('made.oldUntil', { time: exactText(Date.parse(made.previous_valid_until), i18n.language) })}
          </p>
        )}
        {isWarned && (
          <p role="alert" className="text-sm text-red">
            {t('made.warned')}
          </p>
        )}
        {model === undefined ? (
          <p className="text-sm text-muted">{t('made.noModel')}</p>
        ) : (
          <Snippets hasKey snippets={snippetsFor({ url, model, key: made.key, shell: shellOf(navigator.userAgent) })} />
        )}
      </div>
    </Dialog>
  )
}
