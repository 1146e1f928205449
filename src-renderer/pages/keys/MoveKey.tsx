import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '#contract/schemas.ts'
import { errorAt, errorBeside } from '#renderer/api/field-errors.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Select } from '#renderer/components/input.tsx'
import { moveEffect, packageOf } from '#renderer/data/key-list.ts'
import { PackageFacts } from '#renderer/components/package-facts.tsx'

export function MoveKey({ item, onClose }: { readonly item: KeyView; readonly onClose: () => void }) {
  const { t } = useTranslation('keys')
  const { name, id } = item
  const [packageId, setPackageId] = useState('')
  const packages = useApi('listPackages', {})
  const move = useAction('moveKey', { done: t('done.move', { name }), onDone: onClose, showsOwnErrors: true })
  const from = packageOf(item, packages.data)
  const to = packages.data?.find((one) => one.id === packageId)
  const effect = moveEffect(from, to)
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('move.title', { name })}
      description={t('move.text', { package: item.package })}
      action={t('action.move')}
      isBusy={move.isPending}
      isDisabled={to === undefined}
      problem={packages.error?.message ?? errorBeside(move.error, ['package'])}
      onSubmit={() => move.mutate({ id, body: { package: packageId } })}
    >
      <Field label={t('move.to')} error={errorAt(move.error, 'package')}>
        {(control) => (
          <Select {...control} value={packageId} onChange={(event) => setPackageId(event.target.value)}>
            <option value="">{t('choose')}</option>
            {packages.data
              ?.filter((one) => one.id !== from?.id)
              .map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
          </Select>
        )}
      </Field>
      {to !== undefined && <PackageFacts item={to} />}
      {effect !== undefined && (
        <p className={effect === 'ends' ? 'text-sm text-amber' : 'text-sm text-muted'}>{t(`move.${effect}`)}</p>
      )}
    </FormDialog>
  )
}
