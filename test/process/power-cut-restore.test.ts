// A power cut while a backup is restored, on the data folder of a gateway that was killed: afterwards there are the books of before,
// with everything that was told, or those of the backup, and never a part of the one and a part of the other.

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { readRecords, watchedBy } from '../support/disk-recorder.ts'
import { ForgetfulDisk, type Fate } from '../support/forgetful-disk.ts'
import { costlyAnswers } from '../support/load.ts'
import { endProcesses, farebox, startProcess, temporaryFolder } from '../support/process.ts'
import { randomFrom } from '../support/random.ts'
import { expectKept, nothingTold, prepareLoad, runLoad, toldUpTo, type Told } from '../support/told.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { isLong } from '../support/cases.ts'

const FATES: readonly Fate[] = ['something', 'nothing', 'all']
/** The power is cut before each so many of the changes. */
const STEP = isLong ? 1 : 32

let upstream: Upstream | undefined

afterEach(async () => {
  await endProcesses()
  await upstream?.close()
})

type Killed = { readonly root: string; readonly keys: readonly string[]; readonly told: Told; readonly backup: string }

/** A folder whose gateway was killed some calls after a backup. */
async function killedAfterBackup(root: string): Promise<Killed> {
  upstream = await startUpstream()
  upstream.script(costlyAnswers())
  const keys = await prepareLoad(join(root, 'data'), upstream.url)
  const program = await startProcess({ dataDir: join(root, 'data') })
  const told = nothingTold()
  const { url, admin } = program
  const load = { url, admin, keys, told, folder: root, clients: 4, callsEach: 4, changes: 1 }
  await runLoad({ ...load, name: 'before', now: () => 1 })
  const backup = join(root, 'backup.db')
  await admin.call('backUp', { body: { file: backup } })
  await runLoad({ ...load, name: 'after', now: () => 2 })
  program.kill('SIGKILL')
  await program.exited
  return { root, keys, told, backup }
}

/** Whose books a folder has, of which all must be there. */
async function expectOneOfBoth(dataDir: string, { keys, told }: Killed): Promise<'old' | 'new'> {
  let isOld = false
  await expectKept(dataDir, keys, (names) => {
    isOld = names.includes('after-1')
    return isOld ? told : toldUpTo(told, 1)
  })
  return isOld ? 'old' : 'new'
}

async function cutAll(folder: string): Promise<string[]> {
  const killed = await killedAfterBackup(join(folder, 'killed'))
  const disk = new ForgetfulDisk(killed.root)
  const log = join(folder, 'log')
  const dataDir = join(killed.root, 'data')
  const ran = await farebox(['restore', killed.backup], { dataDir, env: watchedBy({ folder: killed.root, log }) })
  expect(ran.code, ran.stderr).toBe(0)
  const records = readRecords(log)
  const next = randomFrom(11)
  const outcomes: string[] = []
  for (const [index, record] of [...records, undefined].entries()) {
    const fate = FATES[(index / STEP) % FATES.length]
    if (fate !== undefined || record === undefined) {
      const left = join(folder, `cut-${index}`)
      mkdirSync(left)
      disk.leave(left, fate ?? 'nothing', (below) => Math.floor(next() * below))
      try {
        outcomes.push(await expectOneOfBoth(join(left, 'data'), killed))
      } catch (error) {
        throw new Error(`cut ${index} of ${records.length}, before ${record?.type} ${record?.path}, keeping ${fate}`, {
          cause: error,
        })
      }
      rmSync(left, { recursive: true })
    }
    if (record !== undefined) disk.take(record)
  }
  return outcomes
}

describe('a power cut in a restore', () => {
  it('leaves the old books or the new ones, each of them whole', { timeout: 600_000 }, async () => {
    const outcomes = await cutAll(await temporaryFolder())
    const count = (outcome: string) => outcomes.filter((each) => each === outcome).length
    console.log(`${outcomes.length} power cuts in a restore: ${count('old')} old, ${count('new')} new`)
    expect(outcomes[0]).toBe('old')
    // Whoever was told that it is restored finds it restored.
    expect(outcomes.at(-1)).toBe('new')
  })
})
