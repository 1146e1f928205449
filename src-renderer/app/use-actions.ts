// What can be done from every page by the palette.

import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '#renderer/api/session.ts'
import { useAction } from '#renderer/api/use-api.ts'
import type { Command } from '#renderer/app/commands.tsx'
import { THEMES, useTheme } from '#renderer/app/preferences.ts'
import { exactText, msOf } from '#renderer/data/times.ts'

const PAUSE_MINUTES = 60

export function useActions(signOut: () => void): readonly Command[] {
  const { t, i18n } = useTranslation('common')
  const role = useSession()?.role ?? 'holder'
  const navigate = useNavigate()
  const [, setTheme] = useTheme()
  const { mutate: pause } = useAction('pause', {
    done: ({ paused_until: until }) => t('palette.paused', { time: exactText(msOf(until) ?? 0, i18n.language) }),
  })
  const { mutate: resume } = useAction('resume', { done: t('palette.resumed') })
  return useMemo(() => {
    const createKey = () => void navigate({ to: '/keys', search: { make: 'key' } })
    const ofPeople = [{ id: 'create-key', label: t('palette.createKey'), run: createKey }]
    const ofAdministrators = [
      { id: 'pause', label: t('palette.pause'), run: () => pause({ body: { minutes: PAUSE_MINUTES } }) },
      { id: 'resume', label: t('palette.resume'), run: () => resume({}) },
    ]
    return [
      ...(role === 'holder' ? [] : ofPeople),
      ...(role === 'administrator' ? ofAdministrators : []),
      ...THEMES.map((theme) => ({
        id: `theme-${theme}`,
        label: `${t('theme.label')}: ${t(`theme.${theme}`)}`,
        run: () => setTheme(theme),
      })),
      { id: 'sign-out', label: t('signOut'), run: signOut },
    ]
  }, [navigate, pause, resume, role, setTheme, signOut, t])
}
