// Tools connected from the page, in a home folder of the test's own.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { claudeLine, writeLog } from '../scan/logs.ts'
import { openRow, seriousViolations, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { ADA } from '../support/dashboard-panels.ts'

const BEFORE = '\ufeff{\r\n\t// mine\r\n\t"model": "opus", "env": {"MY_TOKEN": "tok-secret-of-mine"},\r\n}\r\n'

let dashboard: Dashboard
let home: string
let settings: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'farebox-home-'))
  const bin = join(home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\necho "2.1.9 (Claude Code)"\n', { mode: 0o755 })
  settings = join(home, '.claude', 'settings.json')
  mkdirSync(dirname(settings))
  dashboard = await startDashboard({ tools: { home, env: { PATH: `${bin}:/usr/bin:/bin` } } })
  await dashboard.farebox.admin.call('addMember', { body: ADA })
})
afterAll(async () => {
  await dashboard.close()
  await rm(home, { recursive: true, force: true })
})
beforeEach(async () => {
  await dashboard.farebox.admin.call('disconnectTool', { id: 'claude-code', body: {} })
  writeFileSync(settings, BEFORE)
})

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })
const keyOf = (tool: string) => readFileSync(join(dashboard.farebox.dataDir, 'connections', tool, 'key'), 'utf8')

/** The drawer of a tool. */
async function openTool(page: Page, name: string) {
  await openRow(rowOf(page, name))
  return page.getByRole('dialog', { name, exact: true })
}

async function openConnect(page: Page, name: string) {
  const drawer = await openTool(page, name)
  await drawer.getByRole('button', { name: 'Connect', exact: true }).click()
  return page.getByRole('dialog', { name: `Connect ${name}` })
}

