import { CircleCheck, LoaderCircle } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { ToolConnection, ToolView } from '#contract/tools.ts'
import { Button } from '#renderer/components/button.tsx'
import { CodeSnippet } from '#renderer/components/copy.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { Time } from '#renderer/components/time.tsx'

type ConnectedDialogProps = {
  readonly tool: ToolView
  readonly connection: ToolConnection
  readonly onClose: () => void
}

/** What a person does next, until the first request of the tool is there. */
export function ConnectedDialog({ tool, connection: { next }, onClose }: ConnectedDialogProps) {
  const { t } = useTranslation('tools')
  const [place = '', ...lines] = next
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('connect.titleOf', { name: tool.name })}
      footer={<Button onClick={onClose}>{t('connect.done')}</Button>}
      className="max-w-2xl"
    >
      <div className="flex flex-col gap-4">
        <Seen tool={tool} />
        {tool.ways.includes('connect') ? (
          next.map((step) => (
            <p key={step} className="break-words">
              {step}
            </p>
          ))
        ) : (
          <>
            <p>{place}</p>
            <CodeSnippet label={t('copy.lines')} code={lines.join('\n')} />
          </>
        )}
        {!tool.connected && <p className="text-sm text-muted">{t('connect.notYet')}</p>}
      </div>
    </Dialog>
  )
}

function Seen({ tool: { name, connected, last_request_at: at } }: { readonly tool: ToolView }) {
  const { t } = useTranslation('tools')
  return (
    <p role="status" className="flex flex-wrap items-center gap-2 text-base font-semibold">
      {connected ? (
        <>
          <CircleCheck aria-hidden className="size-5 text-accent" />
          {t('connect.seen', { name })}
          <span className="text-sm font-normal text-muted">
            <Time at={at} />
          </span>
        </>
      ) : (
        <>
          <LoaderCircle aria-hidden className="size-5 animate-spin text-accent" />
          {t('connect.waiting', { name })}
        </>
      )}
    </p>
  )
}
