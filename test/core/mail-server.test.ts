import { describe, expect, it } from 'vitest'
import { readMailServer } from '#core/mail-server.ts'

const portOf = (text: string) => {
  const server = readMailServer(text)
  return typeof server === 'string' ? server : server.port
}

describe('the port of a mail server', () => {
  it.each([
    ['smtp://mail.example.com', 587],
    ['smtps://mail.example.com', 465],
    ['smtp://mail.example.com:', 587],
    ['smtp://mail.example.com:/', 587],
    ['smtp://mail.example.com:25', 25],
    ['smtp://mail.example.com:80', 80],
    ['smtps://mail.example.com:443', 443],
    ['smtps://mail.example.com:465/', 465],
    ['smtp://[::1]:2525', 2525],
    ['smtp://[::1]', 587],
    // What ends with nothing behind a mark is the same address.
    ['smtp://mail.example.com:2525?', 2525],
    ['smtp://mail.example.com:2525#', 2525],
    ['smtp://mail.example.com:2525/?', 2525],
    ['smtp://mail.example.com:2525\\', 2525],
    ['smtp://mail.example.com:25\t25', 2525],
    ['smtp://mail.example.com:02525', 2525],
  ])('of %s is %i', (text, port) => {
    expect(portOf(text)).toBe(port)
  })

  it.each(['smtp://mail.example.com:70000', 'smtp://mail.example.com:x', 'smtp://:25', 'smtp://mail.example.com:-1'])(
    'is refused in %s',
    (text) => {
      expect(readMailServer(text)).toBeTypeOf('string')
    },
  )

  it('is in the one spelling of the address', () => {
    expect(readMailServer('SMTP://Mail.Example.com:2525?')).toMatchObject({
      url: 'smtp://mail.example.com:2525',
      host: 'mail.example.com',
    })
  })
})
