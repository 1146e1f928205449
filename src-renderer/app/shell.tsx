// What surrounds every page: navigation, the line with the gateway's state, the palette. It stays when a page breaks.

import { useQueryClient } from '@tanstack/react-query'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { signOut, useSession } from '#renderer/api/session.ts'
import { CommandsProvider } from '#renderer/app/commands.tsx'
import { Navigation } from '#renderer/app/navigation.tsx'
import { pagesFor } from '#renderer/app/page-list.ts'
import { Palette } from '#renderer/app/palette.tsx'
import { TopLine } from '#renderer/app/top-line.tsx'
import { useActions } from '#renderer/app/use-actions.ts'

export function Shell() {
  const { t } = useTranslation('common')
  const session = useSession()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [isPaletteOpen, setIsPaletteOpen] = useState(false)
  const leave = useCallback(async () => {
    await signOut(queryClient)
    await navigate({ to: '/sign-in' })
  }, [navigate, queryClient])
  const extra = useActions(useCallback(() => void leave(), [leave]))
  const pages = pagesFor(session?.role ?? 'holder')
  return (
    <CommandsProvider>
      <a
        href="#content"
        className="absolute top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 text-on-accent focus:translate-y-0"
      >
        {t('skip')}
      </a>
      <div className="flex min-h-dvh">
        <Navigation pages={pages} onOpen={(page) => void navigate({ to: page.path })} />
        <div className="flex min-w-0 flex-1 flex-col">
          <TopLine
            name={session?.role === 'holder' ? t('keyNamed', { name: session.name }) : (session?.name ?? null)}
            pages={pages}
            onPalette={() => setIsPaletteOpen(true)}
            onSignOut={() => void leave()}
          />
          <main id="content" tabIndex={-1} className="mx-auto w-full max-w-page flex-1 p-4 pb-24 outline-none sm:p-6">
            <Outlet />
          </main>
        </div>
      </div>
      <Palette isOpen={isPaletteOpen} onOpenChange={setIsPaletteOpen} pages={pages} extra={extra} />
    </CommandsProvider>
  )
}
