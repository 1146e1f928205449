// What the build does beyond Vite: the theme script that runs before the first paint, compressed copies of every file, and
// the count of what the first page costs. Runs in Node at build time; nothing of the dashboard may import it.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const MOST_FIRST_LOAD_BYTES = 350_000
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
        if (total > MOST_FIRST_LOAD_BYTES) this.error('The first load of the dashboard is too large.')
      },
    },
  }
}

function brotli(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
}
