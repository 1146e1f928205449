// The lines for tools of another machine: from the same data as a connection, for each system, with a place for the key.

import { describe, expect, it } from 'vitest'
import { ADAPTERS } from '#connect/adapters.ts'
import { toolGuides } from '#connect/guides.ts'
import { FORMATS } from '#connect/plan.ts'
import { LARGE, OTHER, SMALL } from './workshop.ts'

const URL = 'https://192.168.1.5:3273'
const WISH = { url: URL, platform: 'linux', models: [LARGE, SMALL, OTHER], nowMs: 0 } as const
const guideOf = (tool: string, more: Partial<Parameters<typeof toolGuides>[0]> = {}) =>
  toolGuides({ ...WISH, ...more }).find((guide) => guide.tool === tool)

describe('a guide', () => {
  it('is there for every tool that can be connected', () => {
    const connectable = ADAPTERS.filter(({ impossible }) => impossible === undefined)
    expect(toolGuides(WISH).map(({ tool }) => tool)).toEqual(connectable.map(({ tool }) => tool))
  })

  it.each(['linux', 'darwin', 'win32'] as const)(
    'leaves no placeholder and names the address and the key, on %s',
    (platform) => {
      for (const guide of toolGuides({ ...WISH, platform })) {
        const text = JSON.stringify([guide.files, guide.launch, guide.steps])
        expect(text, guide.tool).toContain(URL)
        expect(text, guide.tool).toContain('YOUR_KEY')
        expect(text, guide.tool).not.toMatch(/<\w+>|127\.0\.0\.1:3273/)
      }
    },
  )

  it('names files below the home folder, with texts that their formats can read', () => {
    const texts = toolGuides(WISH).flatMap(({ files }) => files)
    expect(texts.filter(({ place }) => !place.startsWith('~/'))).toEqual([])
    for (const { place, text } of texts) {
      if (place.endsWith('.json')) expect(() => FORMATS.json.read(text), place).not.toThrow()
      if (place.endsWith('.toml')) expect(() => FORMATS.toml.read(text), place).not.toThrow()
    }
  })

  it('leads a shell to the home folder of that machine', () => {
    const texts = guideOf('crush')?.files.map(({ text }) => text) ?? []
    expect(texts.flatMap((text) => text.trim().split('\n'))).toContain('source ~/.config/crush/farebox.crushrc')
  })

  it('says which variable names the certificate', () => {
    expect(guideOf('gemini-cli')?.certificate).toBe('NODE_EXTRA_CA_CERTS')
    expect(guideOf('codex')?.certificate).toBe('CODEX_CA_CERTIFICATE')
    expect(guideOf('aider')?.certificate).toBe('SSL_CERT_FILE')
    expect(guideOf('zed')?.certificate).toBeNull()
  })

  it('is for the model that was asked for, and refuses one that may not be used', () => {
    expect(JSON.stringify(guideOf('goose', { model: SMALL.id })?.launch)).toContain(SMALL.id)
    expect(() => guideOf('goose', { model: 'none' })).toThrow("no model 'none'")
    expect(() => guideOf('goose', { models: [] })).toThrow('no model')
  })

  it('starts a tool without its files where what it is started with says everything', () => {
    expect(guideOf('qwen-code')).toMatchObject({ files: [], launch: { env: { OPENAI_API_KEY: 'YOUR_KEY' } } })
    expect(guideOf('zed')).toMatchObject({ files: [{}], launch: { command: ['zed'] } })
    expect(guideOf('jetbrains')).toMatchObject({ files: [], launch: null })
    expect(guideOf('jetbrains')?.steps).toContain(`URL: ${URL}/v1`)
  })
})
