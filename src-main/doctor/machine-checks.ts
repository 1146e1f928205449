// What is wrong with this machine, and with the gateway on it as a program.

import type { MachineCheck } from '#doctor/check.ts'
import { uncoveredProxies } from '#doctor/proxies.ts'
import type { Picture } from '#doctor/picture.ts'

/** Less than this is soon full: a busy day writes that much. */
const MIN_FREE_BYTES = 200 * 1_048_576
/** Clocks of one machine differ by nothing, so that more than this is a clock that was put back. */
const MAX_CLOCK_DRIFT_MS = 10 * 60_000

/** Less than this may be an answer that was long on its way, or a provider that is not exact. */
const MAX_CLOCK_AHEAD_S = 5 * 60

export const MACHINE_CHECKS: readonly MachineCheck[] = [
  {
    id: 'gateway_stopped',
    find: ({ isRunning, dataDir }) =>
      isRunning
        ? undefined
        : {
            message: `No gateway runs on the data folder ${dataDir}, so no tool gets an answer. What follows is what the files say.`,
            fix: "Start it with 'farebox start'.",
          },
  },
  {
    id: 'port_taken',
    find: ({ isRunning, gateway, machine: { portOwner } }) =>
      isRunning || portOwner === null
        ? undefined
        : {
            message: `${gateway?.url ?? "The gateway's address"} is taken by ${portOwner}, which gets the tools' requests and keys.`,
            fix: "End that program, or choose another port with 'farebox start --port' and run 'farebox doctor --fix' then.",
          },
  },
  {
    id: 'not_opened',
    find: ({ notOpened }) =>
      notOpened === null
        ? undefined
        : {
            message: `What the gateway knows cannot be looked at. ${notOpened}`,
            fix: 'Do what that says, and ask again: keys, models and providers were not looked at.',
          },
  },
  {
    id: 'native_module',
    find: ({ machine: { nativeModuleProblem: problem } }) =>
      problem === null
        ? undefined
        : {
            message: `The database cannot be used by this Node (${process.version}): ${problem}`,
            fix: 'Run Farebox with the Node that it was installed with, or install it anew with this one.',
          },
  },
  {
    id: 'data_folder',
    find: ({ machine: { dataFolderProblem: problem } }) =>
      problem === null ? undefined : { message: problem, fix: 'Do what that says; a gateway does not start there.' },
  },
  {
    id: 'disk_full',
    find: ({ dataDir, machine: { freeBytes } }) =>
      freeBytes === null || freeBytes >= MIN_FREE_BYTES
        ? undefined
        : {
            message: `The disk of ${dataDir} has ${Math.floor(freeBytes / 1_048_576)} MiB left. Calls are refused where it is full.`,
            fix: 'Make room on it.',
          },
  },
  { id: 'clock', find: (picture) => clockProblem(picture) ?? providersClockProblem(picture) },
  {
    id: 'ledger',
    find: ({ gateway }) =>
      gateway === undefined || gateway.status.ledger === 'ok'
        ? undefined
        : {
            message: `The ledger is '${gateway.status.ledger}': calls are refused or not charged as they should be.`,
            fix: "See what 'farebox ledger verify' says.",
          },
  },
  {
    id: 'paused',
    find: ({ gateway }) =>
      gateway?.status.paused_until === undefined
        ? undefined
        : {
            message: `The gateway is paused until ${gateway.status.paused_until}.`,
            fix: "End the pause with 'farebox resume'.",
          },
  },
  {
    id: 'open_files',
    find: ({ gateway }) => {
      const { open_files: files } = gateway?.status ?? {}
      if (files === undefined) return undefined
      return {
        message: `The system allows the gateway ${files.limit} open files, so it keeps ${files.connections} connections of clients and runs ${files.calls} calls at a time.`,
        fix: "Raise the limit to 16384 and start the gateway again: 'ulimit -n' in a shell, LimitNOFILE in a systemd unit, --ulimit nofile for a container.",
      }
    },
  },
  {
    id: 'lan',
    find: ({ gateway }) =>
      gateway?.status.lan.state === 'failed'
        ? {
            message: `Other machines do not reach the gateway: ${gateway.status.lan.problem ?? 'the LAN is not open'}`,
            fix: "Look at 'farebox lan status'.",
          }
        : undefined,
  },
  {
    id: 'lan_certificate',
    find: ({ gateway, nowMs }) => {
      const expiresAt = gateway?.status.lan.certificate_expires_at ?? null
      if (expiresAt === null || Date.parse(expiresAt) > nowMs) return undefined
      return {
        message: `The certificate for the LAN has expired on ${expiresAt}.`,
        fix: "Have a new one with 'farebox lan on --new-certificate', and give it to the other machines.",
      }
    },
  },
  { id: 'proxy', find: proxyProblem },
]

function clockProblem({ gateway, nowMs }: Picture) {
  const newestAt = gateway?.newestAt ?? null
  if (newestAt === null || Date.parse(newestAt) <= nowMs + MAX_CLOCK_DRIFT_MS) return undefined
  return {
    message: `The clock says ${new Date(nowMs).toISOString()}, and the database has something of ${newestAt}. ${CLOCK_USES}`,
    fix: SET_CLOCK,
  }
}

function providersClockProblem({ gateway }: Picture) {
  const { clock } = gateway?.status ?? {}
  if (clock === undefined || Math.abs(clock.ahead_s) <= MAX_CLOCK_AHEAD_S) return undefined
  const how = clock.ahead_s > 0 ? 'ahead of' : 'behind'
  const by = inWords(Math.abs(clock.ahead_s))
  return {
    message: `The clock of this machine is ${by} ${how} that of the provider '${clock.provider}'. ${CLOCK_USES}`,
    fix: SET_CLOCK,
  }
}

const CLOCK_USES = 'Keys, limits and certificates go by the clock.'
const SET_CLOCK = 'Set the clock of this machine by the network.'

function inWords(seconds: number): string {
  const [amount, unit] =
    seconds < 2 * 3_600
      ? [seconds / 60, 'minutes']
      : seconds < 2 * 86_400
        ? [seconds / 3_600, 'hours']
        : [seconds / 86_400, 'days']
  return `${Math.round(amount)} ${unit}`
}

function proxyProblem({ surroundings: { env }, gateway, tools }: Picture) {
  const addresses = tools.flatMap(({ journal }) => journal?.told?.url ?? [])
  const [address = gateway?.url] = addresses
  if (address === undefined || tools.length === 0) return undefined
  const { host, variables } = uncoveredProxies(address, env)
  if (variables.length === 0) return undefined
  return {
    message: `${variables.join(' and ')} sends what goes to ${host} through a proxy, which cannot reach this machine.`,
    fix: `Add ${host} to NO_PROXY and no_proxy.`,
  }
}
