import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyRotated, KeyView } from '#contract/schemas.ts'
import { errorBeside } from '#renderer/api/field-errors.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Field } from '#renderer/components/field.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { Select } from '#renderer/components/input.tsx'
import { packageOf } from '#renderer/data/key-list.ts'
import { KeyMade } from '#renderer/pages/keys/KeyMade.tsx'

const OVERLAPS = ['none', '1h', '24h', '7d', '30d'] as const
type Overlap = (typeof OVERLAPS)[number]

type RotateKeyProps = { readonly item: KeyView; readonly onClose: () => void }

/** Asks how long the old value is to work, then shows the new one, which nothing can show again. */
export function RotateKey({ item, onClose }: RotateKeyProps) {
  const { t } = useTranslation('keys')
  const { id, name } = item
  const [overlap, setOverlap] = useState<Overlap>('24h')
  const [made, setMade] = useState<KeyRotated>()
  const packages = useApi('listPackages', {})
  const rotate = useAction('rotateKey', {
    onDone: (rotated) => {
      // The answer holds the key's value, which nothing but the next panel may keep.
      rotate.reset()
      setMade(rotated)
    },
    showsOwnErrors: true,
  })
  if (made !== undefined) {
    return <KeyMade made={made} packageId={packageOf(item, packages.data)?.id ?? ''} onClose={onClose} />
  }
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('rotate.title', { name })}
      description={t('rotate.text')}
      action={t('action.rotate')}
      isBusy={rotate.isPending}
      problem={errorBeside(rotate.error, [])}
      onSubmit={() => rotate.mutate({ id, body: { overlap } })}
    >
      <Field label={t('rotate.overlap')} hint={t('rotate.hint')}>
        {(control) => (
          <Select
            {...control}
            value={overlap}
            onChange={(event) => setOverlap(OVERLAPS.find((one) => one === event.target.value) ?? '24h')}
          >
            {OVERLAPS.map((one) => (
              <option key={one} value={one}>
                {t(`rotate.${one}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </FormDialog>
  )
}
