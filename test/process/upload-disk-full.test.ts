// A disk that runs full while an upload arrives, wherever that is: its client gets a whole error, nothing is held or charged, and when
// there is room again the next one goes through.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectError } from '../gateway/support.ts'
import { FORM_CALLS, FORM_MODELS, formOf, type FormCall } from '../passed/form-calls.ts'
import { balanceOf } from '../support/chat.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { canMountSmallDisk, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const MIB = 1024 * 1024
const [first] = FORM_CALLS as readonly [FormCall]
const [, , fileName, mediaType] = first.files[0] ?? ['', Buffer.alloc(0), '', '']
const LARGE: FormCall = { ...first, files: [['file', Buffer.alloc(6 * MIB, 'sound'), fileName, mediaType]] }

describe.skipIf(!canMountSmallDisk)('an upload on a disk that runs full', () => {
  let upstream: Upstream
  let disk: SmallDisk
  let farebox: FareboxProcess
  let key: string

  beforeAll(async () => {
    const folder = join(await temporaryFolder(), 'disk')
    await mkdir(folder)
    disk = await mountSmallDisk(folder, '24m')
    upstream = await startUpstream()
    farebox = await startProcess({ dataDir: join(folder, 'data'), place: disk.place })
    await setUpUpstream(farebox, upstream.url)
    await farebox.admin.call('apply', { body: { document: { models: [...FORM_MODELS] } } })
    key = (await farebox.admin.call('createKey', { body: { name: 'large', package: 'plenty' } })).key
  })

  afterAll(async () => {
    await endProcesses()
    disk.remove()
    await upstream.close()
  })

  const send = () =>
    fetch(farebox.url + LARGE.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: formOf(LARGE),
    })
  const standing = () => balanceOf({ url: farebox.url, key })

  // With no room at all the file itself cannot be made; the others end in a later piece each.
  it.each([0, 4096, 300_000, MIB, 5 * MIB, 6 * MIB - 4096])('with %i bytes left', async (leaveBytes) => {
    const before = await standing()
    disk.fill(leaveBytes)
    await expectError(await send(), 503)
    expect(upstream.requests).toEqual([])
    disk.clear()
    expect(await standing()).toMatchObject({ held_credits: 0, used_credits: before['used_credits'] })
    upstream.script(first.answer)
    const response = await send()
    expect(`${response.status} ${await response.text()}`).toMatch(/^200 .*Hello/)
    upstream.forget()
    await expect.poll(standing).toMatchObject({ held_credits: 0 })
    expect(await farebox.admin.call('verifyLedger', {})).toMatchObject({ ok: true, problems: [], open_holds: 0 })
  })
})
