// The programs under test, in pinned versions, installed from npm into a folder outside the project that later runs share.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Installed = {
  /** The path of a program's command. */
  command(program: ProgramName): string
}

const PROGRAMS = {
  claude: { package: '@anthropic-ai/claude-code', version: '2.1.329' },
  codex: { package: '@openai/codex', version: '0.169.0' },
  opencode: { package: 'opencode-ai', version: '1.18.33' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0' },
  qwen: { package: '@qwen-code/qwen-code', version: '0.24.4' },
  cline: { package: 'cline', version: '3.0.65' },
  copilot: { package: '@github/copilot', version: '1.0.102' },
  kilo: { package: '@kilocode/cli', version: '7.7.7' },
  // Later ones, which have another name there, need a package that npm does not have.
  pi: { package: '@mariozechner/pi-coding-agent', version: '0.73.1' },
} as const

export type ProgramName = keyof typeof PROGRAMS

const INSTALL_LIMIT_MS = 600_000

export async function install(): Promise<Installed> {
  const folder = process.env.FAREBOX_CLIENTS_DIR ?? join(tmpdir(), `farebox-clients-${versionsHash()}`)
  // Written last, so that an interrupted installation is not taken for one.
  const mark = join(folder, 'installed')
  if (!existsSync(mark)) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest(), null, 2))
    await npmInstall(folder)
    await writeFile(mark, '')
  }
  return { command: (program) => join(folder, 'node_modules', '.bin', program) }
}

function versionsHash(): string {
  return createHash('sha256').update(JSON.stringify(PROGRAMS)).digest('hex').slice(0, 12)
}

/** npm is told that the scripts which fetch the programs' native parts are welcome. */
function manifest() {
  const all = Object.values(PROGRAMS)
  return {
    private: true,
    dependencies: Object.fromEntries(all.map((program) => [program.package, program.version])),
    allowScripts: Object.fromEntries(all.map((program) => [program.package, true])),
  }
}

async function npmInstall(folder: string): Promise<void> {
  process.stdout.write(`installing the programs into ${folder}\n`)
  // Whoever starts this by npm may have silenced it, and hands on this project's rule about scripts, which theirs do not keep.
  const rules = ['--no-audit', '--no-fund', '--loglevel=error', '--no-strict-allow-scripts']
  const npm = spawn('npm', ['install', ...rules], {
    cwd: folder,
    timeout: INSTALL_LIMIT_MS,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    npm.once('error', reject)
    npm.once('close', resolve)
  })
  if (code !== 0) throw new Error('npm could not install the programs')
}
