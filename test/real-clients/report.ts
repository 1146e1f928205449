// One plain line for each scenario, and a last one with the counts.

const LONGEST_REASON = 2000

export class Report {
  #passed = 0
  #failed = 0

  /** `printed` is what the gateway had to say meanwhile, which is shown where something failed. */
  async run(name: string, scenario: () => Promise<string | void>, printed: () => string): Promise<void> {
    const startedAtMs = Date.now()
    printed()
    try {
      const figure = await scenario()
      this.#passed += 1
      print(`ok ${name} (${secondsSince(startedAtMs)} s${figure === undefined ? '' : `, ${figure}`})`)
    } catch (error) {
      this.#failed += 1
      const reason = error instanceof Error ? error.message : String(error)
      const said = inOneLine(printed())
      print(`FAILED ${name}: ${inOneLine(reason)}${said === '' ? '' : `; the gateway printed: ${said}`}`)
    }
  }

  /** The exit code. A run without any scenario has proved nothing. */
  close(): number {
    print(`clients: ${this.#passed} passed, ${this.#failed} failed`)
    return this.#failed === 0 && this.#passed > 0 ? 0 : 1
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_REASON)
}

function secondsSince(startedAtMs: number): string {
  return ((Date.now() - startedAtMs) / 1000).toFixed(1)
}
