import { describe, expect, it } from 'vitest'
import { parseFileDocument, resolveSecrets } from '#cli/document.ts'
import { run } from './fake-host.ts'

const SECRET = 'cf-secret-0123456789'
const ADD = ['provider', 'add', 'portkey', '--dialect', 'chat-completions', '--base-url', 'https://a.example/v1']
const EDIT = ['provider', 'edit', 'openai']

describe('the headers of a provider', () => {
  it('are typed, and read from where they are secret', async () => {
    const flags = ['--header', 'X-Portkey-Provider=openai', '--header', 'x-config={"a":"b=c"}']
    const secrets = ['--header-env', 'X-One=ONE', '--header-file', 'x-two=two.txt', '--header-stdin', 'X-Three']
    const world = { env: { ONE: SECRET }, files: { 'two.txt': `${SECRET}2\n` }, stdin: `${SECRET}3\n` }
    const { requests } = await run([...ADD, ...flags, ...secrets], world)
    expect(requests[0]?.body).toMatchObject({
      headers: { 'x-portkey-provider': 'openai', 'x-config': '{"a":"b=c"}' },
      header_secrets: { 'x-one': SECRET, 'x-two': `${SECRET}2`, 'x-three': `${SECRET}3` },
    })
  })

  it('are replaced as a whole where they are plain, and one by one where they are secret', async () => {
    const world = { env: { ONE: SECRET } }
    const edited = await run([...EDIT, '--header', 'x-a=1', '--header-env', 'x-b=ONE', '--forget-header', 'X-C'], world)
    expect(edited.requests).toMatchObject([
      { method: 'PATCH', body: { headers: { 'x-a': '1' }, header_secrets: { 'x-b': SECRET, 'x-c': null } } },
    ])
    expect((await run([...EDIT, '--header', 'none'])).requests).toMatchObject([{ body: { headers: {} } }])
    expect((await run([...EDIT, '--header-stdin', 'x-a'], { stdin: SECRET })).requests).toMatchObject([
      { body: { header_secrets: { 'x-a': SECRET } } },
    ])
  })

  it.each([
    ['--header', SECRET],
    ['--header', `=${SECRET}`],
    ['--header', 'x-a='],
    ['--header', `x-a=${SECRET}\r\nx-b: c`],
    ['--header', `x-a=1`, '--header', `X-A=${SECRET}`],
    ['--header-env', SECRET],
    ['--header-env', 'x-a=ONE', '--header-file', 'x-a=two.txt'],
    ['--header-stdin', 'x-a', '--secret-stdin'],
  ])('are refused without being repeated: %s %s %s %s', async (...flags) => {
    const world = { env: { ONE: SECRET }, files: { 'two.txt': SECRET }, stdin: SECRET }
    const ran = await run([...ADD, ...flags], world)
    expect(ran).toMatchObject({ exitCode: 2, requests: [] })
    expect(ran.stdout + ran.stderr).not.toContain(SECRET)
  })

  it('that cannot be read are a failure', async () => {
    const ran = await run([...ADD, '--header-env', 'x-a=NOWHERE'])
    expect(ran).toMatchObject({ exitCode: 1, requests: [] })
    expect(ran.stderr).toContain('The environment variable NOWHERE is not set.')
  })
})

describe('headers in farebox.yaml', () => {
  const file = (headers: string) =>
    `providers:\n  - name: a\n    dialect: chat-completions\n    base_url: https://a.example\n    ${headers}\n`
  const sources = { env: { ONE: SECRET }, readFile: () => Promise.reject(new Error('ENOENT')) }

  it('have their secret values read from where they are named', async () => {
    const parsed = parseFileDocument(file('headers: { x-a: v }\n    header_secrets: { x-b: { env: ONE } }'))
    if (parsed.type === 'mistakes') return expect.fail(JSON.stringify(parsed))
    const resolved = await resolveSecrets(parsed, sources)
    expect(resolved).toMatchObject({
      document: { providers: [{ headers: { 'x-a': 'v' }, header_secrets: { 'x-b': SECRET } }] },
    })
  })

  it('are not written out where they are secret, and are not repeated', () => {
    const parsed = parseFileDocument(file(`header_secrets: { x-b: ${SECRET} }`))
    expect(parsed).toMatchObject({
      mistakes: [
        { line: 5, field: 'providers.0.header_secrets.x-b', message: 'must be { env: NAME } or { file: PATH }' },
      ],
    })
    expect(JSON.stringify(parsed)).not.toContain(SECRET)
  })

  it('that cannot be read are a mistake with their place', async () => {
    const parsed = parseFileDocument(file('header_secrets: { x-b: { env: NOWHERE } }'))
    if (parsed.type === 'mistakes') return expect.fail(JSON.stringify(parsed))
    expect(await resolveSecrets(parsed, sources)).toMatchObject({
      mistakes: [{ line: 5, field: 'providers.0.header_secrets.x-b' }],
    })
  })
})
