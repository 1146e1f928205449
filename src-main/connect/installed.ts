// Whether a tool is on this machine, and which version of it.

import { execFile } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Adapter } from '#connect/adapter.ts'
import { pathOf, type Surroundings } from '#connect/expand.ts'
import { findProgram } from '#connect/program.ts'

const VERSION_LIMIT_MS = 5_000

export type Installed = { readonly installed: boolean; readonly version: string | null }

export async function findInstalled(adapter: Adapter, surroundings: Surroundings): Promise<Installed> {
  const program = adapter.command === undefined ? undefined : findProgram(adapter.command, surroundings)
  if (program !== undefined) return { installed: true, version: await versionOf(program, surroundings) }
  const hasFolder = adapter.folders !== undefined && existsSync(pathOf(adapter.folders, surroundings))
  return { installed: hasFolder, version: null }
}

/** A program that cannot be asked is there nevertheless, and keeps nobody from seeing the others. */
async function versionOf(program: string, surroundings: Surroundings): Promise<string | null> {
  try {
    return packageVersion(program) ?? (await askVersion(program, surroundings))
  } catch {
    // Whatever is wrong with it, it is the program's own matter.
    return null
  }
}

/** Of a program that npm installed, without starting it. */
function packageVersion(program: string): string | undefined {
  let folder = dirname(realpathSync(program))
  for (let depth = 0; depth < 3; depth++, folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue
    const version = versionIn(readFileSync(file, 'utf8'))
    if (version !== undefined) return version
  }
  return undefined
}

function versionIn(text: string): string | undefined {
  try {
    const { version } = JSON.parse(text) as { version?: unknown }
    return typeof version === 'string' ? version : undefined
  } catch {
    // It is somebody's file, and not of a package.
    return undefined
  }
}

async function askVersion(program: string, { env }: Surroundings): Promise<string | null> {
  // Windows starts these only with a shell, which would read more out of the name than a path.
  if (/\.(?:cmd|bat)$/i.test(program)) return null
  const options = { env, timeout: VERSION_LIMIT_MS, killSignal: 'SIGKILL' } as const
  return new Promise((resolve) => {
    const child = execFile(program, ['--version'], options, (_error, stdout) => {
      resolve(/(?<!\d)\d+\.\d+[\w.+-]*/.exec(stdout)?.[0] ?? null)
    })
    child.stdin?.end()
  })
}
