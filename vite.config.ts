// Builds the dashboard of src-renderer/ into dist/dashboard, which the server hands out as it lies there. `npm run dev` serves its
// sources instead, in front of a gateway that runs from its sources too.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed, firstLoadBudget, gatewayOfSources, licences, themeScript } from './vite.plugins.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), 'src-renderer')
/** Set where the dashboard is to look at a gateway that runs already. */
const otherGateway = process.env['FAREBOX_URL']
const gateway = new URL(otherGateway ?? 'http://127.0.0.1:3273')

const LISTS = /src-renderer\/components\/(data-table|list-page)\.tsx/
/** With the icons, which would else be in the same file as the lists that show them too. */
const SHARED = /src-renderer\/(?!components\/(data-table|list-page)\.tsx)|\/lucide-react\//

/** The gateway accepts only its own name and pages of its own origin, so a request of the dev page is dressed as one. */
const proxied = {
  target: gateway.origin,
  changeOrigin: true,
  headers: { origin: gateway.origin },
}

export default defineConfig({
  root,
  base: '/',
  publicDir: false,
  plugins: [
    react(),
    tailwind(),
    themeScript(join(root, 'theme.js')),
    compressed(),
    ...(otherGateway === undefined ? [gatewayOfSources(join(root, '..', 'src-main', 'hosts', 'farebox.ts'))] : []),
    firstLoadBudget('OverviewPage'),
    licences([join(root, '..', 'node_modules', '@fontsource-variable', 'inter')]),
  ],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // A data: URL would need a hole in the content security policy, and the polyfill an inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    // What every page loads is one file, and so is what most pages share: as sixty, each a request, they are most of what a page waits for.
    // Lists bring libraries for tables that pages with charts, which are large enough, do without.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 1 },
            { name: 'shared', test: SHARED, minShareCount: 5 },
            { name: 'lists', test: LISTS },
          ],
        },
      },
    },
  },
  // The dashboard has a folder of that name too, whose files are Vite's to serve.
  server: { host: '127.0.0.1', proxy: { '^/api/(?!.*\\.tsx?(\\?|$))': proxied, '/v1': proxied } },
})
