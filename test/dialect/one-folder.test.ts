// A dialect is one folder and one line of the table: nobody else knows its name, and each has the same files.

import { describe, expect, it } from 'vitest'
import { CLIENT_FORMATS, PASSED_FORMATS, PROVIDER_DIALECTS, WIRE_DIALECTS } from '#contract/dialects.ts'
import { quirksOf, CLIENT_DIALECTS, dialectOf, endpointAt, ENDPOINTS, FORMS } from '#dialect/dialects.ts'
import { importsOf, readSources, withoutComments, type SourceFile } from '../support/sources.ts'

/** What tells the rest of the program what a folder has. */
const ENTRIES = ['client-format.ts', 'provider-dialect.ts']
/** What every client format that has turns is made of. */
const CLIENT_FILES =
  'read-request.ts edit-request.ts mend-pass.ts read-turns.ts write-answer.ts write-stream.ts errors.ts'.split(' ')
/** What every provider dialect is made of. */
const PROVIDER_FILES = 'write-request.ts read-answer.ts read-stream.ts usage.ts errors.ts'.split(' ')
/** Embeddings have no turns. */
const EMBEDDING_FILES = ['read-request.ts', 'read-answer.ts', 'write-request.ts']

const TABLE = 'dialect/dialects.ts'
/** Where dialects may be named: the lists of names, and the usual one. */
const NAMING = ['contract/dialects.ts', 'core/provider-dialect.ts']
/** Words that are a name of a format here and something else of somebody else's. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  // LM Studio's own word for the kind of a model.
  'provider/fingerprints.ts': "type === 'embeddings'",
  // The id of a preset.
  'server/watch/journeys.ts': "gemini: 'gcp.gemini'",
}

/** The endpoints whose calls are passed on as they come have one table of their own. */
const PASSED = 'passed'
const PASSED_TABLE = 'dialect/passed/routes.ts'

const sources = readSources('src-main')
const inDialect = sources.filter(({ path }) => path.startsWith('dialect/'))
const folders = Map.groupBy(
  inDialect.filter(({ path }) => path.split('/').length === 3),
  ({ path }) => path.split('/')[1] ?? '',
)

const NAMES = [...new Set<string>([...CLIENT_FORMATS, ...PASSED_FORMATS, ...PROVIDER_DIALECTS])]
const NAME = `'(?:${NAMES.filter((name) => name !== 'chat').join('|')})'`
/** A comparison with a name; `chat` is a kind of model too, so that it counts only beside a word for a format. */
const COMPARED = new RegExp(
  [
    String.raw`[!=]==?\s*${NAME}`,
    String.raw`${NAME}\s*[!=]==?`,
    String.raw`\bcase\s+${NAME}`,
    String.raw`\bincludes\(${NAME}`,
    String.raw`\b(?:endpoint|format|dialect)\s*[!=]==?\s*'chat'`,
  ].join('|'),
  'g',
)
/** Names that are nobody's words: not even a record or a list of them may stand elsewhere. */
const NAMED = /'(?:chat-completions|gemini)'|\bgemini:/g

function namesIn({ path, text }: SourceFile): string[] {
  const code = withoutComments(text).replace(OTHER_WORDS[path] ?? '', '')
  const isSaid = NAMING.includes(path)
  const found = [...code.matchAll(COMPARED), ...(isSaid ? [] : code.matchAll(NAMED))]
  return found.map(([words]) => `${path}: ${words}`)
}

