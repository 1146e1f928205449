// A home with one tool's settings and a gateway of its own, in which commands that connect the tool are killed over and over.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { KeyView } from '#contract/schemas.ts'
import { doneHere } from '../support/commands.ts'
import { startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'

/** A tool and the files that somebody has in its folder, which is below the home folder. */
export type LaneTool = {
  readonly tool: string
  readonly folder: string
  readonly files: Readonly<Record<string, string>>
}

export const CLAUDE_CODE: LaneTool = {
  tool: 'claude-code',
  folder: '.claude',
  files: { 'settings.json': '{\r\n\t// mine\r\n\t"env": { "EDITOR": "vim", },\r\n}\r\n' },
}

/** It has a file of Farebox's own beside the one that is edited. */
export const CRUSH: LaneTool = {
  tool: 'crush',
  folder: '.config/crush',
  files: { crushrc: '# mine\nprovider add mine --type openai\n' },
}

/** What begins with this is a file that was not yet given its name. */
const DRAFT = /^\.(.+)\.farebox-[0-9a-f]{8}$/
const OTHER_MODEL = ['--context-window', '32768', '--max-output-tokens', '4096', '--target', 'demo/demo-chat']

export class Lane {
  readonly folder: string
  readonly dataDir: string
  readonly toolFolder: string
  readonly #tool: LaneTool
  gateway: FareboxProcess | undefined

  constructor(folder: string, tool: LaneTool) {
    this.folder = folder
    this.#tool = tool
    // The home of a command is the folder around its data folder.
    this.dataDir = join(folder, 'data')
    this.toolFolder = join(folder, tool.folder)
  }

  static async open(tool: LaneTool = CLAUDE_CODE): Promise<Lane> {
    const lane = new Lane(await temporaryFolder(), tool)
    mkdirSync(lane.toolFolder, { recursive: true })
    for (const [name, text] of Object.entries(tool.files)) writeFileSync(join(lane.toolFolder, name), text)
    lane.gateway = await startProcess({ dataDir: lane.dataDir })
    await lane.done('demo')
    await lane.done('model', 'add', 'other', ...OTHER_MODEL, '--input', '1', '--output', '1')
    // The first connection makes the key; all others find it.
    await lane.done('connect', tool.tool)
    await lane.done('disconnect', tool.tool)
    return lane
  }

  /** A command that has to go well, in this process: only what is killed needs one of its own. */
  done(...args: readonly string[]): Promise<unknown> {
    return doneHere(args, { homeDir: this.folder, dataDir: this.dataDir })
  }

  connects(...args: readonly string[]): Promise<unknown> {
    return this.done('connect', this.#tool.tool, ...args)
  }

  /** The texts of the files in the tool's folder by their names, without those that have no name yet. */
  says(): Readonly<Record<string, string>> {
    const names = readdirSync(this.toolFolder).filter((name) => !DRAFT.test(name))
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(this.toolFolder, name), 'utf8')]))
  }

  /** The names of the files that those in the tool's folder are for which have no name yet. */
  drafts(): string[] {
    return readdirSync(this.toolFolder).flatMap((name) => DRAFT.exec(name)?.[1] ?? [])
  }

  /** Names of the keys that work, of those that were made for the tool. */
  async working(): Promise<string[]> {
    const keys = (await this.done('key', 'list')) as readonly KeyView[]
    return keys.filter(({ tool, status }) => tool === this.#tool.tool && status === 'active').map(({ name }) => name)
  }

  get keyFile(): string {
    return join(this.dataDir, 'connections', this.#tool.tool, 'key')
  }

  /** What the gateway answers to the value that the tool reads. */
  async statusOfKey(): Promise<number> {
    const value = readFileSync(this.keyFile, 'utf8')
    const answer = await fetch(`${this.gateway?.url}/v1/balance`, { headers: { authorization: `Bearer ${value}` } })
    await answer.text()
    return answer.status
  }

  /** Everything is taken back, and no key works any more. */
  async isTakenBack(): Promise<void> {
    await this.done('disconnect', this.#tool.tool)
    expect(this.says()).toEqual(this.#tool.files)
    expect(this.drafts()).toEqual([])
    expect(await this.working()).toEqual([])
    expect(existsSync(this.keyFile)).toBe(false)
  }
}
