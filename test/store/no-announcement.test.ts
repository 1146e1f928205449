// A database of a version that announced the LAN by mDNS: everything else that was set stays.

import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { lan } from '#store/migrations/0080-lan.ts'
import { announcement } from '#store/migrations/0120-announcement.ts'
import { noAnnouncement } from '#store/migrations/0160-no-announcement.ts'
import { loadLan } from '#store/lan-rows.ts'

it('keeps the LAN as it was set, without the name that was announced', () => {
  const db = new Database(':memory:')
  db.exec(lan.sql)
  db.exec(announcement.sql)
  db.exec(
    `INSERT INTO lan (only, is_on, interface, port, names, is_administered, announced_as)
     VALUES (1, 1, 'eth0', 3300, '["farebox.test"]', 1, 'farebox.local')`,
  )
  db.exec(noAnnouncement.sql)
  expect(loadLan(db)).toEqual({
    isOn: true,
    place: { type: 'interface', name: 'eth0' },
    port: 3300,
    names: ['farebox.test'],
    isAdministered: true,
    files: undefined,
  })
  db.close()
})
