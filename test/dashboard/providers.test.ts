// The page of providers, against a real Farebox and servers on this machine: how one is added, tested, limited and removed, and where
// its secret is to be seen, which is nowhere.

import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadPriceCard } from '#catalog/resources.ts'
import { postChat } from '../support/chat.ts'
import { openRow, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { ADA } from '../support/dashboard-panels.ts'
import { chatModel } from '../support/farebox.ts'
import { ollama } from '../support/local-servers.ts'
import { closeServers, freePort, serveHttp } from '../support/small-servers.ts'
import { plainList } from '../support/upstream-models.ts'
import { startTokenEndpoint } from '../support/token-endpoint.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const SECRET = 'sk-a-secret-of-this-test'

let dashboard: Dashboard
let upstream: Upstream
beforeAll(async () => {
  ;[dashboard, upstream] = await Promise.all([startDashboard(), startUpstream()])
  await dashboard.farebox.admin.call('addMember', { body: ADA })
})
afterAll(async () => {
  await dashboard.close()
  await upstream.close()
  await closeServers()
})
beforeEach(() => {
  upstream.forget()
})

type Addition = { readonly preset?: string; readonly secret?: string; readonly limits?: object; readonly url?: string }
const add = (name: string, { url = upstream.url, ...more }: Addition = {}) =>
  dashboard.farebox.admin.call('addProvider', {
    body: { name, dialect: 'chat-completions', base_url: url, network: 'local', ...more },
  })
const show = async (name: string) =>
  (await dashboard.farebox.admin.call('listProviders', {})).find((provider) => provider.name === name)
const modelIds = async () => (await dashboard.farebox.admin.call('listModels', {})).map(({ id }) => id)
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const drawerOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

/** Lists its models to whoever shows the secret. */
const guarded = (secret: string) =>
  upstream.script((request) => {
    if (request.headers.authorization !== `Bearer ${secret}`) return { type: 'status', status: 401 }
    const list = plainList('tiny-model')
    return typeof list === 'function' ? list(request) : list
  })

async function choose(page: Page, name: string, action: string): Promise<Locator> {
  await rowOf(page, name)
    .getByRole('button', { name: `Actions for ${name}` })
    .click()
  await page.getByRole('menuitem', { name: action }).click()
  return page.getByRole('dialog').or(page.getByRole('alertdialog'))
}

async function saved(dialog: Locator, action: string): Promise<void> {
  await dialog.getByRole('button', { name: action, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Fails where a secret is to be seen in the page, its storage, its address or what the API says of providers. */
async function isNowhere(page: Page, secret: string): Promise<void> {
  const fields = 'JSON.stringify([...document.querySelectorAll("input, textarea")].map((field) => field.value))'
  const stored = 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state])'
  const places = [await page.content(), await page.evaluate(fields), await page.evaluate(stored)]
  for (const place of [...places, decodeURIComponent(page.url())]) expect(String(place)).not.toContain(secret)
  expect(JSON.stringify(await dashboard.farebox.admin.call('listProviders', {}))).not.toContain(secret)
  expect(dashboard.farebox.log.join('\n')).not.toContain(secret)
}

describe('a new provider', () => {
  it('of no preset may be on this machine, with nothing said but its address', async () => {
    await dashboard.visit('/providers', async (page) => {
      await page.getByRole('button', { name: 'Add a provider' }).first().click()
      await page.getByRole('button', { name: /^Another provider/ }).click()
      const dialog = page.getByRole('dialog', { name: 'Add Another provider' })
      const network = dialog.getByLabel('Network')
      await dialog.getByLabel('Name', { exact: true }).fill('on-this-machine')
      await dialog.getByLabel('Base URL').fill('https://api.example.com/v1')
      expect(await network.inputValue()).toBe('public')
      await dialog.getByLabel('Base URL').fill(upstream.url)
      expect(await network.inputValue()).toBe('local')
      // Where somebody says where it is, that holds.
      await network.selectOption('public')
      await dialog.getByLabel('Base URL').fill(`${upstream.url}/v1`)
      expect(await network.inputValue()).toBe('public')
      await network.selectOption('local')
      await saved(dialog, 'Add a provider')
    })
    expect(await show('on-this-machine')).toMatchObject({ network: 'local', base_url: `${upstream.url}/v1` })
  })

  it('comes from a preset with its secret, which is used and never seen again', async () => {
    guarded(SECRET)
    await dashboard.visit('/providers', async (page) => {
      const told: string[] = []
      page.on(
        'response',
        (response) =>
          void response.text().then(
            (text) => told.push(text),
            () => undefined,
          ),
      )
      await page.getByRole('button', { name: 'Add a provider' }).first().click()
      await page.getByLabel('Search providers to add').fill('vllm')
      await page.getByRole('dialog').getByRole('listitem').getByRole('button').click()
      const dialog = page.getByRole('dialog', { name: 'Add vLLM' })
      expect(await dialog.getByLabel('Name').inputValue()).toBe('vllm')
      await dialog.getByLabel('Base URL').fill(upstream.url)
      await dialog.getByLabel('Secret').fill(SECRET)
      expect(await dialog.getByLabel('Secret').getAttribute('type')).toBe('password')
      await saved(dialog, 'Add a provider')
      const drawer = drawerOf(page, 'vllm')
      await drawer.getByText('It is stored, and never shown again.').waitFor()
      await drawer.getByRole('button', { name: 'Test the connection' }).click()
      await drawer.getByRole('status').getByText('It works').waitFor()
      await drawer.getByText('It answers and accepts the secret.').waitFor()
      await isNowhere(page, SECRET)
      await page.reload()
      await drawer.getByText('It is stored, and never shown again.').waitFor()
      await isNowhere(page, SECRET)
      expect(told.join('\n')).toContain('vllm')
      expect(told.join('\n')).not.toContain(SECRET)
    })
    expect(await show('vllm')).toMatchObject({ preset: 'vllm', base_url: upstream.url, secret_state: 'stored' })
    expect(upstream.requests.some(({ headers }) => headers.authorization === `Bearer ${SECRET}`)).toBe(true)
  })

  it('may be given the parts of an application, or the key file of a service account', async () => {
    const endpoint = await startTokenEndpoint()
    const entra = JSON.parse(endpoint.entraClient) as Record<'tenant_id' | 'client_id' | 'client_secret', string>
    await dashboard.visit('/providers', async (page) => {
      const open = async (preset: RegExp, name: string) => {
        await page.getByRole('button', { name: 'Add a provider' }).first().click()
        await page.getByRole('button', { name: preset }).click()
        const dialog = page.getByRole('dialog', { name })
        await dialog.getByLabel('Base URL').fill(upstream.url)
        await dialog.getByLabel('Network').selectOption('local')
        return dialog
      }
      const azure = await open(/^Azure OpenAI/, 'Add Azure OpenAI')
      await azure.getByLabel('Given as').selectOption('entra_client')
      await azure.getByLabel('Tenant id').fill(entra.tenant_id)
      await azure.getByLabel('Client id').fill(entra.client_id)
      expect(await azure.getByRole('button', { name: 'Add a provider' }).isDisabled()).toBe(true)
      expect(await azure.getByLabel('Client secret').getAttribute('type')).toBe('password')
      await azure.getByLabel('Client secret').fill(entra.client_secret)
      await saved(azure, 'Add a provider')
      await drawerOf(page, 'azure-openai').getByText('It is stored, and never shown again.').waitFor()
      await isNowhere(page, entra.client_secret)
      await page.keyboard.press('Escape')
      const vertex = await open(/^Claude on Vertex AI/, 'Add Claude on Vertex AI')
      const file = { name: 'key.json', mimeType: 'application/json' }
      await vertex.getByLabel('Key file').setInputFiles({ ...file, buffer: Buffer.from('{"type":"authorized_user"}') })
      await vertex.getByRole('button', { name: 'Add a provider' }).click()
      await vertex.getByRole('alert').getByText("its 'type' must be").waitFor()
      await vertex.getByLabel('Key file').setInputFiles({ ...file, buffer: Buffer.from(endpoint.serviceAccount) })
      await saved(vertex, 'Add a provider')
      await isNowhere(page, endpoint.canaries['the private key'] ?? '')
    })
    expect(await show('azure-openai')).toMatchObject({ secret_state: 'stored', dialect: 'responses' })
    expect(await show('vertex-claude')).toMatchObject({ secret_state: 'stored', quirks: { platform: 'vertex' } })
    for (const id of ['azure-openai', 'vertex-claude']) await dashboard.farebox.admin.call('removeProvider', { id })
    await endpoint.close()
  })

  it('gets another secret, shows how both are, and loses one again', async () => {
    await add('pooled', { secret: SECRET })
    await dashboard.visit('/providers', async (page) => {
      await openRow(rowOf(page, 'pooled'))
      const drawer = drawerOf(page, 'pooled')
      await drawer.getByRole('button', { name: 'Add another secret' }).click()
      const dialog = page.getByRole('dialog', { name: 'Another secret of pooled' })
      await dialog.getByLabel('Label').fill('second')
      await dialog.getByLabel('Secret').fill(`${SECRET}-2`)
      await dialog.getByLabel('Weight').fill('3')
      await saved(dialog, 'Add')
      const list = drawer.getByRole('list', { name: 'Secrets' })
      await list.getByText('Weight 3').waitFor()
      expect(await list.getByRole('listitem').count()).toBe(2)
      await isNowhere(page, SECRET)
      await list.getByRole('button', { name: 'Remove the secret second' }).click()
      const confirm = page.getByRole('alertdialog')
      await saved(confirm, 'Remove')
      await list.waitFor({ state: 'detached' })
    })
    const id = (await show('pooled'))?.id ?? ''
    const left = await dashboard.farebox.admin.call('listProviderSecrets', { id })
    expect(left.map(({ label }) => label)).toEqual(['first'])
  })

  it('gets a free name, needs its own values and a secret, and is refused beside its address', async () => {
    await add('openai')
    await dashboard.visit('/providers', async (page) => {
      await page.getByRole('button', { name: 'Add a provider' }).first().click()
      await page.getByRole('button', { name: /^OpenAI/ }).click()
      const openai = page.getByRole('dialog', { name: 'Add OpenAI' })
      expect(await openai.getByLabel('Name').inputValue()).toBe('openai-2')
      expect(await openai.getByRole('button', { name: 'Add a provider' }).isDisabled()).toBe(true)
      await openai.getByRole('button', { name: 'Another one' }).click()
      await page.getByRole('button', { name: /^Azure OpenAI/ }).click()
      const dialog = page.getByRole('dialog', { name: 'Add Azure OpenAI' })
      await dialog.getByLabel('Secret').fill(SECRET)
      await dialog.getByText('Replace the part in braces with your own value.').waitFor()
      expect(await dialog.getByRole('button', { name: 'Add a provider' }).isDisabled()).toBe(true)
      await dialog.getByLabel('Base URL').fill('http://192.168.1.20/v1')
      await dialog.getByRole('button', { name: 'Add a provider' }).click()
      await dialog.getByRole('alert').getByText("'base_url'").waitFor()
      expect(await dialog.getByLabel('Base URL').getAttribute('aria-invalid')).toBe('true')
      expect(await dialog.getByLabel('Base URL').inputValue()).toBe('http://192.168.1.20/v1')
      await dialog.getByLabel('Name').fill('openai')
      await dialog.getByLabel('Base URL').fill('https://example.com/v1')
      await dialog.getByRole('button', { name: 'Add a provider' }).click()
      await dialog.getByRole('alert').getByText("There is a provider named 'openai' already.").waitFor()
    })
    expect(await show('azure-openai')).toBeUndefined()
  })

  it('is found on this machine, and added with its models at a price of 0', async () => {
    const { port } = await serveHttp(ollama([{ name: 'llama-of-here', contextLength: 8192 }]))
    const closed = await freePort()
    const ports = { ollama: port, 'lm-studio': closed, 'llama-cpp': closed, vllm: closed }
    await dashboard.visit('/providers', async (page) => {
      // The usual ports may be those of somebody else on this machine.
      await page.route('**/api/discovery', (route) => {
        const body = route.request().postDataJSON() as object
        return route.continue({ postData: JSON.stringify({ ...body, ports }) })
      })
      await page.getByRole('button', { name: 'Find local servers' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Model servers on this machine' })
      const found = dialog.getByRole('listitem').filter({ hasText: 'Ollama' })
      // A server has 300 ms to answer, which is short on a busy machine.
      const looks = async () => {
        await dialog.getByRole('button', { name: 'Look again' }).click()
        await dialog.getByRole('listitem').first().waitFor()
        return found.getByText('1 model that is not set up yet.').count()
      }
      await expect.poll(looks, { timeout: 20_000 }).toBe(1)
      await found.getByText('llama-of-here').waitFor()
      expect(await dialog.getByText('Not there', { exact: true }).count()).toBe(3)
      expect(await dialog.getByRole('checkbox', { name: /vLLM/ }).isDisabled()).toBe(true)
      await saved(dialog, 'Add 1 server')
      await rowOf(page, 'ollama').waitFor()
    })
    expect(await show('ollama')).toMatchObject({ preset: 'ollama', base_url: `http://127.0.0.1:${port}/v1` })
    const model = (await dashboard.farebox.admin.call('listModels', {})).find(({ id }) => id === 'llama-of-here')
    expect(model).toMatchObject({ enabled: true, price: { input: 0, output: 0 } })
  })
})

describe('the test of a provider', () => {
  it('says what is wrong and what to do, and repeats no secret that the provider quotes', async () => {
    await add('testing', { secret: 'sk-wrong-one' })
    const quoted = { message: 'Incorrect API key provided: sk-wrong-one' }
    upstream.script({ type: 'status', status: 401, error: quoted })
    await dashboard.visit('/providers?open=testing', async (page) => {
      const drawer = drawerOf(page, 'testing')
      await drawer.getByRole('button', { name: 'Test the connection' }).click()
      await drawer.getByText('It refuses the secret (401).').waitFor()
      await drawer.getByText('It does not work').waitFor()
      await isNowhere(page, 'sk-wrong-one')

      guarded('sk-right-one')
      await drawer.getByRole('button', { name: 'Replace the secret' }).click()
      const dialog = page.getByRole('dialog', { name: 'Secret of testing' })
      expect(await dialog.getByLabel('Secret').inputValue()).toBe('')
      expect(await dialog.getByRole('button', { name: 'Replace the secret' }).isDisabled()).toBe(true)
      await dialog.getByLabel('Secret').fill(' sk-right-one ')
      await saved(dialog, 'Replace the secret')
      await drawer.getByRole('button', { name: 'Test the connection' }).click()
      await drawer.getByText('It answers and accepts the secret.').waitFor()
      await isNowhere(page, 'sk-right-one')
    })
  })

  it('makes one real call, and says before what it costs: a list that is fine says nothing of calls', async () => {
    await add('listed', { secret: SECRET })
    const targets = [{ provider: 'listed', model: 'real-listed' }]
    await dashboard.farebox.admin.call('addModel', {
      body: chatModel('of-listed', { price: { input: 1, output: 2 }, targets }),
    })
    upstream.script((request) =>
      request.method === 'GET'
        ? { type: 'status', status: 200, body: { object: 'list', data: [{ id: 'real-listed', object: 'model' }] } }
        : { type: 'status', status: 500, body: { error: { message: 'Broken.' } } },
    )
    await dashboard.visit('/providers?open=listed', async (page) => {
      const drawer = drawerOf(page, 'listed')
      await drawer.getByRole('button', { name: 'Test the connection' }).click()
      await drawer.getByText('It answers').waitFor()
      await drawer.getByLabel('Ask this model as well').fill('real-listed')
      // 16 tokens at 1 and 16 at 2 credits per million.
      await drawer.getByText('0.000048').waitFor()
      await drawer.getByRole('button', { name: 'Test the connection' }).click()
      await drawer.getByText('It does not work').waitFor()
    })
  })

  it('asks for a model where there is no list of them, and says when nothing listens', async () => {
    await add('listless')
    upstream.script((request) => (request.method === 'GET' ? { type: 'status', status: 404 } : { type: 'answer' }))
    await dashboard.visit('/providers?open=listless', async (page) => {
      const drawer = drawerOf(page, 'listless')
      await drawer.getByRole('button', { name: 'Test the connection' }).click()
      await drawer.getByLabel('Ask this model as well').fill('some-model')
      await drawer.getByRole('button', { name: 'Test the connection' }).click()
      await drawer.getByText('the model that you named answers').waitFor()
      await upstream.refuse()
      await drawer.getByRole('button', { name: 'Test the connection' }).click()
      await drawer.getByText('Nothing listens at').waitFor()
      await drawer.getByText('Start it and test again.').waitFor()
      await upstream.accept()
    })
  })
})

describe('an edit', () => {
  it('changes limits, times and quirks, and leaves the rest as it is', async () => {
    const before = await add('edited', { secret: SECRET, limits: { requests_per_minute: 60 } })
    await dashboard.visit('/providers', async (page) => {
      const dialog = await choose(page, 'edited', 'Edit')
      const save = dialog.getByRole('button', { name: 'Save' })
      expect(await save.isDisabled()).toBe(true)
      await dialog.getByLabel('Requests per minute').fill('0')
      await dialog.getByText('Write a whole number from 1 on.').waitFor()
      expect(await save.isDisabled()).toBe(true)
      await dialog.getByLabel('Requests per minute').fill('')
      await dialog.getByLabel('Credits per day').fill('2.5')
      await dialog.getByText('Advanced: time limits').click()
      await dialog.getByLabel('For an answer to begin').fill('90000')
      await dialog.getByLabel('Takes parallel_tool_calls').selectOption('No')
      await saved(dialog, 'Save')
    })
    expect(await show('edited')).toEqual({
      ...before,
      limits: { credits_per_day: 2.5 },
      time_limits: { first_byte_ms: 90_000 },
      quirks: { parallel_tool_calls: false },
    })
  })

  it('gives it headers, whose secret values are never shown again', async () => {
    await add('headed', { secret: SECRET })
    await dashboard.visit('/providers', async (page) => {
      const dialog = await choose(page, 'headed', 'Edit')
      await dialog.getByText('Advanced: time limits').click()
      await dialog.getByRole('button', { name: 'Add a header' }).click()
      await dialog.getByLabel('Name of header 1').fill('X-Portkey-Provider')
      expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
      await dialog.getByLabel('Value of header 1').fill('openai')
      await dialog.getByRole('button', { name: 'Add a header' }).click()
      await dialog.getByLabel('Name of header 2').fill('x-portkey-api-key')
      await dialog.getByLabel('Value of header 2').fill('pk-of-this-test')
      await dialog.getByRole('checkbox', { name: 'Secret' }).nth(1).click()
      await saved(dialog, 'Save')
      const again = await choose(page, 'headed', 'Edit')
      await again.getByText('Advanced: time limits').click()
      expect(await again.getByLabel('Name of header 2').inputValue()).toBe('x-portkey-api-key')
      expect(await again.getByLabel('Value of header 2').inputValue()).toBe('')
      await isNowhere(page, 'pk-of-this-test')
      await again.getByRole('button', { name: 'Remove header 1' }).click()
      await saved(again, 'Save')
    })
    expect(await show('headed')).toMatchObject({ headers: {}, header_secrets: ['x-portkey-api-key'], has_secret: true })
  })

  it('to another origin says that the secret is lost, forgets it, and asks for it anew', async () => {
    await add('moving', { secret: SECRET })
    const other = await startUpstream()
    await dashboard.visit('/providers', async (page) => {
      const dialog = await choose(page, 'moving', 'Edit')
      await dialog.getByLabel('Base URL').fill(`${upstream.url}/deeper`)
      expect(await dialog.getByRole('alert').count()).toBe(0)
      await dialog.getByLabel('Base URL').fill(other.url)
      await dialog.getByRole('alert').getByText('it is forgotten, and you are asked for it after saving').waitFor()
      await dialog.getByRole('button', { name: 'Save' }).click()
      const secret = page.getByRole('dialog', { name: 'Secret of moving' })
      await secret.getByLabel('Secret').waitFor()
      expect(await show('moving')).toMatchObject({ base_url: other.url, secret_state: 'none' })
      await secret.getByLabel('Secret').fill('sk-for-the-new-one')
      await saved(secret, 'Give a secret')
      await rowOf(page, 'moving').getByText('Stored').waitFor()
    })
    expect(await show('moving')).toMatchObject({ secret_state: 'stored' })
    await other.close()
  })
})

describe('the models of a provider', () => {
  it('are added as they are ready, disabled without a price, and not before their size is known', async () => {
    const known = loadPriceCard().entries.find(({ preset, price }) => preset === 'groq' && price !== null)
    if (known === undefined) throw new Error('the card has no such price')
    await add('carded', { preset: 'groq' })
    upstream.script(plainList(known.model, 'unheard-of'))
    await dashboard.visit('/providers', async (page) => {
      const dialog = await choose(page, 'carded', 'Add models')
      const rowWith = (text: string) => dialog.getByRole('row').filter({ hasText: text })
      await rowWith(known.model).getByText('Price card').waitFor()
      await rowWith('unheard-of').getByText('Size unknown').waitFor()
      await dialog.getByLabel('Search its models').fill('unheard')
      await rowWith(known.model).waitFor({ state: 'detached' })
      await dialog.getByRole('checkbox', { name: 'Choose unheard-of' }).click()
      await dialog.getByLabel('Search its models').fill('')
      await dialog.getByRole('checkbox', { name: 'Choose all that are ready' }).click()
      const action = dialog.getByRole('button', { name: 'Add 2 models' })
      expect(await action.isDisabled()).toBe(true)
      await dialog.getByLabel('Context window').fill('32k')
      await saved(dialog, 'Add 2 models')
    })
    const models = (await dashboard.farebox.admin.call('listModels', {})).filter(({ targets }) =>
      targets.some(({ provider }) => provider === 'carded'),
    )
    const seen = models.map(({ targets, enabled, price }) => [targets[0]?.model, enabled, price?.output])
    expect(new Set(seen)).toEqual(
      new Set([
        [known.model, true, known.price?.output],
        ['unheard-of', false, undefined],
      ]),
    )
    expect(models.find(({ id }) => id === 'unheard-of')?.context_window).toBe(32_000)
  })
})

describe('the list', () => {
  it('shows who is not well and why, and what was charged for whom today, with a limit and without', async () => {
    await add('ailing', { limits: { credits_per_day: 1, concurrent_requests: 3 } })
    await add('boundless')
    const { call } = dashboard.farebox.admin
    const ask = (model = 'ailing') => postChat({ url: dashboard.farebox.url, key: dashboard.key }, { model })
    upstream.script({ type: 'answer', usage: { prompt_tokens: 1000, completion_tokens: 500 } })
    for (const name of ['ailing', 'boundless']) {
      await call('addModel', { body: chatModel(name, { targets: [{ provider: name, model: name }] }) })
      expect((await ask(name)).status).toBe(200)
    }
    upstream.script({ type: 'status', status: 503 })
    for (let count = 0; count < 6; count += 1) await (await ask()).text()
    await dashboard.visit('/providers?q=ail&state=attention', async (page) => {
      await rowOf(page, 'ailing')
        .getByText(/^(Paused|Retrying|Cooling)/)
        .waitFor()
      expect(await page.getByRole('row').count()).toBe(2)
      await openRow(rowOf(page, 'ailing'))
      const drawer = drawerOf(page, 'ailing')
      await drawer.getByText('Answered with an error (503)').waitFor()
      const today = drawer.locator('dt', { hasText: 'Credits today' }).locator('xpath=following-sibling::dd[1]')
      expect(await today.innerText()).toMatch(/^0\.0020 \/ 1\.00/)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await rowOf(page, 'demo').waitFor()
      await expect.poll(() => new URL(page.url()).search).toBe('')
      const todayOf = (name: string) => rowOf(page, name).getByRole('cell').nth(4).innerText()
      expect(await todayOf('boundless')).toMatch(/^0\.0020/)
      expect(await todayOf('demo')).toMatch(/^0\.00/)
    })
  })

  it('is not shown to a member, who is led to the overview', async () => {
    await dashboard.visit(
      '/overview',
      async (page) => {
        const asked: string[] = []
        page.on('request', (request) => asked.push(new URL(request.url()).pathname))
        await page.goto(`${dashboard.farebox.url}/app/providers?open=demo`)
        await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
        expect(new URL(page.url()).pathname).toBe('/app/overview')
        expect(asked.filter((path) => /^\/api\/(providers|presets|discovery|status)/.test(path))).toEqual([])
      },
      { member: ADA },
    )
  })
})

describe('removing', () => {
  it('is refused while models are served from there, says which lose everything, and leads to them', async () => {
    await add('needed')
    const { call } = dashboard.farebox.admin
    await call('addModel', { body: chatModel('only-there', { targets: [{ provider: 'needed', model: 'm' }] }) })
    await dashboard.visit('/providers', async (page) => {
      const dialog = await choose(page, 'needed', 'Remove')
      await dialog.getByText('1 model has a target there.').waitFor()
      await dialog.getByText('only here').waitFor()
      await dialog.getByRole('link', { name: 'Show the models' }).click()
      await page.waitForURL('**/models?provider=needed')
      await rowOf(page, 'only-there').waitFor()
    })
    expect(await show('needed')).toBeDefined()
    expect(await modelIds()).toContain('only-there')
  })

  it('takes the provider and its secret away, and a new one of that name starts without', async () => {
    await add('leaving', { secret: SECRET })
    await dashboard.visit('/providers', async (page) => {
      const dialog = await choose(page, 'leaving', 'Remove')
      await dialog.getByText('Its secret is forgotten.').waitFor()
      await saved(dialog, 'Remove')
      await rowOf(page, 'leaving').waitFor({ state: 'detached' })
      await page.getByText('leaving is removed, and its secret forgotten.').first().waitFor()
      // What is chosen in the menu is not a click on the row that the menu belongs to.
      expect(page.url()).not.toContain('open=')
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Move secrets' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Move secrets' }).click()
      await page.getByRole('dialog').getByText('Nothing to move.').waitFor()
    })
    expect(await show('leaving')).toBeUndefined()
    expect(await add('leaving')).toMatchObject({ secret_state: 'none' })
  })
})
