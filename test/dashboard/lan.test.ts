// The LAN in the dashboard: turned on and off in the settings, and the pages of members as another machine gets them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lanChangeOf, lanFormOf, lanPlaces } from '#renderer/data/lan-form.ts'
import { seriousViolations, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { certificateOf, LAN_ADDRESS } from '../lan/support.ts'
import { PASSWORD } from '../support/password.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  const { admin } = dashboard.farebox
  await admin.call('addMember', { body: { name: 'mia', password: PASSWORD, packages: 'all' } })
  await admin.call('addMember', { body: { name: 'ada', role: 'administrator', password: PASSWORD } })
  // An address that can be chosen, also where this machine has no network.
  await admin.call('setLan', { body: { address: LAN_ADDRESS, port: 0 } })
  await admin.call('turnLanOff', {})
})
afterAll(() => dashboard.close())

describe('the settings', () => {
  it('turn the LAN on and off, and show what other machines need', async () => {
    await dashboard.visit('/settings', async (page) => {
      await page.getByText('Off: only this machine has access').waitFor()
      await expect.poll(() => page.getByRole('banner').innerText()).toContain('LAN off')
      await page.getByRole('button', { name: 'Turn on …' }).click()
      await page.getByLabel('Host names').fill('not_a_name')
      await page.getByRole('button', { name: 'Turn on', exact: true }).click()
      await page.getByText("'not_a_name' is not a host name").waitFor()
      await page.getByLabel('Host names').fill('farebox.test')
      expect(await seriousViolations(page)).toEqual([])
      await page.getByRole('button', { name: 'Turn on', exact: true }).click()
      const { urls, certificate } = await settled('on')
      for (const url of urls) await page.getByText(url, { exact: true }).waitFor()
      await page.getByText(certificate?.fingerprint ?? 'none').waitFor()
      await expect.poll(() => page.getByRole('banner').innerText()).toContain('LAN on')
      expect(await seriousViolations(page)).toEqual([])
      await page.getByRole('button', { name: 'Turn off' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Turn off' }).click()
      await page.getByText('Off: only this machine has access').waitFor()
      await settled('off')
    })
  })

  it('say in German what they say in English', async () => {
    await dashboard.visit(
      '/settings',
      async (page) => {
        await page.getByText('Aus: nur dieser Rechner erreicht es').waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
      },
      { language: 'de', width: 420 },
    )
  })
})

describe('over the LAN', () => {
  it('a member has their pages, with the address that their tools need', async () => {
    const [at = ''] = (await dashboard.farebox.admin.call('setLan', { body: { names: [] } })).urls
    await dashboard.visit(
      '/keys',
      async (page) => {
        const navigation = page.getByRole('navigation').first()
        expect(await navigation.innerText()).not.toContain('Providers')
        await expect.poll(() => page.getByRole('banner').innerText()).toContain(new URL(at).host)
        const [cookie] = (await page.context().cookies(at)).filter(({ name }) => name.startsWith('__Host-farebox-'))
        expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Strict' })
        expect(await page.evaluate('window.isSecureContext')).toBe(true)
      },
      { at, member: { name: 'mia', password: PASSWORD } },
    )
  })

  it('an administrator has the pages of members, until administration is switched on', async () => {
    for (const administration of [false, true]) {
      const [at = ''] = (await dashboard.farebox.admin.call('setLan', { body: { administration } })).urls
      await dashboard.visit(
        '/overview',
        async (page) => {
          const navigation = page.getByRole('navigation').first()
          const words = await navigation.innerText()
          expect(words.includes('Providers')).toBe(administration)
          expect(words).toContain('Keys')
        },
        { at, member: { name: 'ada', password: PASSWORD } },
      )
    }
  })
})

describe('the form of the LAN', () => {
  const eth0 = { name: 'eth0', address: '192.168.1.5', is_public: false }
  const settings = {
    address: '192.168.1.9',
    interface: null,
    port: 3300,
    names: ['a.test', 'b.test'],
    administration: true,
    certificate_file: null,
    key_file: null,
  }

  it('offers the networks, and what is set although it is not there now', () => {
    const second = { name: 'eth0', address: 'fd00::5', is_public: false }
    expect(lanPlaces({ interfaces: [eth0, second], settings })).toEqual([
      { value: 'interface eth0', label: 'eth0 (192.168.1.5)' },
      { value: 'address fd00::5', label: 'fd00::5' },
      { value: 'address 192.168.1.9', label: '192.168.1.9' },
    ])
    expect(lanPlaces({ interfaces: [], settings: null })).toEqual([])
  })

  it('sends what it was opened with where nothing is changed', () => {
    const { address, port, names, administration } = settings
    const same = { address, port, names, administration }
    expect(lanChangeOf(lanFormOf({ interfaces: [eth0], settings }))).toEqual(same)
    expect(lanChangeOf(lanFormOf({ interfaces: [eth0], settings: null }))).toEqual({
      interface: 'eth0',
      port: 3273,
      names: [],
      administration: false,
    })
  })

  it.each(['', '0', '65536', '80a', '-1', '1.5'])('sends nothing for the port %j', (port) => {
    const form = lanFormOf({ interfaces: [eth0], settings })
    expect(lanChangeOf({ ...form, port })).toBeUndefined()
  })

  it('sends nothing where no network is chosen', () => {
    expect(lanChangeOf(lanFormOf({ interfaces: [], settings: null }))).toBeUndefined()
  })
})

async function settled(state: 'on' | 'off') {
  const { admin } = dashboard.farebox
  await expect.poll(async () => (await admin.call('showLan', {})).state).toBe(state)
  if (state === 'on') expect(await certificateOf(dashboard.farebox)).toContain('BEGIN CERTIFICATE')
  return admin.call('showLan', {})
}
