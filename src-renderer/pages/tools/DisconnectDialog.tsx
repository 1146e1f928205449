import { useTranslation } from 'react-i18next'
import type { ToolDisconnection, ToolView } from '#contract/tools.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Diff } from '#renderer/components/diff.tsx'
import { FormDialog, Problem } from '#renderer/components/form-dialog.tsx'
import { Loading } from '#renderer/components/states.tsx'
import { useToast } from '#renderer/components/toast.tsx'

type DisconnectDialogProps = { readonly tool: ToolView; readonly onClose: () => void }

/** Shows what will be put back, and what stays because somebody changed it since. */
export function DisconnectDialog({ tool, onClose }: DisconnectDialogProps) {
  const { t } = useTranslation('tools')
  const toast = useToast()
  const preview = useApi('disconnectTool', { id: tool.tool, body: { dry_run: true } })
  const disconnect = useAction('disconnectTool', {
    showsOwnErrors: true,
    onDone: ({ problems }) => {
      if (problems.length > 0) return
      toast.done(t('disconnect.done', { name: tool.name }))
      onClose()
    },
  })
  return (
    <FormDialog
      isOpen
      onOpenChange={onClose}
      title={t('disconnect.titleOf', { name: tool.name })}
      description={t('disconnect.text')}
      action={t('disconnect.action')}
      isBusy={disconnect.isPending}
      isDisabled={preview.data === undefined}
      problem={(disconnect.error ?? preview.error)?.message}
      onSubmit={() => disconnect.mutate({ id: tool.tool, body: {} })}
      className="max-w-2xl"
    >
      {preview.isPending && <Loading lines={4} />}
      {preview.data !== undefined && <PutBack disconnection={disconnect.data ?? preview.data} />}
    </FormDialog>
  )
}

function PutBack({ disconnection }: { readonly disconnection: ToolDisconnection }) {
  const { t } = useTranslation('tools')
  const { changes, left, problems, key_name: keyName } = disconnection
  return (
    <>
      {changes.map(({ file, diff }) => (
        <Diff key={file} file={file} diff={diff} />
      ))}
      {left.length > 0 && (
        <div className="text-sm">
          <p>{t('disconnect.left')}</p>
          <ul className="mt-1 list-disc pl-5 font-mono text-xs">
            {left.map((member) => (
              <li key={member} className="break-all">
                {member}
              </li>
            ))}
          </ul>
        </div>
      )}
      {problems.map((problem) => (
        <Problem key={problem} text={problem} />
      ))}
      {keyName !== null && <p className="text-sm">{t('disconnect.key', { name: keyName })}</p>}
    </>
  )
}
