// Another machine on a network of its own with this one: a network namespace, and a cable between the two. Linux only, as root, and not
// inside every container.

import { spawn, spawnSync } from 'node:child_process'

export type OtherMachine = {
  /** This machine's end of the cable. */
  readonly interface: string
  readonly ownAddress: string
  readonly address: string
  /** Runs a program over there, in an environment of its own; its standard output. */
  run(command: readonly string[], env: Readonly<Record<string, string>>): Promise<string>
  remove(): void
}

function ip(...words: readonly string[]): boolean {
  return spawnSync('ip', words, { stdio: 'ignore' }).status === 0
}

/** `number` is from 0 to 63: each machine has a network of its own. */
function addressesOf(number: number): { readonly own: string; readonly other: string } {
  // Of the range for tests between networks, which nobody's LAN has.
  return { own: `198.18.77.${number * 4 + 1}`, other: `198.18.77.${number * 4 + 2}` }
}

/** undefined where this system does not let us. */
export function connectMachine(number: number): OtherMachine | undefined {
  const name = `fb${process.pid}n${number}`
  const [near, far] = [`${name}a`.slice(-15), `${name}b`.slice(-15)]
  const { own, other } = addressesOf(number)
  const remove = () => void ip('netns', 'del', name)
  const steps = [
    ['netns', 'add', name],
    ['link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', name],
    ['addr', 'add', `${own}/30`, 'dev', near],
    ['link', 'set', near, 'up'],
    ['-n', name, 'addr', 'add', `${other}/30`, 'dev', far],
    ['-n', name, 'link', 'set', far, 'up'],
    ['-n', name, 'link', 'set', 'lo', 'up'],
  ]
  if (!steps.every((words) => ip(...words))) {
    remove()
    return undefined
  }
  return { interface: near, ownAddress: own, address: other, remove, run: (command, env) => run(name, command, env) }
}

function run(name: string, command: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn('ip', ['netns', 'exec', name, ...command], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
  })
}
