/**
 * A name for a backup of today in the folder around the data folder, inside of which Farebox takes none, in the way of writing
 * paths of the machine that it is on.
 */
export function backupFileBeside(dataDir: string, nowMs: number): string {
  const mark = dataDir.includes('\\') ? '\\' : '/'
  const around = dataDir.replace(/(?<![\\/])[\\/]+$/, '').replace(/[\\/][^\\/]*$/, '')
  const day = new Date(nowMs)
  const parts = [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${around}${mark}farebox-backup-${parts.join('-')}.db`
}
