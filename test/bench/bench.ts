// `npm run bench`: Farebox beside a bare undici forwarding proxy, same upstream, same load, one run. It compares CPU time,
// not throughput, because all processes share one machine. It must fail when any answer or any charge is wrong.
import { againstFigures } from './against.ts'
import { attackFigures } from './attacks.ts'
import { callersFigures } from './callers.ts'
import type { Child } from './child.ts'
import { bareContender, fareboxContender, ownChild, profileText } from './contenders.ts'
import { crowdFigures } from './crowd.ts'
import { fleetFigures } from './fleet.ts'
import { install, type Installation } from './farebox.ts'
import { largeFigures } from './large.ts'
import { mappingGrowth } from './mapping.ts'
import { readOptions, USAGE, type Only, type Options } from './options.ts'
import { topFunctions } from './profile.ts'
import { buildReport, routingVerdicts } from './report.ts'
import { pageFigures } from './page-data.ts'
import { reportFigures } from './reports.ts'
import { routingRatios } from './routing.ts'
import { session } from './session.ts'
import { sessionFigures } from './sessions.ts'
import { soakFigures } from './soak.ts'
import { table, verdictLine } from './table.ts'

type Measurement = (farebox: Installation, options: Options, upstream: Child) => Promise<string>

/** What is measured by itself, on one Farebox; the other kinds of load go through the contest. */
const SPECIAL: Partial<Record<Only, Measurement>> = {
  routing: measureRouting,
  reports: reportFigures,
  pages: pageFigures,
  sessions: sessionFigures,
  crowd: crowdFigures,
  soak: soakFigures,
  attacks: attackFigures,
  callers: callersFigures,
  large: largeFigures,
  fleet: fleetFigures,
}

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
    if (options.against !== undefined) return await compareWith(options.against, upstream, options)
    const installed = options.isBareOnly ? [] : await attempt(() => installTwice(upstream.url))
    const pair = installed instanceof Error ? [] : installed
    const [first] = pair
    try {
      const special = options.only === undefined ? undefined : SPECIAL[options.only]
      if (special === undefined) await measureAndPrint(upstream, pair, options)
      else if (first !== undefined) {
        process.stdout.write(await special(first, options, upstream))
        if (options.profile) process.stdout.write(profileText([first]))
      }
    } finally {
      for (const installation of pair) installation.remove()
    }
    // The bare figures are worth having even then, but this was no comparison.
    if (installed instanceof Error) throw installed
  } finally {
    await upstream.stop()
  }
}

async function compareWith(other: string, upstream: Child, options: Options): Promise<void> {
  const special = options.only === undefined ? undefined : SPECIAL[options.only]
  if (special === undefined) {
    process.stdout.write(await againstFigures(upstream.url, { ...options, against: other }))
    return
  }
  for (const [name, root] of [['before', other] as const, ['now', undefined] as const]) {
    const farebox = await install(upstream.url, root)
    try {
      process.stdout.write(`${name}\n${await special(farebox, options, upstream)}`)
    } finally {
      farebox.remove()
    }
  }
}

/** One Farebox whose clients speak the provider's dialect, and one that translates. */
async function installTwice(upstreamUrl: string): Promise<Installation[]> {
  return [await install(upstreamUrl), await install(upstreamUrl)]
}

async function measureRouting(farebox: Installation, options: Options): Promise<string> {
  const verdicts = routingVerdicts(await routingRatios(farebox, options))
  return `${options.json ? JSON.stringify(verdicts) : verdicts.map(verdictLine).join('\n')}\n`
}

async function measureAndPrint(upstream: Child, pair: readonly Installation[], options: Options): Promise<void> {
  const [farebox, translator] = pair
  const contenders = [
    bareContender(upstream.url),
    ...(farebox === undefined ? [] : [fareboxContender(farebox, 'chat', options)]),
    ...(translator === undefined ? [] : [fareboxContender(translator, 'messages', options)]),
  ]
  const [bare, compared, translated] = await session(contenders, options)
  if (bare === undefined) throw new Error('nothing was measured')
  const growth = translator === undefined ? undefined : mappingGrowth()
  const isWhole = farebox !== undefined && options.only === undefined && !options.profile
  const routing = isWhole ? await routingRatios(farebox, options) : undefined
  const report = buildReport({ bare, farebox: compared, translated, growth, routing })
  const profiles = options.profile ? pair.flatMap((one) => one.profiles().map(topFunctions)) : []
  process.stdout.write(options.json ? `${JSON.stringify({ ...report, profiles })}\n` : `${table(report)}\n`)
  if (!options.json && options.profile) process.stdout.write(profileText(pair))
}

async function attempt<Value>(task: () => Promise<Value>): Promise<Value | Error> {
  try {
    return await task()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
