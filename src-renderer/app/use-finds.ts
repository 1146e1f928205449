// What the palette finds by name beyond pages and commands: keys, models, members, providers, settings, and requests by their id.

import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useSession } from '#renderer/api/session.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { idIn } from '#renderer/data/request-id.ts'

/** Of each kind; whoever looks for more types more. */
const MAX_OF_A_KIND = 5
const OPENED_ON = {
  key: '/keys',
  model: '/models',
  provider: '/providers',
  member: '/members',
  setting: '/settings',
  request: '/requests',
} as const

export type Find = {
  readonly kind: keyof typeof OPENED_ON
  readonly id: string
  readonly label: string
  readonly run: () => void
}

type Candidate = { readonly id: string; readonly label: string }

/** Nothing is asked for until somebody types, and of administrators' things only by administrators. */
export function useFinds(typed: string): readonly Find[] {
  const session = useSession()
  const navigate = useNavigate()
  const wanted = typed.trim().toLowerCase()
  const isPerson = wanted !== '' && session !== undefined && session.role !== 'holder'
  const isAdministrator = isPerson && session.role === 'administrator'
  const keys = useApi('listKeys', {}, { isEnabled: isPerson }).data
  const models = useApi('listModels', {}, { isEnabled: isAdministrator }).data
  const providers = useApi('listProviders', {}, { isEnabled: isAdministrator }).data
  const members = useApi('listMembers', {}, { isEnabled: isAdministrator }).data
  const settings = useApi('showSettings', {}, { isEnabled: isAdministrator }).data?.settings
  return useMemo(() => {
    if (wanted === '') return []
    const requestId = idIn(wanted)
    const kinds: Readonly<Record<Find['kind'], readonly Candidate[] | undefined>> = {
      key: keys?.map(({ id, name }) => ({ id, label: name })),
      model: models?.map(({ id }) => ({ id, label: id })),
      provider: providers?.map(({ id, name }) => ({ id, label: name })),
      member: members?.map(({ id, name }) => ({ id, label: name })),
      setting: settings?.map(({ name }) => ({ id: name, label: name })),
      request: requestId === undefined ? [] : [{ id: requestId, label: requestId }],
    }
    return Object.entries(OPENED_ON).flatMap(([name, to]) => {
      // Object.entries forgets that the names are those of the table.
      const kind = name as Find['kind']
      const found = (kinds[kind] ?? []).filter(({ label }) => kind === 'request' || isNamed(label, wanted))
      return found.slice(0, MAX_OF_A_KIND).map(({ id, label }) => ({
        kind,
        id,
        label,
        run: () => void navigate({ to, search: { open: id } }),
      }))
    })
  }, [keys, members, models, navigate, providers, settings, wanted])
}

/** Settings may be typed with spaces: `rate limit wait`. */
function isNamed(label: string, wanted: string): boolean {
  const name = label.toLowerCase()
  return name.includes(wanted) || name.includes(wanted.replaceAll(/\s+/g, '_'))
}
