// farebox doctor: what keeps tools from working, in sentences with what to do, and repaired where that is safe.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { inWorkshop, ownAddress } from '#cli/connect.ts'
import { AdminError, type AdminClient } from '#cli/client.ts'
import { CommandFailure } from '#cli/errors.ts'
import { toggle } from '#cli/flags.ts'
import type { Sources } from '#cli/host.ts'
import { printable, type Output } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'
import type { Problem } from '#doctor/doctor.ts'
import type { GatewayPicture, Picture } from '#doctor/picture.ts'

const doctor = verb({
  name: 'doctor',
  usage: '[TOOL] [--fix]',
  summary: 'says what keeps tools from working, and what to do about it',
  operand: 'TOOL',
  isOperandOptional: true,
  flags: { fix: toggle },
  run: (client, { name, flags, sources }) =>
    inWorkshop(client, sources, async (_tools, workshop) => {
      const { examine, repair } = await import('#doctor/doctor.ts')
      const tool = name === '' ? undefined : name
      const found = examine(await pictureFor(client, sources, tool))
      if (flags.fix !== true) return outcome(found)
      const fixed = await repair(found, workshop)
      return outcome(examine(await pictureFor(client, sources, tool)), fixed)
    }),
})

export const DOCTOR_VERBS = [doctor]

function outcome(problems: readonly Problem[], fixed?: readonly string[]): Output {
  const shown = problems.map(({ id, tool, message, fix }) => ({ id, tool, message, fix }))
  const value = { ok: problems.length === 0, problems: shown, ...(fixed !== undefined && { fixed }) }
  const lines = problems.map(({ id, message, fix }) => `${printable(message)} (${id})\n  ${printable(fix)}`)
  const said = problems.length === 0 ? ['Nothing is wrong.'] : lines
  const text = [...(fixed ?? []).map(printable), ...said].join('\n')
  return { type: 'view', value, text, exitCode: problems.length === 0 ? 0 : 1 }
}

async function pictureFor(client: AdminClient, sources: Sources, tool: string | undefined): Promise<Picture> {
  const { takePicture } = await import('#doctor/picture.ts')
  const { folder, machine, env, homeDir, platform } = sources
  const isRunning = await sources.isRunning()
  const { gateway, problem } = await lookAtGateway(client, folder, isRunning)
  const port = gateway === undefined ? undefined : Number(new URL(gateway.url).port)
  return takePicture({
    tool,
    dataDir: folder,
    surroundings: { env, home: homeDir, platform },
    workingDir: sources.workingDir,
    nowMs: Date.now(),
    isRunning,
    gateway,
    notOpened: problem,
    machine: {
      dataFolderProblem: await machine.dataFolderProblem(folder),
      nativeModuleProblem: await machine.nativeModuleProblem(),
      freeBytes: machine.freeBytes(folder),
      portOwner: isRunning || port === undefined ? null : await machine.portOwner(port),
    },
  })
}

type Looked = { readonly gateway: GatewayPicture | undefined; readonly problem: string | null }

/** A folder without a database is not opened, because that would make one. */
async function lookAtGateway(client: AdminClient, folder: string, isRunning: boolean): Promise<Looked> {
  if (!isRunning && !existsSync(join(folder, 'farebox.db'))) return { gateway: undefined, problem: null }
  try {
    return { gateway: await askGateway(client), problem: null }
  } catch (error) {
    if (error instanceof CommandFailure || error instanceof AdminError)
      return { gateway: undefined, problem: error.message }
    throw error
  }
}

async function askGateway(client: AdminClient): Promise<GatewayPicture> {
  const [status, models, packages, keys, { usage }, url] = await Promise.all([
    client.call('status', {}),
    client.call('listModels', {}),
    client.call('listPackages', {}),
    client.call('listKeys', {}),
    client.call('usage', { query: { limit: '1' } }),
    ownAddress(client),
  ])
  const times = [
    ...keys.flatMap((key) => [key.created_at, key.value_since, key.balance.last_used_at ?? []].flat()),
    ...usage.map((call) => call.created_at),
  ]
  return { status, url, models, packages, keys, newestAt: times.toSorted().at(-1) ?? null }
}
