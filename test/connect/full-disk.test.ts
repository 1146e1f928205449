// A tool that is connected and is connected anew, on a disk that has room for a page more each time: it has its old connection or its new
// one, and never none. Needs Linux, where a small disk can be mounted.

import { readdirSync, readFileSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { readJournal } from '#connect/journal.ts'
import { readdress } from '#connect/readdress.ts'
import { connectTool, disconnectTool, type ConnectWish } from '#connect/tools.ts'
import { temporaryFolder } from '../support/process.ts'
import { canMountSmallDisk, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { closeWorkshops, fakeGateway, openWorkshop, OTHER, wish, write, type TestWorkshop } from './workshop.ts'

const PAGE_BYTES = 4096
/** More than any of it needs. */
const MOST_PAGES = 200
const MOVED = 'http://127.0.0.1:9'

const disks: SmallDisk[] = []

afterEach(() => {
  for (const disk of disks.splice(0)) disk.remove()
  closeWorkshops()
})

/** Gemini CLI has two files, and one that is longer than a page is not written by one call. */
async function connectedOnSmallDisk(): Promise<{ disk: SmallDisk; workshop: TestWorkshop; files: readonly string[] }> {
  const folder = await temporaryFolder()
  const disk = await mountSmallDisk(folder, '4m')
  disks.push(disk)
  const top = join(disk.place.root ?? '', folder)
  const home = join(top, 'home')
  const surroundings = { home, env: {}, platform: 'linux' as const }
  const workshop = { ...openWorkshop({ gateway: fakeGateway() }), home, dataDir: join(top, 'data'), surroundings }
  const env = write(join(home, '.gemini', '.env'), 'A=1\n')
  const settings = write(join(home, '.gemini', 'settings.json'), `{"notes": "${'x'.repeat(3 * PAGE_BYTES)}"}\n`)
  await connectTool(workshop, wish('gemini-cli'))
  return { disk, workshop, files: [env, settings] }
}

const texts = (files: readonly string[]) => files.map((file) => readFileSync(file, 'utf8'))
const keyOf = ({ dataDir }: TestWorkshop) => readFileSync(join(dataDir, 'connections', 'gemini-cli', 'key'), 'utf8')
const isWhole = ({ dataDir }: TestWorkshop) => readJournal(dataDir, 'gemini-cli')?.state === 'connected'
/** The keys that a tool can use. */
const activeKeys = ({ gateway }: TestWorkshop) =>
  gateway.made.filter(({ status }) => status === 'active').map(({ name }) => name)

/** Tries it with a page more each time until it is done, and looks at what is there after each time that it was not. */
async function untilDone(
  disk: SmallDisk,
  attempt: () => Promise<unknown>,
  lookAt: (pages: number) => void,
): Promise<number> {
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    disk.fill(pages * PAGE_BYTES)
    const failure = await attempt().then(
      () => undefined,
      (error: unknown) => error,
    )
    disk.clear()
    if (failure === undefined) return pages
    expect(failure).toMatchObject({ code: 'ENOSPC' })
    lookAt(pages)
  }
  throw new Error('It was never done.')
}

describe.runIf(canMountSmallDisk)('a disk that is full at each write', () => {
  // A key that was made for an attempt that failed keeps its name.
  let attempts = 0
  const again: readonly (readonly [string, () => Partial<ConnectWish>])[] = [
    ['other models', () => ({ models: { model: OTHER.id } })],
    ['another key', () => ({ key: { name: `new-${(attempts += 1)}` } })],
  ]

  it.each(again)('leaves a tool that is connected with %s its connection', async (_, more) => {
    const { disk, workshop, files } = await connectedOnSmallDisk()
    const [before, key] = [texts(files), keyOf(workshop)]
    const folders = [dirname(files[0] ?? ''), join(workshop.dataDir, 'connections', 'gemini-cli')]
    const names = folders.map((folder) => readdirSync(folder).toSorted())
    const failures = await untilDone(
      disk,
      () => connectTool(workshop, wish('gemini-cli', more())),
      () => {
        expect(texts(files)).toEqual(before)
        expect(isWhole(workshop)).toBe(true)
        expect(keyOf(workshop)).toBe(key)
        expect(activeKeys(workshop)).toEqual(['gemini-cli'])
        expect(folders.map((folder) => readdirSync(folder).toSorted())).toEqual(names)
      },
    )
    expect(failures).toBeGreaterThan(5)
    expect(texts(files)).not.toEqual(before)
    expect(isWhole(workshop)).toBe(true)
    expect((await disconnectTool(workshop, 'gemini-cli')).problems).toEqual([])
    expect(texts(files)).toEqual(['A=1\n', `{"notes": "${'x'.repeat(3 * PAGE_BYTES)}"}\n`])
  })

  it('leaves a tool whose gateway moved its connection', async () => {
    const { disk, workshop, files } = await connectedOnSmallDisk()
    const { dataDir } = workshop
    const before = texts(files)
    const failures = await untilDone(
      disk,
      async () => readdress({ dataDir, tool: 'gemini-cli', url: MOVED, nowMs: 0 }),
      () => {
        expect(texts(files)).toEqual(before)
        expect(isWhole(workshop)).toBe(true)
      },
    )
    expect(failures).toBeGreaterThan(5)
    expect(texts(files)[0]).toContain(MOVED)
  })

  it('keeps a tool that is connected for the first time as it was', async () => {
    const { disk, workshop, files } = await connectedOnSmallDisk()
    await disconnectTool(workshop, 'gemini-cli')
    const before = texts(files)
    await untilDone(
      disk,
      () => connectTool(workshop, wish('gemini-cli')),
      () => {
        expect(texts(files)).toEqual(before)
        expect(isWhole(workshop)).toBe(false)
        expect(activeKeys(workshop)).toEqual([])
      },
    )
    expect(isWhole(workshop)).toBe(true)
  })

  it('is really small', async () => {
    const { disk, workshop } = await connectedOnSmallDisk()
    disk.fill(0)
    expect(statfsSync(workshop.dataDir).bavail).toBe(0)
  })
})
