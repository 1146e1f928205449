// What is wrong with a tool and its files.

import { existsSync } from 'node:fs'
import { changedSince } from '#connect/journal.ts'
import { readdress } from '#connect/readdress.ts'
import { alone, disconnectHalfDone } from '#connect/tools.ts'
import type { Found, ToolCheck } from '#doctor/check.ts'
import { winningPlaces } from '#doctor/overrides.ts'
import type { FilePicture, Picture, ToolPicture } from '#doctor/picture.ts'
import { isInRange } from '#doctor/versions.ts'

export const TOOL_CHECKS: readonly ToolCheck[] = [
  {
    id: 'not_installed',
    find: ({ adapter, isAskedFor, installed }) =>
      isAskedFor && adapter.command !== undefined && !installed.installed
        ? {
            message: `${adapter.name} is not found: there is no program '${adapter.command}' on the path.`,
            fix: 'Install it, or add its folder to PATH.',
          }
        : undefined,
  },
  {
    id: 'not_connected',
    find: ({ adapter, isAskedFor, journal, journalProblem }) =>
      isAskedFor && adapter.connect !== undefined && journal === undefined && journalProblem === null
        ? { message: `${adapter.name} is not connected.`, fix: `Connect it with 'farebox connect ${adapter.tool}'.` }
        : undefined,
  },
  {
    id: 'journal',
    find: ({ journalProblem: problem }) =>
      problem === null
        ? undefined
        : { message: problem, fix: 'Put those files back by hand, and remove that folder then.' },
  },
  { id: 'half_done', find: halfDone },
  {
    id: 'file',
    find: ({ journal, files }) =>
      files.flatMap(({ entry, text, problem }) => {
        if (journal?.state !== 'connected' || (text !== undefined && problem === null)) return []
        const message = problem ?? `${entry.file} is not there any more.`
        return [{ message, fix: `Put it right, and connect again with 'farebox connect ${journal.tool}'.` }]
      }),
  },
  {
    id: 'member_changed',
    find: (tool) => changedMembers(tool).map((member) => changed(tool, member)),
  },
  { id: 'wrong_address', find: wrongAddress },
  {
    id: 'overridden',
    find: (tool, picture) =>
      winningPlaces(tool, picture).map((place) => ({
        message: `${place} wins over what Farebox wrote for ${tool.adapter.name}.`,
        fix: 'Take it away there, or leave it if that is meant.',
      })),
  },
  { id: 'certificate', find: unknownCertificate },
  {
    id: 'version',
    find: ({ adapter: { name, tool, versions, checked }, installed: { version } }) =>
      version === null || isInRange(version, versions)
        ? undefined
        : {
            message: `${name} ${version} is installed; what Farebox writes for it was checked on ${checked} for ${versions}.`,
            fix: `Try it with a request. Where it does not work, bring it or Farebox up to date, and run 'farebox connect ${tool}' again.`,
          },
  },
]

function halfDone({ adapter: { name, tool }, journal }: ToolPicture): Found | undefined {
  if (journal?.state !== 'connecting') return undefined
  return {
    message: `The connection of ${name} was interrupted, on ${journal.at}.`,
    fix: `Take it back with 'farebox disconnect ${tool}', and connect it again.`,
    async repair(workshop) {
      const taken = await disconnectHalfDone(workshop, tool)
      if (taken === undefined) return `The connection of ${name} is not interrupted any more, and stays as it is.`
      const [problem] = taken.problems
      return (
        problem ??
        `Took back the connection of ${name} that was interrupted. Connect it with 'farebox connect ${tool}'.`
      )
    },
  }
}

/** Files that cannot be read say so in a check of their own. */
function changedMembers({ journal, files }: ToolPicture): string[] {
  return journal?.state === 'connected' ? files.flatMap(changedIn) : []
}

function changedIn({ entry, text, problem }: FilePicture): string[] {
  return text === undefined || problem !== null ? [] : changedSince(entry, text)
}

function changed({ adapter: { name, tool } }: ToolPicture, member: string): Found {
  return {
    message: `Somebody changed ${member} since ${name} was connected.`,
    fix: `Leave it if that is meant; otherwise run 'farebox disconnect ${tool}', look at what is left there, and connect again.`,
  }
}

function wrongAddress(tool: ToolPicture, { gateway, isRunning, nowMs }: Picture): Found | undefined {
  const { adapter, journal } = tool
  const told = journal?.told
  if (gateway === undefined || told === undefined || journal?.state !== 'connected') return undefined
  const { url } = gateway
  if (told.url === url || gateway.status.lan.urls.includes(told.url)) return undefined
  const message = `${adapter.name} is connected to ${told.url}, and the gateway is at ${url}.`
  const again = `connect again with 'farebox connect ${adapter.tool}'.`
  // The address of a gateway that does not run is a guess: it may listen elsewhere when it starts.
  if (!isRunning) return { message, fix: `Start the gateway. Where it is still another address then, ${again}` }
  // What somebody changed or took away is theirs, and is not written over.
  if (changedMembers(tool).length > 0 || tool.files.some(({ text }) => text === undefined)) {
    return { message, fix: `Look at what was changed, and ${again}` }
  }
  return {
    message,
    fix: `Write the present address with 'farebox doctor --fix', or ${again}`,
    async repair(workshop) {
      const { dataDir } = workshop
      await alone(workshop, async () => readdress({ dataDir, tool: adapter.tool, url, nowMs }))
      return `${adapter.name} has the address ${url} now, where it had ${told.url}.`
    },
  }
}

/** Node, in which most tools are written, knows no certificate that was made here until it is told. */
function unknownCertificate({ adapter, journal }: ToolPicture, { surroundings: { env } }: Picture): Found | undefined {
  const url = journal?.told?.url
  if (url?.startsWith('https:') !== true) return undefined
  const files = [env['NODE_EXTRA_CA_CERTS'], env['SSL_CERT_FILE']].filter((file) => file !== undefined && file !== '')
  if (files.some((file) => existsSync(file ?? ''))) return undefined
  const why = files.length === 0 ? 'no file with its certificate is named' : `there is no file ${files.join(' or ')}`
  return {
    message: `${adapter.name} asks ${url}, whose certificate was made by Farebox, and ${why}.`,
    fix: "Write it to a file with 'farebox lan certificate > FILE', and set NODE_EXTRA_CA_CERTS to that file.",
  }
}
