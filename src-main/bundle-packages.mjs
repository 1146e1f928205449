// Makes one file of each of the packages that Farebox loads at every start (bundled-packages.mjs), in the folder that it is told. Runs
// once after an installation, before the first start, in a process of its own. Where Vite is not installed it makes nothing, and they
// are loaded as they are.

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUNDLED } from './cache-folder.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const PREFIX = 'farebox-package:'
const place = process.argv[2]
if (existsSync(join(root, 'node_modules', 'vite'))) await bundle()

async function bundle() {
  const { build } = await import('vite')
  // Written beside its place, so that nobody ever loads half of it.
  const draft = place + '.new-' + process.pid
  try {
    await build({
      configFile: false,
      root,
      logLevel: 'silent',
      publicDir: false,
      plugins: [entries()],
      ssr: { target: 'node', noExternal: true },
      build: {
        ssr: true,
        outDir: draft,
        target: 'node22',
        rolldownOptions: {
          input: Object.fromEntries(Object.entries(BUNDLED).map(([specifier, name]) => [name, PREFIX + specifier])),
          output: {
            format: 'esm',
            entryFileNames: '[name].mjs',
            chunkFileNames: '[name]-[hash].mjs',
            keepNames: true,
            // Sources stay in memory for as long as the program runs, so they come without comments and indents.
            minify: { compress: false, mangle: false, codegen: true },
          },
        },
      },
    })
    for (const name of readdirSync(draft)) escapeFile(join(draft, name))
    renameSync(draft, place)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** A source with a single character beyond Latin-1 takes two bytes for each of its characters. Without comments such are in texts only. */
function escapeFile(path) {
  const escaped = readFileSync(path, 'utf8').replace(
    /[^\0-\xff]/g,
    (unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'),
  )
  writeFileSync(path, escaped)
}

/** One module for each package, with all the names that an import of it can ask for. */
function entries() {
  return {
    name: 'farebox-packages',
    resolveId: (id) => (id.startsWith(PREFIX) ? '\0' + id + '.mjs' : undefined),
    async load(id) {
      if (!id.startsWith('\0' + PREFIX)) return undefined
      const specifier = id.slice(PREFIX.length + 1, -'.mjs'.length)
      const names = Object.keys(await import(specifier)).filter((name) => name !== 'module.exports')
      return [
        `import * as all from ${JSON.stringify(specifier)}`,
        ...names.map((name, index) => `const x${index} = all[${JSON.stringify(name)}]`),
        `export { ${names.map((name, index) => `x${index} as ${JSON.stringify(name)}`).join(', ')} }`,
      ].join('\n')
    },
  }
}
