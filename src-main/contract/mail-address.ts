// Which texts are the address of a mailbox. The dashboard asks it too, to say so in its own words.

/** Of visible ASCII, with one @, and with nothing that means something in a header or a command of SMTP. */
export const MAIL_ADDRESS = "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$"
export const MAX_MAIL_ADDRESS = 254

export function isMailAddress(text: string): boolean {
  return text.length <= MAX_MAIL_ADDRESS && new RegExp(MAIL_ADDRESS).test(text)
}
