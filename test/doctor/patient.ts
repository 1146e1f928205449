// A machine on which nothing is wrong, with two connected tools, for tests that make one thing go wrong on it.

import { chmodSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { connectTool } from '#connect/tools.ts'
import type { KeyView } from '#contract/schemas.ts'
import type { StatusView } from '#contract/status.ts'
import { examine, type Problem } from '#doctor/doctor.ts'
import { takePicture, type GatewayPicture, type Looking, type MachinePicture } from '#doctor/picture.ts'
import { fakeGateway, openWorkshop, wish, write, type TestWorkshop } from '../connect/workshop.ts'

const NOW = '2027-01-02T03:04:05.000Z'

const STATUS: StatusView = {
  state: 'running',
  version: '0.1.0',
  url: 'http://127.0.0.1:3273',
  pid: 1,
  data_dir: '/data',
  started_at: NOW,
  ledger: 'ok',
  ledger_check: 'checked',
  ledger_checked_at: NOW,
  secrets: 'keychain',
  lan: { state: 'off', urls: [], problem: null, certificate_expires_at: null },
  attention: [],
  open_exchanges: 0,
  held_credits: 0,
  providers: 1,
  models: 3,
  packages: 1,
  keys: 2,
  targets: [],
  provider_use: [],
  secrets_left_out: [],
}

const MACHINE: MachinePicture = {
  dataFolderProblem: null,
  nativeModuleProblem: null,
  freeBytes: null,
  portOwner: null,
}

export class Patient {
  readonly workshop: TestWorkshop = openWorkshop({ gateway: fakeGateway() })
  /** What the next look differs in. */
  changes: Partial<Looking> = {}
  readonly env: Record<string, string> = {}

  /** With Claude Code, which asks a command for its key, and Gemini CLI, which has it in its settings. */
  static async connected(): Promise<Patient> {
    const patient = new Patient()
    await patient.connect('claude-code')
    await patient.connect('gemini-cli')
    return patient
  }

  async connect(tool: string): Promise<void> {
    await connectTool(this.workshop, wish(tool))
  }

  get project(): string {
    return join(this.workshop.home, 'project')
  }

  /** The path of something that a tool has for itself. */
  path(...names: readonly string[]): string {
    return join(this.workshop.home, ...names)
  }

  connection(tool: string, file: string): string {
    return join(this.workshop.dataDir, 'connections', tool, file)
  }

  write(path: string, text: string): void {
    write(path, text)
  }

  /** A program that says its version. */
  install(command: string, version: string): void {
    const path = this.path('bin', command)
    this.write(path, `#!/bin/sh\necho ${version}\n`)
    chmodSync(path, 0o755)
    this.env['PATH'] = dirname(path)
  }

  key(tool: string, what: Partial<KeyView>): void {
    const { made } = this.workshop.gateway
    const index = made.findIndex(({ name }) => name === tool)
    const key = made[index]
    if (key === undefined) throw new Error(`There is no key of ${tool}.`)
    made[index] = { ...key, ...what }
  }

  async gateway(what: Partial<GatewayPicture> = {}): Promise<GatewayPicture> {
    const { gateway } = this.workshop
    const [url, models, packages, keys] = await Promise.all([
      gateway.url(),
      gateway.models(),
      gateway.packages(),
      gateway.keys(),
    ])
    return { url, status: STATUS, models, packages, keys: [...keys], newestAt: NOW, ...what }
  }

  async status(what: Partial<StatusView>): Promise<void> {
    this.changes = { gateway: await this.gateway({ status: { ...STATUS, ...what } }) }
  }

  machine(what: Partial<MachinePicture>): void {
    this.changes = { ...this.changes, machine: { ...MACHINE, ...what } }
  }

  async examine(): Promise<Problem[]> {
    const { dataDir, surroundings, nowMs } = this.workshop
    const picture = await takePicture({
      tool: undefined,
      dataDir,
      surroundings: { ...surroundings, env: { ...surroundings.env, ...this.env } },
      workingDir: this.project,
      nowMs: nowMs(),
      isRunning: true,
      gateway: await this.gateway(),
      notOpened: null,
      machine: MACHINE,
      ...this.changes,
    })
    return examine(picture)
  }
}
