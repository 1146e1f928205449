// Builds the gallery of components, which is only looked at and never shipped.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { themeScript } from '../../../vite.plugins.ts'

const here = dirname(fileURLToPath(import.meta.url))

export default defineConfig({
  root: here,
  publicDir: false,
  plugins: [react(), tailwind(), themeScript(join(here, '../../../src-renderer/theme.js'))],
  build: {
    outDir: '../../../dist/gallery',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
})
