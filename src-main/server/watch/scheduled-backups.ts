// Backups on a schedule. The clock is looked at once a minute instead of set for a far time: a machine that slept through its hour
// makes up for it when it wakes. Older backups go only after a newer one was read back and found sound.

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '#core/log.ts'
import {
  abandonedDrafts,
  BACKUP_PERIODS_MS,
  backupName,
  dueAtMs,
  scheduledBackups,
  surplus,
  type BackupPeriod,
} from '#core/retention.ts'
import type { BackupAnswer, BackupRequest } from '#store/backup.ts'

export type BackupStanding = {
  readonly folder: string
  readonly every: BackupPeriod
  readonly keep: number
  /** The newest that is there; undefined where there is none, or nobody could look yet. */
  readonly lastAtMs: number | undefined
  /** Of one that this process made. */
  readonly lastBytes: number | undefined
  /** Why there is no newer one, in a sentence. */
  readonly problem: string | undefined
  readonly failures: number
  readonly nextAtMs: number | undefined
}

export type ScheduledBackupsDeps = {
  readonly folder: string
  readonly every: BackupPeriod
  readonly keep: number
  readonly nowMs: () => number
  /** Makes and checks one. Rejects where the thread that does it fails. */
  readonly backUp: (request: BackupRequest) => Promise<BackupAnswer>
  readonly log: Log
}

const LOOK_MS = 60_000
/** After a failure: soon enough for a disk that comes back, seldom enough for one that does not. */
const RETRY_MS = 15 * 60_000

export class ScheduledBackups {
  readonly #deps: ScheduledBackupsDeps
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isClosed = false
  #standing: Pick<BackupStanding, 'lastAtMs' | 'lastBytes' | 'problem' | 'failures' | 'nextAtMs'>

  constructor(deps: ScheduledBackupsDeps) {
    this.#deps = deps
    this.#standing = {
      lastAtMs: undefined,
      lastBytes: undefined,
      problem: undefined,
      failures: 0,
      nextAtMs: undefined,
    }
  }

  get standing(): BackupStanding {
    const { folder, every, keep } = this.#deps
    return { folder, every, keep, ...this.#standing }
  }

  /** Looks at once, and from then on every minute. */
  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_MS)
    this.#timer.unref()
    void this.look()
  }

  /** Makes a backup if one is due. Never rejects; looks that come while one is being made are the same look. */
  look(): Promise<void> {
    this.#running ??= this.#lookOnce().finally(() => (this.#running = undefined))
    return this.#running
  }

  /** No further backup begins; waits for one that is being made, or that was broken off. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#running
  }

  async #lookOnce(): Promise<void> {
    const { folder, every, nowMs } = this.#deps
    const { problem, nextAtMs = 0 } = this.#standing
    const isWaiting = problem !== undefined && nowMs() < nextAtMs && nextAtMs - nowMs() <= RETRY_MS
    if (isWaiting || this.#isClosed) return
    try {
      const names = await readdir(folder)
      const present = scheduledBackups(names)
      const dueMs = dueAtMs(present, BACKUP_PERIODS_MS[every], nowMs())
      this.#standing = { ...this.#standing, lastAtMs: present[0]?.madeAtMs, nextAtMs: dueMs }
      if (nowMs() < dueMs) return
      for (const draft of abandonedDrafts(names)) await rm(join(folder, draft), { force: true })
      await this.#make()
    } catch (error) {
      const code = codeOf(error)
      this.#fail(
        code === 'none' ? 'It broke off before it was done.' : `The folder ${folder} cannot be used (${code}).`,
      )
    }
  }

  async #make(): Promise<void> {
    const { folder, every, nowMs, backUp, log } = this.#deps
    const madeAtMs = Math.floor(nowMs() / 1000) * 1000
    const name = backupName(madeAtMs)
    const answer = await backUp({ file: join(folder, name), isForced: false })
    if (answer.type === 'refused') return this.#fail(answer.message)
    const { bytes } = answer
    const nextAtMs = madeAtMs + BACKUP_PERIODS_MS[every]
    this.#standing = { ...this.#standing, lastAtMs: madeAtMs, lastBytes: bytes, problem: undefined, nextAtMs }
    log(`Made the backup ${name} (${bytes} bytes).`, { event: 'backup_made', fields: { name, bytes } })
    await this.#removeOlder(name)
  }

  async #removeOlder(made: string): Promise<void> {
    const { folder, keep } = this.#deps
    const names = surplus(scheduledBackups(await readdir(folder)), keep, made)
    try {
      for (const name of names) await rm(join(folder, name), { force: true })
    } catch (error) {
      this.#fail(`Older backups in ${folder} could not be removed (${codeOf(error)}).`)
    }
  }

  #fail(problem: string): void {
    // Farebox ends, and broke it off itself.
    if (this.#isClosed) return
    const nextAtMs = this.#deps.nowMs() + RETRY_MS
    this.#standing = { ...this.#standing, problem, failures: this.#standing.failures + 1, nextAtMs }
    this.#deps.log(`Backups do not work. ${problem}`, { event: 'backup_failed', level: 'error', fields: { problem } })
  }
}

/** The code of a system's error. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'none'
}
