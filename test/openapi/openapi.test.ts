// A stranger reads our OpenAPI document and asks a running gateway what the document allows and what it does not: schemathesis, with the
// same questions in every run. No question may end in a fault, in a status or type of content that the document does not have, or in an
// answer of another shape, and what the document forbids must be refused. With FAREBOX_LONG_TESTS it asks more, and others each time.

import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readInstance } from '#cli/client.ts'
import { setUpUpstream, startFarebox, type Farebox } from '../support/farebox.ts'
import { requirementsIfThere } from '../support/python-packages.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { keepLocal } from './local-only.ts'
import { isLong } from '../support/cases.ts'

const LIMIT_MS = isLong ? 7_200_000 : 1_200_000
const ASKED = isLong
  ? ['--max-examples', '200', '--generation-database', 'none']
  : ['--max-examples', '1', '--seed', '1', '--generation-deterministic']
/** Edges that are the same for several operations, or the same with another value, are not asked about again. */
const FILTERED = isLong ? {} : { SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'once.py') }
const ADMIN_API = '^/api/'

const packages = await requirementsIfThere('schemathesis', join(import.meta.dirname, 'requirements.txt'))

type Report = {
  readonly operations: { readonly tested: number; readonly errored: number }
  readonly failures: readonly { readonly title: string; readonly operations: readonly string[] }[]
  readonly errors: readonly object[]
}

describe.skipIf(packages === undefined)('a stranger who asks by the document', () => {
  let farebox: Farebox
  let upstream: Upstream
  let folder = ''
  let endLocal = () => {}

  beforeAll(async () => {
    endLocal = keepLocal()
    folder = await mkdtemp(join(tmpdir(), 'farebox-schemathesis-'))
    upstream = await startUpstream()
    farebox = await startFarebox()
    await setUpUpstream(farebox, upstream.url)
  })

  afterAll(async () => {
    await farebox.close()
    await upstream.close()
    await rm(folder, { recursive: true, force: true })
    endLocal()
  })

  async function askAll(name: string, credential: string, filter: readonly string[]): Promise<[Report, string]> {
    const reports = join(folder, name)
    const args = [
      '--config-file',
      join(import.meta.dirname, 'schemathesis.toml'),
      'run',
      `${farebox.url}/docs/openapi.json`,
    ]
    const asked = ['--phases', 'examples,coverage,fuzzing', '--no-shrink', ...ASKED]
    const report = ['--report', 'json', '--report-dir', reports, '--no-color']
    const header = ['-H', `authorization: Bearer ${credential}`]
    const program = spawn('python3', ['-m', 'schemathesis.cli', ...args, ...asked, ...report, ...header, ...filter], {
      cwd: folder,
      env: { ...process.env, ...FILTERED, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const output = await text(program.stdout)
    const [file = ''] = await readdir(reports).catch(() => [])
    return [JSON.parse(await readFile(join(reports, file), 'utf8').catch(() => '{}')) as Report, output]
  }

  it('finds the endpoints of clients to be as they are described', { timeout: LIMIT_MS }, async () => {
    const key = await farebox.newKey('plenty')
    const [{ operations, failures, errors }, output] = await askAll('gateway', key, ['--exclude-path-regex', ADMIN_API])
    expect(failures, output).toEqual([])
    expect(errors, output).toEqual([])
    expect(operations.tested).toBeGreaterThan(12)
  })

  it('finds the admin API to be as it is described', { timeout: LIMIT_MS }, async () => {
    const token = (await readInstance(farebox.dataDir))?.token ?? ''
    const [{ operations, failures, errors }, output] = await askAll('admin', token, ['--include-path-regex', ADMIN_API])
    expect(failures, output).toEqual([])
    expect(errors, output).toEqual([])
    expect(operations.tested).toBeGreaterThan(60)
  })
})
