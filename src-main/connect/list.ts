// What there is to connect on this machine, and how it is connected. Nothing is written.

import type { Adapter } from '#connect/adapter.ts'
import { ADAPTERS } from '#connect/adapters.ts'
import { findInstalled } from '#connect/installed.ts'
import { lookAtJournal, type Journal, type JournalState } from '#connect/journal.ts'
import { readKeyValue } from '#connect/key-file.ts'
import { keyOf } from '#connect/tool-key.ts'
import type { Workshop } from '#connect/tools.ts'
import type { KeyView } from '#contract/schemas.ts'
import type { ToolView } from '#contract/tools.ts'

/** The tools that were connected, without a look at what is installed: it reads files of Farebox's own and starts nothing. */
export function connectedTools(dataDir: string, keys: readonly KeyView[]): Pick<ToolView, 'name' | 'state'>[] {
  return ADAPTERS.flatMap(({ tool, name }) => {
    const state = stateOf(standingOf(dataDir, tool, keys))
    return state === 'none' ? [] : [{ name, state }]
  })
}

export async function listTools({ dataDir, surroundings, gateway }: Workshop): Promise<ToolView[]> {
  const keys = await gateway.keys()
  return Promise.all(
    ADAPTERS.map(async (adapter) => {
      const { tool, name, versions, page, impossible = null } = adapter
      const standing = standingOf(dataDir, tool, keys)
      const { journal, key } = standing
      const state = stateOf(standing)
      const written = (journal?.files ?? []).map(({ file, members }) => ({
        file,
        members: members.map(({ member }) => member),
      }))
      return {
        tool,
        name,
        ...(await findInstalled(adapter, surroundings)),
        connected: state === 'connected',
        files: written.map(({ file }) => file),
        last_request_at: key?.balance.last_used_at ?? null,
        connected_at: journal?.at ?? null,
        state,
        key_name: key?.name ?? null,
        package: key?.package ?? null,
        written,
        ways: waysOf(adapter),
        impossible,
        versions,
        page,
      }
    }),
  )
}

type Present = {
  readonly dataDir: string
  readonly tool: string
  /** None where it cannot be read: what is wrong with it is said by whoever is to take it back. */
  readonly journal: Journal | undefined
  readonly journalState: JournalState
  readonly key: KeyView | undefined
}

function standingOf(dataDir: string, tool: string, keys: readonly KeyView[]): Present {
  const key = keyOf(dataDir, tool, keys)
  const { journal: last, state: journalState } = lookAtJournal(dataDir, tool)
  const journal = journalState === 'disconnected' ? undefined : last
  return { dataDir, tool, journal, journalState, key }
}

/** A request that came before the tool was connected says nothing of whether the connection works. */
function stateOf({ dataDir, tool, journal, journalState, key }: Present): ToolView['state'] {
  if (journalState === 'connecting' || journalState === 'unreadable') return 'unfinished'
  if (journalState === 'disconnected' && readKeyValue(dataDir, tool) === undefined) return 'none'
  if (key?.status !== 'active') return 'keyless'
  const { last_used_at: lastUsedAt } = key.balance
  return lastUsedAt !== null && (journal === undefined || lastUsedAt >= journal.at) ? 'connected' : 'waiting'
}

function waysOf({ launch, connect, copy }: Adapter): ToolView['ways'] {
  const ways = { launch, connect, copy }
  return (['launch', 'connect', 'copy'] as const).filter((way) => ways[way] !== undefined)
}
