import { expect, it } from 'vitest'
import type { ToolView } from '#contract/tools.ts'
import { orderedTools, withRequests } from '#renderer/data/tool-list.ts'

function tool(name: string, more: Partial<ToolView> = {}): ToolView {
  return {
    tool: name,
    name,
    installed: false,
    version: null,
    connected: false,
    files: [],
    last_request_at: null,
    connected_at: null,
    state: 'none',
    key_name: null,
    package: null,
    written: [],
    ways: ['connect'],
    impossible: null,
    versions: '1',
    page: '',
    ...more,
  }
}

const WAITING = { state: 'waiting', key_name: 'k', connected_at: '2027-01-02T00:00:10.000Z' } as const
const EARLIER = '2027-01-02T00:00:09.000Z'
const LATER = '2027-01-02T00:00:11.000Z'

it('what is connected comes first, then what is installed, and what cannot be connected last', () => {
  const tools = [
    tool('never', { ways: [] }),
    tool('other'),
    tool('here', { installed: true }),
    tool('waiting', WAITING),
    tool('also-here', { installed: true }),
  ]
  expect(orderedTools(tools).map(({ name }) => name)).toEqual(['waiting', 'here', 'also-here', 'other', 'never'])
})

it('a tool that waits is connected once a request of its key came since', () => {
  const [seen, old, others] = withRequests(
    [tool('a', WAITING), tool('b', { ...WAITING, key_name: 'l' }), tool('c', { ...WAITING, key_name: 'm' })],
    { k: LATER, l: EARLIER, other: LATER },
  )
  expect(seen).toMatchObject({ state: 'connected', connected: true, last_request_at: LATER })
  expect(old).toMatchObject({ state: 'waiting', connected: false })
  expect(others).toMatchObject({ state: 'waiting', last_request_at: null })
})

it('a tool that was only launched is connected by any request, and a blocked one by none', () => {
  const [launched, blocked] = withRequests(
    [tool('a', { ...WAITING, connected_at: null }), tool('b', { ...WAITING, state: 'keyless' })],
    { k: EARLIER },
  )
  expect(launched).toMatchObject({ state: 'connected' })
  expect(blocked).toMatchObject({ state: 'keyless', connected: false, last_request_at: EARLIER })
})

it('what the server knew already is not made older', () => {
  const [known] = withRequests([tool('a', { ...WAITING, state: 'connected', last_request_at: LATER })], { k: EARLIER })
  expect(known).toMatchObject({ last_request_at: LATER })
})
