import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ToolConnection, ToolView } from '#contract/tools.ts'
import { useAction } from '#renderer/api/use-api.ts'
import { Diff } from '#renderer/components/diff.tsx'
import { FormDialog } from '#renderer/components/form-dialog.tsx'
import { ConnectedDialog } from '#renderer/pages/tools/ConnectedDialog.tsx'
import { WishFields, type Wish } from '#renderer/pages/tools/WishFields.tsx'

type ConnectDialogProps = { readonly tool: ToolView; readonly onClose: () => void }

/** Asks for package and models, shows what that changes, and writes what was shown. */
export function ConnectDialog({ tool, onClose }: ConnectDialogProps) {
  const { t } = useTranslation('tools')
  const { wish, choose, preview, connect, isByHand } = useConnecting(tool)
  if (connect.data !== undefined) return <ConnectedDialog tool={tool} connection={connect.data} onClose={onClose} />
  const changes = preview.data?.changes
  const isLookedAt = isByHand || changes !== undefined
  const send = () => {
    const options = { id: tool.tool, body: { ...wish, seen: (changes ?? []).map(hashesOf) } }
    if (isLookedAt) return connect.mutate(options)
    connect.reset()
    preview.mutate({ id: tool.tool, body: { ...wish, dry_run: true } })
  }
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('connect.titleOf', { name: tool.name })}
      description={t(isByHand ? 'copy.text' : 'connect.text')}
      action={isByHand ? t('copy.action') : t(isLookedAt ? 'connect.action' : 'connect.preview')}
      isBusy={preview.isPending || connect.isPending}
      problem={(connect.error ?? preview.error)?.message}
      onSubmit={send}
      className="max-w-2xl"
    >
      <WishFields wish={wish} onChange={choose} />
      {preview.data !== undefined && <Preview connection={preview.data} />}
    </FormDialog>
  )
}

/** Another choice, or a refusal, makes another preview necessary. */
function useConnecting(tool: ToolView) {
  const [wish, setWish] = useState<Wish>({})
  const preview = useAction('connectTool', { invalidates: [], showsOwnErrors: true })
  const connect = useAction('connectTool', { showsOwnErrors: true })
  const choose = (next: Wish) => {
    preview.reset()
    connect.reset()
    setWish(next)
  }
  const isByHand = !tool.ways.includes('connect')
  const shown = connect.isError ? { ...preview, data: undefined } : preview
  return { wish, choose, preview: shown, connect, isByHand }
}

function hashesOf({ file, before_sha256, after_sha256 }: ToolConnection['changes'][number]) {
  return { file, before_sha256, after_sha256 }
}

function Preview({ connection: { changes, key_name: keyName } }: { readonly connection: ToolConnection }) {
  const { t } = useTranslation('tools')
  return (
    <div role="group" aria-label={t('connect.changes')} className="flex flex-col gap-3">
      {changes.map(({ file, diff }) => (
        <Diff key={file} file={file} diff={diff} />
      ))}
      <p className="text-sm text-muted">{t(changes.length === 0 ? 'connect.noChange' : 'connect.rest')}</p>
      <p className="text-sm">{t('connect.keyName', { name: keyName })}</p>
    </div>
  )
}
