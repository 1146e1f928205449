// Keys that are tried from another machine are slowed down, and nobody who has one notices.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { connectMachine } from '../support/other-machine.ts'
import { certificateOf, startLan } from './support.ts'

const GUESSER = join(import.meta.dirname, 'guesser.mjs')

const machine = connectMachine(9)

type Printed = {
  readonly statuses: readonly number[]
  readonly right: { readonly status: number }
  readonly list: { readonly status: number; readonly retryAfter: string | null }
  readonly signIn: number
}

it.skipIf(machine === undefined)(
  'slows down a machine that has tried too many keys, and no right key of its',
  { timeout: 120_000 },
  async () => {
    const farebox = await startLan()
    try {
      const [url = ''] = (await farebox.on({ interface: machine?.interface ?? '' })).urls
      const ca = join(farebox.dataDir, 'for-members.pem')
      writeFileSync(ca, await certificateOf(farebox))
      await farebox.admin.call('addDemo', {})
      await farebox.admin.call('addPackage', { body: { name: 'team', type: 'monthly', credits: 50 } })
      const key = await farebox.newKey('team')
      const guess = async (guesses: number) => {
        const env = { PATH: process.env['PATH'] ?? '', NODE_EXTRA_CA_CERTS: ca, FAREBOX_URL: url, KEY: key }
        const printed = await machine?.run([process.execPath, GUESSER], { ...env, GUESSES: String(guesses) })
        return JSON.parse(printed ?? '') as Printed
      }
      const { statuses, right, list, signIn } = await guess(200)
      expect(statuses.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 401))
      expect(new Set(statuses)).toEqual(new Set([401, 429]))
      // A right key is none of those, for a call and to sign in: others may share the address. A wrong one is told no models either.
      expect([right.status, signIn, list.status]).toEqual([200, 200, 429])
      expect(Number(list.retryAfter)).toBeGreaterThan(0)
      expect(await farebox.balance(key)).toMatchObject({ object: 'balance' })
    } finally {
      machine?.remove()
      await farebox.close()
    }
  },
)
