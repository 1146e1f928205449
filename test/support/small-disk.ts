// A disk of a few megabytes that really runs full: a tmpfs in a mount namespace of its own, which ends with the process that
// holds it. Linux only, and not inside every container.

import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, rmSync, statfsSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from './process.ts'

export type SmallDisk = {
  readonly place: Place
  /** Leaves room for so many bytes, rounded up to whole pages. */
  fill(leaveBytes: number): void
  /** Takes the filling away again. */
  clear(): void
  remove(): void
}

const MOUNT = (folder: string, size: string) => `mount -t tmpfs -o size=${size},mode=0700 small '${folder}'`
const NAMESPACES = ['--user', '--map-root-user', '--mount']

export const canMountSmallDisk =
  spawnSync('unshare', [...NAMESPACES, 'sh', '-c', MOUNT('/mnt', '1m')]).status === 0 &&
  spawnSync('nsenter', ['--version']).status === 0

/** Whoever else writes may be quicker, and the disk is full all the same. */
function fillRest(ballast: string, bytes: number): void {
  try {
    appendFileSync(ballast, Buffer.alloc(bytes, 1))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}

/** Mounts the disk at an empty folder, for what runs at its place. */
export async function mountSmallDisk(folder: string, size: string): Promise<SmallDisk> {
  const script = `${MOUNT(folder, size)} && echo mounted && exec sleep 3600`
  const holder = spawn('unshare', [...NAMESPACES, 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    holder.stdout.once('data', () => resolve())
    holder.once('exit', (code) => reject(new Error(`the small disk was not mounted (${code})`)))
  })
  const root = `/proc/${holder.pid}/root`
  const seen = join(root, folder)
  const ballast = join(seen, 'ballast')
  return {
    place: {
      root,
      command: [
        'nsenter',
        '--target',
        String(holder.pid),
        '--user',
        '--mount',
        '--preserve-credentials',
        `--wdns=${folder}`,
      ],
    },
    fill(leaveBytes) {
      // What fills it already stays: nobody else gets any of that room meanwhile.
      const { bavail, bsize } = statfsSync(seen)
      const present = statSync(ballast, { throwIfNoEntry: false })?.size ?? 0
      const pages = bavail - Math.ceil(leaveBytes / bsize)
      if (pages >= 0) fillRest(ballast, pages * bsize)
      else if (existsSync(ballast)) truncateSync(ballast, Math.max(0, present + pages * bsize))
    },
    clear: () => rmSync(ballast, { force: true }),
    remove: () => void holder.kill('SIGKILL'),
  }
}
