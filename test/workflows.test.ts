// Holds the workflows to what keeps a release safe: nothing that can be changed under us is run, nobody's pull request meets a secret,
// and the key that signs releases is where no code of others is run.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

type Step = { readonly name?: string; readonly uses?: string; readonly run?: string; readonly with?: object }
type Job = {
  readonly environment?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
  readonly needs?: string
  readonly 'runs-on': string
  readonly 'timeout-minutes'?: number
}
type Workflow = {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const FOLDER = join(import.meta.dirname, '..', '.github', 'workflows')
const FILES = readdirSync(FOLDER)
  .filter((name) => /\.ya?ml$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }))

/** What is wrong with a workflow, in words. */
function mistakes(text: string): string[] {
  const workflow = parse(text) as Workflow
  return [
    ...unpinned(text),
    ...triggerMistakes(workflow, text),
    ...Object.entries(workflow.jobs).flatMap(([name, job]) => jobMistakes(name, job, workflow)),
  ]
}

/** A tag can be moved to other code, and has been; a hash cannot. The version behind it is for people. */
function unpinned(text: string): string[] {
  const lines = text.split('\n').filter((line) => /^\s*-?\s*uses:/.test(line))
  const isPinned = (line: string) => /uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)
  return lines.filter((line) => !isPinned(line)).map((line) => `is not pinned: ${line.trim()}`)
}

function triggerMistakes({ on }: Workflow, text: string): string[] {
  const triggers = Object.keys(on)
  const privileged = triggers.filter((name) => ['pull_request_target', 'workflow_run', 'issue_comment'].includes(name))
  const found = privileged.map((name) => `is run with secrets by anybody: ${name}`)
  if (triggers.includes('pull_request') && /\bsecrets\b/.test(text)) found.push('has secrets in a pull request')
  return found
}

/** npm runs no code of the package then, and can do no more than say who it is. */
function isPublishing(run: string, writes: readonly (readonly [string, string])[]): boolean {
  return (
    writes.every(([name]) => name === 'id-token') && /^npm publish "[^"]+" --provenance .*--ignore-scripts$/.test(run)
  )
}

function jobMistakes(name: string, job: Job, { permissions }: Workflow): string[] {
  const text = JSON.stringify(job)
  const runs = job.steps.map(({ run }) => run ?? '')
  const writes = Object.entries(job.permissions ?? permissions ?? { all: 'write' }).filter(
    ([, level]) => level === 'write',
  )
  const checkouts = job.steps.filter(({ uses }) => uses?.startsWith('actions/checkout@') === true)
  const rules: readonly (readonly [isBroken: boolean, sentence: string])[] = [
    [
      /\$\{\{\s*secrets\b/.test(text) && job.environment === undefined,
      'has secrets outside of a protected environment',
    ],
    [writes.length > 0 && text.includes('secrets.'), 'has secrets and may write'],
    [
      writes.length > 0 && runs.some((run) => /\b(npm|npx|node)\b/.test(run) && !isPublishing(run, writes)),
      'may write and runs more than it needs',
    ],
    [
      text.includes('FAREBOX_RELEASE_KEY') && runs.some((run) => /\b(npm|npx|curl|apt)/.test(run)),
      'signs beside other code',
    ],
    // What a branch or a title is called would be read as a part of the command.
    [runs.some((run) => run.includes('${{')), 'puts values into a command'],
    [checkouts.some(({ with: given }) => !('persist-credentials' in (given ?? {}))), 'leaves a token in the clone'],
    [job['timeout-minutes'] === undefined, 'has no time limit'],
    [job['runs-on'].endsWith('-latest'), 'runs on another system tomorrow'],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, sentence]) => `${name} ${sentence}`)
}

