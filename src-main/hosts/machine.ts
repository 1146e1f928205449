// What the doctor asks of the machine itself. Every answer is null where nothing is wrong, or nothing can be told.

import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { MachineProbe } from '#cli/host.ts'
import { findPortOwner } from '#hosts/port-owner.ts'

export const MACHINE: MachineProbe = {
  async nativeModuleProblem() {
    const { nativeModuleProblem } = await import('#store/native-module.ts')
    return nativeModuleProblem() ?? null
  },
  async dataFolderProblem(dataDir) {
    if (!existsSync(dataDir)) return null
    const [{ checkDataDir }, { DatabaseError }] = await Promise.all([
      import('#store/data-folder.ts'),
      import('#store/database.ts'),
    ])
    try {
      checkDataDir(dataDir)
      return null
    } catch (error) {
      if (error instanceof DatabaseError) return error.message
      throw error
    }
  },
  freeBytes(dataDir) {
    try {
      const { bavail, bsize } = statfsSync(nearestThere(dataDir))
      return bavail * bsize
    } catch {
      // Some file systems do not say.
      return null
    }
  },
  portOwner: findPortOwner,
}

function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path))
}
