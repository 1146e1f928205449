// Holds the documentation against the tables of the code, so that nothing can be added, renamed or removed without its page.
// Only what is a table in the code is checked here; whether a sentence is true is for its author to know.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { loadPresets } from '#catalog/resources.ts'
import { parseFileDocument } from '#cli/document.ts'
import type { Verb } from '#cli/verb.ts'
import { ADMIN_API, endpointOf, type Endpoint } from '#contract/admin-api.ts'
import { ADMIN_STREAMS } from '#contract/admin-routes.ts'
import { FileDocument } from '#contract/schemas.ts'
import { PROVIDER_PROBLEMS } from '#core/provider-problems.ts'
import { REFUSALS } from '#core/refusal.ts'
import { readConfig } from '#config/config.ts'
import { SETTINGS, type Start } from '#config/settings.ts'
import { registerGateway, type GatewayDeps } from '#server/gateway/gateway.ts'
import { registerReference } from '#server/reference/reference.ts'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = join(ROOT, 'src-main')
const START: Start = { argv: [], env: {}, platform: 'linux', homeDir: '/home/ada' }

/** What only makes sense in a browser; the table says why. Everything else has a command. */
const WITHOUT_COMMAND: ReadonlySet<string> = new Set([
  'signIn',
  'showSession',
  'signOut',
  'changePassword',
  'acceptInvite',
  'events',
  'tryIt',
  'stopScan',
])

const architecture = page('architecture')
const configuration = page('configuration')
const api = page('api')
const commandLine = page('command-line')
const verbs = await readVerbs()

describe('docs/configuration.md', () => {
  const settings = rows(section(configuration, '## Settings')).filter((row) => /`(--|[A-Z_]+`)/.test(row.join('|')))

  it('has every setting with its flag and its variable', () => {
    const documented = settings.map(([, flag = '', variable = '']) => `${codes(flag).join()} ${codes(variable).join()}`)
    const real = Object.values(SETTINGS).map(({ flag, env }) => `${flag ?? ''} ${env ?? ''}`)
    expect(documented.toSorted()).toEqual(real.toSorted())
  })

  it('has the default of every setting that is a number', () => {
    for (const { flag, env, fallback } of Object.values(SETTINGS)) {
      const value = fallback(START)
      if (typeof value !== 'number') continue
      const row = settings.find((cells) => codes(cells.join('|')).includes(env ?? flag ?? ''))
      expect(row?.[3], env).toBe(String(value))
    }
  })

  it('has every field of farebox.yaml, its choices, and whether it is required', () => {
    const documented = new Map(
      rows(section(configuration, '### Fields')).map((row) => [codes(row[0] ?? '').join(), row] as const),
    )
    const fields = fieldsOf(FileDocument)
    expect([...documented.keys()].filter((name) => name !== '').toSorted()).toEqual(
      fields.map(({ path }) => path).toSorted(),
    )
    for (const { path, choices, isRequired } of fields) {
      const [, type = '', fallback = ''] = documented.get(path) ?? []
      expect(codes(type), path).toEqual(expect.arrayContaining([...choices]))
      if (isRequired) expect(fallback, path).toMatch(/^required/)
    }
  })

  it('has an example that is a valid farebox.yaml', () => {
    const [example = ''] = blocks(configuration, 'yaml')
    expect(parseFileDocument(example)).toMatchObject({ type: 'document' })
  })
})

describe('docs/api.md', () => {
  it('has every path of the gateway', () => {
    const documented = rows(section(api, '## Gateway endpoints')).flatMap(([paths = '']) => codes(paths))
    expect(documented.toSorted()).toEqual(gatewayEndpoints().toSorted())
  })

  it('has every reason to refuse with its status and its type', () => {
    const documented = rows(section(api, '## Errors')).flatMap(([code = '', status = '', type = '']) => {
      return /^`\w+`$/.test(code) ? [`${codes(code).join()} ${status} ${codes(type).join()}`] : []
    })
    const real = Object.entries(REFUSALS).map(([code, { status, errorType }]) => `${code} ${status} ${errorType}`)
    expect(documented).toEqual(real)
  })

  it('has every endpoint of the admin API, with what it takes and the command that calls it', () => {
    const documented = rows(section(api, '## The admin API')).filter(([endpoint = '']) => endpoint.startsWith('`'))
    const real: Readonly<Record<string, Endpoint>> = {
      ...ADMIN_API,
      events: endpointOf(ADMIN_STREAMS.events),
      tryIt: endpointOf(ADMIN_STREAMS.tryIt),
    }
    expect(documented.map(([endpoint = '']) => codes(endpoint).join())).toEqual(
      Object.values(real).map(({ method, path }) => `${method} ${path}`),
    )
    const names = verbs.map(({ name }) => name)
    for (const [index, [action, { body, query, access }]] of Object.entries(real).entries()) {
      const [, who = '', takes = '', , command = ''] = documented[index] ?? []
      expect(who, action).toBe(access === 'public' ? 'everybody' : access)
      const members = membersOf(body ?? query)
      if (!takes.includes('as in `farebox.yaml`')) expect(codes(takes), action).toEqual(expect.arrayContaining(members))
      if (WITHOUT_COMMAND.has(action)) expect(command, action).toMatch(/^—, \w/)
      else expect(names, action).toContain(codes(command).join())
    }
  })
})

