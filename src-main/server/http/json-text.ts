// An answer that was made into JSON elsewhere, so that the thread that serves calls only sends it.

export class JsonText {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}
