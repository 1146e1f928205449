// Mailboxes as mail servers see them: encrypted or not at all, at least once under one id, over servers that are slow, dead or wrong.

import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { letterSender } from '#app/senders.ts'
import { alertBody, letterOf } from '#alert/message.ts'
import type { AttemptOutcome } from '#alert/deliveries.ts'
import type { Mailbox } from '#core/delivery.ts'
import { microCredits } from '#core/money.ts'
import { chat, startPair, type Pair } from '../gateway/support.ts'
import { closeConnections, openConnections } from '../provider/support.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { certificate, freePort } from '../support/small-servers.ts'
import * as fake from './mail-server.ts'
import { startMailServer, type Answer, type FakeMailServer, type MailServerOptions } from './mail-server.ts'

const PATIENCE = { timeout: 20_000, interval: 10 }
const LETTER = { id: 'msg_1', subject: 'Farebox: a test', text: 'One line.\n' }
const TRUSTING = { authorities: certificate('ca') }

let ends: (() => Promise<unknown>)[]

beforeEach(() => {
  ends = []
})

afterEach(async () => {
  for (const end of ends.toReversed()) await end()
  await closeConnections()
})

async function open(options: MailServerOptions = {}): Promise<FakeMailServer> {
  const server = await startMailServer(options)
  ends.push(() => server.close())
  return server
}

function mailbox(url: string, changes: Partial<Mailbox['mail']> = {}): Mailbox {
  const mail = { from: 'farebox@example.com', to: 'team@example.com', user: undefined, isPlain: false, ...changes }
  return { id: 'm1', name: 'team', url, network: 'local', createdAtMs: 0, mail }
}

function send(
  to: Mailbox,
  {
    password,
    ...options
  }: { readonly password?: string; readonly timeLimitMs?: number; readonly authorities?: string },
): Promise<AttemptOutcome> {
  const connections = openConnections()
  return letterSender({ connections }, { timeLimitMs: 20_000, ...options })(to, LETTER, password)
}

