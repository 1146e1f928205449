// The names that lists and reports can be filtered by, as far as whoever is signed in may know them.

import { useMemo } from 'react'
import { useSession } from '#renderer/api/session.ts'
import { useApi } from '#renderer/api/use-api.ts'

type NameFilter = 'key' | 'model' | 'provider' | 'package' | 'owner' | 'member'
export type FilterChoices = Readonly<Record<NameFilter, readonly string[]>> & {
  /** What this reader is offered: hangs on who it is and not on what there is, so that no filter moves when the names come. */
  readonly offered: readonly NameFilter[]
}

/** Members see only what is theirs. */
const FOR_EVERYBODY = ['model', 'key', 'provider', 'package'] as const satisfies readonly NameFilter[]
const FOR_ADMINISTRATORS = [...FOR_EVERYBODY, 'owner', 'member'] as const satisfies readonly NameFilter[]

export function useFilterChoices(): FilterChoices {
  const isAdministrator = useSession()?.role === 'administrator'
  const { data: keys } = useApi('listKeys', {})
  const { data: models } = useApi('listModels', {})
  const { data: packages } = useApi('listPackages', {})
  const { data: members } = useApi('listMembers', {}, { isEnabled: isAdministrator })
  return useMemo(
    () => ({
      key: names(keys?.map((key) => key.name)),
      model: names(models?.map((model) => model.id)),
      provider: names(models?.flatMap((model) => model.targets.map((target) => target.provider))),
      package: names(packages?.map((one) => one.name)),
      owner: isAdministrator ? names(keys?.flatMap((key) => key.owner ?? [])) : [],
      member: names(members?.map((member) => member.name)),
      offered: isAdministrator ? FOR_ADMINISTRATORS : FOR_EVERYBODY,
    }),
    [isAdministrator, keys, members, models, packages],
  )
}

function names(found: readonly string[] = []): readonly string[] {
  return [...new Set(found)].toSorted((left, right) => left.localeCompare(right))
}
