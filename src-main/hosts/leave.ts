// The end of a process that serves. Node waits for its threads first, and one that is in a statement of SQLite can be told nothing.

/**
 * Ends the process at once, whatever its threads do: a program that only ends takes its place, of which the system lets no thread live on. Everything is
 * written down by then. Where a process cannot be replaced (Windows) it ends with the last of its threads.
 */
export function leave(code: 0 | 1): void {
  const { execPath, platform } = process
  if (platform !== 'win32') process.execve?.(execPath, [execPath, '--eval', `process.exitCode = ${code}`], {})
  process.exit(code)
}