describe('docs/command-line.md', () => {
  const headings = [...commandLine.matchAll(/^### farebox (.+)$/gm)].map((match) => match[1] ?? '')

  it('has every verb', () => {
    expect(headings.toSorted()).toEqual(['start', ...verbs.map(({ name }) => name)].toSorted())
  })

  it.each(verbs.map((verb) => [verb.name, verb] as const))(
    'has every flag of %s, and an example of it',
    (name, verb) => {
      const text = section(commandLine, `### farebox ${name}`)
      const documented = codes(text).map((code) => code.split(' ')[0])
      expect(flagsOf(verb).filter((flag) => !documented.includes(flag))).toEqual([])
      const [example = ''] = blocks(text, 'sh')
      expect(example.trim()).toMatch(new RegExp(`^farebox ${name}( |$)`))
      expect(() => verb.prepare(words(example).slice(1 + name.split(' ').length))).not.toThrow()
    },
  )

  it('has every problem that the test of a provider finds', () => {
    const table = rows(section(commandLine, '### farebox provider test'))
    const documented = table.flatMap(([problems = '']) => codes(problems))
    expect(documented.toSorted()).toEqual([...PROVIDER_PROBLEMS].toSorted())
  })

  it('has every flag of start, and an example of it', () => {
    const text = section(commandLine, '### farebox start')
    const flags = Object.values(SETTINGS).flatMap(({ flag }) => (flag === undefined ? [] : [flag]))
    expect(codes(text)).toEqual(expect.arrayContaining(flags))
    const [example = ''] = blocks(text, 'sh')
    expect(readConfig({ ...START, argv: words(example).slice(2) })).toMatchObject({ type: 'config' })
  })
})

describe('docs/providers.md', () => {
  it('has every preset with its dialects, its base URL and the page for its secret', () => {
    const documented = rows(section(page('providers'), '## The presets')).filter(([preset = '']) =>
      preset.startsWith('`'),
    )
    const real = loadPresets().map(({ id, display_name, dialect, dialects, secret, key_url }) => [
      `\`${id}\``,
      display_name,
      [dialect, ...Object.keys(dialects).filter((other) => other !== dialect)].map((name) => `\`${name}\``).join(', '),
      `\`${dialects[dialect]?.base_url}\``,
      { required: 'needed', optional: 'if it asks for one', none: 'none' }[secret],
      key_url === null ? '-' : `<${key_url}>`,
    ])
    expect(documented).toEqual(real)
  })
})

describe('docs/architecture.md', () => {
  it('has every room', () => {
    const documented = rows(section(architecture, '## Rooms')).flatMap(([room = '']) => codes(room))
    const folders = readdirSync(SOURCES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(documented.toSorted()).toEqual(folders.map(({ name }) => name).toSorted())
  })

  it('names files that exist', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    const isThere = (name: string) => {
      const pattern = new RegExp(`^${name.replaceAll('.', String.raw`\.`).replaceAll('*', '[^/]+')}$`)
      return existsSync(join(ROOT, name)) || files.some((file) => pattern.test(file.replaceAll('\\', '/')))
    }
    const named = codes(architecture).filter((name) => /\.(ts|mjs)$/.test(name) && !name.startsWith('test/'))
    expect(named.filter((name) => !isThere(name))).toEqual([])
  })
})

describe('the pages', () => {
  const inFolder = (folder: string) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name))
  const pages = ['.', 'docs', 'docs/decisions', 'docs/recipes'].flatMap(inFolder).filter((name) => name.endsWith('.md'))

  it.each(pages)('%s links to places that exist', (name) => {
    expect(localLinks(name).filter((target) => !leadsSomewhere(target, name))).toEqual([])
  })

  it('list every decision in its index', () => {
    const records = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name))
    expect(localLinks('docs/decisions/README.md')).toEqual(records.toSorted())
  })
})

function localLinks(name: string): string[] {
  const text = readFileSync(join(ROOT, name), 'utf8')
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '')
  return targets.filter((target) => !/^https?:/.test(target))
}

