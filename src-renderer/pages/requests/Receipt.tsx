import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { ReceiptView } from '#contract/receipt.ts'
import { useSession } from '#renderer/api/session.ts'
import { Time } from '#renderer/components/time.tsx'
import { exactText } from '#renderer/data/times.ts'
import { Attempts, Timings } from '#renderer/pages/requests/ReceiptCourse.tsx'
import { ReceiptPicture } from '#renderer/pages/requests/ReceiptPicture.tsx'
import { Charge, TokenClasses } from '#renderer/pages/requests/ReceiptMoney.tsx'
import { StatusMark } from '#renderer/components/status-mark.tsx'

/** What one request was, what it used, what that cost and how it went. */
export function Receipt({ receipt }: { readonly receipt: ReceiptView }) {
  const { t } = useTranslation('requests')
  return (
    <div className="flex flex-col gap-6">
      <Facts receipt={receipt} />
      <Section title={t('tokens')}>
        <TokenClasses receipt={receipt} />
      </Section>
      <Section title={t('charge')}>
        <Charge receipt={receipt} />
      </Section>
      <Section title={t('attempts')}>
        <Attempts receipt={receipt} />
      </Section>
      <Section title={t('timings')}>
        <Timings receipt={receipt} />
      </Section>
      <ReceiptPicture receipt={receipt} />
    </div>
  )
}

function Facts({ receipt }: { readonly receipt: ReceiptView }) {
  const { t, i18n } = useTranslation('requests')
  const { model, provider, upstream_model: upstream, outcome } = receipt
  // If only in part.
  const isAnswered = outcome === 'answered' || outcome === 'cut' || outcome === 'out_of_credits'
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5">
      <Fact name={t('columns.status')}>
        <StatusMark request={receipt} t={t} hasWord />
      </Fact>
      <Fact name={t('facts.time')}>
        {exactText(Date.parse(receipt.created_at), i18n.language)}{' '}
        <span className="text-muted">
          (<Time at={receipt.created_at} />)
        </span>
      </Fact>
      <Fact name={t('facts.requested')}>
        <ModelLink model={model} />
      </Fact>
      <Fact name={t(isAnswered ? 'facts.served' : 'facts.asked')}>
        {provider === null ? (
          <span className="text-muted" title={t('common:unknown')}>
            –
          </span>
        ) : (
          <>
            {provider}
            {upstream !== null && <span className="text-muted"> · {upstream}</span>}
          </>
        )}
      </Fact>
      <Fact name={t('columns.key')}>
        <Link to="/keys" search={{ open: receipt.key }} className="underline decoration-line-strong underline-offset-4">
          {receipt.key}
        </Link>
      </Fact>
      <Fact name={t('facts.endpoint')}>
        {receipt.endpoint}
        <span className="text-muted"> · {t(receipt.stream ? 'facts.stream' : 'facts.whole')}</span>
      </Fact>
      <MadeFor receipt={receipt} />
      <Fact name={t('facts.id')}>
        <code className="font-mono text-xs select-all">{receipt.id}</code>
      </Fact>
    </dl>
  )
}

/** What somebody said of it; each leads to the requests of which the same was said. */
function MadeFor({ receipt: { tool, project, tags, session } }: { readonly receipt: ReceiptView }) {
  const { t } = useTranslation('requests')
  const said = [
    { name: 'tool' as const, value: tool },
    { name: 'project' as const, value: project },
    ...tags.map((value) => ({ name: 'tag' as const, value })),
    { name: 'session' as const, value: session },
  ]
  return said.map(({ name, value }) =>
    value === null ? undefined : (
      <Fact key={`${name} ${value}`} name={t(`filters.${name}`)}>
        <Link to="/requests" search={{ [name]: value }} className="underline decoration-line-strong underline-offset-4">
          {value}
        </Link>
      </Fact>
    ),
  )
}

/** Only administrators have a page about models. */
function ModelLink({ model }: { readonly model: string }) {
  const isAdministrator = useSession()?.role === 'administrator'
  if (!isAdministrator) return model
  return (
    <Link to="/models" search={{ open: model }} className="underline decoration-line-strong underline-offset-4">
      {model}
    </Link>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="text-sm font-semibold">{title}</h3>
      {children}
    </section>
  )
}
