import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { DENSITIES, THEMES, useDensity, useTheme } from '#renderer/app/preferences.ts'
import { Card } from '#renderer/components/card.tsx'
import { Segments } from '#renderer/components/tabs.tsx'
import { changeLanguage, currentLanguage, LANGUAGE_CHOICES } from '#renderer/i18n/catalogues.ts'

/** How the dashboard looks here; kept in this browser, not in Farebox. */
export function BrowserCard() {
  const { t } = useTranslation('settings')
  const [theme, setTheme] = useTheme()
  const [density, setDensity] = useDensity()
  return (
    <Card title={t('browser.title')}>
      <p className="-mt-2 mb-3 text-xs text-muted">{t('browser.text')}</p>
      <div className="flex flex-col gap-3">
        <Line label={t('common:theme.label')}>
          <Segments
            label={t('common:theme.label')}
            value={theme}
            onChange={setTheme}
            choices={THEMES.map((value) => ({ value, label: t(`common:theme.${value}`) }))}
          />
        </Line>
        <Line label={t('common:density.label')}>
          <Segments
            label={t('common:density.label')}
            value={density}
            onChange={setDensity}
            choices={DENSITIES.map((value) => ({ value, label: t(`common:density.${value}`) }))}
          />
        </Line>
        <Line label={t('common:language')}>
          <Segments
            label={t('common:language')}
            value={currentLanguage()}
            onChange={(language) => void changeLanguage(language)}
            choices={LANGUAGE_CHOICES}
          />
        </Line>
      </div>
    </Card>
  )
}

function Line({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      {/* The group of buttons says its name by itself. */}
      <span aria-hidden>{label}</span>
      {children}
    </div>
  )
}
