// A change of a tool's key that is interrupted at any moment: whoever goes on afterwards leaves the tool one key that works, and no other.

import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Gateway } from '#connect/gateway.ts'
import { renewKeyFile } from '#connect/key-file.ts'
import { connectTool, disconnectTool, launchTool } from '#connect/tools.ts'
import type { KeyView } from '#contract/schemas.ts'
import { closeWorkshops, openWorkshop, wish, write, type TestWorkshop } from './workshop.ts'

afterEach(closeWorkshops)

const BEFORE = '{ "theme": "dark" }\n'
const KEY_FILE = ['connections', 'claude-code', 'key'] as const
const CHANGES = ['createKey', 'rotateKey', 'moveKey', 'suspendKey', 'resumeKey'] as const

/** What is on the disk and in the gateway at one moment. */
type Moment = {
  readonly name: string
  readonly folder: string
  readonly made: readonly KeyView[]
  readonly values: ReadonlyMap<string, string>
}

/** A tool with a key of its name, and all moments of another connection at which something is asked of the gateway. */
async function momentsOf(
  key: string,
): Promise<{ workshop: TestWorkshop; settings: string; moments: readonly Moment[] }> {
  const workshop = openWorkshop()
  const settings = write(join(workshop.home, '.claude', 'settings.json'), BEFORE)
  if (key === 'rested') {
    await connectTool(workshop, wish('claude-code', { key: { name: 'rested' } }))
    await disconnectTool(workshop, 'claude-code')
    rmSync(join(workshop.dataDir, 'connections'), { recursive: true })
  }
  await connectTool(workshop, wish('claude-code'))
  const moments: Moment[] = []
  const { gateway } = workshop
  const keep = (name: string) => {
    const folder = join(
      dirname(workshop.home),
      '..',
      `${dirname(workshop.home).split('/').at(-1)}-moment-${moments.length}`,
    )
    cpSync(dirname(workshop.home), folder, { recursive: true, filter: (path) => !path.includes('lock') })
    moments.push({ name, folder, made: gateway.made.map((one) => ({ ...one })), values: new Map(gateway.values) })
  }
  const watched = Object.fromEntries(
    CHANGES.map((name) => [
      name,
      async (...args: readonly never[]) => {
        keep(`before ${name}`)
        const done: unknown = await (gateway[name] as (...all: readonly never[]) => Promise<unknown>)(...args)
        keep(`after ${name}`)
        return done
      },
    ]),
  ) as unknown as Pick<Gateway, (typeof CHANGES)[number]>
  await connectTool({ ...workshop, gateway: { ...gateway, ...watched } }, wish('claude-code', { key: { name: key } }))
  keep('at the end')
  return { workshop, settings, moments }
}

function goBackTo({ home, dataDir, gateway }: TestWorkshop, { folder, made, values }: Moment): void {
  for (const part of [home, dataDir]) {
    rmSync(part, { recursive: true })
    cpSync(join(folder, part.split('/').at(-1) ?? ''), part, { recursive: true })
  }
  gateway.made.splice(0, Infinity, ...made.map((one) => ({ ...one })))
  gateway.values.clear()
  for (const [id, value] of values) gateway.values.set(id, value)
}

const active = ({ gateway }: TestWorkshop) => gateway.made.filter(({ status }) => status === 'active')
const valueOnDisk = ({ dataDir }: TestWorkshop) => readFileSync(join(dataDir, ...KEY_FILE), 'utf8')

function expectOneKey(workshop: TestWorkshop, when: string): void {
  const [key, ...others] = active(workshop)
  expect(
    others.map(({ name }) => name),
    when,
  ).toEqual([])
  expect(valueOnDisk(workshop), when).toBe(workshop.gateway.values.get(key?.id ?? ''))
  for (const name of ['key.held', 'key.json.held']) {
    expect(existsSync(join(workshop.dataDir, 'connections', 'claude-code', name)), `${name}, ${when}`).toBe(false)
  }
}

describe.each(['new', 'rested'])('a connection with the key %s that is interrupted', (name) => {
  it('leaves one key that works, whoever connects the tool again', async () => {
    const { workshop, settings, moments } = await momentsOf(name)
    expect(moments.length).toBeGreaterThanOrEqual(5)
    for (const moment of moments) {
      for (const key of [undefined, name, 'claude-code', 'third']) {
        goBackTo(workshop, moment)
        const when = `${moment.name}, with ${key ?? 'no name'}`
        // The key that rests is no longer the tool's once another took its place.
        const isOver = active(workshop).length === 1 && key === 'claude-code' && active(workshop)[0]?.name === name
        if (!isOver) {
          await connectTool(workshop, wish('claude-code', { key: { name: key } }))
          expectOneKey(workshop, when)
          if (key !== undefined) expect(active(workshop)[0]?.name, when).toBe(key)
        }
        await disconnectTool(workshop, 'claude-code')
        expect(active(workshop), when).toEqual([])
        expect(readFileSync(settings, 'utf8'), when).toBe(BEFORE)
      }
    }
    for (const { folder } of moments) rmSync(folder, { recursive: true })
  })

  it('leaves no key that works, and no value of one, where the tool is disconnected', async () => {
    const { workshop, settings, moments } = await momentsOf(name)
    for (const moment of moments) {
      goBackTo(workshop, moment)
      await disconnectTool(workshop, 'claude-code')
      expect(active(workshop), moment.name).toEqual([])
      expect(readFileSync(settings, 'utf8'), moment.name).toBe(BEFORE)
      for (const file of ['key', 'key.held', 'key.json.held'])
        expect(existsSync(join(workshop.dataDir, 'connections', 'claude-code', file)), moment.name).toBe(false)
    }
    for (const { folder } of moments) rmSync(folder, { recursive: true })
  })

  it('goes on with the new value of each key that is rotated then', async () => {
    const { workshop, moments } = await momentsOf(name)
    for (const moment of moments) {
      goBackTo(workshop, moment)
      const worked = [...workshop.gateway.values].find(([, value]) => value === valueOnDisk(workshop))?.[0] ?? ''
      for (const { id } of workshop.gateway.made) {
        const { key } = await workshop.gateway.rotateKey(id)
        renewKeyFile(workshop.dataDir, id, key)
      }
      // The record of a key whose value was just made says its id once the value is on the disk.
      expect(valueOnDisk(workshop), moment.name).toBe(workshop.gateway.values.get(worked))
      await connectTool(workshop, wish('claude-code'))
      expectOneKey(workshop, moment.name)
    }
    for (const { folder } of moments) rmSync(folder, { recursive: true })
  })
})

it('is made good where the value on the disk is not that of the key', async () => {
  const workshop = openWorkshop()
  await connectTool(workshop, wish('claude-code'))
  const [key] = workshop.gateway.made
  Object.assign(key ?? {}, { hint: 'abc' })
  await connectTool(workshop, wish('claude-code'))
  expect(workshop.gateway.asked).toEqual(['create claude-code in team', 'rotate k-1'])
  expectOneKey(workshop, 'afterwards')
})

it('leaves no key of a launch behind once the tool is disconnected', async () => {
  const workshop = openWorkshop()
  for (const name of ['one', 'two', 'one']) await launchTool(workshop, wish('claude-code', { key: { name } }))
  expect(active(workshop).map(({ name }) => name)).toEqual(['one', 'two'])
  await disconnectTool(workshop, 'claude-code')
  expect(active(workshop)).toEqual([])
})
