import { describe, expect, it } from 'vitest'
import { parseFileDocument, readDocumentFile, resolveSecrets } from '#cli/document.ts'
import type { Mistake } from '#cli/yaml-tree.ts'
import { readFake } from './fake-host.ts'

function mistake(line: number, column: number, field: string, message: string): Mistake {
  return { line, column, field, message }
}

describe('secrets', () => {
  const TEXT = `\
providers:
  - name: one
    dialect: chat-completions
    base_url: https://one.example/v1
    secret: { env: ONE_SECRET }
  - name: two
    dialect: chat-completions
    base_url: https://two.example/v1
    secret:
      file: secrets/two.txt
  - name: three
    dialect: demo
`

  async function resolve(env: Readonly<Record<string, string>>, files: Readonly<Record<string, string>>, text = TEXT) {
    const all = { '/etc/farebox/farebox.yaml': text, ...files }
    return readDocumentFile('/etc/farebox/farebox.yaml', { env, readFile: async (path) => readFake(path, all) })
  }

  it('are read from the environment and from files beside the document, without their last newline', async () => {
    const read = await resolve({ ONE_SECRET: 'first\n\n' }, { '/etc/farebox/secrets/two.txt': 'second\r\n' })
    expect(read.type === 'document' && read.document).toEqual({
      providers: [
        { name: 'one', dialect: 'chat-completions', base_url: 'https://one.example/v1', secret: 'first\n' },
        { name: 'two', dialect: 'chat-completions', base_url: 'https://two.example/v1', secret: 'second' },
        { name: 'three', dialect: 'demo' },
      ],
    })
  })

  it('that are missing are named with provider, place and line, all of them', async () => {
    const read = await resolve({}, {})
    expect(read).toEqual({
      type: 'mistakes',
      mistakes: [
        mistake(
          5,
          5,
          'providers.0.secret',
          'of provider one cannot be read. The environment variable ONE_SECRET is not set.',
        ),
        mistake(
          9,
          5,
          'providers.1.secret',
          'of provider two cannot be read. The file secrets/two.txt cannot be read (ENOENT).',
        ),
      ],
    })
  })

  it('are several of one provider, each where it is named, and each that is missing is named by its place', async () => {
    const text = `\
providers:
  - name: one
    dialect: chat-completions
    base_url: https://one.example/v1
    secrets:
      - { label: work, secret: { env: WORK_SECRET }, weight: 2 }
      - label: home
        secret: { file: home.txt }
        limits: { credits_per_day: 20 }
`
    const read = await resolve({ WORK_SECRET: 'first' }, { '/etc/farebox/home.txt': 'second\n' }, text)
    expect(read.type === 'document' && read.document.providers).toEqual([
      {
        name: 'one',
        dialect: 'chat-completions',
        base_url: 'https://one.example/v1',
        secrets: [
          { label: 'work', secret: 'first', weight: 2 },
          { label: 'home', secret: 'second', limits: { credits_per_day: 20 } },
        ],
      },
    ])
    const missing = await resolve({ WORK_SECRET: 'first' }, {}, text)
    const message = 'of provider one cannot be read. The file home.txt cannot be read (ENOENT).'
    expect(missing).toEqual({ type: 'mistakes', mistakes: [mistake(8, 9, 'providers.0.secrets.1.secret', message)] })
  })

  it('that are empty count as missing', async () => {
    const read = await resolve({ ONE_SECRET: '\n' }, { '/etc/farebox/secrets/two.txt': '' })
    expect(read.type === 'mistakes' && read.mistakes.map(({ message }) => message)).toEqual([
      'of provider one cannot be read. The environment variable ONE_SECRET is empty.',
      'of provider two cannot be read. The file secrets/two.txt is empty.',
    ])
  })

  it('that are too long are refused without being repeated', async () => {
    const secret = 'sk-live-'.repeat(2_000)
    const read = await resolve({ ONE_SECRET: secret }, { '/etc/farebox/secrets/two.txt': 'x' })
    expect(read.type === 'mistakes' && read.mistakes).toEqual([
      mistake(5, 5, 'providers.0.secret', 'must not have more than 10000 characters'),
    ])
  })

  it('that were written where the name of a variable belongs are not repeated', async () => {
    const read = await resolve({}, {}, 'providers:\n  - { name: a, dialect: demo, secret: { env: sk-live-1234 } }\n')
    expect(read.type).toBe('mistakes')
    expect(JSON.stringify(read)).not.toContain('sk-live')
  })

  it('are not looked for when the document names none', async () => {
    const parsed = parseFileDocument('packages: [{ name: a, type: topup }]')
    if (parsed.type !== 'document') throw new Error('the document has mistakes')
    const readFile = async (): Promise<string> => Promise.reject(new Error('nothing to read'))
    const read = await resolveSecrets(parsed, { env: {}, readFile })
    expect(read.type === 'document' && read.document).toEqual(parsed.document)
  })
})

describe('a document file', () => {
  it('that cannot be read is a mistake with the reason', async () => {
    const readFile = async (path: string) => readFake(path, {})
    expect(await readDocumentFile('gone.yaml', { env: {}, readFile })).toEqual({
      type: 'mistakes',
      mistakes: [mistake(1, 1, '', 'The file cannot be read (ENOENT).')],
    })
  })

  it('that cannot be parsed is not searched for secrets', async () => {
    const read: string[] = []
    const readFile = async (path: string) => {
      read.push(path)
      return 'models: ['
    }
    expect((await readDocumentFile('farebox.yaml', { env: {}, readFile })).type).toBe('mistakes')
    expect(read).toEqual(['farebox.yaml'])
  })
})