function page(name: string): string {
  return readFileSync(join(ROOT, 'docs', `${name}.md`), 'utf8')
}

/** From a heading to the next one of the same or a higher level. */
function section(text: string, heading: string): string {
  const start = text.indexOf(`\n${heading}\n`)
  if (start === -1) throw new Error(`there is no heading '${heading}'`)
  const level = heading.indexOf(' ')
  const after = text.slice(start + heading.length + 1)
  const end = after.search(new RegExp(`\n#{1,${level}} `))
  return end === -1 ? after : after.slice(0, end)
}

/** The cells of all rows of all tables in a text, heads and rules included. */
function rows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

/** Everything in a text that is set as code. */
function codes(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '')
}

/** The contents of the fenced blocks of a language. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map((match) => match[1] ?? '')
}

/** The words of a command as a shell would split them, for commands that need nothing but double quotes. */
function words(command: string): string[] {
  return [...command.trim().matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '')
}

function leadsSomewhere(target: string, from: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? join(ROOT, from) : join(ROOT, dirname(from), path)
  try {
    if (anchor === undefined) return readdirSync(join(file, '..')).includes(file.split(/[\\/]/).at(-1) ?? '')
    const headings = readFileSync(file, 'utf8').match(/^#+ .+$/gm) ?? []
    return headings.some((heading) => slug(heading) === anchor)
  } catch {
    // There is no such file or folder, which is the answer.
    return false
  }
}

/** The anchor that GitHub gives a heading. */
function slug(heading: string): string {
  const text = heading.replace(/^#+ /, '').toLowerCase()
  return text.replace(/[^\w\- ]/g, '').replaceAll(' ', '-')
}

/** Every verb of the command line: what the files of cli/ export as their verbs. */
async function readVerbs(): Promise<Verb[]> {
  const files = readdirSync(join(SOURCES, 'cli')).filter((name) => name.endsWith('.ts'))
  const modules = await Promise.all(files.map(async (name) => (await import(join(SOURCES, 'cli', name))) as object))
  const lists = modules.flatMap((module) => Object.entries(module).filter(([name]) => name.endsWith('_VERBS')))
  return lists.flatMap(([, list]) => list as Verb[])
}

/** What its help shows, and what it takes: the type of a verb hides its table of flags, the value has it. */
function flagsOf(verb: Verb): string[] {
  const fields = Object.keys(recordOf(recordOf(verb)['flags']))
  const shown = verb.usage.match(/(?<!\w)--?[a-z][a-z0-9-]*/g) ?? []
  return [...shown, ...fields.map((field) => `--${field.replaceAll('_', '-')}`)]
}

function gatewayEndpoints(): string[] {
  const endpoints: string[] = []
  const app = Fastify({ exposeHeadRoutes: false })
  app.addHook('onRoute', ({ method, url }) => {
    // Every path has it, which the text says.
    if (method === 'OPTIONS') return
    endpoints.push(`${String(method)} ${url}`)
  })
  // Registering only names the handlers; none of them runs, so that nothing is needed of what they work with.
  registerGateway(app, {} as GatewayDeps)
  registerReference(app, { version: '' })
  return endpoints
}

type Field = { readonly path: string; readonly choices: readonly string[]; readonly isRequired: boolean }

/** The fields below the three lists of a JSON schema, such as `models[].price.input`. */
function fieldsOf(schema: unknown, path = '', isRequired = false): Field[] {
  const { properties, items, anyOf, enum: choices, required } = recordOf(schema)
  const isField = path.includes('[].') && !path.endsWith('[]')
  const own = isField ? [{ path, choices: Array.isArray(choices) ? choices.map(String) : [], isRequired }] : []
  const isNamed = (name: string) => Array.isArray(required) && required.includes(name)
  const members = Object.entries(recordOf(properties)).flatMap(([name, member]) =>
    fieldsOf(member, path === '' ? name : `${path}.${name}`, isNamed(name)),
  )
  // Of several forms each has members that the others lack, so none of them is required.
  const forms = (Array.isArray(anyOf) ? anyOf : []).flatMap((form) =>
    fieldsOf(form, path)
      .filter((field) => field.path !== path)
      .map((field) => ({ ...field, isRequired: false })),
  )
  return [...own, ...members, ...forms, ...(items === undefined ? [] : fieldsOf(items, `${path}[]`))]
}

/** The names of the members of an object, or of each of several forms of it. */
function membersOf(schema: unknown): string[] {
  const { properties, anyOf } = recordOf(schema)
  const own = Object.keys(recordOf(properties))
  return [...own, ...(Array.isArray(anyOf) ? anyOf.flatMap((form) => membersOf(form)) : [])]
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
