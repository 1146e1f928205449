// What the gate runs, in a package whose checks are stand-ins.

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let place: string

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'farebox-check-'))
  mkdirSync(join(place, 'test'))
  copyFileSync(join(import.meta.dirname, 'check.mjs'), join(place, 'test', 'check.mjs'))
})

afterEach(() => {
  rmSync(place, { recursive: true, force: true })
})

/** Runs the checks, each of which prints its name and ends with this code. */
function check(codes: Readonly<Record<'types' | 'lint' | 'format' | 'unused', number>>, ...names: readonly string[]) {
  const scripts: Record<string, string> = {}
  for (const [name, code] of Object.entries(codes)) {
    writeFileSync(join(place, `${name}.mjs`), `console.log('this is ${name}'); process.exitCode = ${code}`)
    scripts[`check:${name}`] = `node ${name}.mjs`
  }
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'checked', version: '1.0.0', scripts }))
  const { status, stdout, stderr } = spawnSync(process.execPath, [join('test', 'check.mjs'), ...names], {
    cwd: place,
    encoding: 'utf8',
    env: { ...process.env, npm_config_update_notifier: 'false' },
  })
  return { status, stderr, lines: stdout.trim().split(/\r?\n/).sort() }
}

const SAID = ['this is format', 'this is lint', 'this is types', 'this is unused']

describe('the static checks', { timeout: 60_000 }, () => {
  it('are all run', () => {
    expect(check({ types: 0, lint: 0, format: 0, unused: 0 })).toEqual({ status: 0, stderr: '', lines: SAID })
  })

  it('are those that are named, where some are', () => {
    const { lines } = check({ types: 0, lint: 2, format: 0, unused: 0 }, 'types', 'unused')
    expect(lines).toEqual(['this is types', 'this is unused'])
  })

  it('fail where one of them does, and say which', () => {
    const { status, stderr, lines } = check({ types: 0, lint: 2, format: 0, unused: 0 })
    expect({ status, stderr }).toEqual({ status: 2, stderr: '' })
    expect(lines).toEqual(['check:lint found something.', ...SAID])
  })
})
