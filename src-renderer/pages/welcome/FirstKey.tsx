import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyCreated } from '#contract/schemas.ts'
import { errorBeside } from '#renderer/api/field-errors.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { NewKeyFields } from '#renderer/pages/keys/NewKeyFields.tsx'
import { useNewKey } from '#renderer/pages/keys/use-new-key.ts'

type FirstKeyProps = { readonly made: KeyCreated | undefined; readonly onMade: (key: KeyCreated) => void }

/** Makes a key under one of the packages that are open to the member. */
export function FirstKey({ made, onMade }: FirstKeyProps) {
  const { t } = useTranslation('welcome')
  const packages = useApi('listPackages', {}).data
  if (made !== undefined) {
    return (
      <div className="flex flex-col gap-3">
        <p>{t('key.made', { name: made.name })}</p>
        <CopyField label={t('key.value')} text={made.key} />
      </div>
    )
  }
  if (packages?.length === 0) return <p>{t('key.noPackage')}</p>
  return <KeyForm onMade={onMade} />
}

function KeyForm({ onMade }: Pick<FirstKeyProps, 'onMade'>) {
  const { t } = useTranslation('welcome')
  const newKey = useNewKey(onMade)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    newKey.create()
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <NewKeyFields newKey={newKey} nameHint={t('key.nameHint')} />
      <Problem text={newKey.packagesError?.message ?? errorBeside(newKey.error, ['name', 'package'])} />
      <Button type="submit" look="primary" className="self-start" isBusy={newKey.isBusy} disabled={!newKey.isReady}>
        {t('key.create')}
      </Button>
    </form>
  )
}
