import { describe, expect, it } from 'vitest'
import { ANSWERS, fakeGateway } from './fake-gateway.ts'
import { run } from './fake-host.ts'

const found = ANSWERS.discover
const [ollama] = found.servers

function gatewayThatFinds(body: unknown) {
  return { gateway: fakeGateway(() => ({ status: 200, body })) }
}

describe('provider discover', () => {
  it('shows the servers and their models, with what they are called here', async () => {
    const { stdout, exitCode } = await run(['provider', 'discover'])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/Ollama {5}found +http:\/\/127\.0\.0\.1:11434\/v1 +ollama\n/)
    expect(stdout).toMatch(/LM Studio {2}found, wants a secret +http:\/\/127\.0\.0\.1:1234\/v1 +-\n/)
    expect(stdout).toMatch(/Ollama +llama3\.1:8b +chat +131072 +llama3\.1:8b\n/)
    expect(stdout).toMatch(/Ollama +new +chat, guessed +- +-\n/)
    expect(stdout).toContain(
      'farebox provider add lm-studio-1234 --preset lm-studio --base-url http://127.0.0.1:1234/v1 --secret-stdin\n',
    )
    expect(stdout).toContain('farebox provider discover --add\n')
  })

  it('looks at several ports of one kind, and names them again where it says how to add what is there', async () => {
    const ports = 'ollama=11434,llama-cpp=8081,llama-cpp=8082'
    const { stdout, requests } = await run(['provider', 'discover', '--ports', ports])
    expect(requests).toMatchObject([{ body: { ports: { ollama: 11_434, 'llama-cpp': [8081, 8082] } } }])
    expect(stdout).toContain(`farebox provider discover --add --ports ${ports}\n`)
  })

  it('says what the models are for of which nobody says it', async () => {
    const { stdout, requests } = await run(['provider', 'discover', '--kind', 'embedding'])
    expect(requests).toMatchObject([{ body: { kind: 'embedding' } }])
    expect(stdout).toContain('farebox provider discover --add --kind embedding\n')
    expect(await run(['provider', 'discover', '--kind', 'film'])).toMatchObject({ exitCode: 2, requests: [] })
  })

  it('says that nothing is new', async () => {
    const servers = [{ ...ollama, models: ollama?.models.slice(0, 1) }]
    const { stdout } = await run(['provider', 'discover'], gatewayThatFinds({ ...found, servers }))
    expect(stdout).toMatch(/Nothing is new\.\n$/)
  })

  it('says that nothing answers', async () => {
    const servers = [{ ...ollama, state: 'not-found', models: [], provider: null }]
    const { stdout } = await run(['provider', 'discover', '--add'], gatewayThatFinds({ ...found, servers }))
    expect(stdout).toMatch(/No model server answers on this machine\.\n$/)
  })

  it('says what was added, without control characters', async () => {
    const added = { providers: ['ollama'], models: ['a', 'b\u001b[2J'], contexts: [] }
    const { stdout } = await run(['provider', 'discover', '--add'], gatewayThatFinds({ ...found, added }))
    expect(stdout).toMatch(/Added provider ollama and models a, b\ufffd\[2J\.\n$/)
  })

  it('says of which models it knows the context window by now', async () => {
    const model = { ...ollama?.models[0], tells_context: true }
    const servers = [{ ...ollama, models: [model] }]
    const looked = await run(['provider', 'discover'], gatewayThatFinds({ ...found, servers }))
    expect(looked.stdout).toMatch(/: farebox provider discover --add\n$/)
    const added = { providers: [], models: [], contexts: ['llama3.1:8b'] }
    const { stdout } = await run(['provider', 'discover', '--add'], gatewayThatFinds({ ...found, added }))
    expect(stdout).toMatch(/A context window that had been assumed is now known: llama3\.1:8b\.\n$/)
  })

  it('says that there was nothing to add', async () => {
    const { stdout } = await run(['provider', 'discover', '--add'])
    expect(stdout).toMatch(/There was nothing new to add\.\n$/)
  })

  it.each(['ollama', 'ollama=', 'ollama=x', '=1', 'ollama=123456', 'ollama=0', 'ollama=70000', 'other=80'])(
    'refuses --ports %s before anything is asked',
    async (ports) => {
      expect(await run(['provider', 'discover', '--ports', ports])).toMatchObject({
        exitCode: 2,
        requests: [],
        store: [],
      })
    },
  )
})
