// What a repair must never do: write over what somebody changed, make anew what somebody took away, or act on a look that is out of date.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { repair, type Problem } from '#doctor/doctor.ts'
import { closeWorkshops } from '../connect/workshop.ts'
import { Patient } from './patient.ts'

afterEach(closeWorkshops)

const MOVED = 'http://127.0.0.1:9'

/** With a gateway that has moved to another address. */
async function moved(): Promise<Patient> {
  const patient = await Patient.connected()
  patient.changes = { gateway: await patient.gateway({ url: MOVED }) }
  return patient
}

async function problemsOf(patient: Patient, tool: string): Promise<Problem[]> {
  return (await patient.examine()).filter((problem) => problem.tool === tool)
}

function canBeRepaired(problems: readonly Problem[]): string[] {
  return problems.filter((problem) => problem.repair !== undefined).map(({ id }) => id)
}

function interrupt(patient: Patient, tool: string): void {
  const path = patient.connection(tool, 'journal.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace('"state": "connected"', '"state": "connecting"'))
}

describe('a repair of the address', () => {
  it('leaves what somebody changed after the doctor had looked', async () => {
    const patient = await moved()
    const settings = patient.path('.claude', 'settings.json')
    const problems = await problemsOf(patient, 'claude-code')
    expect(canBeRepaired(problems)).toEqual(['wrong_address'])
    const mine = readFileSync(settings, 'utf8').replace('http://127.0.0.1:3273', 'https://mine.example')
    writeFileSync(settings, mine)
    expect(await repair(problems, patient.workshop)).toEqual([expect.stringContaining('Somebody changed')])
    expect(readFileSync(settings, 'utf8')).toBe(mine)
  })

  it('does not bring a file back that somebody took away, and keeps the copy of what was there before', async () => {
    const patient = new Patient()
    const settings = patient.path('.claude', 'settings.json')
    patient.write(settings, '{"theme": "dark"}\n')
    await patient.connect('claude-code')
    patient.changes = { gateway: await patient.gateway({ url: MOVED }) }
    const problems = await problemsOf(patient, 'claude-code')
    rmSync(settings)
    expect(await repair(problems, patient.workshop)).toEqual([expect.stringContaining('is not there any more')])
    expect(existsSync(settings)).toBe(false)
    expect(readFileSync(patient.connection('claude-code', 'before-0'), 'utf8')).toBe('{"theme": "dark"}\n')
    expect(canBeRepaired(await problemsOf(patient, 'claude-code'))).toEqual([])
  })

  it('is not offered where an entry that the tool itself writes to was changed elsewhere, and is where it was not', async () => {
    const patient = new Patient()
    await patient.connect('cline')
    patient.changes = { gateway: await patient.gateway({ url: MOVED }) }
    const path = patient.path('.cline', 'data', 'settings', 'providers.json')
    const stamped = readFileSync(path, 'utf8').replace('2027-01-02T03:04:05.000Z', '2027-02-03T00:00:00.000Z')
    writeFileSync(path, stamped)
    expect(canBeRepaired(await problemsOf(patient, 'cline'))).toEqual(['wrong_address'])
    writeFileSync(path, stamped.replace('http://127.0.0.1:3273', 'https://mine.example'))
    const problems = await problemsOf(patient, 'cline')
    expect(problems.map(({ id }) => id)).toContain('member_changed')
    expect(canBeRepaired(problems)).toEqual([])
  })

  it('is not offered while the gateway does not run: where it would listen is a guess', async () => {
    const patient = await moved()
    patient.changes = { ...patient.changes, isRunning: false }
    const problems = await problemsOf(patient, 'claude-code')
    expect(problems.map(({ id }) => id)).toEqual(['wrong_address'])
    expect(canBeRepaired(problems)).toEqual([])
    expect(problems[0]?.fix).not.toContain('--fix')
  })
})

describe('a repair of an interrupted connection', () => {
  it('does nothing where the tool was connected after the doctor had looked', async () => {
    const patient = await Patient.connected()
    interrupt(patient, 'gemini-cli')
    const problems = await problemsOf(patient, 'gemini-cli')
    await patient.connect('gemini-cli')
    const env = readFileSync(patient.path('.gemini', '.env'), 'utf8')
    expect(await repair(problems, patient.workshop)).toEqual([expect.stringContaining('stays as it is')])
    expect(readFileSync(patient.path('.gemini', '.env'), 'utf8')).toBe(env)
    expect(await patient.examine()).toEqual([])
  })
})

describe('a repair that fails', () => {
  it('says so in a sentence, and the next is made nevertheless', async () => {
    const patient = await moved()
    const [first, ...others] = await patient.examine()
    if (first === undefined) throw new Error('There is no problem.')
    const failing = { ...first, repair: () => Promise.reject(new Error('ENOSPC: no space left on device')) }
    expect(await repair([failing, ...others], patient.workshop)).toEqual([
      "The problem 'wrong_address' of claude-code could not be repaired: ENOSPC: no space left on device",
      expect.stringContaining(MOVED),
    ])
  })
})

describe('a look at files', () => {
  it('does not wait for a pipe that took the place of one', async () => {
    const patient = await Patient.connected()
    const settings = patient.path('.claude', 'settings.json')
    rmSync(settings)
    execFileSync('mkfifo', [settings])
    const [problem] = await problemsOf(patient, 'claude-code')
    expect(problem?.message).toContain('is not a file')
  })

  it("does not take the tool's own file behind a linked folder for another that wins over it", async () => {
    const patient = new Patient()
    const [folder, place] = [patient.path('.gemini'), patient.path('elsewhere')]
    mkdirSync(place)
    symlinkSync(place, folder)
    await patient.connect('gemini-cli')
    patient.changes = { workingDir: patient.workshop.home }
    expect(await patient.examine()).toEqual([])
  })
})
