// Files of an administrator's own certificate that are none: they are looked at again and again while Farebox runs.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readOwnIdentity } from '#lan/identity.ts'

const folder = mkdtempSync(join(tmpdir(), 'farebox-own-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.runIf(process.platform === 'linux').each(['a pipe', 'a device without an end', 'a folder'])(
  'such as %s are refused and not waited for',
  (kind) => {
    const pipe = join(folder, 'pipe')
    if (kind === 'a pipe') execFileSync('mkfifo', [pipe])
    const file = { 'a pipe': pipe, 'a device without an end': '/dev/zero' }[kind] ?? folder
    const refusal = readOwnIdentity({ certificate: file, key: file }, [], 0)
    expect(refusal).toMatchObject({ code: 'invalid_request', message: `${file} is not a file.` })
  },
)
