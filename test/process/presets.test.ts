// Presets from a real command line: the data that Farebox is delivered with is found, and nobody is asked anything where
// there is no terminal.

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { endProcesses, farebox, temporaryFolder } from '../support/process.ts'
import { plainList } from '../support/upstream-models.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

let upstream: Upstream

beforeAll(async () => {
  upstream = await startUpstream()
})
afterEach(endProcesses)
afterAll(async () => {
  await upstream.close()
})

it('adds a provider and its models from a preset, and shows their prices', { timeout: 60_000 }, async () => {
  const dataDir = await temporaryFolder()
  const command = (typed: string) => farebox(typed.split(' '), { dataDir })
  upstream.script(plainList('llama', 'qwen'))
  const listed = await command(`provider add --preset ollama --base-url ${upstream.url}`)
  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect(listed.stdout).toContain('farebox provider models ollama --enable all\n')

  const added = await command('provider models ollama --enable llama --context-window 8192 --json')
  expect(JSON.parse(added.stdout)).toMatchObject({
    added: [{ id: 'llama', enabled: true, context_window: 8192, price: { input: 0, output: 0 } }],
    skipped: [],
  })

  expect(JSON.parse((await command('model card --json')).stdout)).toMatchObject({ rows: [], not_on_card: ['llama'] })
})
