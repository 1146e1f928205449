import { expect, it } from 'vitest'
import { run } from './fake-host.ts'

const exported = ['{"line":"header"}\n', '{"line":"end"}\n']

it.each([[[]], [['-']], [['--json']]])('prints the export, and asks no gateway for it: %j', async (words) => {
  const ran = await run(['ledger', 'export', ...words], { exported })
  expect(ran).toMatchObject({
    exitCode: 0,
    stdout: exported.join(''),
    stderr: '',
    requests: [],
    store: [],
    written: {},
  })
})

it('writes the export to a file, and prints no line of it', async () => {
  const ran = await run(['ledger', 'export', 'books.jsonl'], { exported })
  expect(ran).toMatchObject({ exitCode: 0, written: { 'books.jsonl': exported.join('') } })
  expect(ran.stdout).toBe('The ledger was written to books.jsonl.\n')
})

it('says where it looked when there is nothing to export', async () => {
  const ran = await run(['ledger', 'export', '--data-dir', '/nowhere'])
  expect(ran).toMatchObject({ exitCode: 1, stdout: '' })
  expect(ran.stderr).toBe('farebox: There is no database of Farebox in /nowhere.\n')
})

it('refuses two files', async () => {
  const ran = await run(['ledger', 'export', 'one', 'two'], { exported })
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', written: {} })
  expect(ran.stderr).toContain("'ledger export' takes one FILE, and flags.")
})
