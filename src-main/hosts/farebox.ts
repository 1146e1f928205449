#!/usr/bin/env node
// The way in of everybody but the tray app of a package. Nothing but constants is imported before Node's version was looked at: on a Node
// that cannot run Farebox it has to live long enough to say so.

import { FRUGAL, SPACE_FLAG } from '#hosts/frugal.ts'

// A rejection is a fault: Node prints its stack and ends with an error code.
void main(process.argv.slice(2))

async function main(argv: string[]): Promise<void> {
  const { node } = process.versions
  if (!isNodeNewEnough(node)) {
    process.stderr.write(
      `Farebox needs Node 22.18 or later, and this is Node ${node}: in a clone \`npm ci\` brings Node 24 and \`npm start\` uses it.\n`,
    )
    process.exitCode = 1
    return
  }
  // Whatever is written is for this user only: also what libraries write, and in a folder that others may look into.
  process.umask(0o077)
  const [verb, ...flags] = argv
  if (verb !== 'start') return runCommand(argv)
  return flags.includes('--help') || flags.includes('-h') ? runCommand(['help']) : start(flags)
}

function isNodeNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major === 22) return minor >= 18
  // The line that never was for long use has what is needed since then.
  if (major === 23) return minor >= 6
  return major > 23
}

async function start(argv: string[]): Promise<void> {
  beFrugal()
  const why = await startDesktop(argv)
  if (why === null) return
  const { startAhead } = await import('#hosts/headless-ahead.ts')
  await startAhead(argv, why)
}

/** Puts this program in its own place once more, in the same process, as `frugal.ts` says. Variables that are set already stay. */
function beFrugal(): void {
  const { env, execArgv, execPath, platform } = process
  const isDone = execArgv.some((option) => option.startsWith(SPACE_FLAG))
  // A channel to whoever started this process would not survive it.
  if (isDone || process.connected || platform === 'win32' || process.execve === undefined) return
  const args = [execPath, ...execArgv, ...FRUGAL.flags, import.meta.filename, ...process.argv.slice(2)]
  process.execve(execPath, args, { ...FRUGAL.env, ...env })
}

/** Runs the tray app to its end and returns null; where that cannot be, returns why, or undefined where it was not wanted. */
async function startDesktop(argv: string[]): Promise<string | null | undefined> {
  const { chooseHost } = await import('#hosts/desktop-choice.ts')
  const { env, platform } = process
  const choice = chooseHost({ argv, env, platform, isRoot: process.getuid?.() === 0 })
  if (choice.type === 'headless') return choice.why
  const { findRuntime, runDesktop } = await import('#hosts/desktop-runtime.ts')
  const runtime = await findRuntime({ env, print: (line) => void process.stderr.write(`${line}\n`) })
  if (runtime.type === 'unavailable') return runtime.why
  process.exitCode = await runDesktop(runtime.program, argv)
  return null
}

/** Without a verb the command line prints its help. */
async function runCommand(argv: string[]): Promise<void> {
  const { main: runMain } = await import('#hosts/command.ts')
  process.exitCode = await runMain(argv)
}
