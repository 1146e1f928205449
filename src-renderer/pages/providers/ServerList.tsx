import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Status, type Tone } from '#renderer/components/badge.tsx'
import { Checkbox } from '#renderer/components/checkbox.tsx'
import {
  isAddable,
  newModels,
  placeOf,
  type LocalModel,
  type LocalServer,
  type Place,
} from '#renderer/data/discovered.ts'

const TONES = { found: 'live', 'needs-key': 'low', 'not-found': 'calm' } as const satisfies Record<
  LocalServer['state'],
  Tone
>

type ServerListProps = {
  readonly servers: readonly LocalServer[]
  readonly chosen: readonly Place[]
  readonly onChange: (chosen: readonly Place[]) => void
}

export function ServerList({ servers, chosen, onChange }: ServerListProps) {
  const { t } = useTranslation('providers')
  return (
    <ul aria-label={t('discover.title')} className="divide-y divide-line rounded-md border border-line">
      {servers.map((server) => (
        <ServerItem
          key={placeOf(server)}
          server={server}
          isChosen={chosen.includes(placeOf(server))}
          onToggle={() => onChange(toggled(chosen, placeOf(server)))}
        />
      ))}
    </ul>
  )
}

function toggled(chosen: readonly Place[], place: Place): readonly Place[] {
  return chosen.includes(place) ? chosen.filter((one) => one !== place) : [...chosen, place]
}

type ServerItemProps = { readonly server: LocalServer; readonly isChosen: boolean; readonly onToggle: () => void }

function ServerItem({ server, isChosen, onToggle }: ServerItemProps) {
  const { t } = useTranslation('providers')
  const id = useId()
  const canAdd = isAddable(server)
  const kindOf = ({ kind, kind_source }: LocalModel) =>
    kind_source === 'name' ? t('kind.guessed', { kind: t(`kind.${kind}`) }) : t(`kind.${kind}`)
  const version = server.version === null ? '' : ` ${server.version}`
  return (
    <li className="flex items-start gap-3 px-3 py-2.5">
      <Checkbox id={id} checked={isChosen} disabled={!canAdd} onCheckedChange={onToggle} />
      <div className="min-w-0 flex-1">
        <label htmlFor={id} className="text-sm font-medium">
          {server.name}
          <span className="font-normal text-muted">{version}</span>
        </label>
        <p className="text-xs break-words text-muted">{server.base_url}</p>
        <p className="text-xs text-muted">
          <ServerText server={server} />
        </p>
        {server.models.length > 0 && (
          <p className="mt-1 text-xs break-words">
            {server.models.map((model) => `${model.name} (${kindOf(model)})`).join(', ')}
          </p>
        )}
      </div>
      <Status tone={TONES[server.state]}>{t(`discover.${server.state}`)}</Status>
    </li>
  )
}

/** What adding it would do, or why it cannot be added. */
function ServerText({ server }: { readonly server: LocalServer }) {
  const { t } = useTranslation('providers')
  if (server.state === 'not-found') return t('discover.notFoundText')
  if (server.state === 'needs-key') return t('discover.needsKeyText')
  if (!isAddable(server)) return t('discover.thereText', { name: server.provider ?? '' })
  return t('discover.newText', { count: newModels(server) })
}
