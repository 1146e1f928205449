// Which backups of a schedule there are, when the next one is due, and which may go. Everything is told by the names of files, so
// that a restart, a second machine or a person with a file manager all see the same.

export const BACKUP_PERIODS_MS = { hourly: 3_600_000, daily: 86_400_000, weekly: 604_800_000 } as const
export type BackupPeriod = keyof typeof BACKUP_PERIODS_MS

export type ScheduledBackup = { readonly name: string; readonly madeAtMs: number }

const NAME = /^farebox-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/

/** Such as `farebox-20261121T154900Z.db`; to the second, in UTC. */
export function backupName(madeAtMs: number): string {
  return `farebox-${new Date(madeAtMs).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}.db`
}

/** What a schedule made, the newest first; other files are not its business. */
export function scheduledBackups(names: readonly string[]): ScheduledBackup[] {
  return names
    .flatMap((name) => {
      const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? []
      const madeAtMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
      return Number.isNaN(madeAtMs) ? [] : [{ name, madeAtMs }]
    })
    .sort((one, other) => other.madeAtMs - one.madeAtMs)
}

/** Drafts of backups that broke off. The caller must be sure that no backup is being made. */
export function abandonedDrafts(names: readonly string[]): string[] {
  return names.filter((name) => name.endsWith('.db.new') && NAME.test(name.slice(0, -'.new'.length)))
}

/** Those beyond the newest `keep`. The one named `made` is never among them, whatever the clock said to the others. */
export function surplus(present: readonly ScheduledBackup[], keep: number, made: string): string[] {
  const others = present.filter(({ name }) => name !== made)
  return others.slice(Math.max(0, keep - 1)).map(({ name }) => name)
}

/**
 * When the next one is due, or since when. One that comes from the future was made before the clock was set back, and says nothing
 * about how long ago that was.
 */
export function dueAtMs(present: readonly ScheduledBackup[], periodMs: number, nowMs: number): number {
  const newest = present.find(({ madeAtMs }) => madeAtMs <= nowMs)
  return newest === undefined ? nowMs : newest.madeAtMs + periodMs
}
