// Reads and writes the settings that were changed while Farebox ran.

import type { SettingChange } from '#core/setting.ts'
import type { Db } from '#store/database.ts'

export function putSetting(db: Db, { name, text }: SettingChange): void {
  if (text === undefined) db.prepare('DELETE FROM setting WHERE name = ?').run(name)
  else
    db.prepare(
      'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    ).run(name, text)
}

export function loadSettings(db: Db): SettingChange[] {
  return db.prepare<[], SettingChange>('SELECT name, value AS text FROM setting').all()
}
