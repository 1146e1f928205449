import { useState } from 'react'
import type { KeyCreate, KeyCreated, PackageView } from '#contract/schemas.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'

export type NewKey = {
  readonly name: string
  readonly setName: (name: string) => void
  /** Undefined until they are known. */
  readonly packages: readonly PackageView[] | undefined
  /** The first one until another one is chosen; undefined where there is none. */
  readonly chosenPackage: PackageView | undefined
  readonly choosePackage: (id: string) => void
  readonly isReady: boolean
  readonly isBusy: boolean
  /** Why the packages are not known. */
  readonly packagesError: Error | null
  /** Why the key was not made. */
  readonly error: Error | null
  readonly create: (more?: Omit<KeyCreate, 'name' | 'package'>) => void
}

/** A key that is still to be made: the name and the package, which each needs, and making it. */
export function useNewKey(onMade: (key: KeyCreated, packageId: string) => void): NewKey {
  const [name, setName] = useState('')
  const [chosenId, choosePackage] = useState<string>()
  const packages = useApi('listPackages', {})
  const chosenPackage = packages.data?.find(({ id }) => id === chosenId) ?? packages.data?.[0]
  const action = useAction('createKey', {
    onDone: (key) => {
      // The answer holds the key's value, which nothing but what is shown next may keep.
      action.reset()
      onMade(key, chosenPackage?.id ?? '')
    },
    showsOwnErrors: true,
  })
  const isReady = name.trim() !== '' && chosenPackage !== undefined
  return {
    name,
    setName,
    packages: packages.data,
    chosenPackage,
    choosePackage,
    isReady,
    isBusy: action.isPending,
    packagesError: packages.error,
    error: action.error,
    create: (more) => {
      if (chosenPackage === undefined || action.isPending) return
      action.mutate({ body: { ...more, name: name.trim(), package: chosenPackage.id } })
    },
  }
}
