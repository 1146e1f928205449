// What the command line writes into a file that somebody names: that file and nothing else.

import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { commandHost } from '#hosts/command.ts'

let folder: string
let file: string
const host = commandHost(() => Promise.reject(new Error('no store')))

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-written-'))
  file = join(folder, 'books.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function* chunks(isBroken = false): AsyncGenerator<string> {
  yield 'one\n'
  if (isBroken) throw new Error('the disk is full')
  yield 'two\n'
}

it('replaces a file by one that only this user can read', async () => {
  await writeFile(file, 'old', { mode: 0o644 })
  await host.writeFile(file, chunks())
  expect(await readFile(file, 'utf8')).toBe('one\ntwo\n')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['books.jsonl'])
})

it('leaves alone what lies beside it, and what a link beside it leads to', async () => {
  const other = join(folder, 'thesis.txt')
  await writeFile(other, 'mine', { mode: 0o644 })
  await symlink(other, `${file}.new`)
  await host.writeFile(file, chunks())
  expect(await readFile(other, 'utf8')).toBe('mine')
  expect((await readdir(folder)).toSorted()).toEqual(['books.jsonl', 'books.jsonl.new', 'thesis.txt'])
})

it('leaves the old file and nothing else where it breaks off', async () => {
  await writeFile(file, 'old')
  await expect(host.writeFile(file, chunks(true))).rejects.toThrow('the disk is full')
  expect(await readFile(file, 'utf8')).toBe('old')
  await mkdir(join(folder, 'place'))
  await expect(host.writeFile(join(folder, 'place'), chunks())).rejects.toThrow()
  expect((await readdir(folder)).toSorted()).toEqual(['books.jsonl', 'place'])
})
