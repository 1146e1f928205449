import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { LoaderCircle } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '#renderer/api/client.ts'
import { signIn } from '#renderer/api/session.ts'
import { SignedOutFrame } from '#renderer/app/signed-out-frame.tsx'
import { askedPage, usedUpTicket } from '#renderer/app/ticket.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { useDocumentTitle } from '#renderer/components/use-document-title.ts'
import { ownCommand } from '#renderer/data/own-command.ts'
import { KeyForm } from '#renderer/pages/sign-in/KeyForm.tsx'
import { PasswordForm } from '#renderer/pages/sign-in/PasswordForm.tsx'

export function SignInPage() {
  const { t } = useTranslation('sign-in')
  const [isEntering, problem] = useTicket()
  const [isByKey, setIsByKey] = useState(false)
  useDocumentTitle(t('title'))
  return (
    <SignedOutFrame>
      <Card>
        {isEntering ? (
          <p role="status" className="flex items-center justify-center gap-2 py-6 text-muted">
            <LoaderCircle aria-hidden className="size-4 animate-spin" />
            {t('entering')}
          </p>
        ) : isByKey ? (
          <KeyForm />
        ) : (
          <PasswordForm problem={problem === undefined || !isRefused(problem) ? problem?.message : t('ticketFailed')} />
        )}
      </Card>
      {!isEntering && (
        <div className="flex flex-col gap-2 text-xs text-muted">
          <Button look="quiet" size="small" className="self-center" onClick={() => setIsByKey(!isByKey)}>
            {t(isByKey ? 'byPassword' : 'byKey')}
          </Button>
          <p>{t('hint')}</p>
          <CopyField label={t('command')} text={`${ownCommand()} open`} />
        </div>
      )}
    </SignedOutFrame>
  )
}

/** The ticket was not good any more; everything else has words of its own. */
function isRefused(problem: Error): boolean {
  return problem instanceof ApiError && problem.status === 401
}

/** Exchanges the ticket that the page was opened with, if any. */
function useTicket(): readonly [isEntering: boolean, problem: Error | undefined] {
  const queryClient = useQueryClient()
  const router = useRouter()
  const [ticket] = useState(usedUpTicket)
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    if (ticket === undefined) return
    exchange(ticket, () => signIn(queryClient, { ticket })).then(
      () => router.history.push(askedPage()),
      (error: unknown) => setProblem(error instanceof Error ? error : new Error(String(error))),
    )
  }, [ticket, queryClient, router])
  return [ticket !== undefined && problem === undefined, problem]
}

let running: { readonly ticket: string; readonly done: Promise<void> } | undefined

/** In development React runs effects twice, and a ticket is good for one try. */
function exchange(ticket: string, run: () => Promise<void>): Promise<void> {
  if (running?.ticket !== ticket) running = { ticket, done: run() }
  return running.done
}
