// What the builds do beyond Vite. For the dashboard: the theme script that runs before the first paint, compressed copies of
// every file, the count of what the first page costs, and the gateway behind `npm run dev`. For the gateway: where the database comes
// from, the table of tokens, and the layout. For both: the licences of what is in them. Runs in Node at build time; nothing of the program may import it.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

const MAX_FIRST_LOAD_BYTES = 350_000
const WORTH_COMPRESSING = new Set(['.js', '.css', '.svg', '.json'])

/** Puts a classic, blocking script into the head. A module script would run after the first paint, in the wrong colours. */
export function themeScript(file: string): Plugin {
  const source = readFileSync(file, 'utf8')
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8)
  const fileName = `assets/theme-${hash}.js`
  return {
    name: 'farebox-theme-script',
    configureServer(server) {
      server.middlewares.use(`/${fileName}`, (_request, response) => {
        response.setHeader('content-type', 'text/javascript').end(source)
      })
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source })
    },
    transformIndexHtml: {
      // After Vite, which would take the script for a module to bundle.
      order: 'post',
      handler: () => [{ tag: 'script', attrs: { src: `/${fileName}` }, injectTo: 'head-prepend' }],
    },
  }
}

/** Runs the gateway from its sources, for as long as the development server. */
export function gatewayOfSources(program: string): Plugin {
  return {
    name: 'farebox-gateway',
    apply: 'serve',
    configureServer(server) {
      const gateway = spawn(process.execPath, [program, 'start', '--headless'], { stdio: 'inherit' })
      server.httpServer?.once('close', () => gateway.kill('SIGTERM'))
    },
  }
}

/** Writes a .br and a .gz beside each file; index.html is filled in for every answer and therefore left out. */
export function compressed(): Plugin {
  return {
    name: 'farebox-compressed',
    apply: 'build',
    writeBundle(options) {
      const folder = options.dir ?? ''
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!WORTH_COMPRESSING.has(extname(name)) || name.includes('.vite')) continue
        const bytes = readFileSync(join(folder, name))
        writeFileSync(join(folder, `${name}.br`), brotli(bytes))
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

/** Says what the first load of one page costs with brotli, and fails the build where that is too much. */
export function firstLoadBudget(page: string): Plugin {
  return {
    name: 'farebox-first-load',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const first = new Set<string>(['index.html'])
        const visit = (fileName: string): void => {
          const chunk = chunks.find((candidate) => candidate.fileName === fileName)
          if (chunk === undefined || first.has(fileName)) return
          first.add(fileName)
          for (const asset of chunk.viteMetadata?.importedCss ?? []) first.add(asset)
          for (const next of chunk.imports) visit(next)
        }
        for (const chunk of chunks) if (chunk.isEntry || chunk.name === page) visit(chunk.fileName)
        for (const name of Object.keys(bundle))
          if (/theme-.*\.js$|inter-latin-wght.*\.woff2$/.test(name)) first.add(name)
        const sizes = Object.values(bundle).flatMap((file) => {
          if (!first.has(file.fileName)) return []
          const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source)
          return [
            { name: file.fileName, size: extname(file.fileName) === '.woff2' ? bytes.length : brotli(bytes).length },
          ]
        })
        const total = sizes.reduce((sum, { size }) => sum + size, 0)
        const lines = sizes.map(({ name, size }) => `  ${(size / 1000).toFixed(1).padStart(7)} kB  ${name}`)
        console.info(
          `first load:\n${lines.join('\n')}\n  ${(total / 1000).toFixed(1).padStart(7)} kB  in all, of at most 350`,
        )
        if (total > MAX_FIRST_LOAD_BYTES) this.error('The first load of the dashboard is too large.')
      },
    },
  }
}

/**
 * Loads the database by the name of its binary for this system. By itself the package looks at the disk and at Node's diagnostic
 * report for that, neither of which is the same in a package and in Electron.
 */
export function nativeDatabase(): Plugin {
  const id = '\0farebox-native-database'
  return {
    name: 'farebox-native-database',
    enforce: 'pre',
    resolveId: (source) => (source === 'better-sqlite3' ? id : undefined),
    load: (asked) =>
      asked === id
        ? `import { createRequire } from 'node:module'
           const require = createRequire(import.meta.url)
           export default require('better-sqlite3/' + process.platform + '-' + process.arch)`
        : undefined,
  }
}

/**
 * Leaves out what Fastify only loads for what no gateway asks of it: compilers of schemas, of which no route has one, and a log of its own.
 * Parsing them took a sixth of what a start parses.
 */
