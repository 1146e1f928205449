// A disk that forgets: what a power cut may leave of what a process did to its files. What was synced is there; of everything else
// any part may be, as a cache that is written back in no order leaves it. It is as hostile as POSIX allows:
//
// - A file keeps what was written before its last sync. Of what came after, each page may be as it was at any moment since, also torn
//   between two of its sectors; the size may be any that it had since.
// - The name of a file (made, renamed, removed) is kept once its folder was synced; before that, each may be the old one or the new.
//
// But no page is what it never was, and two changes of one name do not change places.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { DiskRecord } from './disk-recorder.ts'

const SECTOR_BYTES = 512
const PAGE_BYTES = 4096

/** What becomes of what was not synced: all of it, nothing, or something of it. */
export type Fate = 'all' | 'nothing' | 'something'
/** From 0 up to, and not including, `below`. */
export type Random = (below: number) => number

/** `index`: where the log stood behind its record. */
type Piece = { readonly index: number; readonly position: number; readonly bytes: Buffer }
type Naming = {
  readonly index: number
  readonly folder: string
  readonly names: readonly (readonly [path: string, file: FileOnDisk | undefined])[]
}

export class ForgetfulDisk {
  readonly #root: string
  readonly #byInode = new Map<number, FileOnDisk | string>()
  readonly #folders = new Set<string>()
  /** By path, as a process sees them, and as they are on disk. */
  readonly #names = new Map<string, FileOnDisk>()
  readonly #namesOnDisk = new Map<string, FileOnDisk>()
  #namings: Naming[] = []

