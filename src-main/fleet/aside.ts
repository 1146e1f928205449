// What PostgreSQL is asked over a connection of its own, because it may take longer than a call can wait for its lease.

import { Connection } from '#fleet/connection.ts'
import type { FleetOptions } from '#fleet/membership.ts'

export type Aside = Pick<FleetOptions, 'url' | 'password'>

/** Rejects with FleetUnreachable, and as the work does. */
export async function aside<Result>(
  { url, password }: Aside,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = new Connection({ url, password, onNotice: () => undefined, onLost: () => undefined })
  try {
    await connection.open()
    return await connection.patiently(() => work(connection))
  } finally {
    await connection.close()
  }
}
