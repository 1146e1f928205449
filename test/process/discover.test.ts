// What the search for local servers prints, run as it is printed: by a shell, word for word.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import { llamaCpp } from '../support/local-servers.ts'
import { endProcesses, farebox, temporaryFolder } from '../support/process.ts'
import { closeServers, freePort, serveHttp } from '../support/small-servers.ts'

afterEach(endProcesses)
afterEach(closeServers)

const run = promisify(execFile)
const SECRET = 'sk-of-a-local-server'

/** The words of a printed command as a shell understands them, without the name of the program. */
async function wordsOf(line: string): Promise<string[]> {
  const { stdout } = await run('/bin/sh', ['-c', `farebox() { printf '%s\\n' "$@"; }; ${line}`])
  return stdout.trimEnd().split('\n')
}

function commandsIn(text: string): string[] {
  return [...text.matchAll(/: (farebox .*)$/gm)].map(([, command = '']) => command)
}

it('works for every server that is found, the second of a kind among them', { timeout: 240_000 }, async () => {
  const dataDir = await temporaryFolder()
  const closed = await freePort()
  const servers = [
    await serveHttp(llamaCpp({ nCtx: 1000, isLocked: true })),
    await serveHttp(llamaCpp({ nCtx: 2000, isLocked: true })),
    await serveHttp(llamaCpp({ nCtx: 3000, embeddings: 501 })),
  ]
  const places = servers.map(({ port }) => `llama-cpp=${port}`).join(',')
  const ports = `${places},ollama=${closed},lm-studio=${closed},vllm=${closed}`
  const discover = () => farebox(['provider', 'discover', '--ports', ports], { dataDir })
  let printed: string[] = []
  // A server has 300 ms to show what it is, which a busy machine may miss.
  await expect
    .poll(async () => (printed = commandsIn((await discover()).stdout)).length, { timeout: 120_000, interval: 10 })
    .toBe(3)
  const list = async () => {
    const { stdout } = await farebox(['provider', 'list', '--json'], { dataDir })
    return JSON.parse(stdout) as { name: string; preset: string; has_secret: boolean; network: string }[]
  }
  for (const line of printed) {
    const args = await wordsOf(line)
    const before = (await list()).length
    const type = async () => {
      const { code, stderr } = await farebox(args, { dataDir, stdin: SECRET })
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' })
      return (await list()).length
    }
    // The search may miss it again; what is printed with a name can be typed once.
    if (line.includes('--add')) await expect.poll(type, { timeout: 120_000, interval: 10 }).toBe(before + 1)
    else expect(await type()).toBe(before + 1)
  }
  const providers = await list()
  expect(providers).toHaveLength(3)
  expect(new Set(providers.map(({ name }) => name)).size).toBe(3)
  expect(providers).toMatchObject(providers.map(() => ({ preset: 'llama-cpp', network: 'local' })))
  expect(providers.filter(({ has_secret }) => has_secret)).toHaveLength(2)
})