  /** Everything that is in the folder now is on disk. */
  constructor(root: string) {
    this.#root = root
    this.#addFolder(root, statSync(root).ino)
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isDirectory()) this.#addFolder(path, statSync(path).ino)
      else if (isKept(path)) this.#addFile(path)
    }
  }

  /** Takes the next record of the log. */
  take(record: DiskRecord): void {
    const { path, toPath, inode, end: index } = record
    switch (record.type) {
      case 'create': {
        const file = new FileOnDisk(Buffer.alloc(0))
        this.#byInode.set(inode, file)
        return this.#name(index, path, [[path, file]])
      }
      case 'rename':
        return this.#name(index, path, [
          [toPath, this.#names.get(path)],
          [path, undefined],
        ])
      case 'link':
        return this.#name(index, path, [[toPath, this.#names.get(path)]])
      case 'unlink':
        return this.#name(index, path, [[path, undefined]])
      case 'make-folder':
        return this.#addFolder(path, inode)
      case 'killed':
        return
      default:
        this.#change(index, record)
    }
  }

  /** Writes what is left after a power cut at this moment into an empty folder. */
  leave(folder: string, fate: Fate, random: Random): void {
    const names = new Map(this.#namesOnDisk)
    const undecided = new Set<string>()
    for (const naming of this.#namings) {
      const isKeptName = fate === 'all' || (fate === 'something' && random(2) === 0)
      // What follows on a change that is lost is lost too.
      if (isKeptName && !naming.names.some(([path]) => undecided.has(path))) rename(names, naming)
      else for (const [path] of naming.names) undecided.add(path)
    }
    for (const path of this.#folders)
      mkdirSync(join(folder, relative(this.#root, path)), { recursive: true, mode: 0o700 })
    const left = new Map<FileOnDisk, Buffer>()
    for (const [path, file] of names) {
      const bytes = left.get(file) ?? file.left(fate, random)
      left.set(file, bytes)
      writeFileSync(join(folder, relative(this.#root, path)), bytes, { mode: 0o600 })
    }
  }

  #change(index: number, { type, inode, first, bytes, position, length }: DiskRecord): void {
    const file = this.#byInode.get(inode)
    if (file === undefined) throw new Error(`a ${type} to a file that nobody opened`)
    if (typeof file === 'string') {
      if (type === 'sync') this.#syncFolder(file, first)
    } else if (type === 'write') file.write({ index, position: first, bytes })
    else if (type === 'resize') file.resize(index, first)
    else if (type === 'sync') file.sync(first)
    else file.syncRange(first, position, length)
  }

  #addFolder(path: string, inode: number): void {
    this.#folders.add(path)
    this.#byInode.set(inode, path)
  }

  #addFile(path: string): void {
    const inode = statSync(path).ino
    const known = this.#byInode.get(inode)
    const file = known instanceof FileOnDisk ? known : new FileOnDisk(readFileSync(path))
    this.#byInode.set(inode, file)
    this.#names.set(path, file)
    this.#namesOnDisk.set(path, file)
  }

  #name(index: number, path: string, names: Naming['names']): void {
    const naming = { index, folder: dirname(path), names }
    rename(this.#names, naming)
    this.#namings.push(naming)
  }

  #syncFolder(folder: string, upTo: number): void {
    const isOnDisk = (naming: Naming) => naming.folder === folder && naming.index <= upTo
    for (const naming of this.#namings) if (isOnDisk(naming)) rename(this.#namesOnDisk, naming)
    this.#namings = this.#namings.filter((naming) => !isOnDisk(naming))
  }
}

/** SQLite makes this file anew after a crash; it is shared memory, and no file to it. */
function isKept(path: string): boolean {
  return !path.endsWith('-shm')
}

function rename(names: Map<string, FileOnDisk>, { names: changes }: Naming): void {
  for (const [path, file] of changes) {
    if (file === undefined) names.delete(path)
    else names.set(path, file)
  }
}

class FileOnDisk {
  /** At least as long as the file; what is beyond its size is zero. */
  #onDisk: Buffer
  #sizeOnDisk: number
  #size: number
  /** What was written and not synced, oldest first, and the sizes that came of it. */
  #pieces: Piece[] = []
  #sizes: { readonly index: number; readonly size: number }[] = []
  /** Sectors that were synced on their own, and up to which record. */
  readonly #syncedUpTo = new Map<number, number>()

  constructor(bytes: Buffer) {
    this.#onDisk = bytes
    this.#sizeOnDisk = bytes.length
    this.#size = bytes.length
  }

  write(piece: Piece): void {
    this.#pieces.push(piece)
    const end = piece.position + piece.bytes.length
    if (end > this.#size) this.#resizeTo(piece.index, end)
  }

  resize(index: number, size: number): void {
    if (size < this.#size) this.#pieces.push({ index, position: size, bytes: Buffer.alloc(this.#size - size) })
    this.#resizeTo(index, size)
  }

  sync(upTo: number): void {
    this.#bringToDisk(upTo, () => upTo)
    this.#pieces = this.#pieces.filter(({ index }) => index > upTo)
  }

  /** A range reaches the disk, and with it the size that it needs. */
  syncRange(upTo: number, position: number, length: number): void {
    const first = Math.floor(position / SECTOR_BYTES)
    const last = Math.floor((position + length - 1) / SECTOR_BYTES)
    this.#bringToDisk(upTo, (sector) => (sector >= first && sector <= last ? upTo : -1))
    for (let sector = first; sector <= last; sector++) this.#syncedUpTo.set(sector, upTo)
    // A piece that lies in the range has nothing left to lose.
    const isInRange = ({ position: start, bytes }: Piece) =>
      start >= position && start + bytes.length <= position + length
    this.#pieces = this.#pieces.filter((piece) => piece.index > upTo || !isInRange(piece))
  }

  left(fate: Fate, random: Random): Buffer {
    if (fate === 'nothing') return this.#leftOf(this.#sizeOnDisk, () => -1)
    if (fate === 'all') return this.#leftOf(this.#size, () => Infinity)
    // Whole files are often forgotten or written together, and pages seldom torn.
    const kind = (['nothing', 'all', 'pages', 'pages', 'sectors'] as const)[random(5)]
    if (kind === 'nothing' || kind === 'all') return this.left(kind, random)
    const sizes = [this.#sizeOnDisk, ...this.#sizes.map(({ size }) => size)]
    const unitBytes = kind === 'pages' ? PAGE_BYTES : SECTOR_BYTES
    return this.#leftOf(sizes[random(sizes.length)] ?? 0, this.#moments(unitBytes, random))
  }

  /** For each page, or each sector, the moment as of which it was written back. */
  #moments(unitBytes: number, random: Random): (sector: number) => number {
    const touching = new Map<number, number[]>()
    for (const { index, position, bytes } of this.#pieces) {
      const last = Math.floor((position + bytes.length - 1) / unitBytes)
      for (let unit = Math.floor(position / unitBytes); unit <= last; unit++) {
        const indexes = touching.get(unit)
        if (indexes === undefined) touching.set(unit, [index])
        else indexes.push(index)
      }
    }
    const moments = new Map<number, number>()
    for (const [unit, indexes] of touching) moments.set(unit, [-1, ...indexes][random(indexes.length + 1)] ?? -1)
    return (sector) => moments.get(Math.floor((sector * SECTOR_BYTES) / unitBytes)) ?? -1
  }

  #leftOf(size: number, upTo: (sector: number) => number): Buffer {
    const content = Buffer.alloc(Math.max(size, this.#end()))
    this.#onDisk.copy(content)
    this.#write(content, upTo)
    return content.subarray(0, size)
  }

  #bringToDisk(upTo: number, ofSector: (sector: number) => number): void {
    const end = this.#end()
    if (end > this.#onDisk.length) this.#onDisk = Buffer.concat([this.#onDisk], 2 * end)
    this.#write(this.#onDisk, ofSector)
    this.#sizeOnDisk = this.#sizes.findLast(({ index }) => index <= upTo)?.size ?? this.#sizeOnDisk
    this.#sizes = this.#sizes.filter(({ index }) => index > upTo)
  }

  #end(): number {
    return this.#pieces.reduce((most, { position, bytes }) => Math.max(most, position + bytes.length), this.#sizeOnDisk)
  }

  /** Writes what came to each sector up to a record. */
  #write(content: Buffer, upTo: (sector: number) => number): void {
    for (const { index, position, bytes } of this.#pieces) {
      for (let start = position; start < position + bytes.length;) {
        const sector = Math.floor(start / SECTOR_BYTES)
        const next = Math.min((sector + 1) * SECTOR_BYTES, position + bytes.length)
        if (index <= upTo(sector) && index > (this.#syncedUpTo.get(sector) ?? -1)) {
          bytes.copy(content, start, start - position, next - position)
        }
        start = next
      }
    }
  }

  #resizeTo(index: number, size: number): void {
    this.#sizes.push({ index, size })
    this.#size = size
  }
}
