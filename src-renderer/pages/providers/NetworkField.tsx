import { useTranslation } from 'react-i18next'
import { Field } from '#renderer/components/field.tsx'
import { Select } from '#renderer/components/input.tsx'

type Network = 'public' | 'local'

type NetworkFieldProps = {
  readonly network: Network
  readonly onChange: (network: Network) => void
  readonly error: string | undefined
}

/** Where a provider may be. */
export function NetworkField({ network, onChange, error }: NetworkFieldProps) {
  const { t } = useTranslation('providers')
  return (
    <Field label={t('field.network')} hint={t(`networkText.${network}`)} error={error}>
      {(control) => (
        <Select
          {...control}
          value={network}
          onChange={(event) => onChange(event.target.value === 'local' ? 'local' : 'public')}
        >
          <option value="public">{t('network.public')}</option>
          <option value="local">{t('network.local')}</option>
        </Select>
      )}
    </Field>
  )
}
