// Runs every static check, or those that it is given, all at the same time: some use one processor and some use all of them. What a
// check prints is shown when it has ended, so that nothing is mixed.

import { spawn } from 'node:child_process'

const CHECKS = ['types', 'lint', 'format', 'unused']

const asked = process.argv.slice(2)
const codes = await Promise.all((asked.length === 0 ? CHECKS : asked).map(run))
process.exitCode = Math.max(...codes)

/** Resolves to 0 where nothing was found. */
function run(name) {
  // On Windows npm is a script of the shell. These are words of ours, and nothing in them means anything to one.
  const check = spawn(`npm run --silent check:${name}`, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = []
  for (const stream of [check.stdout, check.stderr]) stream.on('data', (bytes) => printed.push(bytes))
  return new Promise((resolve, reject) => {
    check.on('error', reject)
    check.on('close', (code) => {
      process.stdout.write(Buffer.concat(printed))
      if (code !== 0) process.stdout.write(`check:${name} found something.\n`)
      resolve(code ?? 1)
    })
  })
}
