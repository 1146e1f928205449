// Headers that a provider wants beside its secret.

import { Plus, Trash2 } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { errorAt } from '#renderer/api/field-errors.ts'
import { Button } from '#renderer/components/button.tsx'
import { Checkbox } from '#renderer/components/checkbox.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Input } from '#renderer/components/input.tsx'
import { EMPTY_HEADER, MAX_HEADERS, type HeaderRow } from '#renderer/data/header-form.ts'
import type { EditPartProps } from '#renderer/pages/providers/edit-part.ts'

export function HeaderFields({ form, set, error }: EditPartProps) {
  const { t } = useTranslation('providers')
  const rows = form.headers
  const change = (index: number, row: HeaderRow) => set({ headers: rows.with(index, row) })
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t('headers.title')}</legend>
      <p className="mt-0.5 mb-2 text-xs text-muted">{t('headers.hint')}</p>
      <div className="flex flex-col items-start gap-3">
        {rows.map((row, index) => (
          <HeaderField
            // Rows have nothing else by which they are known: names are typed.
            key={index}
            row={row}
            number={index + 1}
            onChange={(next) => change(index, next)}
            onRemove={() => set({ headers: rows.toSpliced(index, 1) })}
          />
        ))}
        <Problem text={errorAt(error, 'headers') ?? errorAt(error, 'header_secrets')} />
        <Button disabled={rows.length >= MAX_HEADERS} onClick={() => set({ headers: [...rows, EMPTY_HEADER] })}>
          <Plus aria-hidden />
          {t('headers.add')}
        </Button>
      </div>
    </fieldset>
  )
}

type HeaderFieldProps = {
  readonly row: HeaderRow
  readonly number: number
  readonly onChange: (row: HeaderRow) => void
  readonly onRemove: () => void
}

function HeaderField({ row, number, onChange, onRemove }: HeaderFieldProps) {
  const { t } = useTranslation('providers')
  const id = useId()
  return (
    <div className="grid w-full grid-cols-[1fr_1fr_auto_auto] items-center gap-2 max-sm:grid-cols-1">
      <Input
        aria-label={t('headers.name', { number })}
        placeholder="x-portkey-provider"
        maxLength={64}
        disabled={row.isKept}
        value={row.name}
        onChange={(event) => onChange({ ...row, name: event.target.value })}
      />
      <Input
        aria-label={t('headers.value', { number })}
        type={row.isSecret ? 'password' : 'text'}
        autoComplete={row.isSecret ? 'new-password' : 'off'}
        placeholder={row.isKept ? t('headers.kept') : ''}
        maxLength={4000}
        value={row.value}
        onChange={(event) => onChange({ ...row, value: event.target.value })}
      />
      <span className="flex items-center gap-2 text-sm">
        <Checkbox
          id={id}
          checked={row.isSecret}
          disabled={row.isKept}
          onCheckedChange={() => onChange({ ...row, isSecret: !row.isSecret })}
        />
        <label htmlFor={id}>{t('headers.secret')}</label>
      </span>
      <Button look="quiet" size="icon" aria-label={t('headers.remove', { number })} onClick={onRemove}>
        <Trash2 aria-hidden />
      </Button>
    </div>
  )
}
