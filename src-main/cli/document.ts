// farebox.yaml: text to a checked document, and a checked document to what the admin API takes, with the secrets read.
// Every mistake names its line, its column and its field. What only the server can know (whether a provider that the file
// does not contain exists) is left to it.

import { dirname, isAbsolute, join } from 'node:path'
import { documentProblems } from '#cli/document-rules.ts'
import { errorCode } from '#cli/errors.ts'
import { readSecret, type SecretReference, type SecretSources } from '#cli/secret-source.ts'
import { fieldName, parseYaml, type Mistake, type Path, type Position } from '#cli/yaml-tree.ts'
import { ApplyDocument, FileDocument } from '#contract/schemas.ts'
import { check, type Problem } from '#contract/validate.ts'

const MAX_FILE_BYTES = 1_048_576
const MEMBERS = 'providers, models and packages'

type Mistakes = { readonly type: 'mistakes'; readonly mistakes: readonly Mistake[] }

/** A document, and where in the file each part of it is. */
export type Located<Document> = {
  readonly type: 'document'
  readonly document: Document
  readonly positionOf: (path: Path) => Position
}

/**
 * Reads a farebox.yaml and the secrets that it names; relative secret files are looked for beside it. A file that cannot
 * be read is a mistake like any other.
 */
export async function readDocumentFile(
  path: string,
  sources: SecretSources,
): Promise<Located<ApplyDocument> | Mistakes> {
  let text: string
  try {
    text = await sources.readFile(path)
  } catch (error) {
    return wholeFile(`The file cannot be read (${errorCode(error)}).`)
  }
  const parsed = parseFileDocument(text)
  if (parsed.type === 'mistakes') return parsed
  const beside = (file: string) => (isAbsolute(file) ? file : join(dirname(path), file))
  return resolveSecrets(parsed, { env: sources.env, readFile: (file) => sources.readFile(beside(file)) })
}

/** The text of a farebox.yaml as a checked document, or everything that is wrong with it, from top to bottom. */
export function parseFileDocument(text: string): Located<FileDocument> | Mistakes {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) return wholeFile('The file is larger than 1 MiB.')
  const parsed = parseYaml(text)
  if (parsed.type === 'mistakes') return parsed
  const { value, positionOf } = parsed
  if (value === null) return wholeFile(`The file is empty; it can have ${MEMBERS}.`)
  if (typeof value !== 'object' || Array.isArray(value))
    return wholeFile(`The file must have ${MEMBERS} as its fields.`)
  const checked = check(FileDocument, value)
  if (checked.type === 'invalid') return mistakesOf(checked.problems.map(inPlainWords), positionOf)
  const problems = documentProblems(checked.value)
  if (problems.length > 0) return mistakesOf(problems, positionOf)
  return { type: 'document', document: checked.value, positionOf }
}

/** The document with every secret read from where it is named. Messages name the place, never the value. */
export async function resolveSecrets(
  { document, positionOf }: Located<FileDocument>,
  sources: SecretSources,
): Promise<Located<ApplyDocument> | Mistakes> {
  const { providers, ...rest } = document
  const problems: Problem[] = []
  const resolved: unknown[] = []
  for (const [index, described] of (providers ?? []).entries()) {
    const { secret: reference, header_secrets: headers, secrets: several, ...provider } = described
    const readAt = async (path: Path, place: SecretReference) => {
      const read = await readSecret(place, sources)
      if (read.type === 'secret') return read.secret
      const message = `of provider ${provider.name} cannot be read. ${read.message}`
      problems.push({ path: ['providers', index, ...path], message })
      return undefined
    }
    const secret = reference && (await readAt(['secret'], reference))
    const header_secrets: Record<string, string | undefined> = {}
    for (const [name, place] of Object.entries(headers ?? {})) {
      header_secrets[name] = await readAt(['header_secrets', name], place)
    }
    const secrets: unknown[] = []
    for (const [place, { secret: named, ...more }] of (several ?? []).entries()) {
      secrets.push({ ...more, secret: await readAt(['secrets', place, 'secret'], named) })
    }
    resolved.push({
      ...provider,
      ...(secret && { secret }),
      ...(headers && { header_secrets }),
      ...(several && { secrets }),
    })
  }
  if (problems.length > 0) return mistakesOf(problems, positionOf)
  const checked = check(ApplyDocument, providers === undefined ? rest : { ...rest, providers: resolved })
  if (checked.type === 'invalid') return mistakesOf(checked.problems, positionOf)
  return { type: 'document', document: checked.value, positionOf }
}

/** One line for each mistake, in the form that editors turn into links: `farebox.yaml:12:5: models.0.id is required`. */
export function mistakeLines(path: string, mistakes: readonly Mistake[]): string[] {
  return mistakes.map(({ line, column, field, message }) => {
    return `${path}:${line}:${column}: ${field === '' ? message : `${field} ${message}`}`
  })
}

function wholeFile(message: string): Mistakes {
  return { type: 'mistakes', mistakes: [{ line: 1, column: 1, field: '', message }] }
}

function mistakesOf(problems: readonly Problem[], positionOf: (path: Path) => Position): Mistakes {
  const mistakes = new Map<string, Mistake>()
  for (const { path, message } of problems) {
    const field = fieldName(path)
    if (!mistakes.has(field)) mistakes.set(field, { ...positionOf(path), field, message })
  }
  const inOrder = [...mistakes.values()].sort((a, b) => a.line - b.line || a.column - b.column)
  return { type: 'mistakes', mistakes: inOrder }
}

/** Fields that take one of two forms: a checker would complain about both, which is confusing. */
const CHOICES = [
  { list: 'providers', member: 'secret', length: 3, message: 'must be { env: NAME } or { file: PATH }' },
  { list: 'providers', member: 'header_secrets', length: 4, message: 'must be { env: NAME } or { file: PATH }' },
  {
    list: 'providers',
    member: 'secrets',
    inner: 'secret',
    length: 5,
    message: 'must be { env: NAME } or { file: PATH }',
  },
  { list: 'packages', member: 'models', length: 3, message: 'must be the word all or a list of model ids' },
] as const

function inPlainWords(problem: Problem): Problem {
  const [list, , member, , inner] = problem.path
  const choice = CHOICES.find(
    (candidate) =>
      candidate.list === list && candidate.member === member && (!('inner' in candidate) || candidate.inner === inner),
  )
  if (choice === undefined || problem.path.length < choice.length) return problem
  return { path: problem.path.slice(0, choice.length), message: choice.message }
}
