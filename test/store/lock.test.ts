import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DatabaseError } from '#store/database.ts'
import { lockDataDir } from '#store/lock.ts'

const LOCK = new URL('../../src-main/store/lock.ts', import.meta.url)

let dataDir: string
let children: ChildProcess[]

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farebox-lock-'))
  children = []
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(dataDir, { recursive: true, force: true })
})

/** Another process that takes the lock and keeps it until it dies. */
async function lockElsewhere(): Promise<ChildProcess> {
  const script = `
    import { lockDataDir } from ${JSON.stringify(LOCK.href)}
    const lock = lockDataDir(${JSON.stringify(dataDir)})
    process.stdout.write('locked')
    setInterval(() => lock, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', () => reject(new Error('the other process ended before it had the lock')))
  })
  return child
}

function refusal(): DatabaseError {
  try {
    lockDataDir(dataDir).release()
  } catch (error) {
    if (error instanceof DatabaseError) return error
    throw error
  }
  return expect.fail('the lock was given twice')
}

describe('the lock of a data folder', () => {
  it('is given to one opener at a time', () => {
    const lock = lockDataDir(dataDir)
    expect(refusal()).toMatchObject({ reason: 'in-use' })
    lock.release()
    lockDataDir(dataDir).release()
  })

  it('is not given while another process has it', async () => {
    await lockElsewhere()
    expect(refusal().reason).toBe('in-use')
    expect(refusal().message).toContain('Another Farebox')
  })

  it.each(['SIGKILL', 'SIGTERM'] as const)('is free as soon as its process has died of %s', async (signal) => {
    const child = await lockElsewhere()
    const died = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await died
    lockDataDir(dataDir).release()
  })

  it('does not cover other folders', async () => {
    const other = await mkdtemp(join(tmpdir(), 'farebox-lock-'))
    const locks = [lockDataDir(dataDir), lockDataDir(other)]
    for (const lock of locks) lock.release()
    await rm(other, { recursive: true, force: true })
  })

  it('cannot be taken in a folder that is not there', () => {
    expect(() => lockDataDir(join(dataDir, 'nowhere'))).toThrow()
  })
})
