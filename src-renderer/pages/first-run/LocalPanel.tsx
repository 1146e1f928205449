import { RefreshCw } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Status } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Checkbox } from '#renderer/components/checkbox.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Loading } from '#renderer/components/states.tsx'
import { discoveryBody, placeOf, type LocalServer as Server, type Place } from '#renderer/data/discovered.ts'

/** Model servers that answer on this machine. */
export function LocalPanel({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation('first-run')
  const [left, setLeft] = useState<readonly string[]>([])
  const found = useApi('discover', { body: {} })
  const add = useAction('discover', { showsOwnErrors: true, onDone })
  const servers = found.data?.servers.filter(({ state }) => state !== 'not-found') ?? []
  const usable = servers.filter(({ state }) => state === 'found')
  const chosen = usable.map(placeOf).filter((place) => !left.includes(place))
  const toggle = (place: Place) =>
    setLeft((before) => (before.includes(place) ? before.filter((one) => one !== place) : [...before, place]))
  return (
    <div className="flex flex-col items-start gap-4">
      {found.isFetching && <Loading lines={2} className="w-full" />}
      {!found.isFetching && found.isError && <Problem text={found.error.message} />}
      {!found.isFetching && found.data !== undefined && servers.length === 0 && <p>{t('local.none')}</p>}
      {!found.isFetching && servers.length > 0 && (
        <ul className="flex w-full flex-col divide-y divide-line rounded-md border border-line">
          {servers.map((server) => (
            <LocalServer
              key={placeOf(server)}
              server={server}
              isChosen={chosen.includes(placeOf(server))}
              onToggle={toggle}
            />
          ))}
        </ul>
      )}
      <Problem text={add.error?.message} />
      <div className="flex flex-wrap gap-2">
        {usable.length > 0 && (
          <Button
            look="primary"
            isBusy={add.isPending}
            disabled={chosen.length === 0}
            onClick={() => add.mutate({ body: discoveryBody(usable, chosen) })}
          >
            {t('local.add')}
          </Button>
        )}
        <Button isBusy={found.isFetching} onClick={() => void found.refetch()}>
          <RefreshCw aria-hidden />
          {t('local.again')}
        </Button>
      </div>
    </div>
  )
}

type LocalServerProps = {
  readonly server: Server
  readonly isChosen: boolean
  readonly onToggle: (place: Place) => void
}

function LocalServer({ server, isChosen, onToggle }: LocalServerProps) {
  const { t } = useTranslation('first-run')
  const isUsable = server.state === 'found'
  const id = useId()
  return (
    <li className="flex items-center gap-3 px-3 py-2">
      <Checkbox id={id} checked={isChosen} disabled={!isUsable} onCheckedChange={() => onToggle(placeOf(server))} />
      <label htmlFor={id} className="min-w-0 flex-1">
        <span className="font-medium">{server.name}</span>
        <span className="block truncate text-xs text-muted">{server.base_url}</span>
      </label>
      {isUsable ? (
        <Status tone="live">{t('local.models', { count: server.models.length })}</Status>
      ) : (
        <Status tone="low">{t('local.needsKey')}</Status>
      )}
    </li>
  )
}
