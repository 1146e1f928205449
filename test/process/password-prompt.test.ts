// A password that is typed at a terminal: a real one, made by the system's `script`.

import { spawn } from 'node:child_process'
import { rm, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { builtProgram } from '../support/built.ts'

const PROGRAM = builtProgram()

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-prompt-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Everything that the terminal showed when each answer was typed as soon as its question was there. */
function typeAt(answers: readonly (readonly [question: string, typed: string])[]): Promise<string> {
  const command = [process.execPath, PROGRAM, 'member', 'password', 'ada', '--data-dir', join(folder, 'data')]
  const words =
    process.platform === 'darwin' ? ['-q', '/dev/null', ...command] : ['-qec', command.join(' '), '/dev/null']
  const env = { PATH: process.env.PATH ?? '', HOME: folder, FAREBOX_SECRETS: 'vault' }
  const terminal = spawn('script', words, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const left = [...answers]
  let shown = ''
  return new Promise((resolve, reject) => {
    terminal.once('error', reject)
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text
      const [next] = left
      if (next === undefined || !shown.includes(next[0])) return
      left.shift()
      terminal.stdin.write(next[1])
    })
    terminal.once('close', () => resolve(shown))
  })
}

it.skipIf(process.platform === 'win32')('is read twice and never shown', async () => {
  const shown = await typeAt([
    ['New password of ada: ', 'correct horse battery\r'],
    ['Once more: ', 'incorrect horse battery\r'],
  ])
  expect(shown).toContain('The two passwords differ. Nothing was changed.')
  expect(shown).not.toContain('horse')
})

it.skipIf(process.platform === 'win32')('is not set when the question is left with Ctrl-C', async () => {
  const shown = await typeAt([['New password of ada: ', 'correct horse\u0003']])
  expect(shown).toContain('The password')
  expect(shown).not.toContain('horse')
})
