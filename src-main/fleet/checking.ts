// Whether the shared balances add up, by what PostgreSQL has of leases and charges.

import { aside, type Aside } from '#fleet/aside.ts'
import { FleetUnreachable } from '#fleet/connection.ts'

const UNREACHABLE = 'the shared database cannot be reached, so the balances in it were not checked'

/** What does not hold, as sentences. Rejects only where something else fails than reaching it. */
export async function sharedProblems(to: Aside): Promise<string[]> {
  try {
    const { wrong } = await aside(to, (connection) => connection.call('check_books', []))
    // What `check_books` answers.
    return (wrong as readonly { readonly key: string; readonly says: string }[]).map(
      ({ key, says }) => `in the shared database ${says}, for key ${key}`,
    )
  } catch (error) {
    if (error instanceof FleetUnreachable) return [UNREACHABLE]
    throw error
  }
}
