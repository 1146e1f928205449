/** What is made when somebody first asks for it. Where that fails, whoever asks next tries again. */
export class Once<Made> {
  readonly #make: () => Promise<Made>
  #making: Promise<Made> | undefined
  #made: Made | undefined

  constructor(make: () => Promise<Made>) {
    this.#make = make
  }

  /** What is there by now, for whom it is not to be made. */
  get made(): Made | undefined {
    return this.#made
  }

  get isAsked(): boolean {
    return this.#making !== undefined
  }

  get(): Promise<Made> {
    this.#making ??= this.#begin()
    return this.#making
  }

  async #begin(): Promise<Made> {
    try {
      this.#made = await this.#make()
      return this.#made
    } catch (error) {
      this.#making = undefined
      throw error
    }
  }
}
