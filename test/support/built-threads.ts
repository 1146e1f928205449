// Gateways that tests start in their own process have the threads that were built, one file each. From the sources each thread would load
// some sixty modules anew, which takes most of the time in which such a gateway starts and asks its first question.

import type { Plugin } from 'vite'

const OF_SOURCES = '`../threads/${name}.ts`'
const AS_BUILT = '`../../dist/main/${name}.js`'

/** `build-first.ts` sees to it that they are of the sources of now. */
export function threadsAsBuilt(): Plugin {
  return {
    name: 'farebox-threads-as-built',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('/src-main/config/program-files.ts')) return undefined
      if (!code.includes(OF_SOURCES))
        this.error('program-files.ts names the files of threads in another way than it did.')
      return code.replace(OF_SOURCES, AS_BUILT)
    },
  }
}
