// Programs on the path that cannot be asked for their version: they are there, and nothing else is told of them.

import { chmodSync, closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { adapterOf } from '#connect/adapters.ts'
import { findInstalled, type Installed } from '#connect/installed.ts'
import { closeWorkshops, openWorkshop } from './workshop.ts'

afterEach(closeWorkshops)

const PATH = process.env['PATH'] ?? ''

function install(script: string, command = 'codex'): string {
  const path = join(openWorkshop().home, 'bin', command)
  mkdirSync(dirname(path))
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

function find(program: string, platform: NodeJS.Platform = 'linux'): Promise<Installed> {
  const adapter = adapterOf('codex')
  if (adapter === undefined) throw new Error('There is no such tool.')
  const folder = dirname(program)
  return findInstalled(adapter, {
    home: dirname(folder),
    env: { PATH: `${folder}:${PATH}`, PATHEXT: '.CMD' },
    platform,
  })
}

describe('a program on the path', () => {
  it('says its version', async () => {
    expect(await find(install('echo codex 1.2.3'))).toEqual({ installed: true, version: '1.2.3' })
  })

  it('that somebody writes to just now cannot be started', async () => {
    const program = install('echo nothing')
    const file = openSync(program, 'r+')
    try {
      expect(await find(program)).toEqual({ installed: true, version: null })
    } finally {
      closeSync(file)
    }
  })

  it('that does not end when it is asked to is ended', { timeout: 60_000 }, async () => {
    const program = install(
      "trap '' TERM\nsecond=0\nwhile [ $second -lt 90 ]; do sleep 1; second=$((second + 1)); done",
    )
    expect(await find(program)).toEqual({ installed: true, version: null })
  })

  it('has its version also with a folder named package.json beside it', async () => {
    const program = install('echo codex 1.2.3')
    mkdirSync(join(dirname(program), 'package.json'))
    expect(await find(program)).toEqual({ installed: true, version: '1.2.3' })
  })

  it('that only a shell of Windows can start is not started', async () => {
    expect(await find(install('echo codex 1.2.3', 'codex.CMD'), 'win32')).toEqual({ installed: true, version: null })
  })
})