describe('Claude Code', () => {
  it('is connected with what was shown, seen by its first request, and disconnected to the byte', async () => {
    await dashboard.visit('/tools', async (page) => {
      await rowOf(page, 'Claude Code').getByText('2.1.9').waitFor()
      const dialog = await openConnect(page, 'Claude Code')
      await dialog.getByRole('button', { name: 'Preview changes' }).click()
      const changes = dialog.getByRole('region', { name: `Changes in ${settings}` })
      await changes.getByText(`"ANTHROPIC_BASE_URL": "${dashboard.farebox.url}"`).waitFor()
      expect(await changes.innerText()).not.toContain('tok-secret-of-mine')
      expect(readFileSync(settings, 'utf8')).toBe(BEFORE)

      await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
      await dialog.getByRole('status').getByText('Waiting for the first request of Claude Code').waitFor()
      const key = keyOf('claude-code')
      expect(readFileSync(settings, 'utf8')).toContain(dashboard.farebox.url)
      expect(await page.content()).not.toContain(key)

      await (await postChat({ url: dashboard.farebox.url, key }, { model: 'demo-chat' })).text()
      await dialog.getByText('The first request of Claude Code has arrived').waitFor({ timeout: 2000 })
      await dialog.getByRole('button', { name: 'Done' }).click()

      const drawer = page.getByRole('dialog', { name: 'Claude Code', exact: true })
      await drawer.getByText('env.ANTHROPIC_BASE_URL').waitFor()
      await drawer.getByRole('button', { name: 'Disconnect' }).click()
      const back = page.getByRole('dialog', { name: 'Disconnect Claude Code' })
      await back.getByRole('region', { name: `Changes in ${settings}` }).waitFor()
      await back.getByText('Key “claude-code” is suspended').waitFor()
      await back.getByRole('button', { name: 'Disconnect' }).click()
      await page.getByText('Claude Code disconnected.').first().waitFor()
      expect(readFileSync(settings, 'utf8')).toBe(BEFORE)
      await drawer.getByRole('button', { name: 'Connect', exact: true }).waitFor()
    })
  })

  it('is looked at anew where its file changed since the preview', async () => {
    await dashboard.visit('/tools', async (page) => {
      const dialog = await openConnect(page, 'Claude Code')
      await dialog.getByRole('button', { name: 'Preview changes' }).click()
      await dialog.getByRole('group', { name: 'Changes' }).waitFor()
      writeFileSync(settings, '{"theirs": true}\n')
      await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
      await dialog.getByRole('alert').getByText('has changed meanwhile').waitFor()
      expect(readFileSync(settings, 'utf8')).toBe('{"theirs": true}\n')
      await dialog.getByRole('button', { name: 'Preview changes' }).click()
      await dialog.getByText('-{"theirs": true}').waitFor()
      await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
      await dialog.getByRole('status').waitFor()
      expect(JSON.parse(readFileSync(settings, 'utf8'))).toMatchObject({ theirs: true, env: {} })
    })
  })

  it('has another preview for another model, and says which members somebody changed since', async () => {
    await dashboard.visit('/tools', async (page) => {
      const dialog = await openConnect(page, 'Claude Code')
      await dialog.getByRole('button', { name: 'Preview changes' }).click()
      await dialog.getByRole('group', { name: 'Changes' }).waitFor()
      await dialog.getByLabel('Model', { exact: true }).selectOption('demo-chat')
      await dialog.getByRole('group', { name: 'Changes' }).waitFor({ state: 'detached' })
      await dialog.getByLabel('Project', { exact: true }).fill('website')
      await dialog.getByLabel('Tags', { exact: true }).fill('night, ci')
      await dialog.getByLabel('Package', { exact: true }).selectOption({ index: 1 })
      await dialog.getByRole('button', { name: 'Preview changes' }).click()
      await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
      await dialog.getByRole('button', { name: 'Done' }).click()
      const key = await dashboard.farebox.admin.call('showKey', { id: 'claude-code' })
      expect(key).toMatchObject({ project: 'website', tags: ['ci', 'night'] })

      const written = readFileSync(settings, 'utf8')
      writeFileSync(settings, written.replace(dashboard.farebox.url, 'https://elsewhere.example'))
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
      const back = page.getByRole('dialog', { name: 'Disconnect Claude Code' })
      await back.getByText(`${settings}: env.ANTHROPIC_BASE_URL`).waitFor()
      await back.getByRole('button', { name: 'Disconnect' }).click()
      await page.getByText('Claude Code disconnected.').first().waitFor()
      expect(readFileSync(settings, 'utf8')).toContain('https://elsewhere.example')
    })
  })

  it('that cannot be edited says why, and is not touched', async () => {
    writeFileSync(settings, '{ no json')
    await dashboard.visit('/tools', async (page) => {
      const dialog = await openConnect(page, 'Claude Code')
      await dialog.getByRole('button', { name: 'Preview changes' }).click()
      await dialog.getByRole('alert').getByText(`${settings} stays as it is.`).waitFor()
      expect(await dialog.getByRole('button', { name: 'Connect', exact: true }).count()).toBe(0)
    })
    expect(readFileSync(settings, 'utf8')).toBe('{ no json')
  })
})

it('the first run ends with a tool that is connected and was seen', async () => {
  await dashboard.visit('/first-run?step=connect', async (page) => {
    const found = page.getByRole('region', { name: 'Tools on this machine' })
    await found.getByRole('button', { name: 'Connect Claude Code' }).click()
    const dialog = page.getByRole('dialog', { name: 'Connect Claude Code' })
    await dialog.getByRole('button', { name: 'Preview changes' }).click()
    await dialog.getByRole('region', { name: `Changes in ${settings}` }).waitFor()
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await dialog.getByRole('status').getByText('Waiting for the first request of Claude Code').waitFor()
    expect(await found.getByRole('link', { name: 'Go to the overview' }).count()).toBe(0)
    const target = { url: dashboard.farebox.url, key: keyOf('claude-code') }
    await (await postChat(target, { model: 'demo-chat' })).text()
    await dialog.getByText('The first request of Claude Code has arrived').waitFor({ timeout: 2000 })
    await dialog.getByRole('button', { name: 'Done' }).click()
    await found.getByText('connected', { exact: true }).waitFor()
    await found.getByRole('link', { name: 'Go to the overview' }).click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  })
})

