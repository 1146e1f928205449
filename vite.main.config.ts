// Builds the code of the gateway and of the desktop shell for packages: src-main/ becomes plain JavaScript in dist/main, with all
// that it uses in it but Electron and the two packages that are compiled for a system. A clone runs the sources and needs no build.

import { defineConfig } from 'vite'
import { flatLayout, licences, nativeDatabase } from './vite.plugins.ts'

/** What is started or loaded by its name: the programs, and every thread and process of its own. */
const ENTRIES = [
  'main',
  'command',
  'headless',
  'writer-thread',
  'report-thread',
  'tokenizer-thread',
  'body-thread',
  'keychain-process',
] as const

export default defineConfig({
  publicDir: false,
  plugins: [nativeDatabase(), flatLayout(), licences()],
  ssr: { target: 'node', noExternal: true, external: ['electron', 'better-sqlite3', 'keytar'] },
  build: {
    ssr: true,
    outDir: 'dist/main',
    emptyOutDir: true,
    target: 'node24',
    minify: 'oxc',
    // Stack traces of a package are read by whoever gets a report of one.
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: Object.fromEntries(ENTRIES.map((name) => [name, `src-main/${name}.ts`])),
      output: { format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', keepNames: true },
    },
  },
})
