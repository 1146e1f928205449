// Starts the dashboard. What links carry leaves the address before anything else is done.

import './styles/main.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { onSignedOut } from '#renderer/api/client.ts'
import { createQueryClient } from '#renderer/api/query-client.ts'
import { askOtherTabs, shareSession } from '#renderer/api/session-token.ts'
import { isStillSame } from '#renderer/api/session.ts'
import { keepView } from '#renderer/app/kept-view.ts'
import { startPreferences } from '#renderer/app/preferences.ts'
import { createAppRouter } from '#renderer/app/router.tsx'
import { askedPage, isSigningIn, rememberPage, takeSecretsFromAddress } from '#renderer/app/ticket.ts'
import { ToastProvider } from '#renderer/components/toast.tsx'
import { TooltipProvider } from '#renderer/components/tooltip.tsx'
import { startTranslations } from '#renderer/i18n/catalogues.ts'

/** Whoever waits longer for the typeface reads this page without it. */
const MAX_WAIT_MS = 1000

takeSecretsFromAddress()
await start()

async function start(): Promise<void> {
  // Dialogs hold the page still with a style element, which the content security policy admits by this nonce alone.
  setNonce(document.querySelector('meta[name=csp-nonce]')?.getAttribute('content') ?? '')
  startPreferences()
  const typeface = typefaceThere()
  await startTranslations()
  keepView()
  const queryClient = createQueryClient()
  const router = createAppRouter(queryClient)
  const leave = () => {
    queryClient.clear()
    void router.navigate({ to: '/sign-in' })
  }
  onSignedOut(() => {
    rememberPage()
    leave()
  })
  shareSession({
    onEnded: leave,
    onBegun: () => {
      if (isSigningIn()) return router.history.push(askedPage())
      // Streams that are open and forms that are filled in are those of whoever was here before.
      void isStillSame(queryClient).then((isSame) => isSame || location.reload())
    },
  })
  await askOtherTabs()
  await typeface
  const place = document.getElementById('root')
  if (place === null) throw new Error('index.html has no #root')
  // Where scripts do not come, a page is loaded again by itself, a few times.
  sessionStorage.removeItem('farebox-loads')
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>
          <ToastProvider>
            <RouterProvider router={router} />
          </ToastProvider>
        </TooltipProvider>
      </QueryClientProvider>
    </StrictMode>,
  )
}

/** Words that change their width once they are read move everything beside them: a typeface that comes later is for the next page. */
async function typefaceThere(): Promise<void> {
  const loaded = document.fonts.load('14px "Inter Variable"').then(
    (faces) => faces.length > 0,
    () => false,
  )
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), MAX_WAIT_MS))
  document.documentElement.toggleAttribute('data-typeface', await Promise.race([loaded, late]))
}
