// Starting Farebox as its users do: what it prints, what it leaves on disk, and what it says when it cannot start.

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDataDir } from '#store/lock.ts'
import { balanceOf, postChat } from '../support/chat.ts'
import { endProcesses, farebox, launch, startProcess, temporaryFolder } from '../support/process.ts'

let folder: string
let dataDir: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder, 'data')
})

afterEach(endProcesses)

/** A start that is expected to fail. */
function failedStart(...flags: string[]) {
  return farebox(['start', '--headless', '--json', '--port', '0', ...flags], { dataDir })
}

describe('a start with --json', () => {
  it('prints exactly one line, which says where it listens, as which process, and the first key', async () => {
    const program = await startProcess({ dataDir })
    await program.stop()
    const [line = '', ...rest] = program.stdout().split('\n')
    expect(rest).toEqual([''])
    expect(JSON.parse(line)).toEqual({
      event: 'listening',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[0-9]+$/) as string,
      dashboard: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[0-9]+\/#ticket=[\w-]{43}$/) as string,
      pid: program.pid,
      first_key: expect.stringMatching(/^key_[0-9A-Za-z]{38}$/) as string,
    })
    expect(program.stderr()).toBe('')
  })

  it('says where it is in the instance file, which only its user can read', async () => {
    const { url, pid } = await startProcess({ dataDir })
    const path = join(dataDir, 'instance.json')
    const token: unknown = expect.stringMatching(/^[\w-]{43}$/)
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ url, pid, token })
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600')
  })

  it('answers by the name localhost, and by no foreign name', async () => {
    const { port } = new URL((await startProcess({ dataDir })).url)
    const statusFor = async (host: string) => {
      const asked = request({ host: '127.0.0.1', port, path: '/health', headers: { host } }).end()
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode
    }
    expect(await statusFor(`localhost:${port}`)).toBe(200)
    expect(await statusFor(`127.0.0.1:${port}`)).toBe(200)
    expect(await statusFor(`farebox.example:${port}`)).toBe(403)
    expect(await statusFor('localhost')).toBe(403)
  })
})

describe('the first start', () => {
  it('makes a key that works, and no later start prints it or another one', async () => {
    const first = await startProcess({ dataDir })
    const key = first.firstKey ?? ''
    const answer = await postChat({ url: first.url, key }, { model: 'demo-chat' })
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('You said: Hi')])
    await first.stop()
    const second = await startProcess({ dataDir })
    expect(second.firstKey).toBeUndefined()
    expect(second.stdout() + second.stderr()).not.toContain(key)
    expect(await balanceOf({ url: second.url, key })).toMatchObject({ key_name: 'first', total_requests: 1 })
  })

  it('does not spend the first key on a start that fails because its port is taken', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const { port } = blocker.address() as AddressInfo
    expect(await failedStart('--port', String(port))).toMatchObject({ code: 1, stdout: '' })
    blocker.close()
    expect((await startProcess({ dataDir })).firstKey).toMatch(/^key_/)
  })

  it('keeps everything it writes from other users, whatever the umask is', async () => {
    const umask = process.umask(0)
    try {
      const program = await startProcess({ dataDir })
      const secret = { env: { SECRET: 'sk-mode-test' }, dataDir }
      const provider = ['provider', 'add', 'p', '--dialect', 'chat-completions', '--base-url', 'http://127.0.0.1:9/v1']
      expect((await farebox([...provider, '--secret-env', 'SECRET'], secret)).code).toBe(0)
      await postChat({ url: program.url, key: program.firstKey ?? '' }, { model: 'demo-chat' })
      const names = (await readdir(dataDir, { recursive: true })).toSorted()
      expect(names).toEqual(expect.arrayContaining(['farebox.db', 'farebox.db-wal', 'farebox.lock', 'instance.json']))
      const modes = await Promise.all(
        ['.', ...names].map(async (name) => [name, (await stat(join(dataDir, name))).mode & 0o077] as const),
      )
      expect(modes.filter(([, others]) => others !== 0)).toEqual([])
    } finally {
      process.umask(umask)
    }
  })

  it('protects what it writes in a folder that others may look into', async () => {
    await mkdir(dataDir)
    await chmod(dataDir, 0o755)
    await startProcess({ dataDir })
    const modes = await Promise.all(
      (await readdir(dataDir)).map(async (name) => [name, (await stat(join(dataDir, name))).mode & 0o077] as const),
    )
    expect(modes.filter(([, others]) => others !== 0)).toEqual([])
  })
})

