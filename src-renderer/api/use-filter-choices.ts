// The names that lists and reports can be filtered by, as far as whoever is signed in may know them.

import { useMemo } from 'react'
import { useSession } from '#renderer/api/session.ts'
import { useApi } from '#renderer/api/use-api.ts'

export type FilterChoices = Readonly<
  Record<'key' | 'model' | 'provider' | 'package' | 'owner' | 'member', readonly string[]>
>

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
      // Members see only what is theirs.
      owner: isAdministrator ? names(keys?.flatMap((key) => key.owner ?? [])) : [],
      member: names(members?.map((member) => member.name)),
    }),
    [isAdministrator, keys, members, models, packages],
  )
}

function names(found: readonly string[] = []): readonly string[] {
  return [...new Set(found)].toSorted((left, right) => left.localeCompare(right))
}