export function withoutUnasked(): Plugin {
  const unasked = new Set(['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'pino'])
  const prefix = '\0farebox-unasked:'
  return {
    name: 'farebox-without-unasked',
    enforce: 'pre',
    resolveId: (source, importer) =>
      unasked.has(source) && importer?.includes('/node_modules/fastify/') ? prefix + source : undefined,
    load: (id) =>
      id.startsWith(prefix)
        ? `throw new Error(${JSON.stringify(`${id.slice(prefix.length)} is not part of this program`)})`
        : undefined,
  }
}

/** The library's table of the tokens of o200k_base: nearly 200,000 texts, and lists of bytes where a token is no text. */
const TOKEN_TABLE = /\/gpt-tokenizer\/esm\/bpeRanks\/o200k_base\.js$/

/**
 * Builds the table of tokens as JSON in one text. As a list in the code, with each text between backticks as the minifier writes them,
 * it took 65 MB more of the thread's memory, which the parser does not give back.
 */
export function tokenTable(): Plugin {
  return {
    name: 'farebox-token-table',
    enforce: 'pre',
    async load(id) {
      if (!TOKEN_TABLE.test(id)) return undefined
      const { default: table } = (await import(pathToFileURL(id).href)) as { default: unknown }
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(table))})`
    },
  }
}

/**
 * Cuts what is loaded when a program or a thread begins by which of them load it, and by nothing else. By itself the builder also cuts along
 * everything that is loaded later, and each file has to be looked up, read and linked, however small it is. `beginnings`: the paths of
 * their modules. None of them loads more than it did.
 */
export function sharedByWhom(beginnings: readonly string[]): Rolldown.CodeSplittingOptions {
  let loads: ReadonlyMap<string, ReadonlySet<string>> | undefined
  const name: Rolldown.CodeSplittingNameFunction = (id, graph) => {
    const importsOf = (module: string) => graph.getModuleInfo(module)?.importedIds ?? []
    loads ??= new Map(beginnings.map((path) => [path, loadedWith(path, importsOf)]))
    const loaders = [...loads].flatMap(([path, modules]) => (modules.has(id) ? [path] : []))
    // What one thread alone loads is in its own file anyway.
    const isOfOneFile = loaders.length === 1 && graph.getModuleInfo(loaders[0] ?? '')?.isEntry === true
    return loaders.length === 0 || isOfOneFile ? null : loaders.map((path) => basename(path, '.ts')).join('-')
  }
  return { groups: [{ name, debugName: 'beginnings' }], includeDependenciesRecursively: false }
}

/** A module and all that it imports, directly or not. */
function loadedWith(beginning: string, importsOf: (module: string) => readonly string[]): ReadonlySet<string> {
  const loaded = new Set([beginning])
  // A set hands out what is added to it on the way.
  for (const module of loaded) for (const imported of importsOf(module)) loaded.add(imported)
  return loaded
}

/** Puts the text of SQL files into the code: what was built has no files beside it but code. */
export function inlineSql(): Plugin {
  const read = /readFileSync\(new URL\('(\.\/[\w/-]+\.sql)', import\.meta\.url\), 'utf8'\)/g
  return {
    name: 'farebox-inline-sql',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('.ts') || !code.includes('.sql')) return undefined
      return code.replaceAll(read, (_, name: string) => {
        const file = join(dirname(id), name)
        this.addWatchFile(file)
        return JSON.stringify(readFileSync(file, 'utf8'))
      })
    },
  }
}

/** The code finds its files beside itself: a file in a folder of its own would look for them at the wrong place. */
export function flatLayout(): Plugin {
  return {
    name: 'farebox-flat-layout',
    generateBundle(_options, bundle) {
      const nested = Object.keys(bundle).filter((name) => name.includes('/'))
      if (nested.length > 0) this.error(`These files are not beside the others: ${nested.join(', ')}`)
    },
  }
}

/**
 * Writes LICENCES.txt: what is built into one file keeps no notice of its own, and every licence asks for one. `more`: the folders
 * of packages that a build copies without importing their code.
 */
export function licences(more: readonly string[] = []): Plugin {
  return {
    name: 'farebox-licences',
    apply: 'build',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const folders = new Set([...modules.flatMap((id) => packageFolder(id) ?? []), ...more])
      const notices = [...folders].toSorted().map((folder) => {
        const notice = noticeOf(folder)
        return notice ?? this.error(`${folder} has no licence that could be passed on.`)
      })
      this.emitFile({
        type: 'asset',
        fileName: 'LICENCES.txt',
        source: notices.join(`\n${'-'.repeat(80)}\n\n`),
      })
    },
  }
}

/** The folder of the package that a module belongs to; undefined for our own. */
function packageFolder(id: string): string | undefined {
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.split('?')[0] ?? '')?.[1]
}

/** The name, version and licence of a package; undefined where it says nothing about that. */
function noticeOf(folder: string): string | undefined {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.|-|$)/i.test(entry))
  if (file === undefined && typeof license !== 'string') return undefined
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `${name} ${version} (${license})\n${text}`
}

function brotli(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
}