describe('the workflows', () => {
  it('are there', () => {
    expect(FILES.map(({ name }) => name)).toEqual(['ci.yml', 'release.yml'])
  })

  it.each(FILES)('$name runs nothing that can change, and hands secrets to nobody', ({ text }) => {
    expect(mistakes(text)).toEqual([])
  })

  it.each(FILES)('$name may do no more than read, but where it says so', ({ text }) => {
    const { permissions = {} } = parse(text) as Workflow
    expect(Object.values(permissions).filter((level) => level !== 'read')).toEqual([])
    expect(text.match(/: write$/gm) ?? []).toHaveLength(text.includes('gh release create') ? 2 : 0)
  })

  it('test pull requests on the three systems, also with the real Electron', () => {
    const { on, jobs } = parse(FILES[0]?.text ?? '') as Workflow
    expect(on).toHaveProperty('pull_request')
    expect(JSON.stringify(jobs)).toMatch(/ubuntu.*macos.*windows/)
    for (const job of Object.values(jobs)) {
      expect(job.steps.map(({ run }) => run)).toEqual(
        expect.arrayContaining(['npm run test:all', 'npm run test:desktop']),
      )
    }
  })

  it('build a release without secrets, sign it in jobs that somebody approves, and leave it a draft', () => {
    const { on, jobs } = parse(FILES[1]?.text ?? '') as Workflow
    expect(on).toEqual({ push: { tags: ['v*'] } })
    expect(Object.entries(jobs).map(([name, { needs, environment }]) => [name, needs, environment])).toEqual([
      ['build', undefined, undefined],
      ['package', 'build', 'packages'],
      ['sign', 'package', 'release'],
      ['draft', 'sign', undefined],
      ['publish', 'draft', 'npm'],
    ])
    expect(jobs['publish']?.permissions).toEqual({ 'id-token': 'write' })
    const draft = jobs['draft']?.steps.map(({ run }) => run ?? '').join('\n') ?? ''
    expect(draft).toContain('--draft')
    expect(draft).toContain('--verify-tag')
  })

  it('call scripts that are there', () => {
    const scripts = (JSON.parse(readFileSync(join(FOLDER, '..', '..', 'package.json'), 'utf8')) as { scripts: object })
      .scripts
    const called = FILES.flatMap(({ text }) => [...text.matchAll(/npm run ([\w:]+)/g)].map((match) => match[1] ?? ''))
    expect(called.filter((name) => !(name in scripts))).toEqual([])
    const files = FILES.flatMap(({ text }) => [...text.matchAll(/test\/release\/[\w.]+/g)].map(([name]) => name))
    expect(files.length).toBeGreaterThan(2)
    for (const name of files) expect(readFileSync(join(FOLDER, '..', '..', name), 'utf8').length).toBeGreaterThan(0)
  })
})

describe('the check of workflows', () => {
  const HASH = 'a'.repeat(40)
  const workflow = (job: string, on = 'push') =>
    `on: { ${on}: }\npermissions: { contents: read }\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n${job}`

  it('finds nothing in one that is as it should be', () => {
    expect(mistakes(workflow(`    steps:\n      - uses: a/b@${HASH} # v1.2.3\n      - run: npm test\n`))).toEqual([])
  })

  it.each([
    ['is not pinned: - uses: a/b@v4', workflow('    steps:\n      - uses: a/b@v4\n')],
    ['is not pinned: - uses: a/b@main', workflow('    steps:\n      - uses: a/b@main\n')],
    [`is not pinned: - uses: a/b@${HASH}`, workflow(`    steps:\n      - uses: a/b@${HASH}\n`)],
    ['is not pinned: - uses: ./here', workflow('    steps:\n      - uses: ./here\n')],
    ['is not pinned: - uses: docker://a:1', workflow('    steps:\n      - uses: docker://a:1\n')],
    ['is run with secrets by anybody: pull_request_target', workflow('    steps: []\n', 'pull_request_target')],
    [
      'has secrets in a pull request',
      workflow(
        '    environment: e\n    steps:\n      - env: { A: "${{ secrets.A }}" }\n        run: a\n',
        'pull_request',
      ),
    ],
    [
      'a has secrets outside of a protected environment',
      workflow('    steps:\n      - env: { A: "${{ secrets.A }}" }\n        run: a\n'),
    ],
    [
      'a has secrets and may write',
      workflow(
        '    environment: e\n    permissions: { contents: write }\n    steps:\n      - env: { A: "${{ secrets.A }}" }\n',
      ),
    ],
    [
      'a may write and runs more than it needs',
      workflow('    permissions: { contents: write }\n    steps:\n      - run: npm ci\n'),
    ],
    [
      'a signs beside other code',
      workflow('    steps:\n      - env: { FAREBOX_RELEASE_KEY: a }\n        run: npm ci\n'),
    ],
    ['a puts values into a command', workflow('    steps:\n      - run: echo ${{ github.head_ref }}\n')],
    ['a leaves a token in the clone', workflow(`    steps:\n      - uses: actions/checkout@${HASH} # v6.0.2\n`)],
    ['a has no time limit', workflow('    steps: []\n').replace(/ +timeout.*\n/, '')],
    ['a runs on another system tomorrow', workflow('    steps: []\n').replace('ubuntu-24.04', 'ubuntu-latest')],
  ])('finds that it %s', (sentence, text) => {
    expect(mistakes(text)).toEqual([sentence])
  })

  it('takes a workflow without permissions for one that may do everything', () => {
    const text = workflow('    steps:\n      - run: npm test\n').replace('permissions: { contents: read }\n', '')
    expect(mistakes(text)).toEqual(['a may write and runs more than it needs'])
  })
})