describe('outside the folder of dialects', () => {
  it('nobody asks which dialect or format there is', () => {
    // What tools call things in their own settings and logs says nothing of our dialects.
    const ofTools = /^(connect\/adapters|scan\/formats)\//
    const asking = sources.filter((file) => !inDialect.includes(file) && !ofTools.test(file.path))
    expect(asking.flatMap(namesIn)).toEqual([])
  })

  it.each([
    "if (call.endpoint === 'responses') return",
    "if ('gemini' === dialect) return",
    "case 'messages':",
    "const open = ['messages', 'gemini'].includes(dialect)",
    "const paths = { gemini: '/v1beta' }",
    "const isChat = endpoint !== 'chat'",
    "if (provider.dialect === 'demo') return",
  ])('it would be found: %s', (text) => {
    expect(namesIn({ path: 'pipeline/a.ts', text })).not.toEqual([])
  })

  it('values of a dialect come through the table; the demo answers in the format of embeddings', () => {
    const outside = sources.filter((file) => !inDialect.includes(file))
    const reached = outside.flatMap((file) =>
      importsOf(file)
        .filter(({ target, isTypeOnly }) => !isTypeOnly && /^dialect\/[^/]+\//.test(target))
        .map(({ target }) => `${file.path}: ${target}`),
    )
    // The logs of a tool have usage as the one format has it that the tool speaks.
    expect(reached).toEqual([
      'provider/demo-embedding.ts: dialect/embeddings/vectors.ts',
      'scan/formats/claude-code.ts: dialect/messages/usage.ts',
      'scan/formats/codex.ts: dialect/responses/usage.ts',
      'scan/formats/gemini.ts: dialect/gemini/usage.ts',
    ])
  })
})

describe('the folder of a dialect', () => {
  it.each([...folders.keys()].filter((folder) => folder !== PASSED))('%s has the files that all have', (folder) => {
    const files = (folders.get(folder) ?? []).map(({ path }) => path.split('/')[2] ?? '')
    const isClient = files.includes('client-format.ts')
    const isProvider = files.includes('provider-dialect.ts')
    expect(isClient || isProvider, 'an entry').toBe(true)
    const isEmbedding = folder.endsWith('embeddings')
    const conversation = isClient && !isEmbedding ? CLIENT_FILES : []
    const embedding = isEmbedding ? EMBEDDING_FILES : []
    const wanted = [...conversation, ...embedding, ...(isProvider ? PROVIDER_FILES : [])]
    expect(wanted.filter((file) => !files.includes(file))).toEqual([])
  })

  it('is in the table, and its entries nowhere else', () => {
    const entries = inDialect.filter(({ path }) => ENTRIES.includes(path.split('/')[2] ?? '')).map(({ path }) => path)
    const importers = (entry: string) =>
      sources.filter((file) => importsOf(file).some(({ target }) => target === entry)).map(({ path }) => path)
    expect(entries.map((entry) => [entry, importers(entry)])).toEqual(entries.map((entry) => [entry, [TABLE]]))
    expect(entries).toHaveLength(CLIENT_FORMATS.length + WIRE_DIALECTS.length)
  })
})

describe('the folder of passed endpoints', () => {
  it('is reached through its table, which only the table of all formats reads', () => {
    const isInside = (path: string) => path.startsWith(`dialect/${PASSED}/`)
    const reached = sources
      .filter(({ path }) => !isInside(path))
      .flatMap((file) => importsOf(file).map(({ target }) => [file.path, target] as const))
      .filter(([, target]) => isInside(target))
    expect(reached).toContainEqual([TABLE, PASSED_TABLE])
    expect(reached.filter(([path]) => path !== TABLE)).toEqual([])
  })
})

describe('the table', () => {
  it('has a line for each name, and no two alike', () => {
    expect(Object.keys(CLIENT_DIALECTS)).toEqual([...CLIENT_FORMATS, ...PASSED_FORMATS])
    expect(new Set(WIRE_DIALECTS.map((dialect) => dialectOf({ dialect }))).size).toBe(WIRE_DIALECTS.length)
  })

  it('knows formats by their paths, also those that lead nowhere', () => {
    for (const [, format] of ENDPOINTS) for (const path of format.paths) expect(endpointAt(path)).toBe(format)
    expect(endpointAt('/v1/messages/none?a=1')).toBe(CLIENT_DIALECTS.messages)
    expect(endpointAt('/v1/messages2')).not.toBe(CLIENT_DIALECTS.messages)
  })

  it('asks last for the form that everybody copied', () => {
    expect(FORMS.at(-1)?.dialect).toBe('chat-completions')
    expect(new Set(FORMS).size).toBe(FORMS.length)
  })

  it('gives the built-in provider what the usual dialect has', () => {
    expect(dialectOf({ dialect: 'demo' })).toBe(dialectOf({ dialect: 'chat-completions' }))
  })

  it('says what a dialect does differently, and lets a provider say more', () => {
    expect(quirksOf({ dialect: 'gemini', quirks: {} })).toMatchObject({ laterSystem: 'user', maxStops: 5 })
    expect(quirksOf({ dialect: 'gemini', quirks: { maxStops: 3 } })).toMatchObject({ laterSystem: 'user', maxStops: 3 })
  })
})
