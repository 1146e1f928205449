// Builds the code of the gateway and of the desktop shell: src-main/ becomes plain JavaScript in dist/main, with all that it uses in it
// but Electron and the two packages that are compiled for a system. Clones and packages run that; only `npm run dev` runs the sources.

import { join } from 'node:path'
import { defineConfig } from 'vite'
import {
  flatLayout,
  inlineSql,
  licences,
  nativeDatabase,
  sharedByWhom,
  tokenTable,
  withoutUnasked,
} from './vite.plugins.ts'

/** What is started or loaded by its name: the programs, and every thread and process of its own. */
const ENTRIES = {
  farebox: 'hosts/farebox',
  desktop: 'hosts/desktop',
  'writer-thread': 'threads/writer-thread',
  'report-thread': 'threads/report-thread',
  'tokenizer-thread': 'threads/tokenizer-thread',
  'body-thread': 'threads/body-thread',
  'scan-thread': 'threads/scan-thread',
  'page-thread': 'threads/page-thread',
  'keychain-process': 'threads/keychain-process',
} as const

/** What most processes and threads load as soon as they begin. The first of them is loaded before all else, so it has to stay small. */
const BEGINNINGS = [
  'hosts/headless-ahead',
  'hosts/headless',
  'app/app',
  'hosts/command',
  'threads/writer-thread',
  'threads/report-thread',
  'threads/body-thread',
]

/** What the package of npm is without (`files` in package.json). */
const isOfTrayApp = (moduleId: string) => /\/(src-main\/shell|electron-updater)\//.test(moduleId)

export default defineConfig({
  publicDir: false,
  plugins: [nativeDatabase(), withoutUnasked(), tokenTable(), inlineSql(), flatLayout(), licences()],
  // Leaves out undici's second parser of HTTP, a trial that is off unless somebody asks for it: a sixth of what the main thread parses.
  define: { esbuildDetection: 'true' },
  ssr: { target: 'node', noExternal: true, external: ['electron', 'better-sqlite3', 'keytar'] },
  build: {
    ssr: true,
    outDir: 'dist/main',
    emptyOutDir: true,
    target: 'node22',
    minify: 'oxc',
    // Stack traces of a package are read by whoever gets a report of one.
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, `src-main/${file}.ts`])),
      output: {
        format: 'esm',
        entryFileNames: '[name].js',
        chunkFileNames: ({ moduleIds }) => `${moduleIds.some(isOfTrayApp) ? 'tray-' : ''}[name]-[hash].js`,
        codeSplitting: sharedByWhom(BEGINNINGS.map((file) => join(import.meta.dirname, 'src-main', `${file}.ts`))),
        keepNames: true,
        // Sources stay in memory for as long as the program runs, and one character beyond Latin-1 makes each of a file take two bytes.
        charset: 'ascii',
      },
    },
  },
})
