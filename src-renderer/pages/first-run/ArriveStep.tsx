import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, LoaderCircle } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView, ModelView, UsageView } from '#contract/schemas.ts'
import { useEvents } from '#renderer/api/events.ts'
import { tryIt } from '#renderer/api/try-it.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Facts } from '#renderer/components/facts.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Time } from '#renderer/components/time.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'
import { usageIn } from '#renderer/data/live.ts'
import { isOverLan } from '#renderer/data/over-lan.ts'
import { durationText } from '#renderer/data/numbers.ts'
import { wholeAnswer } from '#renderer/data/try-answer.ts'
import { requestOf } from '#renderer/data/try-request.ts'
import { modelOf } from '#renderer/data/choices.ts'

type ArriveStepProps = {
  readonly usedKey: KeyView | undefined
  readonly models: readonly ModelView[]
  readonly model: string | undefined
  readonly onDone: () => void
}

/** Waits for a request of the key, and shows what it cost. */
export function ArriveStep({ usedKey, models, model, onDone }: ArriveStepProps) {
  const { t } = useTranslation('first-run')
  const usage = useFirstUsage(usedKey)
  if (usedKey === undefined) return <p>{t('arrive.noKey')}</p>
  if (usage === undefined) return <Waiting usedKey={usedKey} model={modelOf(models, 'chat', model)} />
  return (
    <div className="flex flex-col items-start gap-4">
      <p role="status" className="flex items-center gap-2 text-base font-semibold">
        <CircleCheck aria-hidden className="size-5 text-accent" />
        {t('arrive.there')}
      </p>
      <UsageFacts usage={usage} />
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={onDone}>
          {t('arrive.done')}
        </Button>
        {!isOverLan() && (
          <Button asChild>
            <Link to="/tools">{t('arrive.tools')}</Link>
          </Button>
        )}
        <Button asChild>
          <Link to="/requests" search={{ open: usage.id }}>
            {t('arrive.receipt')}
          </Link>
        </Button>
      </div>
    </div>
  )
}

/** The newest request of the key: what is there already, or what comes while one looks. */
function useFirstUsage(key: KeyView | undefined): UsageView | undefined {
  const [live, setLive] = useState<UsageView>()
  const known = useApi('usage', { query: { key: key?.id ?? '', limit: '1' } }, { isEnabled: key !== undefined })
  useEvents((event) => {
    const usage = usageIn(event)
    if (usage !== undefined && usage.key === key?.name) setLive(usage)
  }, key !== undefined)
  return live ?? known.data?.usage[0]
}

function Waiting({ usedKey, model }: { readonly usedKey: KeyView; readonly model: string | undefined }) {
  const { t } = useTranslation('first-run')
  const send = useMutation<void, Error>({ mutationFn: () => sendHello(usedKey.id, model ?? '', t('arrive.hello')) })
  return (
    <div className="flex flex-col items-start gap-4">
      <p role="status" className="flex items-center gap-2 text-base">
        <LoaderCircle aria-hidden className="size-5 animate-spin text-accent" />
        {t('arrive.waiting', { name: usedKey.name })}
      </p>
      <p className="text-muted">{t('arrive.how')}</p>
      <Problem text={send.error?.message} />
      <Button isBusy={send.isPending} disabled={model === undefined} onClick={() => send.mutate()}>
        {t('arrive.send')}
      </Button>
    </div>
  )
}

const OUTPUT_CAP = 64
/** It is this page's own request, so nobody would wait longer for it. */
const LIMIT_MS = 60_000

/** Throws what the answer says against the request. */
async function sendHello(key: string, model: string, prompt: string): Promise<void> {
  let status = 0
  let body = ''
  await tryIt({
    body: {
      key,
      endpoint: 'chat',
      request: requestOf({
        format: 'chat',
        model,
        system: '',
        turns: [{ prompt, image: undefined, steps: [], answer: undefined }],
        tools: [],
        isStream: false,
        outputCap: OUTPUT_CAP,
      }),
    },
    signal: AbortSignal.timeout(LIMIT_MS),
    onHead: (head) => (status = head.status),
    onText: (piece) => (body += piece),
  })
  if (status >= 400) throw new Error(wholeAnswer('chat', body)?.error ?? String(status))
}

function UsageFacts({ usage }: { readonly usage: UsageView }) {
  const { t, i18n } = useTranslation('first-run')
  const facts = [
    { name: t('arrive.time'), value: <Time at={usage.created_at} /> },
    { name: t('arrive.model'), value: `${usage.model} → ${usage.provider ?? '–'}` },
    {
      name: t('arrive.tokens'),
      value: (
        <>
          <Tokens count={usage.input_tokens} isExact /> / <Tokens count={usage.output_tokens} isExact />
        </>
      ),
    },
    { name: t('arrive.took'), value: durationText(usage.duration_ms, i18n.language) },
    { name: t('arrive.charge'), value: <Money credits={usage.charge_credits} detail="exact" /> },
  ]
  return <Facts facts={facts} className="w-full max-w-md" />
}
