// Where a tool's key lies in the data folder, and which key of the gateway it is. It loads no editor: the gateway itself uses it when the
// value of a key is written anew.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '#connect/tool-file.ts'

/** `id` is null from when the key was to be made until it is known that it was. */
export type KeyRecord = { readonly id: string | null; readonly name: string }

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
  try {
    const record = JSON.parse(readFileSync(recordFileOf(dataDir, tool), 'utf8')) as Partial<KeyRecord> | null
    return typeof record?.name === 'string' ? { id: record.id ?? null, name: record.name } : undefined
  } catch {
    return undefined
  }
}

export function writeKeyRecord(dataDir: string, tool: string, record: KeyRecord): void {
  writePrivate(recordFileOf(dataDir, tool), `${JSON.stringify(record)}\n`)
}

/** Gives the tool whose key was rotated the new value. Nothing is written but Farebox's own file. */
export function renewKeyFile(dataDir: string, keyId: string, value: string): void {
  const folder = join(dataDir, 'connections')
  const tools = existsSync(folder) ? readdirSync(folder) : []
  const tool = tools.find((name) => readKeyRecord(dataDir, name)?.id === keyId)
  if (tool !== undefined && existsSync(keyFileOf(dataDir, tool))) writePrivate(keyFileOf(dataDir, tool), value)
}

/** The file that says which key of the gateway it is. */
export function recordFileOf(dataDir: string, tool: string): string {
  return join(connectionFolder(dataDir, tool), 'key.json')
}
