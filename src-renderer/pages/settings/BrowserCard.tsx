import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { DENSITIES, THEMES, useDensity, useTheme } from '#renderer/app/preferences.ts'
import { LanguageChoice } from '#renderer/app/language-choice.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Segments } from '#renderer/components/tabs.tsx'

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
          <LanguageChoice className="w-auto" />
        </Line>
      </div>
    </Card>
  )
}

function Line({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      {/* What stands beside it says its name by itself. */}
      <span aria-hidden>{label}</span>
      {children}
    </div>
  )
}
