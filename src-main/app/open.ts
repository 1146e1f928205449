// From a configuration to a running Farebox. The hosts (headless, the command line, the desktop shell) open an app and close it again.
// Little is imported here: the thread of the database begins while the rest of the program is loaded, which halves the wait for both. A host
// that knows from its first line that it opens an app starts the thread before it has loaded anything else (`writer-ahead.ts`).

import type { App, AppSurroundings } from '#app/app.ts'
import { removeInstance, removeOpenPages } from '#app/notes.ts'
import { writerAhead } from '#app/writer-ahead.ts'
import type { Config } from '#config/config.ts'
import type { Log } from '#core/log.ts'
import { makeDataDir } from '#store/data-folder.ts'
import { lockDataDir } from '#store/lock.ts'
import { finishRestore } from '#store/restore.ts'

/** Opens the data folder and puts everything together. Throws DatabaseError where the folder is in use or not ours. */
export async function openApp(config: Config, log: Log, surroundings: AppSurroundings = {}): Promise<App> {
  const release = openFolder(config, log)
  const writer = (surroundings.writer ?? writerAhead()).begin({ dataDir: config.dataDir })
  try {
    const { runApp } = await import('#app/app.ts')
    return await runApp({ config, log, writer, release }, surroundings)
  } catch (error) {
    await writer.close().catch(() => undefined)
    release()
    throw error
  }
}

/** Returns what lets others have the folder. */
function openFolder({ dataDir }: Pick<Config, 'dataDir'>, log: Log): () => void {
  makeDataDir(dataDir)
  const lock = lockDataDir(dataDir)
  try {
    // Whoever holds the lock is the only Farebox here, so a note about another one is left over from a process that died.
    removeInstance(dataDir)
    removeOpenPages(dataDir)
    if (finishRestore(dataDir)) {
      log('Completed the restore of a backup that had been interrupted.', { event: 'restore_completed' })
    }
  } catch (error) {
    lock.release()
    throw error
  }
  return () => lock.release()
}
