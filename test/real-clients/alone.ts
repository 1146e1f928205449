// Keeps the programs off the network. Where the system allows it (Linux), everything runs in a network namespace that has
// only a loopback; elsewhere a proxy setting that leads nowhere has to do. The namespace has processes of its own too, so that what a
// program leaves running (such as the hub of Cline) ends with the run.
import { spawn, spawnSync } from 'node:child_process'

const MARK = 'FAREBOX_CLIENTS_ALONE'
const KINDS = ['--user', '--map-root-user', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'] as const
const NAMESPACE = [...KINDS, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'] as const

export function isAlone(): boolean {
  return process.env[MARK] !== undefined || !canBeAlone()
}

/** Runs this very program again, in a namespace of its own, and gives its exit code. */
export async function runAlone([node = '', ...rest]: readonly string[]): Promise<number> {
  const env = { ...process.env, [MARK]: '1' }
  const child = spawn('unshare', [...NAMESPACE, node, ...rest], { env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

/** Settings with which a program finds no way to any other machine. */
export const NO_NETWORK = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
} as const

function canBeAlone(): boolean {
  return process.platform === 'linux' && spawnSync('unshare', [...NAMESPACE, 'true']).status === 0
}