describe('a letter', () => {
  it.each([
    ['smtps', 'from-start'],
    ['smtp', 'starttls'],
  ] as const)('goes to %s encrypted, with the login', async (scheme, encryption) => {
    const server = await open({ encryption })
    const to = mailbox(`${scheme}://localhost:${server.port}`, { user: 'farebox' })
    expect(await send(to, { ...TRUSTING, password: 'four words' })).toEqual({ status: 250, problem: undefined })
    expect(server.letters).toEqual([
      expect.objectContaining({
        from: 'farebox@example.com',
        to: 'team@example.com',
        login: '\0farebox\0four words',
        isEncrypted: true,
      }),
    ])
    expect(server.letters[0]?.text).toContain('Subject: Farebox: a test\n')
    expect(server.letters[0]?.text).toContain('Message-ID: <msg_1@farebox.invalid>\n')
    expect(server.letters[0]?.text).toMatch(/\n\nOne line\.\n/)
  })

  it('goes plain only where an administrator said so, and then without a word of encryption', async () => {
    const server = await open({ encryption: 'starttls' })
    const url = `smtp://localhost:${server.port}`
    expect(await send(mailbox(url, { isPlain: true }), {})).toMatchObject({ status: 250, problem: undefined })
    expect(server.commands).not.toContain('STARTTLS')
    expect(server.letters).toHaveLength(1)
  })

  it('does not go to a server that offers no encryption, nor does the password', async () => {
    const server = await open()
    const to = mailbox(`smtp://localhost:${server.port}`, { user: 'farebox' })
    const outcome = await send(to, { password: 'four words' })
    expect(outcome.problem).toEqual(expect.any(String))
    expect(server.commands).not.toContain('AUTH')
    expect(server.commands).not.toContain('MAIL')
  })

  it('waits for a server that refuses to encrypt, whatever it says of that', async () => {
    for (const refusal of ['502 no', '454 not now']) {
      const server = await open()
      server.script('STARTTLS', refusal)
      const to = mailbox(`smtp://localhost:${server.port}`, { user: 'farebox' })
      const outcome = await send(to, { password: 'four words' })
      expect(outcome).toEqual({ status: undefined, problem: 'It offers no encryption by STARTTLS.' })
      expect(server.commands).toEqual(['EHLO', 'STARTTLS'])
    }
  })

  it.each([
    ['smtps', 'from-start'],
    ['smtp', 'starttls'],
  ] as const)('does not go to %s with a certificate that nobody vouches for', async (scheme, encryption) => {
    for (const [certificateName, trust] of [
      ['self-signed', {}],
      ['good', {}],
      ['expired', TRUSTING],
      ['other-host', TRUSTING],
    ] as const) {
      const server = await open({ encryption, certificateName })
      const to = mailbox(`${scheme}://localhost:${server.port}`, { user: 'farebox' })
      const outcome = await send(to, { ...trust, password: 'four words' })
      expect(outcome.problem, certificateName).toMatch(/^There was no answer \(.*(CERT|VERIFY|ISSUER).*\)\.$/)
      expect(server.commands, certificateName).not.toContain('AUTH')
      expect(server.letters).toEqual([])
    }
  })

  it('is not sent where the server takes no login', async () => {
    const server = await open({ encryption: 'from-start' })
    server.script('AUTH', '535 no')
    const to = mailbox(`smtps://localhost:${server.port}`, { user: 'farebox' })
    const outcome = await send(to, { ...TRUSTING, password: 'wrong' })
    expect(outcome).toEqual({ status: 535, problem: 'It refused the user or the password (535).' })
    expect(server.letters).toEqual([])
  })

  it.each<[string, string, Answer, Partial<AttemptOutcome>]>([
    ['is refused for now', 'RCPT', '451 later', { status: 451, isFinal: false }],
    ['is refused for good', 'RCPT', '550 nobody', { status: 550, isFinal: true }],
    ['is refused after its end', '.', '554 spam', { status: 554, isFinal: true }],
    ['is cut off', 'DATA', fake.cut, { status: undefined }],
    ['meets a server that turns it away', 'GREETING', '554 go away', { status: 554 }],
    ['meets garbage', 'GREETING', fake.garbage, { status: undefined }],
    ['meets a line without an end', 'EHLO', fake.flood, { status: undefined }],
    ['meets a line without an end at first', 'GREETING', fake.flood, { status: undefined }],
  ])('that %s is said to be', async (_, command, answer, expected) => {
    const server = await open()
    server.script(command, answer)
    const outcome = await send(mailbox(`smtp://localhost:${server.port}`, { isPlain: true }), {})
    expect(outcome).toMatchObject({ ...expected, problem: expect.any(String) })
  })

  it.each(['GREETING', 'EHLO', 'MAIL', 'DATA', '.'])('meets silence after %s for a limited time', async (command) => {
    const server = await open()
    server.script(command, fake.silence)
    const to = mailbox(`smtp://localhost:${server.port}`, { isPlain: true })
    const outcome = await send(to, { timeLimitMs: 300 })
    expect(outcome).toEqual({ status: undefined, problem: 'There was no answer (time limit).' })
  })

  it('to nobody says so', async () => {
    const to = mailbox(`smtp://127.0.0.1:${await freePort()}`, { isPlain: true })
    expect(await send(to, {})).toEqual({ status: undefined, problem: 'There was no answer (ECONNREFUSED).' })
  })

  it.each([
    ['smtp://169.254.169.254:25', 'local'],
    ['smtp://[::ffff:169.254.169.254]:25', 'local'],
    ['smtps://127.0.0.1:465', 'public'],
    ['smtps://mail.example.com:465', 'public'],
  ] as const)('does not go to %s (%s), whatever its name leads to', async (url, network) => {
    const resolve = (
      _: string,
      __: object,
      callback: (error: null, found: { address: string; family: number }[]) => void,
    ) => callback(null, [{ address: '10.0.0.7', family: 4 }])
    const connections = openConnections({ resolve })
    const outcome = await letterSender({ connections })({ ...mailbox(url), network }, LETTER, undefined)
    expect(outcome.problem).toMatch(/^Its address leads to /)
  })
})