describe('a start for people', () => {
  it('says in words where it listens, and gives an example that works', async () => {
    const program = await launch(['start', '--headless', '--port', '0'], { dataDir })
    const text = await program.printed(/\/v1\/balance.*\n/)
    expect(text).toMatch(/^Farebox listens on http:\/\/127\.0\.0\.1:[0-9]+\. Data: /)
    const [, url = '', key = ''] = /curl (\S+)\/v1\/chat\/completions -H "Authorization: Bearer (\S+)"/.exec(text) ?? []
    const [, body = ''] = /-d '(.*)'/.exec(text) ?? []
    const answer = await postChat({ url, key }, JSON.parse(body) as object)
    expect(await answer.json()).toMatchObject({ model: 'demo-chat', choices: [{ finish_reason: 'stop' }] })
  })

  it('says why it has no tray icon where it was not asked to have none', async () => {
    const program = await launch(['start', '--port', '0'], { dataDir })
    expect(await program.printed(/\n/)).toMatch(
      /^Farebox listens on \S+ without a tray icon: there is no display\. Data: /,
    )
  })
})

describe('a start that cannot be', () => {
  it('says that a Farebox runs on the folder already, and leaves that one alone', async () => {
    const running = await startProcess({ dataDir })
    const second = await failedStart()
    expect(second).toMatchObject({ code: 1, stdout: '' })
    const where = `It listens on ${running.url} as process ${running.pid}.`
    expect(second.stderr).toBe(`Farebox could not start: Another Farebox is using this data folder. ${where}\n`)
    expect((await running.admin.call('status', {})).pid).toBe(running.pid)
    expect(existsSync(join(dataDir, 'instance.json'))).toBe(true)
  })

  it('does not believe a note that was left in a folder whose lock is held', async () => {
    const other = await startProcess({ dataDir: join(folder, 'other') })
    await mkdir(dataDir, { mode: 0o700 })
    const note = { url: other.url, pid: other.pid, token: 'of-a-dead-one' }
    await writeFile(join(dataDir, 'instance.json'), JSON.stringify(note), { mode: 0o600 })
    const lock = lockDataDir(dataDir)
    try {
      const { stderr } = await failedStart()
      expect(stderr).toBe('Farebox could not start: Another Farebox is using this data folder.\n')
    } finally {
      lock.release()
    }
  })

  it('names the Farebox that has the port, and can be started elsewhere afterwards', async () => {
    const { url } = await startProcess({ dataDir: join(folder, 'other') })
    const { port } = new URL(url)
    const second = await failedStart('--port', port)
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toMatch(
      new RegExp(`^Port ${port} is taken by another Farebox \\(version [0-9.]+\\)\\. .*--port\\.\n$`),
    )
    expect(existsSync(join(dataDir, 'instance.json'))).toBe(false)
    await startProcess({ dataDir })
  })

  it('says what a flag takes', async () => {
    const { code, stdout, stderr } = await failedStart('--port', 'eighty')
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: "--port must be a whole number from 0 to 65535, but is 'eighty'.\n",
    })
    expect(existsSync(dataDir)).toBe(false)
  })
})

describe('--config', () => {
  const WRONG_SHAPE = [
    'providers:',
    '  - name: openai',
    '    dialect: chat-completion',
    '    base_url: https://api.openai.com/v1',
  ]
  const WRONG_REFERENCE = [
    'models:',
    '  - id: gpt',
    '    context_window: 1000',
    '    max_output_tokens: 100',
    '    targets:',
    '      - { provider: nobody, model: gpt }',
  ]

  it.each([
    ['a value that is not one', WRONG_SHAPE, ':3:', 'providers.0.dialect'],
    ['a provider that does not exist', WRONG_REFERENCE, ':6:', 'targets.0.provider'],
  ])('with %s names the line and the field, and nothing starts', async (_name, lines, place, field) => {
    const config = join(folder, 'farebox.yaml')
    await writeFile(config, lines.join('\n'))
    const { code, stdout, stderr } = await failedStart('--config', config)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(config + place)
    expect(stderr).toContain(field)
    expect(existsSync(join(dataDir, 'instance.json'))).toBe(false)
    await writeFile(config, 'packages: [{ name: mine, type: topup, credits: 1 }]')
    const { admin } = await startProcess({ dataDir, config })
    expect((await admin.call('listPackages', {})).map(({ name }) => name)).toEqual(['mine'])
  })

  it('is applied before the gateway is ready, in place of the demo, and again at each start', async () => {
    const config = join(folder, 'farebox.yaml')
    await writeFile(config, 'packages: [{ name: mine, type: topup, credits: 1 }]')
    const first = await startProcess({ dataDir, config })
    expect(first.firstKey).toBeUndefined()
    expect(await first.admin.call('listProviders', {})).toEqual([])
    await first.stop()
    expect(first.stdout().split('\n')).toHaveLength(2)
    await writeFile(config, 'packages: [{ name: mine, type: topup, credits: 2 }]')
    const second = await startProcess({ dataDir, config })
    expect(await second.admin.call('listPackages', {})).toMatchObject([{ name: 'mine', credits: 2 }])
  })
})
