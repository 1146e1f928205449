import { useTranslation } from 'react-i18next'
import { Select } from '#renderer/components/input.tsx'
import { changeLanguage, currentLanguage, LANGUAGE_CHOICES } from '#renderer/i18n/catalogues.ts'

/** A list, since there are too many languages to stand side by side. */
export function LanguageChoice({ className }: { readonly className?: string }) {
  const { t } = useTranslation('common')
  const choose = (value: string) => {
    const choice = LANGUAGE_CHOICES.find((candidate) => candidate.value === value)
    if (choice !== undefined) void changeLanguage(choice.value)
  }
  return (
    <Select
      aria-label={t('language')}
      className={className}
      value={currentLanguage()}
      onChange={(event) => choose(event.target.value)}
    >
      {LANGUAGE_CHOICES.map(({ value, label }) => (
        <option key={value} value={value} lang={value}>
          {label}
        </option>
      ))}
    </Select>
  )
}