describe('what a letter says', () => {
  const ALERT = {
    id: 'a1',
    scope: 'key',
    subjectId: 'k1',
    name: 'laptop',
    cycleStartedAtMs: 0,
    nextResetAtMs: Date.parse('2027-04-01T00:00:00Z'),
    threshold: 80,
    usedMicro: microCredits(40_200_000),
    totalMicro: microCredits(50_000_000),
    atMs: Date.parse('2027-03-04T10:00:00Z'),
  } as const

  it('is whose credits are used, and when they come back', () => {
    expect(letterOf(alertBody(ALERT))).toEqual({
      subject: "Farebox: key 'laptop' has used 80 % of its credits",
      text:
        "The key 'laptop' has used 40.2 of 50 credits, which is 80 % or more, at 2027-03-04T10:00:00.000Z.\n" +
        'Its credits come back at 2027-04-01T00:00:00.000Z.\n',
    })
  })

  it('of a bill is whose it is, and how much of it nothing explains', () => {
    const bill = { ...ALERT, scope: 'bill', name: 'openai', threshold: 1, nextResetAtMs: undefined } as const
    expect(letterOf(alertBody(bill))).toEqual({
      subject: "Farebox: the bill of provider 'openai' for 1970-01-01 has unexplained differences",
      text:
        "The bill of provider 'openai' for 1970-01-01 has differences that nothing explains. 40.2 of 50 US dollars are unexplained.\n" +
        "Look at the page Bills, or at 'farebox bills list'.\n",
    })
    const ofTokens = letterOf(alertBody({ ...bill, usedMicro: microCredits(0) }))
    expect(ofTokens.text).toContain('Tokens in it are unexplained.')
    expect(JSON.parse(alertBody(bill))).toMatchObject({ type: 'alert.bill_unexplained', data: { day: '1970-01-01' } })
  })

  it('adds no line to the head of the letter, whatever a name holds', async () => {
    const server = await open()
    const name = 'a\r\nBcc: x@example.com\r\n\r\n.\r\nMAIL FROM:<x@example.com>\u2028\u0085\u202e'
    const letter = { ...letterOf(alertBody({ ...ALERT, name })), id: 'msg_1' }
    const connections = openConnections()
    const to = mailbox(`smtp://localhost:${server.port}`, { isPlain: true })
    await letterSender({ connections })(to, letter, undefined)
    const [head = '', body = ''] = server.letters[0]?.text.split('\n\n') ?? []
    expect(
      head
        .split('\n')
        .filter((line) => /^\S/.test(line))
        .map((line) => line.split(':')[0]),
    ).toEqual(
      [
        'From',
        'To',
        'Subject',
        'Message-ID',
        'Auto-Submitted',
        'Date',
        'MIME-Version',
        'Content-Type',
        'Content-Transfer-Encoding',
      ].toSorted(byOrderIn(head)),
    )
    expect(body.split('\n').filter((line) => line.startsWith('MAIL'))).toEqual([])
    expect(server.commands.filter((command) => command === 'MAIL')).toHaveLength(1)
  })
})

function byOrderIn(head: string) {
  return (one: string, other: string) => `\n${head}`.indexOf(`\n${one}:`) - `\n${head}`.indexOf(`\n${other}:`)
}

