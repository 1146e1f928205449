import { describe, expect, it } from 'vitest'
import { isWrongAddress, mailboxBody, mayBePlain, NO_MAILBOX, type MailboxWish } from '#renderer/data/mailbox-form.ts'

const WISH: MailboxWish = {
  ...NO_MAILBOX,
  name: ' team ',
  url: ' smtps://mail.example.com ',
  from: 'farebox@example.com ',
  to: ' team@example.com',
}
const SENT = {
  name: 'team',
  url: 'smtps://mail.example.com',
  from: 'farebox@example.com',
  to: 'team@example.com',
  network: 'public',
}

describe('a mailbox', () => {
  it('is sent without what stands around its texts, with its password as it was typed', () => {
    expect(mailboxBody(WISH)).toEqual(SENT)
    expect(mailboxBody({ ...WISH, user: ' farebox ', password: ' four words ' })).toEqual({
      ...SENT,
      user: 'farebox',
      password: ' four words ',
    })
  })

  it.each<Partial<MailboxWish>>([
    { name: ' ' },
    { url: '' },
    { from: 'farebox' },
    { to: '' },
    { to: 'a@example.com, b@example.com' },
    { user: 'farebox' },
    { password: 'four words' },
  ])('is not sent with %j', (part) => {
    expect(mailboxBody({ ...WISH, ...part })).toBeUndefined()
  })

  it('is without encryption only where that may be, whatever was chosen before', () => {
    const near = { ...WISH, url: 'smtp://10.0.0.7', isLocal: true, isPlain: true }
    expect(mailboxBody(near)).toMatchObject({ network: 'local', plain: true })
    for (const part of [{ isLocal: false }, { url: 'smtps://10.0.0.7' }]) {
      expect(mayBePlain({ ...near, ...part })).toBe(false)
      expect(mailboxBody({ ...near, ...part })).not.toHaveProperty('plain')
    }
  })

  it('has a wrong address only once something is typed', () => {
    expect(['', ' ', 'a@example.com', 'a', 'a@', 'a b@example.com'].map(isWrongAddress)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ])
  })
})
