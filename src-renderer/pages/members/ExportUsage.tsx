import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { callApi } from '#renderer/api/client.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { saveJson, saveText } from '#renderer/components/save-text.ts'
import { Segments } from '#renderer/components/tabs.tsx'
import { csvText } from '#contract/csv.ts'
import { dateAfter } from '#renderer/data/intervals.ts'
import { fileNameOf, memberLines } from '#renderer/data/member-usage.ts'
import { dateIn, ownZone } from '#renderer/data/zone-dates.ts'
import { BY_MEMBER } from '#renderer/pages/members/use-member-usage.ts'

const FORMATS = ['csv', 'json'] as const
type FileFormat = (typeof FORMATS)[number]

/** What each member used in a time, as a file. */
export function ExportUsage({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('members')
  const [today] = useState(() => dateIn(ownZone(), Date.now()))
  const [first, setFirst] = useState(`${today.slice(0, 8)}01`)
  const [last, setLast] = useState(today)
  const [format, setFormat] = useState<FileFormat>('csv')
  const save = useMutation({ mutationFn: () => saveUsage(first, last, format), onSuccess: onClose })
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('export.title')}
      description={t('export.text')}
      action={t('export.save')}
      isBusy={save.isPending}
      isDisabled={first === '' || last === '' || last < first}
      problem={save.error?.message}
      onSubmit={() => save.mutate()}
    >
      <div className="flex flex-wrap gap-4">
        <Day label={t('export.first')} today={today} value={first} onChange={setFirst} />
        <Day label={t('export.last')} today={today} value={last} onChange={setLast} />
      </div>
      <div className="flex">
        <Segments
          label={t('export.format')}
          value={format}
          onChange={setFormat}
          choices={FORMATS.map((value) => ({ value, label: value.toUpperCase() }))}
        />
      </div>
    </FormDialog>
  )
}

type DayProps = {
  readonly label: string
  readonly today: string
  readonly value: string
  readonly onChange: (day: string) => void
}

function Day({ label, today, value, onChange }: DayProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          type="date"
          required
          max={today}
          className="w-40"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

/** The days are those of the gateway's zone, which the file names. */
async function saveUsage(first: string, last: string, format: FileFormat): Promise<void> {
  const to = dateAfter(last, 1)
  const query = { ...BY_MEMBER, from: first, ...(to === undefined ? {} : { to }) }
  const report = await callApi('usageReport', { query })
  const name = `${fileNameOf('members', report)}.${format}`
  if (format === 'csv') saveText(name, 'text/csv', csvText(memberLines(report)))
  else saveJson(name, report)
}