it('a tool that only its user can set up gets a key, and the lines with it', async () => {
  await dashboard.visit('/tools?open=jetbrains', async (page) => {
    await page.getByRole('dialog').getByRole('button', { name: 'Create a key and show the lines' }).click()
    const dialog = page.getByRole('dialog', { name: 'Connect JetBrains AI Assistant' })
    await dialog.getByRole('button', { name: 'Create a key and show the lines' }).click()
    const lines = dialog.getByRole('region', { name: 'Lines' })
    await lines.waitFor()
    await lines.getByText(`API key: ${keyOf('jetbrains')}`).waitFor()
    await lines.getByText(`URL: ${dashboard.farebox.url}/v1`).waitFor()
  })
})

it('a tool that can be launched has the command for it, and one that cannot be connected says why', async () => {
  await dashboard.visit('/tools?open=goose', async (page) => {
    const drawer = page.getByRole('dialog', { name: 'Goose' })
    expect(await drawer.getByRole('region', { name: 'Terminal' }).innerText()).toMatch(/ launch goose$/)
    expect(await drawer.getByRole('button', { name: 'Connect' }).count()).toBe(0)
  })
  await dashboard.visit('/tools?open=cursor', async (page) => {
    await page.getByRole('dialog').getByText('Cursor sends every request from its own servers').waitFor()
  })
})

it('is for administrators alone', async () => {
  await dashboard.visit(
    '/tools',
    async (page) => {
      await page.waitForURL('**/app/overview')
      expect(await page.getByRole('link', { name: 'Tools' }).count()).toBe(0)
    },
    { member: ADA },
  )
})

it('says that no tool is installed where there is none', async () => {
  await dashboard.visit('/overview', async (page) => {
    await page.route('**/api/tools', async (route) => {
      const answer = await route.fetch()
      const tools = (await answer.json()) as readonly object[]
      await route.fulfill({ json: tools.map((tool) => ({ ...tool, installed: false, state: 'none' })) })
    })
    await page.getByRole('link', { name: 'Tools' }).click()
    await page.getByText('None of these tools is installed').waitFor()
  })
})

describe('what the tools used by their own logs', () => {
  const logs = (count: number) =>
    writeLog(
      home,
      '.claude/projects/p/a.jsonl',
      Array.from({ length: count }, (_, index) =>
        claudeLine(
          { id: `m${index}`, at: new Date(Date.now() - 3_600_000).toISOString(), cwd: `/home/ada/shop${index % 2}` },
          { input: 1_000_000, output: 100_000 },
        ),
      ),
    )

  it('is read when somebody asks for it, and added up by model, day, project and tool', async () => {
    logs(3)
    await dashboard.visit('/tools', async (page) => {
      const card = page.getByRole('region', { name: 'Not through Farebox' })
      await card.getByLabel('Time range').selectOption('7')
      await card.getByRole('button', { name: 'Read logs' }).click()
      const table = card.getByRole('table', { name: 'What the tools used' })
      await table.getByText('claude-opus-4-6').waitFor()
      await card.getByText('22.50', { exact: true }).first().waitFor()
      await card.getByRole('radio', { name: 'Project' }).click()
      expect(await table.getByRole('row').allInnerTexts()).toEqual([
        expect.stringMatching(/^Project/) as string,
        expect.stringMatching(/^shop0\s+2\s.*15\.00$/s) as string,
        expect.stringMatching(/^shop1\s+1\s.*7\.50$/s) as string,
      ])
      expect(await page.content()).not.toContain('A secret sentence')
      expect(await seriousViolations(page)).toEqual([])
    })
  })

  it('can be stopped, and says so', async () => {
    await dashboard.visit('/tools', async (page) => {
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      await page.route('**/api/tools/scan?*', async (route) => {
        await held
        await route.continue()
      })
      const card = page.getByRole('region', { name: 'Not through Farebox' })
      await card.getByRole('button', { name: 'Read logs' }).click()
      await card.getByRole('status').getByText('Reading the logs').waitFor()
      const stopped = page.waitForResponse((response) => response.request().method() === 'DELETE')
      await card.getByRole('button', { name: 'Stop' }).click()
      expect((await stopped).status()).toBe(200)
      release()
      await card.getByRole('button', { name: 'Read again' }).waitFor()
    })
  })
})
