// Holds what npm installs to what was looked at: each package with its checksum, exact versions, and no more of them at run time than
// were counted.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

type Locked = {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly hasInstallScript?: boolean
  readonly name?: string
}

const ROOT = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const manifest = JSON.parse(read('package.json')) as Readonly<
  Record<'dependencies' | 'devDependencies' | 'allowScripts', Readonly<Record<string, string>>>
>
const { '': _root, ...locked } = (JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> })
  .packages
const packages = Object.entries(locked)

describe('the lock of packages', () => {
  it('has a checksum for each, and no address that is somebody’s own', () => {
    expect(packages.length).toBeGreaterThan(500)
    const without = packages.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
    expect(without.map(([place]) => place)).toEqual([])
    const elsewhere = packages.filter(
      ([, { resolved, link }]) =>
        link === true || (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')),
    )
    expect(elsewhere.map(([place]) => place)).toEqual([])
  })

  it('has as many packages at run time as were counted, among them one of twelve for each system', () => {
    const atRunTime = packages.filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)
    const ofSystems = atRunTime.filter(([place]) => place.includes('@napi-rs/keyring-'))
    // Everything else is built into the program. One more needs a reason in docs/decisions/0031-untrusted-clients.md.
    expect([atRunTime.length, ofSystems.length]).toEqual([15, 12])
  })

  it('says of every package with a script of its own whether it may run', () => {
    const names = packages.flatMap(([place, { hasInstallScript, name }]) =>
      hasInstallScript === true
        ? [name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)]
        : [],
    )
    const unsaid = names.filter((name) => !Object.hasOwn(manifest.allowScripts, name))
    expect(unsaid).toEqual([])
  })
})

it('has a checksum for each package of Python that tests install, and a version', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /requirements(\.txt|[\\/]\w+\.txt)$/.test(path),
  )
  expect(files.length).toBeGreaterThan(5)
  for (const file of files) {
    // A line that goes on ends with a backslash, so that each package is one.
    const lines = read(join('test', file)).replaceAll('\\\n', ' ').split('\n')
    const packages = lines.filter((line) => line !== '' && !line.startsWith('#'))
    const loose = packages.filter((line) => !/^[\w.-]+(\[[\w,-]+\])?==\S+ .*--hash=sha256:[0-9a-f]{64}/.test(line))
    expect({ file, loose }).toEqual({ file, loose: [] })
  }
})

it('names each package at one version', () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
  const loose = versions.filter(([, version]) => !/^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
  expect(loose).toEqual([])
})

it('has npm keep the same rules for everybody', () => {
  const rules = read('.npmrc')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(';'))
  expect(rules).toEqual(
    expect.arrayContaining(['save-exact=true', 'min-release-age=3', 'omit-lockfile-registry-resolved=true']),
  )
  // Packages name versions of Node that whoever only installs need not have: npm scripts find the one that they bring.
  expect(rules.join()).not.toMatch(/engine-strict|registry=|_auth/)
})
