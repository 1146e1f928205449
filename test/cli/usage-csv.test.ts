import { describe, expect, it } from 'vitest'
import { fakeGateway, refusal, USAGE_RECORD } from './fake-gateway.ts'
import { run } from './fake-host.ts'

describe('usage --csv', () => {
  /** Pages of two records, numbered down from 5 to 1; the cursor is the last number given. */
  function pages() {
    return fakeGateway(({ path }) => {
      const query = new URL(path, 'http://gateway').searchParams
      const size = Math.min(2, Number(query.get('limit') ?? 2))
      const first = Number(query.get('before') ?? 6) - 1
      const numbers = [first, first - 1].slice(0, size).filter((number) => number > 0)
      const last = numbers.at(-1) ?? 0
      const usage = numbers.map((number) => ({ ...USAGE_RECORD, id: String(number) }))
      return { status: 200, body: { usage, next: last > 1 ? String(last) : null } }
    })
  }

  function ids(stdout: string): string[] {
    const [, ...lines] = stdout.split('\r\n')
    return lines.filter((line) => line !== '').map((line) => line.split(',')[0] ?? '')
  }

  it('begins with the names of the fields and leaves unknown counts empty', async () => {
    const { stdout, exitCode } = await run(['usage', '--csv'])
    expect(exitCode).toBe(0)
    expect(stdout.split('\r\n')).toEqual([
      'id,created_at,key,endpoint,model,provider,upstream_model,stream,outcome,status,input_tokens,cache_read_tokens,' +
        'cache_write_tokens,output_tokens,reasoning_tokens,usage_source,price_version,charge_credits,held_credits,' +
        'overrun,first_byte_ms,duration_ms,secret,tool,project,tags,session',
      'u-1,2027-01-02T03:04:05.000Z,laptop,chat-completions,gpt-5.5,openai,gpt-5.5,true,answered,200,10,0,,20,,' +
        'reported,3,0.000213,0.01,false,120,900,,zed,,ci night,',
      '',
    ])
  })

  it('names every field of a usage record', async () => {
    const { stdout } = await run(['usage', '--csv'])
    expect(stdout.split('\r\n')[0]?.split(',').sort()).toEqual(Object.keys(USAGE_RECORD).sort())
  })

  it('follows the pages to the end, with the same filter', async () => {
    const ran = await run(['usage', '--csv', '--key', 'laptop', '--since', '7d'], { gateway: pages() })
    expect(ids(ran.stdout)).toEqual(['5', '4', '3', '2', '1'])
    expect(ran.requests.map(({ path }) => path)).toEqual([
      '/api/usage?since=7d&key=laptop&limit=1000',
      '/api/usage?since=7d&key=laptop&before=4&limit=1000',
      '/api/usage?since=7d&key=laptop&before=2&limit=1000',
    ])
  })

  it('stops at the limit', async () => {
    const ran = await run(['usage', '--csv', '--limit', '3'], { gateway: pages() })
    expect(ids(ran.stdout)).toEqual(['5', '4', '3'])
    expect(ran.requests.map(({ path }) => path)).toEqual(['/api/usage?limit=3', '/api/usage?limit=1&before=4'])
  })

  it('ends with a failure when a page repeats itself', async () => {
    const gateway = fakeGateway(() => ({ status: 200, body: { usage: [USAGE_RECORD], next: 'same' } }))
    const ran = await run(['usage', '--csv'], { gateway })
    expect(ran.exitCode).toBe(1)
    expect(ran.requests).toHaveLength(2)
  })

  it('ends with a failure when a page is refused', async () => {
    const gateway = fakeGateway(() => refusal(400, 'invalid_request_error', "'since' is not a time."))
    const ran = await run(['usage', '--csv', '--since', 'x'], { gateway })
    expect(ran).toMatchObject({ exitCode: 1, stderr: "farebox: 'since' is not a time.\n" })
  })

  it('guards against names that are formulas', async () => {
    const record = { ...USAGE_RECORD, key: '=cmd|/c calc' }
    const gateway = fakeGateway(() => ({ status: 200, body: { usage: [record], next: null } }))
    expect((await run(['usage', '--csv'], { gateway })).stdout).toContain(",'=cmd|/c calc,")
  })
})

describe('usage', () => {
  it('says how to go on when there is more', async () => {
    const gateway = fakeGateway(() => ({ status: 200, body: { usage: [USAGE_RECORD], next: 'c1' } }))
    expect((await run(['usage'], { gateway })).stdout).toContain('There is more: add --before c1\n')
  })
})