describe.skipIf(process.platform === 'win32')('the script that makes packages', () => {
  /** Runs it with an electron-builder that writes down what it was given. */
  function make(env: Readonly<Record<string, string>>): { readonly said: string; readonly status: number | null } {
    const folder = mkdtempSync(join(tmpdir(), 'farebox-packages-'))
    const probe = '#!/bin/sh\necho "$@"; env | grep -E "^(CSC|APPLE)" | sort; cat "$APPLE_API_KEY" 2>/dev/null; true\n'
    writeFileSync(join(folder, 'npx'), probe, { mode: 0o700 })
    const script = join(import.meta.dirname, 'release', 'package.sh')
    const PATH = `${folder}:${process.env['PATH'] ?? ''}`
    const { stdout, stderr, status } = spawnSync('bash', [script], { env: { PATH, ...env }, encoding: 'utf8' })
    rmSync(folder, { recursive: true, force: true })
    return { said: stdout + stderr, status }
  }

  const MAC = { TARGETS: '--mac dmg zip --arm64', CSC_LINK: '', APPLE_API_KEY: '' }

  it('hands over the targets and names that the feed can have', () => {
    const { said, status } = make({ TARGETS: '--linux AppImage deb --x64' })
    expect(said.split('\n')[0]).toBe(
      '--no electron-builder --publish never --linux AppImage deb --x64 -c.forceCodeSigning=false ' +
        '-c.artifactName=${productName}-${version}-${os}-${arch}.${ext}',
    )
    expect(status).toBe(0)
  })

  it('looks for no certificate where the project has none', () => {
    expect(make(MAC).said.split('\n').slice(1).filter(Boolean)).toEqual(['CSC_IDENTITY_AUTO_DISCOVERY=false'])
  })

  it('makes nothing unsigned in a release that says it is signed', () => {
    for (const TARGETS of [MAC.TARGETS, '--win nsis --x64']) {
      const { said, status } = make({ ...MAC, TARGETS, CODE_SIGNED: 'yes' })
      expect([status, said]).toEqual([1, expect.stringMatching(/the certificate for (macOS|Windows) is missing/)])
    }
    const nobody = make({ TARGETS: '--win nsis --x64', CSC_LINK: 'c', CODE_SIGNED: 'yes' })
    expect(nobody.said).toContain('the name on that certificate is missing')
  })

  it('gives Apple its key as a file, and forces the signature', () => {
    const { said } = make({ ...MAC, CSC_LINK: 'c', APPLE_API_KEY: 'the key', CODE_SIGNED: 'yes' })
    expect(said).toContain('-c.forceCodeSigning=true')
    expect(said.trimEnd().endsWith('the key')).toBe(true)
  })
})
