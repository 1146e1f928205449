// A machine that listens to mDNS, and speaks it, by bytes of its own: it shares no code with what it tests. It is told what to do over
// UDP, with one word and its arguments, and answers each with JSON.

import { createSocket } from 'node:dgram'
import { networkInterfaces } from 'node:os'

const { ADDRESS: address, CONTROL_PORT: controlPort, ZONE: zone } = process.env
const GROUP = zone === undefined ? '224.0.0.251' : `ff02::fb%${zone}`
const type = zone === undefined ? 'udp4' : 'udp6'
const TYPES = { A: 1, PTR: 12, TXT: 16, AAAA: 28, SRV: 33, ANY: 255 }

function name(text) {
  const labels = text.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

function query(asked, kind) {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(1, 4)
  return Buffer.concat([header, name(asked), Buffer.from([0, TYPES[kind], 0, 1])])
}

/** This machine's own address under a name. */
function claim(claimed) {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(0x8400, 2)
  header.writeUInt16BE(1, 6)
  const fields = Buffer.from([0, 1, 0x80, 1, 0, 0, 0, 120, 0, 4, ...address.split('.').map(Number)])
  return Buffer.concat([header, name(claimed), fields])
}

function readName(bytes, start) {
  const labels = []
  let at = start
  let end
  while (bytes[at] !== 0) {
    if (bytes[at] >= 0xc0) {
      end ??= at + 2
      at = bytes.readUInt16BE(at) & 0x3fff
      continue
    }
    labels.push(bytes.toString('utf8', at + 1, at + 1 + bytes[at]))
    at += bytes[at] + 1
  }
  return { text: labels.join('.'), end: end ?? at + 1 }
}

function readData(bytes, kind, at, length) {
  const data = bytes.subarray(at, at + length)
  if (kind === TYPES.A) return [...data].join('.')
  if (kind === TYPES.AAAA) return data.toString('hex')
  if (kind === TYPES.PTR) return readName(bytes, at).text
  if (kind === TYPES.SRV) return `${readName(bytes, at + 6).text}:${data.readUInt16BE(4)}`
  if (kind !== TYPES.TXT) return undefined
  const texts = []
  for (let from = 0; from < length; from += data[from] + 1) {
    texts.push(data.toString('utf8', from + 1, from + 1 + data[from]))
  }
  return texts
}

function read(bytes) {
  const isResponse = bytes[2] >= 0x80
  let at = 12
  const questions = []
  for (let left = bytes.readUInt16BE(4); left > 0; left -= 1) {
    const found = readName(bytes, at)
    questions.push(found.text)
    at = found.end + 4
  }
  const records = []
  for (let left = bytes.readUInt16BE(6) + bytes.readUInt16BE(8) + bytes.readUInt16BE(10); left > 0; left -= 1) {
    const found = readName(bytes, at)
    const kind = bytes.readUInt16BE(found.end)
    const length = bytes.readUInt16BE(found.end + 8)
    const data = readData(bytes, kind, found.end + 10, length)
    records.push({ name: found.text, type: kind, ttl: bytes.readUInt32BE(found.end + 4), data })
    at = found.end + 10 + length
  }
  return { isResponse, questions, records, text: bytes.toString('latin1') }
}

/** What this machine said itself. */
function isOwn(from) {
  return Object.values(networkInterfaces()).some((infos) => infos.some((info) => info.address === from))
}

const heard = []
let claimed
const group = createSocket({ type, reuseAddr: true })
group.bind(5353, () => {
  group.addMembership(GROUP.split('%')[0], zone === undefined ? address : `::%${zone}`)
  group.setMulticastInterface(zone === undefined ? address : `::%${zone}`)
  group.setMulticastLoopback(false)
})
group.on('message', (bytes, { address: sender }) => {
  const [from] = sender.split('%')
  if (isOwn(from)) return
  const packet = read(bytes)
  heard.push({ from, ...packet })
  if (!packet.isResponse && claimed !== undefined && packet.questions.includes(claimed)) {
    group.send(claim(claimed), 5353, GROUP)
  }
})

/** As a program that is no responder does; undefined where nobody answers. */
function askAlone(asked, kind) {
  const socket = createSocket({ type })
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(undefined), 1500)
    function end(answer) {
      clearTimeout(timer)
      socket.close(() => resolve(answer))
    }
    socket.on('message', (bytes) => end(read(bytes)))
    socket.bind(0, () => {
      socket.setMulticastInterface(zone === undefined ? address : `::%${zone}`)
      socket.send(query(asked, kind), 5353, GROUP)
    })
  })
}

const COMMANDS = {
  heard: () => heard,
  forget: () => (heard.length = 0),
  ask: (asked, kind) => askAlone(asked, kind),
  call: (asked, kind) => group.send(query(asked, kind), 5353, GROUP),
  claim: (taken) => (claimed = taken),
  say: (taken) => group.send(claim(taken), 5353, GROUP),
  end: () => setImmediate(() => process.exit(0)),
}

const control = createSocket('udp4')
control.bind(Number(controlPort), address)
control.on('message', (bytes, from) => void obey(bytes, from))

async function obey(bytes, { port, address: sender }) {
  const [command, ...words] = bytes.toString().split(' ')
  const answer = (await COMMANDS[command](...words)) ?? null
  const says = JSON.stringify({ answer: ['heard', 'ask'].includes(command) ? answer : null })
  control.send(says, port, sender)
}
