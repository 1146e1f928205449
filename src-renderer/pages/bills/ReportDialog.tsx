import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BillCheckBody } from '#contract/bills.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input, Select } from '#renderer/components/input.tsx'
import { Segments } from '#renderer/components/tabs.tsx'
import { useToast } from '#renderer/components/toast.tsx'
import { namesIn } from '#renderer/data/bill-days.ts'
import { FilePreview } from '#renderer/pages/bills/FilePreview.tsx'

type Source = 'ask' | 'file'
type ReportDraft = {
  readonly source: Source
  readonly provider: string
  readonly file: string
  readonly keys: string
  readonly project: string
}

const EMPTY: ReportDraft = { source: 'file', provider: '', file: '', keys: '', project: '' }

/** Asks a provider for its report, or reads a file of it: a file shows how it is read before anything is kept. */
export function ReportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('bills')
  const toast = useToast()
  const [draft, setDraft] = useState(EMPTY)
  const preview = useAction('checkBill', { invalidates: [], showsOwnErrors: true })
  const keep = useAction('checkBill', {
    showsOwnErrors: true,
    onDone: ({ unexplained }) => {
      toast.done(unexplained === 0 ? t('kept') : t('keptUnexplained', { count: unexplained }))
      onClose()
    },
  })
  const change = (next: Partial<ReportDraft>) => {
    preview.reset()
    keep.reset()
    setDraft({ ...draft, ...next })
  }
  const isSeen = draft.source === 'ask' || preview.data !== undefined
  const isComplete = draft.provider !== '' && (draft.source === 'ask' || draft.file.trim() !== '')
  const send = () =>
    isSeen ? keep.mutate({ body: bodyOf(draft, true) }) : preview.mutate({ body: bodyOf(draft, false) })
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('report.title')}
      description={t('report.text')}
      action={t(draft.source === 'ask' ? 'report.ask' : isSeen ? 'report.keep' : 'report.look')}
      isBusy={preview.isPending || keep.isPending}
      isDisabled={!isComplete}
      problem={(keep.error ?? preview.error)?.message}
      onSubmit={send}
      className="max-w-xl"
    >
      <ReportFields draft={draft} onChange={change} />
      {preview.data !== undefined && <FilePreview check={preview.data} />}
    </FormDialog>
  )
}

function bodyOf({ source, provider, file, keys, project }: ReportDraft, isKept: boolean): BillCheckBody {
  const accounts = namesIn(keys)
  return {
    provider,
    ...(source === 'file' && { file: file.trim() }),
    ...(accounts !== undefined && { account_keys: accounts }),
    ...(source === 'ask' && project.trim() !== '' && { project: project.trim() }),
    ...(isKept && { keep: true }),
  }
}

type ReportFieldsProps = { readonly draft: ReportDraft; readonly onChange: (next: Partial<ReportDraft>) => void }

function ReportFields({ draft, onChange }: ReportFieldsProps) {
  const { t } = useTranslation('bills')
  const providers = useApi('listProviders', {}).data ?? []
  const secrets = useApi('listBillSecrets', {}).data ?? []
  const names =
    draft.source === 'file'
      ? providers.map(({ name }) => name)
      : secrets.flatMap(({ provider, has_secret: hasSecret, has_reports: hasReports }) =>
          hasSecret && hasReports ? provider : [],
        )
  return (
    <>
      <Segments<Source>
        label={t('report.source')}
        value={draft.source}
        onChange={(source) => onChange({ source, provider: '' })}
        choices={[
          { value: 'file', label: t('report.ofFile') },
          { value: 'ask', label: t('report.ofProvider') },
        ]}
      />
      <Field label={t('column.provider')} hint={draft.source === 'ask' ? t('report.secretHow') : undefined}>
        {(control) => (
          <Select {...control} value={draft.provider} onChange={({ target }) => onChange({ provider: target.value })}>
            <option value="">{t('report.choose')}</option>
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {draft.source === 'file' ? (
        <Field label={t('report.file')} hint={t('report.fileHow')}>
          {(control) => (
            <Input {...control} value={draft.file} onChange={({ target }) => onChange({ file: target.value })} />
          )}
        </Field>
      ) : (
        <Field label={t('report.project')} hint={t('report.projectHow')}>
          {(control) => (
            <Input {...control} value={draft.project} onChange={({ target }) => onChange({ project: target.value })} />
          )}
        </Field>
      )}
      <Field label={t('report.keys')} hint={t('report.keysHow')}>
        {(control) => (
          <Input {...control} value={draft.keys} onChange={({ target }) => onChange({ keys: target.value })} />
        )}
      </Field>
    </>
  )
}
