// A mail server of the tests on a free port of this machine: it notes the letters that come, and answers each command as it is told.

import { createServer, type AddressInfo, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { certificate } from '../support/small-servers.ts'

export type Taken = {
  readonly from: string
  readonly to: string
  readonly text: string
  readonly login: string | undefined
  readonly isEncrypted: boolean
}

/** What is said to a command instead of the usual; a function does what it likes. */
export type Answer = string | ((socket: Socket) => void)

export type MailServerOptions = {
  readonly encryption?: 'from-start' | 'starttls' | 'none'
  /** Of the fixtures. */
  readonly certificateName?: string
}

export type FakeMailServer = {
  readonly port: number
  readonly letters: readonly Taken[]
  /** All commands in capitals, without what follows them. */
  readonly commands: readonly string[]
  /** How the next of these commands are answered, one after the other; `GREETING` stands for the first line. */
  script(command: string, ...answers: readonly Answer[]): void
  close(): Promise<void>
}

export const silence: Answer = () => undefined
export const cut: Answer = (socket) => void socket.destroy()
export const garbage: Answer = (socket) => void socket.write('\u0000\u0001\u0002 nonsense\r\n'.repeat(3))
/** A line without an end. */
export const flood: Answer = (socket) => {
  const more = () => {
    while (!socket.destroyed && socket.write('2'.repeat(1024)));
  }
  socket.on('drain', more)
  more()
}

export async function startMailServer(options: MailServerOptions = {}): Promise<FakeMailServer> {
  const { encryption = 'none' } = options
  const letters: Taken[] = []
  const commands: string[] = []
  const scripts = new Map<string, Answer[]>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    const talk = new Talk({ letters, commands, scripts, options })
    if (encryption === 'from-start') talk.begin(encrypted(socket, options), true)
    else talk.begin(socket, false)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    letters,
    commands,
    script: (command, ...answers) => void scripts.set(command, [...(scripts.get(command) ?? []), ...answers]),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

function encrypted(socket: Socket, { certificateName = 'good' }: MailServerOptions): TLSSocket {
  const tls = new TLSSocket(socket, { isServer: true, key: certificate('key'), cert: certificate(certificateName) })
  tls.on('error', () => undefined)
  return tls
}

type Notes = {
  readonly letters: Taken[]
  readonly commands: string[]
  readonly scripts: Map<string, Answer[]>
  readonly options: MailServerOptions
}

/** One connection. */
class Talk {
  readonly #notes: Notes
  #isEncrypted = false
  #letter = { from: '', to: '' }
  #login: string | undefined
  #data: string | undefined

  constructor(notes: Notes) {
    this.#notes = notes
  }

  begin(socket: Socket, isEncrypted: boolean): void {
    this.#isEncrypted = isEncrypted
    this.#listen(socket)
    this.#say(socket, 'GREETING', '220 fake')
  }

  #listen(socket: Socket): void {
    let rest = ''
    socket.on('data', (chunk: Buffer) => {
      rest += chunk.toString('latin1')
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        this.#take(socket, line)
      }
    })
  }

  #take(socket: Socket, line: string): void {
    if (this.#data !== undefined) return this.#takeData(socket, line)
    const command = line.split(' ')[0]?.toUpperCase() ?? ''
    this.#notes.commands.push(command)
    switch (command) {
      case 'EHLO':
        return this.#say(socket, command, this.#greeting())
      case 'STARTTLS':
        this.#say(socket, command, '220 go ahead')
        socket.removeAllListeners('data')
        this.#isEncrypted = true
        return this.#listen(encrypted(socket, this.#notes.options))
      case 'AUTH':
        this.#login = Buffer.from(line.split(' ')[2] ?? '', 'base64').toString()
        return this.#say(socket, command, '235 welcome')
      case 'MAIL':
        this.#letter = { from: between(line), to: '' }
        return this.#say(socket, command, '250 ok')
      case 'RCPT':
        this.#letter = { ...this.#letter, to: between(line) }
        return this.#say(socket, command, '250 ok')
      case 'DATA':
        this.#data = ''
        return this.#say(socket, command, '354 go on')
      default:
        return this.#say(socket, command, command === 'QUIT' ? '221 bye' : '250 ok')
    }
  }

  #takeData(socket: Socket, line: string): void {
    if (line !== '.') {
      this.#data += `${line}\n`
      return
    }
    const taken = { ...this.#letter, text: this.#data ?? '', login: this.#login, isEncrypted: this.#isEncrypted }
    this.#notes.letters.push(taken)
    this.#data = undefined
    this.#say(socket, '.', '250 taken')
  }

  #greeting(): string {
    const offersTls = this.#notes.options.encryption === 'starttls' && !this.#isEncrypted
    return ['250-fake', ...(offersTls ? ['250-STARTTLS'] : []), '250 AUTH PLAIN'].join('\r\n')
  }

  #say(socket: Socket, command: string, usual: string): void {
    const answer = this.#notes.scripts.get(command)?.shift() ?? usual
    if (typeof answer === 'string') socket.write(`${answer}\r\n`)
    else answer(socket)
  }
}

function between(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? ''
}
