// What `farebox bills secret add` says of the project that Farebox should have for itself.

import { describe, expect, it } from 'vitest'
import { ANSWERS, fakeGateway } from './fake-gateway.ts'
import { run } from './fake-host.ts'

type Key = { readonly id: string; readonly name: string; readonly is_ours: boolean | null }

const OURS: Key = { id: 'key_a', name: 'farebox', is_ours: true }
const OTHER: Key = { id: 'key_b', name: 'nightly\u001b[2J', is_ours: false }
const UNKNOWN: Key = { id: 'key_c', name: 'hidden', is_ours: null }

async function add(keys: readonly Key[], { problem = null as string | null, has_more = false } = {}) {
  const body = { ...ANSWERS.setBillSecret, tried: { problem: null, project: { problem, keys, has_more } } }
  const gateway = fakeGateway(() => ({ status: 200, body }))
  const typed = ['bills', 'secret', 'add', 'openai', '--secret-env', 'ADMIN', '--project', 'proj_a']
  const { exitCode, stdout, requests } = await run(typed, { gateway, env: { ADMIN: 'sk-admin-1' } })
  expect(requests.at(-1)?.body).toEqual({ secret: 'sk-admin-1', try: true, project: 'proj_a' })
  return { exitCode, said: stdout.split('\n').slice(2).join(' ').trim() }
}

describe('a project', () => {
  it.each<[what: string, keys: readonly Key[], says: string]>([
    ['with our key alone', [OURS], 'proj_a has one key, farebox (key_a), with which calls go.'],
    ['with one key that nobody can tell', [UNKNOWN], 'hidden (key_c), which should be the one that calls go with.'],
    ['without a key', [], 'No key is in proj_a: make the key there that calls go with.'],
    ['with a key of somebody else', [OTHER], 'nightly\ufffd[2J (key_b). Calls go with none of them:'],
    ['with others beside ours', [OURS, OTHER], '--project proj_a --keep --account-keys key_a'],
    ['with several that nobody can tell', [UNKNOWN, UNKNOWN], '--account-keys KEY_ID,...'],
  ])('%s is told as it is', async (_, keys, says) => {
    const { exitCode, said } = await add(keys)
    expect(said).toContain(says)
    expect(exitCode).toBe(0)
  })

  it('that cannot be read is told with exit code 1', async () => {
    const problem = "Its project could not be read. It has no project 'proj_a' (404)."
    expect(await add([], { problem })).toEqual({ exitCode: 1, said: problem })
  })

  it('of more keys than are listed is not ours alone', async () => {
    const { said } = await add([OURS], { has_more: true })
    expect(said).toContain("proj_a is not Farebox's alone: farebox (key_a) and others.")
  })
})

it('says how to make one where none is named', async () => {
  const gateway = fakeGateway(() => ({ status: 200, body: ANSWERS.setBillSecret }))
  const typed = ['bills', 'secret', 'add', 'openai', '--secret-env', 'ADMIN']
  const { stdout } = await run(typed, { gateway, env: { ADMIN: 'sk-admin-1' } })
  expect(stdout).toContain('Give Farebox a project (OpenAI) or workspace (Anthropic) of its own')
  expect(stdout).toContain('4. Keep its reports: farebox bills check openai --project ID --keep')
})
