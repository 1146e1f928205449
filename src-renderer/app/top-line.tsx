import { Link } from '@tanstack/react-router'
import { FlaskConical, LogOut, Search, SlidersHorizontal } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { OverviewView } from '#contract/reports.ts'
import { useApi } from '#renderer/api/use-api.ts'
import type { Page } from '#renderer/app/page-list.ts'
import { DENSITIES, THEMES, useDensity, useTheme } from '#renderer/app/preferences.ts'
import { Button, IconButton } from '#renderer/components/button.tsx'
import { cn } from '#renderer/components/cn.ts'
import { CopyButton } from '#renderer/components/copy.tsx'
import { Menu, MenuChoice, MenuItem, MenuLine } from '#renderer/components/menu.tsx'
import { changeLanguage, currentLanguage, LANGUAGE_CHOICES } from '#renderer/i18n/catalogues.ts'

const STATE_EVERY_MS = 15_000

type TopLineProps = {
  readonly name: string | null
  /** Those that whoever is signed in may open. */
  readonly pages: readonly Page[]
  readonly onPalette: () => void
  readonly onSignOut: () => void
}

export function TopLine({ name, pages, onPalette, onSignOut }: TopLineProps) {
  const { t } = useTranslation('common')
  const mayOpen = (name: Page['name']) => pages.some((page) => page.name === name)
  return (
    <header className="sticky top-0 z-20 border-b border-line bg-page">
      <div className="mx-auto flex h-14 max-w-page items-center gap-2 px-4 sm:px-6">
        <GatewayState hasSettings={mayOpen('settings')} />
        <span className="flex-1" />
        {mayOpen('try') && (
          <Button asChild size="small" className="max-sm:hidden">
            <Link to="/try">
              <FlaskConical aria-hidden />
              {t('pages.try')}
            </Link>
          </Button>
        )}
        <Button size="small" onClick={onPalette} title={t('palette.open')}>
          <Search aria-hidden />
          <span className="sr-only">{t('palette.open')}</span>
          <kbd className="font-sans max-sm:hidden">{isApple() ? '⌘ K' : 'Ctrl K'}</kbd>
        </Button>
        <ViewMenu name={name} onSignOut={onSignOut} />
      </div>
    </header>
  )
}

/** Whether the gateway answers, and the address that tools need. */
function GatewayState({ hasSettings }: { readonly hasSettings: boolean }) {
  const { t } = useTranslation('common')
  const { data, isError } = useApi('overview', {}, { everyMs: STATE_EVERY_MS })
  const tone = isError ? 'stopped' : data === undefined ? 'asking' : data.gateway.ledger === 'ok' ? 'running' : 'halted'
  const address = data?.gateway.url ?? location.origin
  return (
    <span role="status" className="flex min-w-0 items-center gap-1.5 text-sm">
      <span
        aria-hidden
        className={cn('size-2.5 shrink-0', {
          'rounded-full bg-accent': tone === 'running',
          'rounded-full border-2 border-line-strong': tone === 'asking',
          'rotate-45 bg-amber': tone === 'halted',
          'bg-red': tone === 'stopped',
        })}
      />
      <span className="font-medium">{t(`state.${tone}`)}</span>
      <span className="truncate text-muted tabular-nums">{address.replace(/^https?:\/\//, '')}</span>
      <CopyButton text={address} label={t('copyAddress')} />
      {data !== undefined && hasSettings && <LanMark state={data.gateway.lan.state} />}
    </span>
  )
}

/** Whether other machines can reach the gateway is in sight on every page. */
function LanMark({ state }: { readonly state: OverviewView['gateway']['lan']['state'] }) {
  const { t } = useTranslation('common')
  const look = {
    on: 'font-medium text-accent',
    failed: 'font-medium text-red',
    off: 'text-muted',
    waiting: 'text-muted',
  }
  return (
    <Link to="/settings" className={cn('shrink-0 hover:underline', look[state], state !== 'on' && 'max-sm:hidden')}>
      {t(`lan.${state}`)}
    </Link>
  )
}

function ViewMenu({ name, onSignOut }: { readonly name: string | null; readonly onSignOut: () => void }) {
  const { t } = useTranslation('common')
  const [theme, setTheme] = useTheme()
  const [density, setDensity] = useDensity()
  return (
    <Menu
      trigger={
        <IconButton label={t('view')} size="small-icon" look="plain">
          <SlidersHorizontal aria-hidden />
        </IconButton>
      }
    >
      <p className="px-2 pt-1.5 text-sm font-medium">{name ?? t('owner')}</p>
      <MenuChoice
        label={t('theme.label')}
        value={theme}
        onChange={setTheme}
        choices={THEMES.map((value) => ({ value, label: t(`theme.${value}`) }))}
      />
      <MenuChoice
        label={t('density.label')}
        value={density}
        onChange={setDensity}
        choices={DENSITIES.map((value) => ({ value, label: t(`density.${value}`) }))}
      />
      <MenuChoice
        label={t('language')}
        value={currentLanguage()}
        onChange={(language) => void changeLanguage(language)}
        choices={LANGUAGE_CHOICES}
      />
      <MenuLine />
      <MenuItem onSelect={onSignOut}>
        <LogOut aria-hidden />
        {t('signOut')}
      </MenuItem>
    </Menu>
  )
}

function isApple(): boolean {
  return /Mac|iP(hone|ad)/.test(navigator.userAgent)
}
