import { expect, it } from 'vitest'
import { LEDGER_EXPORT } from '#renderer/data/list-export.ts'
import { fakeGateway, LEDGER_ENTRY } from './fake-gateway.ts'
import { run } from './fake-host.ts'

it('prints every entry of the range, page after page, in the columns of the dashboard', async () => {
  const gateway = fakeGateway(({ path }) => {
    const seq = Number(new URL(path, 'http://gateway').searchParams.get('before') ?? 4) - 1
    return { status: 200, body: { entries: [{ ...LEDGER_ENTRY, seq }], next: seq > 1 ? String(seq) : null } }
  })
  const ran = await run(['ledger', 'list', '--csv', '--since', '7d', '--key', 'laptop'], { gateway })
  const [head = '', ...lines] = ran.stdout.split('\r\n')
  expect(head.split(',')).toEqual([...LEDGER_EXPORT.columns])
  expect(head.split(',').toSorted()).toEqual(Object.keys(LEDGER_ENTRY).toSorted())
  expect(lines.map((line) => line.split(',')[0])).toEqual(['3', '2', '1', ''])
  expect(ran.requests.map(({ path }) => path)).toEqual([
    '/api/ledger?since=7d&key=laptop&limit=500',
    '/api/ledger?since=7d&key=laptop&before=3&limit=500',
    '/api/ledger?since=7d&key=laptop&before=2&limit=500',
  ])
})
