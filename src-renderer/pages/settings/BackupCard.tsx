import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { BackupView } from '#contract/schemas.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Status } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Checkbox } from '#renderer/components/checkbox.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { backupFileBeside } from '#renderer/data/backup-file.ts'
import { bytesText, countText } from '#renderer/data/numbers.ts'

/** Writes a backup to a file of the gateway's machine while it runs. */
export function BackupCard({ dataDir }: { readonly dataDir: string | undefined }) {
  const { t } = useTranslation('settings')
  const [typed, setTyped] = useState<string>()
  const [isForced, setIsForced] = useState(false)
  const backUp = useAction('backUp', { showsOwnErrors: true, invalidates: [] })
  const file = typed ?? (dataDir === undefined ? '' : backupFileBeside(dataDir, Date.now()))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!backUp.isPending && file !== '') backUp.mutate({ body: { file, ...(isForced ? { force: true } : {}) } })
  }
  return (
    <Card title={t('backup.title')}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        <p className="-mt-2 text-muted">{t('backup.text')}</p>
        <Field label={t('backup.file')} hint={t('backup.hint')} error={errorAt(backUp.error, 'file')}>
          {(control) => (
            <Input
              {...control}
              value={file}
              maxLength={4096}
              onChange={(event) => setTyped(event.target.value)}
              className="font-mono text-xs"
            />
          )}
        </Field>
        <Field label={t('backup.force')} layout="row">
          {(control) => (
            <Checkbox {...control} checked={isForced} onCheckedChange={(checked) => setIsForced(checked === true)} />
          )}
        </Field>
        <Problem text={errorBeside(backUp.error, ['file'])} />
        <Button type="submit" className="self-start" isBusy={backUp.isPending} disabled={file === ''}>
          {t('backup.make')}
        </Button>
        <div aria-live="polite" className="empty:hidden">
          {backUp.data !== undefined && !backUp.isPending && <Made backup={backUp.data} />}
        </div>
      </form>
    </Card>
  )
}

function Made({ backup }: { readonly backup: BackupView }) {
  const { t, i18n } = useTranslation('settings')
  const { language } = i18n
  return (
    <div className="flex flex-col items-start gap-1">
      <Status tone="live">{t('backup.done')}</Status>
      <p className="break-all">{backup.file}</p>
      <p className="text-xs text-muted">
        {t('backup.size', {
          size: bytesText(backup.bytes, language),
          keys: countText(backup.keys, language),
          entries: countText(backup.entries, language),
          records: countText(backup.usage_records, language),
        })}
      </p>
      {backup.without_secrets.length > 0 && (
        <p className="text-xs text-muted">{t('backup.without', { names: backup.without_secrets.join(', ') })}</p>
      )}
    </div>
  )
}
