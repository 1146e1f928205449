// `npm run bench`: Farebox beside a bare undici forwarding proxy, same upstream, same load, one run. It compares CPU time,
// not throughput, because all processes share one machine. It must fail when any answer or any charge is wrong.
import { fileURLToPath } from 'node:url'
import { startChild, type Child } from './child.ts'
import { install, usedMicro, type Installation } from './farebox.ts'
import { readOptions, USAGE, type Options } from './options.ts'
import { topFunctions } from './profile.ts'
import { buildReport } from './report.ts'
import { session, type Contender } from './session.ts'
import { table } from './table.ts'

try {
  const options = readOptions(process.argv.slice(2))
  await run(options)
} catch (error) {
  const isUsage = error instanceof TypeError && 'code' in error
  process.stderr.write(`bench failed: ${error instanceof Error ? error.message : String(error)}\n`)
  if (isUsage) process.stderr.write(`${USAGE}\n`)
  process.exitCode = 1
}

async function run(options: Options): Promise<void> {
  const upstream = await ownChild('upstream-server.ts')
  try {
    const farebox = options.isBareOnly ? undefined : await attempt(() => install(upstream.url))
    try {
      await measureAndPrint(upstream, farebox instanceof Error ? undefined : farebox, options)
    } finally {
      if (farebox !== undefined && !(farebox instanceof Error)) farebox.remove()
    }
    // The bare figures are worth having even then, but this was no comparison.
    if (farebox instanceof Error) throw farebox
  } finally {
    await upstream.stop()
  }
}

async function measureAndPrint(upstream: Child, farebox: Installation | undefined, options: Options): Promise<void> {
  const contenders = [
    bareContender(upstream.url),
    ...(farebox === undefined ? [] : [fareboxContender(farebox, options)]),
  ]
  const [bare, compared] = await session(contenders, options)
  if (bare === undefined) throw new Error('nothing was measured')
  const report = buildReport(bare, compared)
  const profiles = options.profile && farebox !== undefined ? farebox.profiles().map(topFunctions) : []
  process.stdout.write(options.json ? `${JSON.stringify({ ...report, profiles })}\n` : `${table(report)}\n`)
  if (!options.json) for (const lines of profiles) process.stdout.write(`\n${lines.join('\n')}\n`)
}

function bareContender(upstreamUrl: string): Contender {
  return {
    name: 'bare proxy',
    key: 'key_none',
    start: () => ownChild('bare-proxy.ts', upstreamUrl),
    checkCharges: async () => {},
  }
}

function fareboxContender(farebox: Installation, options: Options): Contender {
  return {
    name: 'Farebox',
    key: farebox.key,
    start: (purpose) => farebox.start(options.profile && purpose === 'contest' ? 'profiled' : 'plain'),
    checkCharges: async (url, spentMicro) => {
      const used = await usedMicro(url, farebox.key)
      if (used !== spentMicro) throw new Error(`${used} micro-credits were charged instead of ${spentMicro}`)
    },
  }
}

function ownChild(file: string, ...args: string[]): Promise<Child> {
  return startChild({ args: [fileURLToPath(new URL(file, import.meta.url)), ...args] })
}

async function attempt<Value>(task: () => Promise<Value>): Promise<Value | Error> {
  try {
    return await task()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
