// Who takes part in a session: the bare proxy, and Farebox for clients of two formats.
import { fileURLToPath } from 'node:url'
import { startChild, type Child } from './child.ts'
import { usedMicro, type Installation } from './farebox.ts'
import type { Options } from './options.ts'
import type { Format } from './payload.ts'
import { topFunctions } from './profile.ts'
import type { Contender } from './session.ts'

export function bareContender(upstreamUrl: string): Contender {
  return {
    name: 'bare proxy',
    key: 'key_none',
    format: 'chat',
    start: () => ownChild('bare-proxy.ts', { args: [upstreamUrl] }),
    checkCharges: async () => {},
  }
}

export function fareboxContender(farebox: Installation, format: Format, options: Options): Contender {
  return {
    name: format === 'chat' ? 'Farebox' : 'Farebox, translating',
    key: farebox.key,
    format,
    start: (purpose) => farebox.start(options.profile && purpose === 'contest' ? 'profiled' : 'plain'),
    checkCharges: async (url, spentMicro) => {
      const used = await usedMicro(url, farebox.key)
      if (used !== spentMicro) throw new Error(`${used} micro-credits were charged instead of ${spentMicro}`)
    },
  }
}

/** Where the time of those went that were profiled. */
export function profileText(installations: readonly Installation[]): string {
  const profiles = installations.flatMap((one) => one.profiles().map(topFunctions))
  return profiles.map((lines) => `\n${lines.join('\n')}\n`).join('')
}

/** A program of this folder. */
export function ownChild(file: string, { args = [], nodeOptions = [], env = {} }: OwnOptions = {}): Promise<Child> {
  const program = fileURLToPath(new URL(file, import.meta.url))
  return startChild({ args: [...nodeOptions, program, ...args], env: { ...process.env, ...env } })
}

type OwnOptions = {
  readonly args?: readonly string[]
  readonly nodeOptions?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}
