// Where a tool's key lies in the data folder, and which key of the gateway it is. It loads no editor: the gateway itself uses it when the
// value of a key is written anew.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '#connect/tool-file.ts'

/** Of keys that one tool had and that were not put to rest because a connection was interrupted. */
const MAX_REPLACED = 100

/**
 * `id` is null from when the key was to get a value until that is on the disk: what lies in its file until then may be another key's.
 * `replaced` are the ids of keys that the tool had before and that are to rest once it has this one.
 */
export type KeyRecord = { readonly id: string | null; readonly name: string; readonly replaced: readonly string[] }

/** The folder of a tool's connection. */
export function connectionFolder(dataDir: string, tool: string): string {
  return join(dataDir, 'connections', tool)
}

/** The file with the key's value, for tools that read it from there or by a command. */
export function keyFileOf(dataDir: string, tool: string): string {
  return join(connectionFolder(dataDir, tool), 'key')
}

/** The value of a tool's key; undefined where it has none on the disk. */
export function readKeyValue(dataDir: string, tool: string): string | undefined {
  const file = keyFileOf(dataDir, tool)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** undefined where there is none, or none that can be read: the tool then gets a key as if it never had one. */
export function readKeyRecord(dataDir: string, tool: string): KeyRecord | undefined {
  return recordIn(recordFileOf(dataDir, tool))
}

function recordIn(file: string): KeyRecord | undefined {
  try {
    const { id, name, replaced } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<keyof KeyRecord, unknown>>
    if (typeof name !== 'string') return undefined
    const others = Array.isArray(replaced) ? replaced.filter((one) => typeof one === 'string') : []
    return { id: typeof id === 'string' ? id : null, name, replaced: others.slice(0, MAX_REPLACED) }
  } catch {
    return undefined
  }
}

export function writeKeyRecord(dataDir: string, tool: string, record: KeyRecord): void {
  writePrivate(recordFileOf(dataDir, tool), `${JSON.stringify(record)}\n`)
}

/**
 * Gives the tool whose key was rotated the new value. Nothing is written but Farebox's own files: the key's, and where another key is to
 * take its place, or was to when that was interrupted, the copy by which it is put back.
 */
export function renewKeyFile(dataDir: string, keyId: string, value: string): void {
  const folder = join(dataDir, 'connections')
  for (const tool of existsSync(folder) ? readdirSync(folder) : []) {
    const file = keyFileOf(dataDir, tool)
    const held = heldCopyOf(file)
    const isHeld = recordIn(heldCopyOf(recordFileOf(dataDir, tool)))?.id === keyId && existsSync(held)
    // A tool reads the file of the key that it had until the other one lies there.
    const isInPlace = isHeld && existsSync(file) && readFileSync(file, 'utf8') === readFileSync(held, 'utf8')
    const isOwn = readKeyRecord(dataDir, tool)?.id === keyId && existsSync(file)
    if (isInPlace || isOwn) writePrivate(file, value)
    if (isHeld) writePrivate(held, value)
  }
}

/** The copy of a file of a key that the tool had before another one was to take its place. */
export function heldCopyOf(file: string): string {
  return `${file}.held`
}

/** The file that says which key of the gateway it is. */
export function recordFileOf(dataDir: string, tool: string): string {
  return join(connectionFolder(dataDir, tool), 'key.json')
}