describe('a mailbox of a gateway', () => {
  let pair: Pair
  let again: Farebox | undefined
  let server: FakeMailServer

  beforeEach(async () => {
    server = await open()
    pair = await startPair({ packages: [{ name: 'small', type: 'topup', credits: 0.001 }] })
    ends.push(async () => {
      await (again ?? pair.farebox).close()
      again = undefined
      await pair.upstream.close()
    })
  })

  const wish = (changes: object = {}) => ({
    name: 'team',
    url: `smtp://127.0.0.1:${server.port}`,
    from: 'farebox@example.com',
    to: 'team@example.com',
    network: 'local' as const,
    plain: true,
    ...changes,
  })

  const reach = async () => {
    const key = await pair.farebox.newKey('small')
    pair.upstream.once({ type: 'answer', usage: { prompt_tokens: 498, completion_tokens: 1 } })
    await (await chat(pair.farebox, key, { max_tokens: 1 })).text()
  }

  it('is told of a threshold without any content, and its password is shown nowhere', async () => {
    const { admin } = pair.farebox
    await admin.call('addMailbox', { body: wish({ user: 'farebox', password: 'never shown' }) })
    await reach()
    await expect.poll(() => server.letters.length, PATIENCE).toBe(1)
    expect(server.letters[0]).toMatchObject({ to: 'team@example.com', login: '\0farebox\0never shown' })
    expect(server.letters[0]?.text).toContain('0.0005 of 0.001 credits')
    expect(server.letters[0]?.text).not.toContain('Hello')
    await expect
      .poll(async () => (await admin.call('listMailboxes', {}))[0], PATIENCE)
      .toMatchObject({ user: 'farebox', waiting: 0, last: { state: 'delivered', attempts: 1, status: 250 } })
    expect(JSON.stringify(await admin.call('listMailboxes', {}))).not.toContain('never shown')
    expect(JSON.stringify(await admin.call('listAudit', { query: {} }))).not.toContain('never shown')
    expect(await admin.call('listWebhooks', {})).toEqual([])
  })

  it('is told after a restart what it was not told before, under the same id', async () => {
    server.script('RCPT', '451 later')
    await pair.farebox.admin.call('addMailbox', { body: wish() })
    await reach()
    await expect.poll(() => server.commands.filter((command) => command === 'RCPT').length, PATIENCE).toBe(1)
    await pair.farebox.stop()
    again = await startFarebox({ dataDir: pair.farebox.dataDir })
    await expect.poll(() => server.letters.length, PATIENCE).toBe(1)
    expect(server.letters[0]?.text).toMatch(/Message-ID: <msg_[0-9a-f-]+@farebox\.invalid>/)
  })

  it('is tested with one letter, removed, and gone', async () => {
    const { admin } = pair.farebox
    await admin.call('addMailbox', { body: wish() })
    expect(await admin.call('testMailbox', { id: 'team' })).toEqual({ delivered: true, status: 250, problem: null })
    expect(server.letters[0]?.text).toContain('Subject: Farebox: a test')
    await expect(admin.call('testWebhook', { id: 'team' })).rejects.toMatchObject({ status: 404 })
    await expect(admin.call('removeWebhook', { id: 'team' })).rejects.toMatchObject({ status: 404 })
    const [known] = await admin.call('listMailboxes', {})
    await admin.call('removeMailbox', { id: known?.id ?? '' })
    await expect(admin.call('testMailbox', { id: 'team' })).rejects.toMatchObject({ status: 404 })
    const { entries } = await admin.call('listAudit', { query: {} })
    const noted = entries
      .filter(({ action }) => action.endsWith('Mailbox'))
      .map(({ action, subject }) => [action, subject])
    expect(noted).toEqual([
      ['testMailbox', null],
      ['removeMailbox', 'team'],
      ['testMailbox', 'team'],
      ['addMailbox', 'team'],
    ])
  })

  it('cannot be set up with what is no address, or leads where none may be', async () => {
    const wrong: readonly object[] = [
      { url: 'smtp://169.254.169.254' },
      { url: 'smtps://0x7f.1:465', plain: false, network: 'public' },
      { url: 'smtps://localhost', plain: false, network: 'public' },
      { url: 'https://mail.example.com' },
      { url: 'smtp://user:word@mail.example.com' },
      { url: 'smtp://mail.example.com/path' },
      { url: 'smtp://mail.example.com?pool=true' },
      { url: 'smtp://mail.example.com:70000' },
      { url: 'nothing' },
      { url: 'smtps://127.0.0.1', plain: true },
      { network: 'public', url: 'smtp://mail.example.com', plain: true },
      { user: 'farebox' },
      { password: 'word' },
      { to: 'a@example.com, b@example.com' },
      { to: 'a@example.com\r\nBcc: b@example.com' },
      { to: '<a@example.com>' },
      { to: 'a' },
      { to: '@example.com' },
      { from: 'Farebox <a@example.com>' },
      { from: '"a b"@example.com' },
      { user: 'a\r\nb', password: 'word' },
    ]
    const { admin } = pair.farebox
    for (const changes of wrong) {
      const asked = admin.call('addMailbox', { body: wish(changes) })
      await expect(asked, JSON.stringify(changes)).rejects.toMatchObject({ status: 400 })
    }
    expect(await admin.call('listMailboxes', {})).toEqual([])
  })

  it('is not set up while its password cannot be kept, which is said with a reason', async () => {
    const login = { user: 'farebox', password: 'four words' }
    await pair.farebox.admin.call('addMailbox', { body: wish(login) })
    const keyFile = join(pair.farebox.dataDir, 'vault.key')
    await pair.farebox.stop()
    await chmod(keyFile, 0o644)
    again = await startFarebox({ dataDir: pair.farebox.dataDir })
    const { admin } = again
    const refused = { status: 503, message: expect.stringContaining('Others may read the key file') as string }
    await expect(admin.call('addMailbox', { body: wish({ ...login, name: 'other' }) })).rejects.toMatchObject(refused)
    const webhook = { name: 'ops', url: 'https://alerts.example.com/farebox' }
    await expect(admin.call('addWebhook', { body: webhook })).rejects.toMatchObject(refused)
    expect(await admin.call('listWebhooks', {})).toEqual([])
    expect(await admin.call('listMailboxes', {})).toMatchObject([{ name: 'team' }])
    await chmod(keyFile, 0o600)
    await admin.call('addMailbox', { body: wish({ ...login, name: 'other' }) })
  })

  it('cannot be Farebox itself, and has a name that no webhook has', async () => {
    const { admin, url } = pair.farebox
    await admin.call('addMailbox', { body: wish({ url: url.replace('http:', 'smtp:') }) })
    expect(await admin.call('testMailbox', { id: 'team' })).toMatchObject({
      delivered: false,
      problem: expect.stringContaining('Farebox itself'),
    })
    const body = { name: 'team', url: 'https://alerts.example.com/farebox' }
    await expect(admin.call('addWebhook', { body })).rejects.toMatchObject({ status: 409 })
  })
})
