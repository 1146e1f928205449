// Looks for model servers on this machine, and adds those that are chosen.

import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Loading } from '#renderer/components/states.tsx'
import { addableServers, discoveryBody, isKindOpen, type LocalModel, type Place } from '#renderer/data/discovered.ts'
import { SaidKind } from '#renderer/pages/providers/SaidKind.tsx'
import { ServerList } from '#renderer/pages/providers/ServerList.tsx'

export function DiscoverDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('providers')
  const [chosen, setChosen] = useState<readonly Place[]>([])
  const [kind, setKind] = useState<'' | LocalModel['kind']>('')
  const look = useAction('discover', {
    showsOwnErrors: true,
    invalidates: [],
    onDone: ({ servers }) => setChosen(addableServers(servers)),
  })
  const add = useAction('discover', {
    showsOwnErrors: true,
    done: ({ added }) => t('discover.done', { providers: added.providers.length, models: added.models.length }),
    onDone: onClose,
  })
  const { mutate } = look
  // Whoever opens this wants to know what is there.
  useEffect(() => mutate({ body: {} }), [mutate])
  const servers = look.data?.servers
  const addable = servers === undefined ? [] : addableServers(servers)
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('discover.title')}
      description={t('discover.text')}
      footer={
        <>
          <Button isBusy={look.isPending} onClick={() => mutate({ body: {} })}>
            {t('discover.again')}
          </Button>
          {addable.length > 0 && (
            <Button
              look="primary"
              isBusy={add.isPending}
              disabled={chosen.length === 0 || look.isPending}
              onClick={() => add.mutate({ body: discoveryBody(servers ?? [], chosen, kind) })}
            >
              {t('discover.add', { count: chosen.length })}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {servers === undefined && look.error === null && <Loading lines={4} />}
        {servers !== undefined && <ServerList servers={servers} chosen={chosen} onChange={setChosen} />}
        {isKindOpen(servers ?? [], chosen) && <SaidKind kind={kind} onChange={setKind} error={add.error} />}
        <Problem text={(add.error ?? look.error)?.message} />
      </div>
    </Dialog>
  )
}
