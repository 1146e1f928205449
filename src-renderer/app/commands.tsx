// What the command palette offers beyond the pages: actions that the page in sight registers while it is there.

import { createContext, use, useEffect, useMemo, useState, type ReactNode } from 'react'

export type Command = {
  readonly id: string
  /** What it does, as a verb: `Create a key`. */
  readonly label: string
  readonly run: () => void
}

type Registry = {
  readonly commands: readonly Command[]
  readonly add: (commands: readonly Command[]) => () => void
}

const CommandsContext = createContext<Registry | undefined>(undefined)

export function CommandsProvider({ children }: { readonly children: ReactNode }) {
  const [groups, setGroups] = useState<readonly (readonly Command[])[]>([])
  const registry = useMemo<Registry>(
    () => ({
      commands: groups.flat(),
      add: (commands) => {
        setGroups((before) => [...before, commands])
        return () => setGroups((before) => before.filter((group) => group !== commands))
      },
    }),
    [groups],
  )
  return <CommandsContext value={registry}>{children}</CommandsContext>
}

export function useCommandList(): readonly Command[] {
  return registryOf(use(CommandsContext)).commands
}

/** Offers commands while the page is shown. Keep the list in a `useMemo`, or it is registered anew with every drawing. */
export function useCommands(commands: readonly Command[]): void {
  const { add } = registryOf(use(CommandsContext))
  // `add` changes with every list that is added, which must not add this one again.
  const [addOnce] = useState(() => add)
  useEffect(() => addOnce(commands), [addOnce, commands])
}

function registryOf(registry: Registry | undefined): Registry {
  if (registry === undefined) throw new Error('commands need a CommandsProvider around them')
  return registry
}
