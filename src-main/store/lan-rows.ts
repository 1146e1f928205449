// Reads and writes how other machines reach Farebox.

import type { LanSettings } from '#core/lan.ts'
import type { Db } from '#store/database.ts'

type LanRow = {
  is_on: number
  address: string | null
  interface: string | null
  port: number
  names: string
  is_administered: number
  certificate_file: string | null
  key_file: string | null
}

/** Replaces what was set. Throws SqliteError where a constraint says no. */
export function putLan(db: Db, settings: LanSettings): void {
  const { place, files } = settings
  db.prepare(
    `INSERT INTO lan (only, is_on, address, interface, port, names, is_administered, certificate_file, key_file)
     VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (only) DO UPDATE SET is_on = excluded.is_on, address = excluded.address,
       interface = excluded.interface, port = excluded.port, names = excluded.names,
       is_administered = excluded.is_administered, certificate_file = excluded.certificate_file,
       key_file = excluded.key_file`,
  ).run(
    Number(settings.isOn),
    place.type === 'address' ? place.address : null,
    place.type === 'interface' ? place.name : null,
    settings.port,
    JSON.stringify(settings.names),
    Number(settings.isAdministered),
    files?.certificate ?? null,
    files?.key ?? null,
  )
}

/** undefined where nobody ever set it. */
export function loadLan(db: Db): LanSettings | undefined {
  const row = db.prepare<[], LanRow>('SELECT * FROM lan').get()
  if (row === undefined) return undefined
  const { certificate_file: certificate, key_file: key } = row
  return {
    isOn: row.is_on === 1,
    place:
      row.interface === null
        ? { type: 'address', address: row.address ?? '' }
        : { type: 'interface', name: row.interface },
    port: row.port,
    // Written by this program from values that were checked.
    names: JSON.parse(row.names) as string[],
    isAdministered: row.is_administered === 1,
    files: certificate === null || key === null ? undefined : { certificate, key },
  }
}
