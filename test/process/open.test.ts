// The way into the dashboard, as people take it: `farebox open` in a real browser.

import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { needs } from '../requirements.ts'
import { launchBrowser } from '../support/browser.ts'
import { trySignIn } from '../support/visitor.ts'
import { endProcesses, farebox, startProcess, temporaryFolder } from '../support/process.ts'

afterEach(endProcesses)

/** A folder with an `xdg-open` that notes what it is to open, and how it ends. */
async function fakeOpener(folder: string, exitCode: number): Promise<Record<string, string>> {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\nprintf %s "$*" > ${join(folder, 'opened')}\nexit ${exitCode}\n`)
  await chmod(join(bin, 'xdg-open'), 0o755)
  return { PATH: `${bin}:/usr/bin:/bin`, DISPLAY: ':99' }
}

const pagesIn = async (dataDir: string) => (await readdir(dataDir)).filter((name) => name.startsWith('open-'))

describe('farebox open', { timeout: 120_000 }, () => {
  it(
    'brings a browser to the dashboard, signed in, by a file that only its user can read',
    needs('chromium'),
    async () => {
      const folder = await temporaryFolder()
      const dataDir = join(folder, 'data')
      const program = await startProcess({ dataDir })
      const opened = await farebox(['open'], { dataDir, env: await fakeOpener(folder, 0) })
      expect(opened).toMatchObject({ code: 0, stderr: '' })
      expect(opened.stdout).not.toContain('ticket')
      const file = await readFile(join(folder, 'opened'), 'utf8')
      expect(await pagesIn(dataDir)).toEqual([file.split('/').at(-1)])
      expect((await stat(file)).mode & 0o777).toBe(0o600)

      const browser = await launchBrowser()
      try {
        const page = await browser.newPage()
        const signedIn = page.waitForResponse((answer) => answer.url().endsWith('/api/session'))
        await page.goto(`file://${file}`)
        expect((await signedIn).status()).toBe(200)
        await page.waitForURL(`${program.url}/app/**`)
        expect(page.url()).not.toContain('ticket')
        const [cookie] = await page.context().cookies()
        expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/', expires: -1 })
      } finally {
        await browser.close()
      }
      await program.stop()
      expect(await pagesIn(dataDir)).toEqual([])
    },
  )

  it.each([
    ['there is no screen', {}],
    ['the opener finds no browser', { exitCode: 3 }],
  ])('prints the address where %s', async (_why, { exitCode }: { exitCode?: number }) => {
    const folder = await temporaryFolder()
    const dataDir = join(folder, 'data')
    const program = await startProcess({ dataDir })
    const env = exitCode === undefined ? { DISPLAY: '', WAYLAND_DISPLAY: '' } : await fakeOpener(folder, exitCode)
    const { code, stdout } = await farebox(['open'], { dataDir, env })
    expect(code).toBe(0)
    const [, ticket = ''] = /#ticket=([\w-]{43})$/m.exec(stdout) ?? []
    expect((await trySignIn(program, { ticket })).status).toBe(200)
  })

  it('prints it when it is asked to, also as JSON', async () => {
    const dataDir = join(await temporaryFolder(), 'data')
    const program = await startProcess({ dataDir })
    const text = await farebox(['open', '--print'], { dataDir })
    expect(text.stdout).toMatch(new RegExp(`^${program.url}/#ticket=[\\w-]{43}\n$`))
    const json = await farebox(['open', '--print', '--json'], { dataDir })
    expect(JSON.parse(json.stdout)).toMatchObject({ url: expect.stringContaining('#ticket=') as string })
    await program.stop()
    const stopped = await farebox(['open'], { dataDir })
    expect([stopped.code, stopped.stdout]).toEqual([1, expect.stringContaining('farebox start')])
  })
})

describe('the line that says that Farebox is ready', { timeout: 60_000 }, () => {
  it('has the address of the dashboard, with a ticket that is good once', async () => {
    const program = await startProcess({ dataDir: join(await temporaryFolder(), 'data') })
    const { dashboard } = JSON.parse(program.stdout().split('\n')[0] ?? '') as { dashboard: string }
    expect(dashboard).toMatch(new RegExp(`^${program.url}/#ticket=[\\w-]{43}$`))
    const ticket = dashboard.split('=')[1] ?? ''
    expect((await trySignIn(program, { ticket })).status).toBe(200)
    expect((await trySignIn(program, { ticket })).status).toBe(401)
  })
})
