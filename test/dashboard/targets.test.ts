// The targets of a model in the dashboard, against a real Farebox and two scripted providers: what is put into an order is asked in it.

import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { openRow, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { chatModel } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

let dashboard: Dashboard
let main: Upstream
let spare: Upstream
beforeAll(async () => {
  ;[dashboard, main, spare] = await Promise.all([startDashboard(), startUpstream(), startUpstream()])
  const { call } = dashboard.farebox.admin
  for (const [name, { url }] of [['main', main] as const, ['spare', spare] as const]) {
    await call('addProvider', { body: { name, dialect: 'chat-completions', base_url: url, network: 'local' } })
  }
})
afterAll(async () => {
  await dashboard.close()
  await Promise.all([main.close(), spare.close()])
})
beforeEach(() => {
  main.forget()
  spare.forget()
})

type Targets = NonNullable<Parameters<typeof chatModel>[1]>['targets']
const add = (id: string, targets: Targets = [{ provider: 'main', model: id }]) =>
  dashboard.farebox.admin.call('addModel', { body: chatModel(id, targets === undefined ? {} : { targets }) })
const show = async (id: string) =>
  (await dashboard.farebox.admin.call('listModels', {})).find((model) => model.id === id)
const rowOf = (page: Page, id: string) => page.getByRole('row').filter({ hasText: id })

async function call(model: string): Promise<number> {
  const answer = await postChat({ url: dashboard.farebox.url, key: dashboard.key }, { model })
  await answer.text()
  return answer.status
}

async function targetsOf(page: Page, id: string): Promise<Locator> {
  await rowOf(page, id)
    .getByRole('button', { name: `Actions for ${id}` })
    .click()
  await page.getByRole('menuitem', { name: 'Change targets' }).click()
  return page.getByRole('dialog', { name: `Targets of ${id}` })
}

async function save(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

describe('the targets of a model', () => {
  const targets = [
    { provider: 'main', model: 'first' },
    { provider: 'spare', model: 'second', priority: 1 },
    { provider: 'main', model: 'third', priority: 2 },
  ]
  const namesIn = (dialog: Locator) =>
    dialog.getByLabel('Name at the provider').evaluateAll((all) => all.map((one) => String(Reflect.get(one, 'value'))))
  const orderOf = async (id: string) =>
    (await show(id))?.targets.toSorted((left, right) => left.priority - right.priority).map(({ model }) => model)

  it('are put into another order by keyboard, said aloud, and asked in that order', async () => {
    await add('by-keyboard', targets)
    await dashboard.visit('/models', async (page) => {
      const dialog = await targetsOf(page, 'by-keyboard')
      expect(await namesIn(dialog)).toEqual(['first', 'second', 'third'])
      await dialog.getByRole('button', { name: 'Move the target at spare', exact: true }).focus()
      await page.keyboard.press('Space')
      await page.getByText('The target at spare is lifted from place 2.').waitFor({ state: 'attached' })
      await page.keyboard.press('ArrowUp')
      await page.getByText('The target at spare is over place 1.').waitFor({ state: 'attached' })
      await page.keyboard.press('Space')
      await expect.poll(() => namesIn(dialog)).toEqual(['second', 'first', 'third'])
      await save(dialog)
    })
    expect(await orderOf('by-keyboard')).toEqual(['second', 'first', 'third'])
    expect(await call('by-keyboard')).toBe(200)
    expect([main.requests.length, spare.requests.length]).toEqual([0, 1])
  })

  it('stay where they were when Escape ends the move, and the dialog stays open', async () => {
    await add('escaped', targets)
    await dashboard.visit('/models', async (page) => {
      const dialog = await targetsOf(page, 'escaped')
      await dialog.getByRole('button', { name: 'Move the target at spare', exact: true }).focus()
      await page.keyboard.press('Space')
      await page.getByText('The target at spare is lifted from place 2.').waitFor({ state: 'attached' })
      await page.keyboard.press('ArrowDown')
      await page.getByText('The target at spare is over place 3.').waitFor({ state: 'attached' })
      await page.keyboard.press('Escape')
      await page.getByText('The target at spare is back where it was.').waitFor({ state: 'attached' })
      expect(await namesIn(dialog)).toEqual(['first', 'second', 'third'])
    })
  })

  it('are put into another order by dragging', async () => {
    await add('by-drag', targets)
    await dashboard.visit('/models', async (page) => {
      const dialog = await targetsOf(page, 'by-drag')
      const handles = dialog.getByRole('button', { name: /^Move the target/ })
      const [from, to] = [await handles.nth(2).boundingBox(), await handles.nth(0).boundingBox()]
      if (from === null || to === null) throw new Error('the handles are not to be seen')
      await page.mouse.move(from.x + 8, from.y + 8)
      await page.mouse.down()
      await page.mouse.move(from.x + 8, from.y - 20, { steps: 3 })
      await page.mouse.move(to.x + 8, to.y, { steps: 5 })
      await page.getByText('is over place 1.').waitFor({ state: 'attached' })
      await page.mouse.up()
      await expect.poll(() => namesIn(dialog)).toEqual(['third', 'first', 'second'])
      await save(dialog)
    })
    expect(await orderOf('by-drag')).toEqual(['third', 'first', 'second'])
  })

  it('share a place by weight, are added and removed, and say at which of them the server stumbles', async () => {
    await add('sharing')
    await dashboard.visit('/models', async (page) => {
      const dialog = await targetsOf(page, 'sharing')
      const places = dialog.getByRole('listitem')
      expect(await dialog.getByRole('button', { name: 'Remove the target at main' }).isDisabled()).toBe(true)
      await dialog.getByRole('button', { name: 'Add a target' }).click()
      expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
      await places.nth(1).getByLabel('Provider', { exact: true }).selectOption('spare')
      await places.nth(1).getByLabel('Name at the provider').fill('sharing')
      await places.nth(1).getByLabel('Same priority as the one above').click()
      await places.nth(1).getByLabel('Weight').fill('3')
      await places.nth(1).getByText('takes 75').waitFor()
      await page.route('**/api/models/sharing', (route) =>
        route.fulfill({
          status: 400,
          json: { error: { message: "There is no provider 'spare'.", code: 400, param: 'targets.1.provider' } },
        }),
      )
      await dialog.getByRole('button', { name: 'Save' }).click()
      await places.nth(1).getByRole('alert').getByText("There is no provider 'spare'.").waitFor()
      await page.unroute('**/api/models/sharing')
      await save(dialog)
    })
    expect((await show('sharing'))?.targets).toMatchObject([
      { provider: 'main', priority: 0, weight: 1 },
      { provider: 'spare', priority: 0, weight: 3 },
    ])
  })

  it('show in the list and in the drawer when one is not well', async () => {
    await add('ailing', targets.slice(0, 2))
    main.script({ type: 'status', status: 503 })
    for (let count = 0; count < 6; count += 1) expect(await call('ailing')).toBe(200)
    await dashboard.visit('/models', async (page) => {
      await rowOf(page, 'ailing')
        .getByText(/^(Paused|Retrying|Cooling)/)
        .waitFor()
      await openRow(rowOf(page, 'ailing'))
      await page.getByRole('dialog', { name: 'ailing' }).getByText('(503)').waitFor()
    })
  })
})
