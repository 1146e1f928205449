// Files of bills: how many of them are in memory.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { refuse } from '#core/refusal.ts'
import { billHandlers } from '#server/admin/entities/bills.ts'

it('are read one after the other, also where one of them is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-bills-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'usage.csv')
  await writeFile(file, 'a report')
  const gates: (() => void)[] = []
  let running = 0
  let most = 0
  const billCheck = async () => {
    most = Math.max(most, ++running)
    await new Promise<void>((resolve) => gates.push(resolve))
    running -= 1
    return refuse('invalid_request', 'It is no report.')
  }
  const deps = { context: { catalog: { provider: () => ({ id: 'p', name: 'openai' }) } }, reports: { billCheck } }
  const { checkBill } = billHandlers(deps as unknown as Parameters<typeof billHandlers>[0])
  const viewer = { type: 'owner' }
  const ask = async () =>
    checkBill({ body: { provider: 'openai', file }, viewer } as unknown as Parameters<typeof checkBill>[0])
  const asked = [ask(), ask(), ask()]
  for (let done = 0; done < asked.length; done++) {
    await expect.poll(() => gates.length, { timeout: 60_000 }).toBe(done + 1)
    gates[done]?.()
  }
  await Promise.all(asked)
  expect(most).toBe(1)
})
