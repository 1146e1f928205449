// Whether the shared balances add up, by what PostgreSQL has of leases and charges. It is read over a connection of its own, so that no call waits for it.

import { Connection, FleetUnreachable } from '#fleet/connection.ts'
import type { FleetOptions } from '#fleet/membership.ts'

const UNREACHABLE = 'the shared database cannot be reached, so the balances in it were not checked'

/** What does not hold, as sentences. Rejects only where something else fails than reaching it. */
export async function sharedProblems({ url, password }: Pick<FleetOptions, 'url' | 'password'>): Promise<string[]> {
  const connection = new Connection({ url, password, onNotice: () => undefined, onLost: () => undefined })
  try {
    await connection.open()
    const { wrong } = await connection.patiently(() => connection.call('check_books', []))
    // What `check_books` answers.
    return (wrong as readonly { readonly key: string; readonly says: string }[]).map(
      ({ key, says }) => `in the shared database ${says}, for key ${key}`,
    )
  } catch (error) {
    if (error instanceof FleetUnreachable) return [UNREACHABLE]
    throw error
  } finally {
    await connection.close()
  }
}
